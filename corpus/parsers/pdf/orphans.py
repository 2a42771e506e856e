"""Text that no block has: it comes back as paragraphs, where it stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from corpus.parsers.draft import Box
from corpus.parsers.pdf.block import PdfBlock, inside_box, style_of
from corpus.parsers.pdf.convert import paragraph
from corpus.parsers.pdf.gaps import BULLET, text_of
from corpus.parsers.pdf.items import Item, bounds
from corpus.parsers.pdf.pages import BOTTOM, TOP, Page
from corpus.parsers.pdf.tables import cell_text, lines_of, parts_of
from corpus.parsers.pdf.text import key

_SHORT = 3  #: letters; less, away from the margins, is no text of its own


def with_orphans(blocks: Sequence[PdfBlock], page: Page, dropped: Collection[int]) -> list[PdfBlock]:
    """The blocks of a page and its text that none of them has.

    liteparse drops what it takes for a running header or a part of a figure; `dropped` has the `id` of the items
    whose blocks have been taken away.
    """
    written = key(" ".join([b.text for b in blocks] + [cell for b in blocks for row in b.rows or () for cell in row]))
    covered = {
        id(item)
        for block in blocks
        for item in inside_box(page.items, block.box and _grown(block.box, block.size * 0.6))
    }
    orphans = [
        item
        for item in page.items
        if id(item) in dropped
        or (item.angle == 0 and id(item) not in covered and not (len(word := key(item.text)) > 5 and word in written))
    ]
    ruled = {number for table in page.tables for number in table.items}
    turned = [item for item in _sideways(page) if not _is_stamp(item, page) and id(item) not in ruled]
    whole = list(blocks)
    scattered: list[Item] = []
    for run in _runs(orphans):
        letters = sum(len(key(item.text)) for item in run)
        box = bounds(run)
        if 0 < letters < _SHORT and TOP * page.height < box[1] < (1 - BOTTOM) * page.height:
            scattered += run  # signs of a drawing or a formula
        elif letters:
            found = list(paragraph(text_of(run), {"page": page.number, "box": box, **style_of(run)}))
            at = place(whole, box)
            whole[at:at] = found
    if scattered:
        text = text_of(scattered)
        whole += paragraph(text, {"page": page.number, "box": bounds(scattered), **style_of(scattered)})
    if turned and (text := cell_text(turned)):
        found = list(paragraph(text, {"page": page.number, "box": bounds(turned), **style_of(turned)}))
        whole += [block for block in found if key(block.text) not in written]
    return whole


def stamps(page: Page) -> list[str]:
    """Texts that are set sideways in the margins of a page: the mark of an archive or of a press."""
    return [item.text for item in _sideways(page) if _is_stamp(item, page)]


def _sideways(page: Page) -> list[Item]:
    """What is set sideways on an upright page; a page with much of it has it in blocks of its own."""
    return [] if page.turned_blocks else [item for item in page.items if item.angle]


def _is_stamp(item: Item, page: Page) -> bool:
    upright = [other for other in page.items if not other.angle]
    left, right = min((o.left for o in upright), default=0.0), max((o.right for o in upright), default=page.width)
    return item.right < left + 2 or item.left > right - 2


def _grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _runs(items: Sequence[Item]) -> list[list[Item]]:
    """Parts of lines that stand close below each other in a column; a bullet begins a new run."""
    runs: list[list[list[Item]]] = []
    for part in (part for line in lines_of(items) for part in parts_of(line)):
        height = max(item.height for item in part)
        for run in reversed(runs):
            above = run[-1]
            near = part[0].top - max(item.bottom for item in above) < 0.8 * height
            if near and part[0].left < above[-1].right and above[0].left < part[-1].right:
                if not BULLET.match(part[0].text):
                    run.append(part)
                    break
                near = False
        else:
            runs.append([part])
    return [[item for part in run for item in part] for run in runs]


def place(blocks: Sequence[PdfBlock], box: Box) -> int:
    """Before the first block of the same column that lies lower; else after the last that lies higher."""
    after = 0
    for index, block in enumerate(blocks):
        if block.box and block.box[0] < box[2] and box[0] < block.box[2]:
            if block.box[1] >= box[1]:
                return index
            after = index + 1
    return after or (0 if blocks and blocks[0].box and blocks[0].box[1] > box[3] else len(blocks))
