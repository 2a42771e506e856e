"""Small documents in several formats that can be edited by the part: a section, a sentence, a row, the front matter."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from pdf_making import Page, pdf

BOATS = ["ferry", "barge", "pilot", "tug", "yacht", "trawler", "cutter", "dredger", "lighter", "sloop"]
PLACES = ["mole", "quay", "buoy", "crane", "dock", "berth", "slip", "gate", "shed", "light"]
FORMATS = ["md", "txt", "html", "csv", "pdf"]

Section = tuple[str, tuple[str, ...]]  #: heading, sentences
RowOfTable = tuple[str, str, str]


@dataclass(frozen=True)
class Draft:
    """What a document says, whatever its format."""

    form: str  #: of `FORMATS`
    title: str
    front: str | None  #: title in the front matter (Markdown), or of the head (HTML)
    sections: tuple[Section, ...]
    rows: tuple[RowOfTable, ...] = field(default=())

    def __bytes__(self) -> bytes:
        return WRITERS[self.form](self)

    @property
    def suffix(self) -> str:
        return f".{self.form}"


def drafted(dice: random.Random, form: str) -> Draft:
    """A document of a few sections, of words that few documents share."""
    rows = tuple(_row(dice) for _ in range(dice.randrange(2, 6))) if form == "csv" or dice.random() < 0.4 else ()
    front = f"Notes {dice.randrange(100)}" if dice.random() < 0.4 else None
    return Draft(
        form, f"Harbour {dice.randrange(30)}", front, tuple(_section(dice) for _ in range(dice.randrange(1, 4))), rows
    )


def edited(draft: Draft, dice: random.Random, how: str) -> Draft:
    """The document after an edit of `EDITS`; where there is nothing to be edited so, something is added."""
    return EDITS[how](draft, dice)


def _row(dice: random.Random) -> RowOfTable:
    return (dice.choice(BOATS), dice.choice(PLACES), str(dice.randrange(1000)))


def _sentence(dice: random.Random) -> str:
    return f"The {dice.choice(BOATS)} waits at the {dice.choice(PLACES)} until {dice.randrange(24)}."


def _section(dice: random.Random) -> Section:
    return f"Part {dice.randrange(20)}", tuple(_sentence(dice) for _ in range(dice.randrange(1, 14)))


def _insert_section(draft: Draft, dice: random.Random) -> Draft:
    at = dice.randrange(len(draft.sections) + 1)
    return replace(draft, sections=(*draft.sections[:at], _section(dice), *draft.sections[at:]))


def _delete_section(draft: Draft, dice: random.Random) -> Draft:
    if len(draft.sections) < 2:
        return _insert_section(draft, dice)
    at = dice.randrange(len(draft.sections))
    return replace(draft, sections=(*draft.sections[:at], *draft.sections[at + 1 :]))


def _swap_sections(draft: Draft, dice: random.Random) -> Draft:
    sections = list(draft.sections)
    dice.shuffle(sections)
    return replace(draft, sections=tuple(sections))


def _double_section(draft: Draft, dice: random.Random) -> Draft:
    return replace(draft, sections=(*draft.sections, dice.choice(draft.sections)))


def _retitle_section(draft: Draft, dice: random.Random) -> Draft:
    at = dice.randrange(len(draft.sections))
    renamed = (f"Part {dice.randrange(20)}", draft.sections[at][1])
    return replace(draft, sections=(*draft.sections[:at], renamed, *draft.sections[at + 1 :]))


def _edit_sentences(draft: Draft, dice: random.Random) -> Draft:
    at = dice.randrange(len(draft.sections))
    heading, sentences = draft.sections[at]
    place = dice.randrange(len(sentences) + 1)
    drop = dice.randrange(2) if len(sentences) > 1 else 0
    new = (_sentence(dice),) if dice.random() < 0.7 or not drop else ()
    sentences = (*sentences[:place], *new, *sentences[place + drop :])
    return replace(draft, sections=(*draft.sections[:at], (heading, sentences), *draft.sections[at + 1 :]))


def _edit_rows(draft: Draft, dice: random.Random) -> Draft:
    at = dice.randrange(len(draft.rows) + 1)
    drop = dice.randrange(2) if len(draft.rows) > 1 else 0
    new = (_row(dice),) if dice.random() < 0.7 or not drop else ()
    return replace(draft, rows=(*draft.rows[:at], *new, *draft.rows[at + drop :]))


def _edit_front(draft: Draft, dice: random.Random) -> Draft:
    return replace(draft, front=None if draft.front and dice.random() < 0.3 else f"Notes {dice.randrange(100)}")


def _retitle(draft: Draft, dice: random.Random) -> Draft:
    return replace(draft, title=f"Harbour {dice.randrange(30)}")


EDITS = {
    "insert section": _insert_section,
    "delete section": _delete_section,
    "shuffle sections": _swap_sections,
    "double section": _double_section,
    "rename section": _retitle_section,
    "sentences": _edit_sentences,
    "rows": _edit_rows,
    "front matter": _edit_front,
    "title": _retitle,
}


def _markdown(draft: Draft) -> bytes:
    front = f"---\ntitle: {draft.front}\n---\n\n" if draft.front else ""
    parts = [f"# {draft.title}", *(f"## {heading}\n\n{' '.join(said)}" for heading, said in draft.sections)]
    if draft.rows:
        parts.append(
            "\n".join(f"| {' | '.join(row)} |" for row in (("boat", "place", "depth"), ("-", "-", "-"), *draft.rows))
        )
    return (front + "\n\n".join(parts) + "\n").encode()


def _plain(draft: Draft) -> bytes:
    parts = [draft.title, *(f"{heading}\n{' '.join(said)}" for heading, said in draft.sections)]
    return ("\n\n".join(parts) + "\n").encode()


def _html(draft: Draft) -> bytes:
    head = f"<title>{draft.front or draft.title}</title>"
    parts = [f"<h2>{heading}</h2><p>{' '.join(said)}</p>" for heading, said in draft.sections]
    if draft.rows:
        cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in draft.rows)
        parts.append(f"<table><tr><th>boat</th><th>place</th><th>depth</th></tr>{cells}</table>")
    body = f"<h1>{draft.title}</h1>{''.join(parts)}"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>\n".encode()


def _csv(draft: Draft) -> bytes:
    return "\n".join(",".join(row) for row in (("boat", "place", "depth"), *draft.rows, ())).encode()


def _pdf(draft: Draft) -> bytes:
    page = Page().text(72, 90, draft.title, size=20, font="B")
    y = 130.0
    for heading, said in draft.sections[:3]:
        page.text(72, y, heading, size=14, font="B").lines(72, y + 24, list(said))
        y += 60 + 12 * len(said)
    return pdf([page])


WRITERS = {"md": _markdown, "txt": _plain, "html": _html, "csv": _csv, "pdf": _pdf}
