"""What another wish for long prose cuts again, and what a doubtful setting keeps a run from: nothing."""

from __future__ import annotations

PLACES = (
    "harbour",
    "mill",
    "bridge",
    "orchard",
    "quarry",
    "chapel",
    "inn",
    "lighthouse",
    "forge",
    "weir",
    "barn",
    "well",
)
STORY = "\n\n".join(
    f"Anna walked to the {place}. She looked for her brother there. He had left it before she came. "
    f"They had agreed to meet at the {place} at noon, and he had forgotten it. She wrote him a note and went home."
    for place in PLACES * 3
)
PAGE = "# Ferries\n\nThe ferry leaves at nine.\n\n## Fares\n\nA ticket costs four crowns.\n"
SETTINGS = "\n".join(f"ferry.{number}.seats={number * 10}" for number in range(30))


def test_another_recipe_for_long_prose_cuts_it_from_the_stored_parse_and_nothing_else(site):
    site.write("story.txt", STORY)
    site.write("page.md", PAGE)
    site.write("settings.txt", SETTINGS)
    site.sync()
    statement = "SELECT uri, recipe, recipe_because, cut_fingerprint FROM documents ORDER BY uri"
    before = site.rows(statement)
    assert [(row["uri"], row["recipe"]) for row in before] == [
        ("page.md", "structure"),
        ("settings.txt", "fixed"),
        ("story.txt", "recursive"),
    ]
    site.settings = {"cutting": {"prose": "auto"}}
    done = site.sync()
    after = site.rows(statement)
    assert before[:2] == after[:2]
    assert after[2]["recipe"] == "late"
    assert "of a hundred words refer back" in after[2]["recipe_because"]
    assert (done["parsed"], done["documents"]["changed"], done["documents"]["unchanged"]) == (0, 1, 2)
    assert site.sync()["rows_written"] == 0
    site.settings = {}
    site.sync()
    assert site.rows(statement) == before


def test_a_large_overlap_is_no_fault_of_a_run(site):
    site.settings = {"cutting": {"size": 60, "overlap": 30}}
    site.write("story.txt", STORY)
    assert site.sync()["documents"]["new"] == 1
    assert site.rows("SELECT warnings FROM documents") == [{"warnings": []}]
