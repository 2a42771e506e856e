"""What each stage makes of the golden documents, by the versions of its code: recorded, so that no change is silent.

A fingerprint holds versions, not code: a stage whose output changed under the same version would leave every document
as it was cut long ago. So `tests/data/outputs.json` has, for each stage and golden document, a digest of what came
in and of what came out, and the versions by which documents are told to be due.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from word_pieces import word_pieces
from word_vectors import WordVectors

from chunkers import assembly, base, router
from chunkers.document import Document
from chunkers.identity import document_id
from corpus import parsers
from corpus.parsers import decode, detect, fidelity, language
from corpus.parsers.base import parser_for

ROOT = Path(__file__).parent.parent.parent
RECORDED = ROOT / "tests" / "data" / "outputs.json"
FOLDERS = ("examples", *(f"tests/data/{name}" for name in ("code", "cut_cases", "formats", "hard")))

#: documents of several kinds that every recipe cuts, whichever the router would give them
FOR_EVERY_RECIPE = tuple(
    ROOT / name
    for name in (
        "examples/docs/fastapi/en/async.md",
        "examples/docs/postgresql/pg-locking.html",
        "tests/data/cut_cases/faq_zh.md",
        "tests/data/cut_cases/manual.md",
        "tests/data/cut_cases/travel.md",
        "tests/data/code/Shelves.java",
        "tests/data/formats/ferries.csv",
    )
)
SMALL = {"size": 60, "parent_size": 200}  #: tokens; so that sections must be cut too

WHERE = {  #: where the version of a stage is; a parser's and a recipe's are in its class
    "detect": "corpus/parsers/detect.py: VERSION",
    "language": "corpus/parsers/language.py: VERSION",
    "fidelity": "corpus/parsers/fidelity.py: VERSION",
    "router": "chunkers/router.py: VERSION",
}

Versions = dict[str, int]


@dataclass(frozen=True)
class Output:
    """What one stage made of one document."""

    stage: str  #: `parse/markdown`, `cut/structure`
    document: str  #: its path in the project, with the settings where it is cut in more than one way
    versions: Versions  #: of all code of which the stage's fingerprint knows
    given: str  #: digest of what came in
    made: str  #: digest of what came out

    @property
    def where(self) -> str:
        """The version to raise."""
        kind, _, name = self.stage.partition("/")
        if kind == "parse":
            return f"the `version` of the parser {name} (or {decode.__name__}.VERSION, if that is what changed)"
        if kind == "cut":
            return f"the `version` of the recipe {name} (or {assembly.__name__}.VERSION, if that is what changed)"
        return WHERE[kind]


def golden_files() -> list[Path]:
    """The documents, all of which may be redistributed."""
    found = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file())
    return sorted(file for file in found if file.name not in ("LICENSES.md", "golden.jsonl"))


def outputs(files: list[Path]) -> Iterator[Output]:
    """What every stage makes of each document."""
    for file in files:
        yield from outputs_of(file.read_bytes(), file.relative_to(ROOT).as_posix(), file in FOR_EVERY_RECIPE)


def outputs_of(data: bytes, uri: str, every_recipe: bool) -> Iterator[Output]:
    """What every stage makes of one document; each is given what the one before made."""
    given = hashlib.sha256(data).hexdigest()[:16]
    media_type = detect.detect(data, uri)
    yield Output("detect", uri, {"detect": detect.VERSION}, given, media_type)

    parser = parser_for(media_type)
    parsed = parser.parse(data, media_type, parsers.DEFAULTS)
    made = digest([parsed.document.to_dict(), list(parsed.left_out)])
    versions = {parser.name: parser.version, "decode": decode.VERSION}
    if parser.name in parsers.READ_HTML:
        versions["html"] = parser_for("text/html").version
    yield Output(f"parse/{parser.name}", uri, versions, digest([given, media_type]), made)

    document = parsers.parse(data, uri=uri)
    yield Output("fidelity", uri, {"fidelity": fidelity.VERSION}, digest([given, made]), str(document.fidelity))
    yield Output("language", uri, {"language": language.VERSION}, made, str(language.of(document)))

    whole = digest(document.to_dict())
    route = router.route(document, uri=uri)
    yield Output("router", uri, {"router": router.VERSION}, whole, route.recipe)
    yield _cut(document, uri, route.recipe, whole, {})
    if every_recipe:
        for recipe in base.names():
            yield _cut(document, uri, recipe, whole, SMALL)


def _cut(document: Document, uri: str, recipe: str, given: str, settings: dict[str, int]) -> Output:
    known = {field.name for field in fields(base.build(recipe))}  # type: ignore[arg-type]
    settings = {name: value for name, value in settings.items() if name in known}
    chunker: Any = base.build(recipe, settings)
    cut = assembly.cut(document_id("golden", uri), document, chunker, word_pieces(), embedder=WordVectors())
    named = f"{uri} {settings}" if settings else uri
    made = [[asdict(row) for row in rows] for rows in (cut.parents, cut.children, cut.contexts)]
    versions = {recipe: chunker.version, "assembly": assembly.VERSION}
    return Output(f"cut/{recipe}", named, versions, digest([given, asdict(chunker)]), digest(made))


def digest(value: Any) -> str:
    """Of anything that JSON can hold; ids and kinds as they print."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


Recorded = dict[str, dict[str, Any]]  #: by stage: its versions, and what was given and made of each document


def recorded() -> Recorded:
    """What was recorded last."""
    found: Recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    return found


def record(made: list[Output]) -> None:
    """Write what was made over what was recorded."""
    RECORDED.write_text(json.dumps(as_recorded(made), indent=1, ensure_ascii=False) + "\n")


def as_recorded(made: list[Output]) -> Recorded:
    """The form in which outputs are recorded."""
    stages: Recorded = {}
    for output in sorted(made, key=lambda output: (output.stage, output.document)):
        stage = stages.setdefault(output.stage, {"versions": output.versions, "documents": {}})
        stage["documents"][output.document] = f"{output.given} {output.made}"
    return stages


def silent(made: list[Output], known: Recorded) -> list[str]:
    """Outputs that changed although what came in, and every version, is what was recorded: each with what to raise."""
    found: dict[tuple[str, str], list[str]] = {}
    for output in made:
        stage = known.get(output.stage, {"versions": None, "documents": {}})
        given, _, before = stage["documents"].get(output.document, "").partition(" ")
        if (stage["versions"], given) == (output.versions, output.given) and before != output.made:
            found.setdefault((output.stage, output.where), []).append(output.document)
    return [
        f"{stage} makes something else of {documents[0]}"
        + (f" and {len(documents) - 1} more" if len(documents) > 1 else "")
        + f": raise {where}"
        for (stage, where), documents in found.items()
    ]
