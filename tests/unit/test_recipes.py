"""What a corpus' settings decide, and what they leave alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunkers.document import Block, Document, Kind
from corpus.config import Corpus
from corpus.errors import ConfigError, PartialParse
from corpus.recipes import Recipes, accepted


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
        ({"cutting": {"size": 100}}, False),
        ({"cutting": {"headers": False}}, False),
        ({"cutting": {"parent_size": 900}}, False),
        ({"recipes": [{"glob": "**", "recipe": "structure", "settings": {"size": 120}}]}, False),
    ],
)
def test_the_cut_fingerprint_holds_what_the_cut_reads_and_no_more(settings, same):
    before = recipes().cut_fingerprint("structure", "a.md")
    assert (recipes(**settings).cut_fingerprint("structure", "a.md") == before) is same


def test_the_payload_hash_changes_with_permissions_and_metadata_only():
    before = recipes().payload_hash("a.md")
    assert recipes(cutting={"size": 100}).payload_hash("a.md") == before
    assert recipes(permissions=[{"glob": "**", "principals": ["staff"]}]).payload_hash("a.md") != before
    assert recipes(metadata=[{"glob": "**", "author": "A"}]).payload_hash("a.md") != before
    assert recipes(metadata=[{"glob": "b.md", "author": "A"}]).payload_hash("a.md") == before


def test_another_limit_or_cut_is_worth_another_attempt_at_a_document_that_failed():
    before = recipes().attempt_fingerprint("application/pdf")
    assert recipes(limits={"seconds": 600}).attempt_fingerprint("application/pdf") != before
    assert recipes(cutting={"size": 100}).attempt_fingerprint("application/pdf") != before
    assert recipes(permissions=[{"glob": "**", "principals": ["a"]}]).attempt_fingerprint("application/pdf") == before


def test_a_size_that_the_model_cannot_read_is_found_before_any_work():
    with pytest.raises(ConfigError, match=r"size 300 is more than the model reads \(254\)"):
        recipes(cutting={"size": 300}).check()
    with pytest.raises(ConfigError, match="recipe fixed"):
        recipes(recipes=[{"glob": "x", "recipe": "fixed", "settings": {"size": 999}}]).check()
    recipes(cutting={"size": 254}).check()


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
