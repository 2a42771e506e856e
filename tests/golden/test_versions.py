"""No stage's output changes without its version, and no setting changes one without the fingerprint that tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import outputs
import pytest
from hash_models import HASH_A, register
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from chunkers import base
from corpus import parsers
from corpus.config import Corpus
from corpus.parsers.base import PARSERS, parser_for
from corpus.recipes import Recipes, parse_settings

RECORD = "python scripts/record_outputs.py"


@pytest.fixture(scope="module")
def made() -> list[outputs.Output]:
    return list(outputs.outputs(outputs.golden_files()))


def test_a_changed_output_has_a_raised_version(made):
    said = outputs.silent(made, outputs.recorded())
    assert not said, "documents would stay as they are although their stage makes something else of them:\n" + (
        "\n".join(said)
    )


def test_a_raised_version_is_recorded(made):
    known, now = outputs.recorded(), outputs.as_recorded(made)
    stages = [stage for stage in known.keys() | now.keys() if known.get(stage) != now.get(stage)]
    assert not stages or outputs.silent(made, known), f"{', '.join(sorted(stages))}: {RECORD}"


def test_every_parser_and_every_recipe_has_golden_documents(made):
    stages = {output.stage for output in made}
    assert {f"parse/{parser_for(media_type).name}" for media_type in PARSERS} <= stages
    assert {f"cut/{recipe}" for recipe in base.names()} <= stages


def test_a_stage_that_is_given_the_same_and_makes_something_else_is_told_from_one_that_is_given_something_else():
    one = outputs.Output("router", "a.md", {"router": 3}, "given", "structure")
    known = outputs.as_recorded([one])
    assert outputs.silent([one], known) == []
    changed = outputs.Output("router", "a.md", {"router": 3}, "given", "qa")
    assert outputs.silent([changed], known) == [
        "router makes something else of a.md: raise chunkers/router.py: VERSION"
    ]
    raised = outputs.Output("router", "a.md", {"router": 4}, "given", "qa")
    parsed_anew = outputs.Output("router", "a.md", {"router": 3}, "other", "qa")
    new = outputs.Output("router", "b.md", {"router": 3}, "given", "qa")
    assert outputs.silent([raised, parsed_anew, new], known) == []


# Settings. Each names the stages whose outcome it changes, for a document of the kind that reads it.

NONE: frozenset[str] = frozenset()
PARSE, CUT, SAID, SEEN, EMBED, TRY = (frozenset({name}) for name in ("parse", "cut", "said", "seen", "embed", "try"))

PDF = ("application/pdf", "layout")
MARKDOWN = ("text/markdown", "structure")
PROSE = ("text/plain", "recursive")
LOOKED_AT = ("text/plain", "semantic")

register()

#: setting → values, the kind of document that reads it, what it changes
SETTINGS: dict[str, tuple[st.SearchStrategy[Any], tuple[str, str], frozenset[str]]] = {
    "source.base_url": (st.sampled_from(["https://a.example", "https://b.example/x"]), MARKDOWN, SAID),
    "permissions": (st.just([{"glob": "**", "principals": ["staff"]}]), MARKDOWN, SEEN),
    "metadata": (st.just([{"glob": "**", "tags": ["t"]}]), MARKDOWN, SAID),
    "recipes": (  # a rule is also why a document has its recipe
        st.sampled_from([[{"glob": "**", "recipe": name}] for name in ("fixed", "qa")]),
        MARKDOWN,
        CUT | TRY | SAID,
    ),
    "cutting.size": (st.integers(20, 150), MARKDOWN, CUT | TRY),
    "cutting.overlap": (st.integers(1, 20), PROSE, CUT | TRY),
    "cutting.parent_size": (st.integers(300, 900), MARKDOWN, CUT | TRY),
    "cutting.headers": (st.just(False), MARKDOWN, CUT | TRY),
    "cutting.model": (st.just(HASH_A.name), LOOKED_AT, CUT | TRY),
    "cutting.prose": (st.sampled_from(["semantic", "late", "auto"]), PROSE, CUT | TRY),
    "embedding.passage_prefix": (st.sampled_from(["passage: ", "doc: "]), MARKDOWN, EMBED | CUT | TRY),
    "embedding.query_prefix": (st.just("query: "), MARKDOWN, EMBED),
    "limits.seconds": (st.integers(130, 900), PDF, TRY),
    "limits.memory_mb": (st.integers(4000, 9000), PDF, TRY),
    "limits.megabytes": (st.integers(201, 900), PDF, TRY),
    "limits.pages": (st.integers(1, 4999), PDF, PARSE | TRY),
    "parsing.accept_partial": (st.just(True), PDF, TRY),
    "parsing.fidelity": (st.floats(0.5, 0.9), PDF, TRY),
    "parsing.pdf_fidelity": (st.floats(0.5, 0.9), PDF, TRY),
    "parsing.pdf": (st.sampled_from(["unstructured-fast", "unstructured-hi-res"]), PDF, PARSE | TRY),
    "parsing.ocr_languages": (st.sampled_from([[], ["deu"], ["eng", "deu"]]), PDF, PARSE | TRY),
    "parsing.ocr_seconds": (st.integers(61, 600), PDF, TRY),
}
#: what no stage reads: they say what is looked at, when, how much at a time, and when a run stops or asks
OF_NO_STAGE = {
    *("name", "source.kind", "source.path", "source.partition", "include", "exclude", "schedule", "trust"),
    *("deletion_guard.share", "deletion_guard.documents", "spending_guard.share", "spending_guard.tokens"),
    *("history.days", "batches.documents", "batches.megabytes", "limits.failed_share", "limits.failed_documents"),
    *("embedding.batch_texts", "embedding.task_texts", "embedding.price_per_million_tokens", "parsing.processes"),
}
#: another model is another ruler as well, where none is named: see tests/store/test_what_is_due.py
OTHER = {"embedding.model", "cutting.ruler", "cutting.ruler_prefix", "cutting.model_prefix"}


def leaves(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, f"{prefix}{name}.")
        else:
            yield prefix + name


def test_of_every_setting_it_is_known_which_stage_reads_it():
    assert get_args(Corpus.model_fields["source"].annotation) == ()
    assert set(leaves(Corpus)) == SETTINGS.keys() | OF_NO_STAGE | OTHER


def corpus(said: dict[str, Any]) -> Corpus:
    body: dict[str, Any] = {"name": "c", "source": {"path": "."}}
    for name, value in said.items():
        place, _, key = name.rpartition(".")
        if place:
            body.setdefault(place, {})[key] = value
        else:
            body[key] = value
    return Corpus.model_validate(body)


def prints(said: dict[str, Any], media_type: str, recipe: str) -> dict[str, Any]:
    """What decides over each stage for a document `a.md` of this kind."""
    of = corpus({"cutting.prose": recipe} | said if recipe == "semantic" else said)
    recipes = Recipes.of(of)
    return {
        "parse": parsers.fingerprint(media_type, parse_settings(of)),
        "cut": recipes.cut_fingerprint(recipe, "a.md"),
        "said": recipes.payload_hash("a.md"),
        "seen": recipes.permissions("a.md"),
        "embed": (of.embedding.model, of.embedding.passage_prefix, of.embedding.query_prefix),
        "try": recipes.attempt_fingerprint(media_type),
    }


@pytest.mark.parametrize("name", sorted(SETTINGS))
@settings(deadline=None, max_examples=8)
@given(data=st.data())
def test_a_setting_changes_the_fingerprints_of_the_stages_that_read_it_and_no_others(name, data):
    values, kind, changes = SETTINGS[name]
    some = sorted({"cutting.headers", "parsing.accept_partial", "metadata"} - {name})
    others = data.draw(st.lists(st.sampled_from(some), unique=True))
    beside = {other: data.draw(SETTINGS[other][0]) for other in others}
    before = prints(beside, *kind)
    after = prints(beside | {name: data.draw(values)}, *kind)
    assert {stage for stage in before if before[stage] != after[stage]} == changes
