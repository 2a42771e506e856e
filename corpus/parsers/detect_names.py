"""What a file's name and its first line say that it is."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

OPEN_XML = "application/vnd.openxmlformats-officedocument."
DOCX = f"{OPEN_XML}wordprocessingml.document"
PPTX = f"{OPEN_XML}presentationml.presentation"
XLSX = f"{OPEN_XML}spreadsheetml.sheet"

_BY_TYPE = {
    "text/markdown": ".md .markdown .mdown .mkd .mkdn .mdx .qmd .rmd",
    "text/html": ".html .htm .shtml",
    "application/xhtml+xml": ".xhtml .xht",
    "text/plain": ".txt .text",
    "text/x-rst": ".rst .rest",
    "text/x-log": ".log .jsonl .ndjson",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv .tab",
    "message/rfc822": ".eml .mht .mhtml .mbox",
    "application/x-ipynb+json": ".ipynb",
    "text/x-python": ".py .pyi .pyw",
    "text/javascript": ".js .mjs .cjs .jsx",
    "text/typescript": ".ts .mts .cts",
    "text/tsx": ".tsx",
    "text/x-go": ".go",
    "text/x-sql": ".sql .ddl .psql",
    "text/x-java": ".java",
    "text/x-rust": ".rs",
    "text/x-c": ".c .h",
    "text/x-c++": ".cc .cpp .cxx .hh .hpp .hxx",
    "text/x-csharp": ".cs",
    "text/x-ruby": ".rb .rake .gemspec .ru",
    "text/x-php": ".php .phtml",
    "text/x-shellscript": ".sh .bash .zsh .ksh",
    "text/x-kotlin": ".kt .kts",
    "text/x-dockerfile": ".dockerfile",
    "text/css": ".css",
    "application/yaml": ".yaml .yml",
    "application/toml": ".toml",
    "application/json": ".json .geojson .webmanifest",
}
EXTENSIONS = {extension: media_type for media_type, all_of_it in _BY_TYPE.items() for extension in all_of_it.split()}

#: files that are known by their whole name
_NAMES = {
    "text/x-dockerfile": "dockerfile containerfile",
    "text/x-ruby": "gemfile rakefile vagrantfile guardfile podfile brewfile fastfile capfile",
    "text/x-python": "sconstruct sconscript wscript",
    "text/x-shellscript": ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zprofile .envrc pkgbuild",
    "application/toml": "pipfile cargo.lock poetry.lock uv.lock",
    "application/yaml": ".clang-format .clang-tidy .yamllint",
    "text/plain": "makefile gnumakefile jenkinsfile cmakelists.txt",
}
NAMES = {name: media_type for media_type, all_of_it in _NAMES.items() for name in all_of_it.split()}

#: names that promise a format that is no text; text under such a name is not what it says
PROMISES = dict.fromkeys((".docx", ".docm", ".dotx"), "Word document") | dict.fromkeys(
    (".pptx", ".pptm", ".potx", ".ppsx"), "PowerPoint presentation"
) | dict.fromkeys((".xlsx", ".xlsm", ".xltx"), "Excel workbook") | {".pdf": "PDF"}  # fmt: skip

_SHEBANG = re.compile(r"#![ \t]*(\S+)(?:[ \t]+([^\n]*))?")
_INTERPRETERS = (
    (re.compile(r"(?:ba|z|k|da|a)?sh"), "text/x-shellscript"),
    (re.compile(r"(?:python|pypy)[\d.]*"), "text/x-python"),
    (re.compile(r"j?ruby[\d.]*|macruby|rake"), "text/x-ruby"),
    (re.compile(r"node(?:js)?|bun"), "text/javascript"),
    (re.compile(r"deno|ts-node|tsx"), "text/typescript"),
    (re.compile(r"php[\d.]*"), "text/x-php"),
    (re.compile(r"kotlin[c]?"), "text/x-kotlin"),
)


def extension_of(uri: str) -> str:
    """The last extension of an address, in small letters, with its dot."""
    return PurePosixPath(uri).suffix.lower()


def by_name(uri: str) -> str | None:
    """The media type that a name stands for; None if it says nothing."""
    name = PurePosixPath(uri).name.lower()
    if media_type := NAMES.get(name):
        return media_type
    if name.startswith(("dockerfile.", "containerfile.")):
        return "text/x-dockerfile"
    return EXTENSIONS.get(extension_of(uri))


def by_interpreter(head: str) -> str | None:
    """The media type of a script whose first line names the program that runs it."""
    found = _SHEBANG.match(head[:300])
    if not found:
        return None
    words = [found[1], *(found[2] or "").split()]
    if PurePosixPath(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    program = PurePosixPath(words[0]).name if words else ""
    return next((media_type for pattern, media_type in _INTERPRETERS if pattern.fullmatch(program)), "text/plain")
