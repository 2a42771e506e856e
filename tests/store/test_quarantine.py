"""What becomes of a document that cannot be processed: kept apart with its evidence, tried again when that may help."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from pdf_making import Page, pdf
from site_under_test import Site
from test_sync import counts

from chunkers.identity import content_hash
from corpus import embedding, pipeline
from corpus.errors import RunFailed, TransientError
from corpus.parsers.markdown.parser import MarkdownParser
from corpus.parsers.pdf.ocr import tesseract
from corpus.parsers.pdf.parser import PdfParser
from corpus.store import Store

LATER = 1_700_000_100
GOOD = "# Ferry\n\nThe ferry leaves at nine.\n"
BAD = b"\x00\x01\x02 no text at all \xff\xfe" * 40
TIDES = ["High water is given for the outer mole.", "The tide table comes out every Monday."]


def held(site: Site) -> list[dict]:
    with Store(site.dsn) as store:
        return store.quarantined(site.name)


def stale_since(site: Site) -> object:
    (row,) = site.rows("SELECT stale_since FROM documents")
    return row["stale_since"]


def damaged() -> bytes:
    return pdf([Page().lines(72, 100, TIDES)])[:200]


def half_scanned() -> bytes:
    return pdf([Page().lines(72, 100, TIDES), Page().image()])


def test_an_entry_says_what_failed_where_and_by_which_parser(site):
    site.write("report.pdf", damaged())
    site.sync()
    (entry,) = site.rows("SELECT * FROM quarantine")
    assert entry["error_class"] == "ParseError"
    assert entry["stage"] == "parse"
    assert entry["parser"] == f"{PdfParser.name} {PdfParser.version}"
    assert entry["message"]
    assert entry["hint"]
    assert entry["attempts"] == 1
    assert entry["first_failed_at"] == entry["last_failed_at"]
    assert entry["content_hash"] == content_hash(damaged())


def test_what_no_parser_reads_names_none(site):
    site.write("data.bin", BAD)
    site.sync()
    (entry,) = site.rows("SELECT error_class, parser FROM quarantine")
    assert entry == {"error_class": "UnsupportedFormat", "parser": None}


def test_nothing_is_tried_again_while_nothing_has_changed(site):
    site.write("report.pdf", damaged())
    site.sync()
    for _ in range(2):
        done = site.sync()
        assert (done["documents"], done["parsed"], done["rows_written"]) == (counts(quarantined=1), 0, 0)
    os.utime(site.source / "report.pdf", (LATER, LATER))
    done = site.sync()
    assert (done["documents"]["quarantined"], done["parsed"], done["rows_written"]) == (1, 0, 0)
    assert held(site)[0]["attempts"] == 1


def test_other_bytes_are_tried_and_each_failure_counts(site):
    site.write("report.pdf", damaged())
    site.sync()
    site.write("report.pdf", damaged() + b"%", at=LATER)
    assert site.sync()["documents"] == counts(quarantined=1)
    first, last, attempts = (held(site)[0][name] for name in ("first_failed_at", "last_failed_at", "attempts"))
    assert attempts == 2
    assert first < last
    site.write("report.pdf", pdf([Page().lines(72, 100, TIDES)]), at=LATER + 1)
    assert site.sync()["documents"] == counts(changed=1)
    assert held(site) == []


def test_an_operators_retry_that_fails_again_counts_and_is_not_repeated(site):
    site.write("report.pdf", damaged())
    site.sync()
    with Store(site.dsn) as store:
        assert store.retry(site.name, "report.pdf") == 1
    assert site.sync()["parsed"] == 1
    entry = held(site)[0]
    assert (entry["attempts"], entry["retry"]) == (2, False)
    assert site.sync()["parsed"] == 0


def test_another_version_of_its_parser_tries_it_again_and_no_other(site, monkeypatch):
    site.write("report.pdf", damaged())
    site.write("empty.md", "---\ntitle: nothing to index\n---\n")
    site.sync()
    monkeypatch.setattr(MarkdownParser, "version", MarkdownParser.version + 1)
    site.sync()
    assert {entry["uri"]: entry["attempts"] for entry in held(site)} == {"report.pdf": 1, "empty.md": 2}
    assert site.sync()["rows_written"] == 0


@pytest.mark.parametrize(
    "settings",
    [{"limits": {"seconds": 200}}, {"limits": {"memory_mb": 4000}}, {"parsing": {"accept_partial": True}}],
    ids=str,
)
def test_what_may_let_it_through_tries_it_again(site, settings):
    site.write("report.pdf", damaged())
    site.sync()
    site.settings = settings
    site.sync()
    assert held(site)[0]["attempts"] == 2


def test_what_cannot_matter_does_not_try_it_again(site):
    site.write("report.pdf", damaged())
    site.sync()
    site.settings = {
        "batches": {"documents": 7},
        "metadata": [{"glob": "**", "tags": ["t"]}],
        "permissions": [{"glob": "**", "principals": ["staff"]}],
        "parsing": {"processes": 1},
    }
    site.sync()
    assert held(site)[0]["attempts"] == 1


def test_a_scan_is_tried_again_once_tesseract_is_there(site, monkeypatch):
    monkeypatch.setattr(tesseract, "state", lambda: "none")
    site.write("scan.pdf", damaged())
    site.sync()
    monkeypatch.setattr(tesseract, "state", lambda: "tesseract 5.3.4 eng")
    site.sync()
    assert held(site)[0]["attempts"] == 2


def test_the_last_good_version_is_marked_as_stale_once_until_another_is_published(site):
    site.write("ferry.md", GOOD)
    site.sync()
    assert stale_since(site) is None
    site.write("ferry.md", BAD, at=LATER)
    site.sync()
    since = stale_since(site)
    assert since is not None
    site.write("ferry.md", BAD + b"\x00", at=LATER + 1)
    site.sync()
    assert stale_since(site) == since
    assert site.ask("When does the ferry leave?") == ["ferry.md"]
    site.write("ferry.md", GOOD.replace("nine", "ten"), at=LATER + 2)
    site.sync()
    assert stale_since(site) is None
    assert held(site) == []


def test_bytes_that_come_back_end_the_quarantine_and_the_mark(site):
    site.write("ferry.md", GOOD)
    site.sync()
    site.write("ferry.md", BAD, at=LATER)
    site.sync()
    site.write("ferry.md", GOOD, at=LATER + 1)
    done = site.sync()
    assert (done["parsed"], done["embedded"]) == (0, 0)
    assert (held(site), stale_since(site)) == ([], None)
    assert site.sync()["rows_written"] == 0


def test_a_recipe_that_changed_while_bad_bytes_lay_there_is_made_up_for_when_the_good_ones_return(site):
    site.write("ferry.md", GOOD + "\n## Fares\n\nA ticket costs four crowns.\n")
    site.sync()
    site.write("ferry.md", BAD, at=LATER)
    site.settings = {"recipes": [{"glob": "**", "recipe": "fixed", "settings": {"size": 12, "overlap": 0}}]}
    site.sync()
    site.sync()
    site.write("ferry.md", GOOD + "\n## Fares\n\nA ticket costs four crowns.\n", at=LATER + 1)
    site.sync()
    (row,) = site.rows("SELECT recipe, stale_since FROM documents")
    assert row == {"recipe": "fixed", "stale_since": None}
    assert site.sync()["rows_written"] == 0


def test_a_forgotten_entry_is_tried_as_if_for_the_first_time_though_a_good_version_is_served(site):
    site.write("ferry.md", GOOD)
    site.sync()
    site.write("ferry.md", BAD, at=LATER)
    site.sync()
    site.sync()
    with Store(site.dsn) as store:
        assert store.forget(site.name, "ferry.md") == 1
    assert stale_since(site) is not None, "what is served is still not what the source has"
    assert site.sync()["documents"]["quarantined"] == 1
    assert held(site)[0]["attempts"] == 1


def test_a_deleted_document_that_returns_damaged_is_tried_once_and_leaves_with_its_file(site):
    site.write("other.md", "# Other\n\nStays.\n")
    site.write("ferry.md", GOOD)
    site.sync()
    (site.source / "ferry.md").unlink()
    site.sync()
    site.write("ferry.md", BAD, at=LATER)
    assert site.sync()["documents"]["quarantined"] == 1
    done = site.sync()
    assert (done["documents"]["quarantined"], done["rows_written"]) == (1, 0)
    assert held(site)[0]["attempts"] == 1
    (row,) = site.rows("SELECT deleted_at, stale_since FROM documents WHERE uri = 'ferry.md'")
    assert row["deleted_at"] is not None
    assert row["stale_since"] is None, "nothing is served"
    (site.source / "ferry.md").unlink()
    assert site.sync()["documents"] == counts(unchanged=1)
    assert held(site) == []


def test_what_happened_is_in_the_history(site):
    site.write("ferry.md", GOOD)
    site.sync()
    site.write("ferry.md", BAD, at=LATER)
    site.sync()
    events = site.rows("SELECT event, content_hash, children FROM sync_versions ORDER BY id")
    assert [(row["event"], row["content_hash"]) for row in events] == [
        ("published", content_hash(GOOD.encode())),
        ("quarantined", content_hash(BAD)),
    ]


# Documents that were taken as they were.


def partial(site: Site) -> None:
    site.settings["parsing"] = {"ocr_languages": [], "accept_partial": True}
    site.write("tides.pdf", half_scanned())
    site.write("ferry.md", GOOD)
    site.sync()


def test_a_partial_document_is_held_back_when_the_corpus_accepts_none_any_more(site):
    partial(site)
    site.settings["parsing"]["accept_partial"] = False
    done = site.sync()
    assert (done["documents"], done["parsed"], done["embedded"]) == (counts(quarantined=1, unchanged=1), 0, 0)
    (entry,) = held(site)
    assert (entry["uri"], entry["error_class"]) == ("tides.pdf", "PartialParse")
    assert "page 2 of 2" in entry["message"]
    assert site.ask("When does the tide table come out?")[0] == "tides.pdf", "its last version is served on"
    assert site.rows("SELECT uri FROM documents WHERE stale_since IS NOT NULL") == [{"uri": "tides.pdf"}]
    assert site.sync()["rows_written"] == 0


def test_and_is_back_as_it_was_when_it_accepts_them_again(site):
    partial(site)
    before = site.content()
    site.settings["parsing"]["accept_partial"] = False
    site.sync()
    site.settings["parsing"]["accept_partial"] = True
    done = site.sync()
    assert (done["documents"]["changed"], done["embedded"]) == (1, 0)
    assert (site.content(), held(site)) == (before, [])


def test_another_floor_touches_only_what_it_judges_otherwise(site):
    site.write("good.html", "<title>Tides</title><p>High water at nine.</p><p>Low water at three.</p>")
    site.write("ferry.md", GOOD)
    site.sync()
    with Store(site.dsn) as store, store.transaction() as (cursor, _):  # as if some of it had not arrived
        cursor.execute("UPDATE documents SET fidelity = 0.985 WHERE uri = 'good.html'")
    site.settings["parsing"] = {"fidelity": 0.99}
    found = pipeline.preview(site.config, site.dsn, site.name, quick=True)
    assert found["documents"] == counts(changed=1, unchanged=1)


# Who is to blame.


class BrokenModel:
    """A model whose files went away under it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __call__(self, *_: object, **__: object) -> None:
        raise self._error


TALK = (
    "Bread rises in the cold. Dough is shaped by hand. The oven is fired with beech. Loaves cool on racks of wood. "
    "A glacier is a river of ice. It moves faster in its middle. Crevasses open where it bends. Silt greys the lakes. "
    "A bank lends more than it holds. Interest pays for the risk. Mortgages are secured by the house. Runs are feared."
)


@pytest.mark.parametrize("error", [OSError("stale file handle"), MemoryError(), RuntimeError("not enough memory")])
def test_a_model_that_fails_while_a_cut_looks_through_it_is_no_fault_of_the_document(site, monkeypatch, error):
    site.settings = {"recipes": [{"glob": "talk.txt", "recipe": "semantic", "settings": {"size": 50}}]}
    site.write("talk.txt", TALK)
    site.write("ferry.md", GOOD)
    planned = pipeline.plan(site.config, site.dsn, site.name)
    with monkeypatch.context() as patch:
        patch.setattr(embedding, "_loaded", BrokenModel(error))
        with pytest.raises(TransientError, match=r"talk\.txt"):
            pipeline.prepare(site.config, site.dsn, planned.run_id, 0)
    assert held(site) == []
    site.sync()
    assert {row["uri"] for row in site.rows("SELECT uri FROM documents")} == {"talk.txt", "ferry.md"}


def test_a_file_that_may_not_be_read_now_is_no_fault_of_the_document(site):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    file = site.write("ferry.md", GOOD)
    file.chmod(0)
    with pytest.raises(RunFailed, match=r"ferry\.md"):
        site.sync()
    assert held(site) == []
    file.chmod(stat.S_IRUSR)
    assert site.sync()["documents"] == counts(new=1)


def test_too_many_failures_fail_the_run_and_the_good_ones_are_published(site):
    site.settings = {"limits": {"failed_share": 0.4, "failed_documents": 1}}
    for number in range(2):
        site.write(f"bad{number}.pdf", damaged() + bytes([number]))
    site.write("ferry.md", GOOD)
    with pytest.raises(RunFailed, match="2 of 3 documents went to quarantine"):
        site.sync()
    assert site.ask("When does the ferry leave?") == ["ferry.md"]
    assert Path(site.source / "ferry.md").exists()
    assert site.sync()["documents"] == counts(quarantined=2, unchanged=1), "those that wait do not fail the next run"
