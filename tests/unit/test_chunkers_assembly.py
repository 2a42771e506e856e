"""Headers, rooms, ids, and the promises that a cut is held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from chunking import DOCUMENT, document, made, prose, texts, word_pieces

from chunkers import base
from chunkers.assembly import check, cut
from chunkers.chunk import Part, Piece, embedded_text
from chunkers.document import Document, Kind
from chunkers.errors import ConfigError, CutError
from chunkers.headers import header, room
from chunkers.identity import child_id, parent_id
from chunkers.tokens import Cached, Characters

PATH = ("Administration of the server", "Backup and restore", "Incremental backups")


def piece(source: Document, path=PATH, repeated="") -> Piece:
    return Piece(len(source.text) - 5, len(source.text), Kind.PARAGRAPH, path, repeated)


def test_a_header_is_the_path_and_below_it_what_is_repeated():
    source = document(prose(3))
    assert header(source, piece(source), word_pieces()) == " > ".join(PATH)
    assert header(source, piece(source, repeated="| a | b |\n"), word_pieces()) == " > ".join(PATH) + "\n| a | b |"
    assert header(source, piece(source, ()), word_pieces()) == ""
    assert header(source, piece(source, ("", "A")), word_pieces()) == "A"


def test_headings_inside_the_piece_are_not_in_its_header():
    source = document("# A\n\n## B\n\ntext\n")
    whole = Piece(0, len(source.text), Kind.PARAGRAPH, ("A", "B"))
    assert header(source, whole, word_pieces()) == ""
    assert header(source, Piece(5, len(source.text), Kind.PARAGRAPH, ("A", "B")), word_pieces()) == "A"
    assert header(source, Piece(11, len(source.text), Kind.PARAGRAPH, ("A", "B")), word_pieces()) == "A > B"


def test_a_header_that_is_too_long_loses_its_outermost_headings_first():
    source = document(prose(3))
    assert header(source, piece(source), Characters(150)) == "Backup and restore > Incremental backups"
    assert header(source, piece(source), Characters(70)) == "Incremental backups"
    assert header(source, piece(source), Characters(50)) == "Incremental…"
    assert header(source, piece(source), Characters(20)) == ""


def test_what_is_repeated_is_cut_at_a_row_or_a_word():
    source = document(prose(3))
    rows = "def first(a, b):\ndef second(a, b):\ndef third(a, b):"
    assert header(source, piece(source, ("M",), rows), Characters(152)) == "M\ndef first(a, b):\ndef second(a, b):…"
    assert header(source, piece(source, (), "one two three four five"), Characters(47)) == "one two three…"


@pytest.mark.parametrize("cap", [20, 40, 80, 256])
@pytest.mark.parametrize("repeated", ["", "| name | meaning of the name | where it is used |" * 3])
def test_header_and_room_never_exceed_the_model_and_a_header_takes_a_third_at_most(cap, repeated):
    source, ruler = document(prose(3)), word_pieces(cap)
    written = header(source, piece(source, PATH * 3, repeated), ruler)
    left = room(source, PATH * 3, repeated, ruler, 400)
    taken = ruler.count([written])[0]
    assert taken * 3 <= cap - 2
    assert taken + left <= cap - 2
    assert left * 2 >= cap - 2
    text = " ".join(["word"] * left)
    assert ruler.count([embedded_text(written, text)])[0] <= cap - 2


def test_room_is_at_most_the_size_and_no_room_is_a_configuration_error():
    source = document(prose(3))
    assert room(source, PATH, "", word_pieces(), 50) == 50
    assert room(source, (), "", word_pieces(), 400) == 254
    with pytest.raises(ConfigError):
        room(source, PATH, "", word_pieces(2), 400)


def test_ids_are_made_of_the_document_the_path_the_text_and_an_ordinal_among_equals():
    text = f"# A\n\n{prose(20)}\n\n# B\n\nSame.\n\n# B\n\nSame.\n"
    found = made(text, "structure")
    both = "# B\n\nSame."
    assert [child.id for child in found.children[:1]] == [child_id(DOCUMENT, ("A",), f"# A\n\n{prose(20)}", 0)]
    assert found.parents[0].id == parent_id(DOCUMENT, found.parents[0].section_path, 0)
    apart = made(f"# B\n\nSame.\n\n# X\n\n{prose(20)}\n\n# B\n\nSame.\n", "qa", size=80)
    same = [child for child in apart.children if child.text == both]
    assert [child.id for child in same] == [child_id(DOCUMENT, ("B",), both, number) for number in (0, 1)]


@dataclass(frozen=True, slots=True)
class Given:
    """A chunker that yields what it is given."""

    parts: tuple[Part, ...]
    version: ClassVar[int] = 1

    def cut(self, document, ruler):
        yield from self.parts


def given(source, *spans, part=None):
    pieces = tuple(Piece(start, end, Kind.PARAGRAPH) for start, end in spans)
    return Given((Part(*(part or (spans[0][0], spans[-1][1])), (), pieces),))


def test_a_chunker_that_loses_text_is_refused_with_the_place():
    source = document("One.\n\nTwo.\n\nThree.")
    with pytest.raises(CutError, match=r"text lies in no child: \[6, 10\), line 3, 'Two\.'"):
        cut(DOCUMENT, source, given(source, (0, 4), (12, 18)), word_pieces())


def test_a_child_outside_its_parent_and_parents_that_overlap_are_refused():
    source = document("One.\n\nTwo.\n\nThree.")
    with pytest.raises(CutError, match="leaves its parent"):
        cut(DOCUMENT, source, given(source, (0, 10), (12, 18), part=(0, 10)), word_pieces())
    twice = Given((*given(source, (0, 10)).parts, *given(source, (6, 18)).parts))
    with pytest.raises(CutError, match="overlaps the one before"):
        cut(DOCUMENT, source, twice, word_pieces())


def test_a_child_longer_than_the_model_reads_is_refused():
    source = document(prose(10))
    found = made(source, "structure")
    with pytest.raises(CutError, match="the model reads 64"):
        check(source, found.parents, found.children, word_pieces(64))


def test_a_piece_that_is_too_long_is_cut_further_and_never_truncated():
    source = document(prose(100))
    found = cut(DOCUMENT, source, given(source, (0, len(source.text))), word_pieces())
    assert " ".join(texts(found)) == source.text
    assert max(child.tokens for child in found.children) <= 256
    assert len(found.parents) == 1


def test_blank_pieces_are_dropped_and_spans_shrink_to_their_text():
    source = document("  One.  \n\n  \n\n  Two.\n")
    found = cut(DOCUMENT, source, given(source, (0, 9), (9, 13), (13, 21)), word_pieces())
    assert texts(found) == ["One.", "Two."]
    assert found.parents[0].text == "One.  \n\n  \n\n  Two."


def test_code_keeps_the_indentation_of_its_first_line():
    source = document("x\n\n    indented = 1\n")
    pieces = (Piece(0, 2, Kind.PARAGRAPH), Piece(2, len(source.text), Kind.CODE))
    found = cut(DOCUMENT, source, Given((Part(0, len(source.text), (), pieces),)), word_pieces())
    assert texts(found) == ["x", "    indented = 1"]


def test_tokens_are_what_the_model_reads():
    found = made(f"# A\n\n## B\n\n{prose(70)}", "structure")
    for child in found.children:
        assert child.tokens == word_pieces().count([child.embedded_text])[0] + 2
    for parent in found.parents:
        assert parent.tokens == word_pieces().count([parent.text])[0]


def test_one_child_from_a_long_document_is_worth_a_warning():
    source = document(prose(1000))
    found = cut(DOCUMENT, source, given(source, (0, len(source.text))), Characters())
    assert len(found.children) == 1
    assert "one child" in found.warnings[0]


def test_thousands_of_children_from_a_short_document_are_worth_a_warning():
    found = made(" ".join(["word"] * 1500), "recursive", size=1, overlap=0)
    assert "1500 children" in found.warnings[0]
    assert made(prose(300), "recursive").warnings == ()


def test_a_ruler_counts_each_text_once():
    class Counting(Characters):
        asked: ClassVar[list[str]] = []

        def count(self, texts):
            self.asked += texts
            return super().count(texts)

    cached = Cached(Counting())
    assert cached.count(["a", "bb", "a"]) == [1, 2, 1]
    assert cached.count(["bb", "a"]) == [2, 1]
    assert Counting.asked == ["a", "bb"]


def test_recipes_are_known_by_name():
    assert {"code", "fixed", "layout", "qa", "recursive", "structure"} <= set(base.names())
    with pytest.raises(ConfigError, match="no recipe is called 'nosuch'"):
        base.build("nosuch")
    with pytest.raises(ConfigError, match="has no setting colour"):
        base.build("fixed", {"colour": 1})
    with pytest.raises(ValueError, match="two chunkers"):
        base.register("fixed")(Given)
