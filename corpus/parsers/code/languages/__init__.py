"""The programming languages that the parser of source code knows, by media type.

To add a language: install the wheel of its grammar, say in a module here which of its nodes are symbols and how they
are called, and add a line below.
"""

from __future__ import annotations

from corpus.parsers.code.languages.base import Found, Language
from corpus.parsers.code.languages.c import CPLUSPLUS, C
from corpus.parsers.code.languages.csharp import CSHARP
from corpus.parsers.code.languages.css import CSS
from corpus.parsers.code.languages.data import JSON, TOML, YAML
from corpus.parsers.code.languages.go import GO
from corpus.parsers.code.languages.java import JAVA
from corpus.parsers.code.languages.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from corpus.parsers.code.languages.kotlin import KOTLIN
from corpus.parsers.code.languages.php import PHP
from corpus.parsers.code.languages.python import PYTHON
from corpus.parsers.code.languages.ruby import RUBY
from corpus.parsers.code.languages.rust import RUST
from corpus.parsers.code.languages.shell import BASH, DOCKERFILE

__all__ = ["LANGUAGES", "Found", "Language"]

#: media type → language
LANGUAGES: dict[str, Language] = {
    "text/x-python": PYTHON,
    "text/javascript": JAVASCRIPT,
    "text/typescript": TYPESCRIPT,
    "text/tsx": TSX,
    "text/x-go": GO,
    "text/x-java": JAVA,
    "text/x-kotlin": KOTLIN,
    "text/x-rust": RUST,
    "text/x-c": C,
    "text/x-c++": CPLUSPLUS,
    "text/x-csharp": CSHARP,
    "text/x-ruby": RUBY,
    "text/x-php": PHP,
    "text/x-shellscript": BASH,
    "text/x-dockerfile": DOCKERFILE,
    "text/css": CSS,
    "application/yaml": YAML,
    "application/toml": TOML,
    "application/json": JSON,
}
