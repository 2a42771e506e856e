"""The example of docs/parsing.md, "How to add a format": put in place as the page says, it works."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from corpus.parsers import DEFAULTS, base, detect_names, fingerprint, parse

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "parsing.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example(named: str) -> str:
    """The first block of code below the paragraph that begins with this bold word."""
    section = PAGE[PAGE.index("## How to add a format") :]
    return FENCE.search(section, section.index(f"**{named}**"))[2]


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "subtitles.py"
    module.write_text(example("The parser"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("corpus.parsers.subtitles", module)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    monkeypatch.setitem(sys.modules, "corpus.parsers.subtitles", loaded)
    for media_type, parser in ast.literal_eval(f"{{{example('The registry')}}}").items():
        monkeypatch.setitem(base.PARSERS, media_type, parser)
    for media_type, extension in ast.literal_eval(f"{{{example('Detection')}}}").items():
        monkeypatch.setitem(detect_names.EXTENSIONS, extension, media_type)


def test_the_example_does_what_its_own_test_says(added: None):
    tests: dict = {}
    exec(compile(example("The test"), "docs/parsing.md", "exec"), tests)
    named = [name for name in tests if name.startswith("test_")]
    assert named
    for name in named:
        tests[name]()


def test_the_example_is_a_parser_like_the_others(added: None):
    assert fingerprint("application/x-subrip", DEFAULTS)
    document = parse("title card\r\n\r\n1\r\n00:01,0 --> 00:02,0\r\nOne &\r\ntwo.\r\n".encode("utf-16"), uri="a.srt")
    assert document.text == "title card\n\nOne &\ntwo."
    assert (document.encoding, document.fidelity, document.missing) == ("utf-16", 1.0, ())


def test_the_places_that_the_example_names_are_there():
    for module, name in (("base.py", "PARSERS"), ("detect_names.py", "_BY_TYPE")):
        assert f"`{name}` in `corpus/parsers/{module}`" in PAGE
        source = (Path(base.__file__).parent / module).read_text(encoding="utf-8")
        assert re.search(rf"^{name}\b.*= {{$", source, re.MULTILINE)
