"""Documents of which something did not arrive: refused, or taken with a warning, as the corpus wants it."""

from __future__ import annotations

from pdf_making import Page, pdf
from test_sync import counts

from corpus.store import Store

TIDES = ["High water is given for the outer mole.", "The tide table comes out every Monday."]
SCANNED = {"ocr_languages": []}  #: a page without a text layer is not read


def half_scanned() -> bytes:
    return pdf([Page().lines(72, 100, TIDES), Page().image()])


def test_a_partial_document_goes_to_quarantine_with_what_is_missing(site):
    site.settings["parsing"] = SCANNED
    site.write("tides.pdf", half_scanned())
    assert site.sync()["documents"] == counts(quarantined=1)
    with Store(site.dsn) as store:
        (refused,) = store.quarantined(site.name)
    assert refused["error_class"] == "PartialParse"
    assert "page 2 of 2" in refused["message"]
    assert "parsing.accept_partial" in refused["hint"]
    again = site.sync()
    assert (again["documents"], again["parsed"], again["rows_written"]) == (counts(quarantined=1), 0, 0)


def test_a_corpus_that_accepts_partial_documents_publishes_them_with_a_warning(site):
    site.settings["parsing"] = SCANNED
    site.write("tides.pdf", half_scanned())
    site.sync()
    site.settings["parsing"] = SCANNED | {"accept_partial": True}
    assert site.sync()["documents"] == counts(changed=1)
    (row,) = site.rows("SELECT warnings, fidelity FROM documents")
    assert any("page 2 of 2" in warning for warning in row["warnings"])
    assert row["fidelity"] == 1.0  # of the page that has words
    assert site.ask("When does the tide table come out?") == ["tides.pdf"]
    assert site.sync()["rows_written"] == 0


def test_another_floor_of_fidelity_parses_nothing_again(site):
    site.write("page.html", "<title>Tides</title><p>High water at nine.</p><p>Low water at three.</p>")
    site.sync()
    (row,) = site.rows("SELECT fidelity FROM documents")
    assert row["fidelity"] == 1.0
    site.settings["parsing"] = {"fidelity": 1.0}
    done = site.sync()
    assert (done["parsed"], done["documents"]) == (0, counts(unchanged=1))


def test_what_a_page_says_of_itself_is_stored(site):
    site.write("page.html", '<meta name="description" content="When the water is high."><p>High water at nine.</p>')
    site.sync()
    (row,) = site.rows("SELECT description, page_labels FROM documents")
    assert row == {"description": "When the water is high.", "page_labels": []}
