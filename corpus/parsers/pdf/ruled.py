"""Ruled tables: the cells that the lines of a page close in, and the words that stand in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.parsers.draft import Box
from corpus.parsers.pdf.items import Item, Rule
from corpus.parsers.pdf.tables import Grid, cell_text, lines_of, split_row, with_signs

_NEAR = 3.0  #: points; lines closer to each other are one, lines farther apart do not meet
_PAIRS = 400_000  #: level lines times upright lines; a page with more is a drawing
_CELLS = 20_000
_FILLED = 0.3  #: least share of a table's cells that have text
_NOTE = 2  #: lines; a cell over the whole width with more of them, at an end of a table, is text beside it
_LONGEST = 1500  #: characters of a cell; what holds more is a frame around text

_Owners = Sequence[Sequence[tuple[int, int]]]  #: for each field of a grid the first field of its cell


@dataclass(frozen=True, slots=True)
class Ruled:
    """A table that lines close in."""

    grid: Grid
    box: Box
    items: frozenset[int]  #: `id` of the page's items that stand in it


def ruled_tables(rules: Sequence[Rule], items: Sequence[Item]) -> list[Ruled]:
    """The tables of a page whose every row and column is ruled, from top to bottom."""
    flat = _merged(rule for rule in rules if rule.is_flat and rule.end - rule.start > 8)
    upright = _merged(rule for rule in rules if not rule.is_flat and rule.end - rule.start > 4)
    if not flat or not upright or len(flat) * len(upright) > _PAIRS:
        return []
    found = (_table(group, items) for group in _groups(flat, upright))
    return sorted((table for table in found if table), key=lambda table: (table.box[1], table.box[0]))


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Lines that go on from each other, or lie on each other, as one."""
    merged: list[Rule] = []
    line: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if line and rule.at - line[0].at > _NEAR:
            merged += _joined(line)
            line = []
        line.append(rule)
    return merged + _joined(line)


def _joined(line: Sequence[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for rule in sorted(line, key=lambda rule: rule.start):
        last = joined[-1] if joined else None
        if last and rule.start <= last.end + _NEAR:
            joined[-1] = Rule(rule.is_flat, last.at, last.start, max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined


def _groups(flat: Sequence[Rule], upright: Sequence[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Lines that meet, straight or through others."""
    parents = list(range(len(flat) + len(upright)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for i, level in enumerate(flat):
        for j, post in enumerate(upright, len(flat)):
            if _meets(level, post.at) and _meets(post, level.at):
                parents[root(i)] = root(j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*flat, *upright]):
        groups.setdefault(root(index), ([], []))[not rule.is_flat].append(rule)
    return [group for group in groups.values() if len(group[0]) > 1 and group[1]]


def _meets(rule: Rule, at: float) -> bool:
    return rule.start - _NEAR <= at <= rule.end + _NEAR


def _table(group: tuple[list[Rule], list[Rule]], items: Sequence[Item]) -> Ruled | None:
    flat, upright = group
    xs = _distinct([rule.at for rule in upright] + [end for rule in flat for end in (rule.start, rule.end)])
    ys = _distinct([rule.at for rule in flat] + [end for rule in upright for end in (rule.start, rule.end)])
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > _CELLS:
        return None
    columns = tuple(pairwise(xs))
    owners = _owners(xs, ys, flat, upright)
    if owners is None:
        return None
    first, end = (_is_note(owners[row], ys[row : row + 2], xs, items) for row in (0, len(ys) - 2))
    if (first or end) and len(ys) > 3:
        ys = ys[first : len(ys) - end]
        owners = _owners(xs, ys, flat, upright)
    inside = [item for item in items if _stands_in(item, xs, ys)]
    if owners is None or not inside:
        return None
    words = _placed(inside, owners, xs, ys)
    texts = {place: cell_text(found) for place, found in words.items()}
    cells = {owner for row in owners for owner in row}
    if not _is_table(texts, len(cells)) or _torn(words, owners, xs) > max(1, 0.03 * sum(map(len, words.values()))):
        return None
    rows: list[list[str]] = []
    for r in range(len(ys) - 1):
        whole = [texts.get((r, c), "") for c in range(len(xs) - 1)]
        band = [word for c in range(len(xs) - 1) for word in words.get((r, c), ())]
        rows += [cells for cells, _ in split_row(whole, band, columns)]
    grid = Grid(tuple(tuple(row) for row in rows if any(row)), columns)
    return Ruled(with_signs(grid.without_empty_columns()), (xs[0], ys[0], xs[-1], ys[-1]), frozenset(map(id, inside)))


def _is_note(
    owners: Sequence[tuple[int, int]], ys: Sequence[float], xs: Sequence[float], items: Sequence[Item]
) -> bool:
    """Whether a row is one cell with several lines: text that stands in the frame of the table, and is none of it."""
    text = [item for item in items if _stands_in(item, xs, ys)]
    return owners.count(owners[0]) == len(owners) and len(lines_of(text)) > _NOTE


def _stands_in(item: Item, xs: Sequence[float], ys: Sequence[float]) -> bool:
    return xs[0] <= _middle(item) <= xs[-1] and ys[0] <= _height(item) <= ys[-1]


def _middle(item: Item) -> float:
    return item.left + item.width / 2


def _height(item: Item) -> float:
    return item.top + item.height / 2


def _placed(
    items: Sequence[Item], owners: _Owners, xs: Sequence[float], ys: Sequence[float]
) -> dict[tuple[int, int], list[Item]]:
    """The items of each cell by its first field; those that reach over several cells as their words."""
    placed: dict[tuple[int, int], list[Item]] = {}
    spread: dict[tuple[int, int], list[tuple[int, Item]]] = {}
    for item in items:
        row = min(bisect_right(ys, _height(item)) - 1, len(ys) - 2)
        parts = [(_column(part, xs), part) for part in item.parts]
        if len({owners[row][column] for column, _ in parts}) == 1:
            owner = owners[row][parts[0][0]]
            if owners[row].count(owner) == 1:
                placed.setdefault(owner, []).append(item)
                continue
        for column, part in parts:
            spread.setdefault((row, owners[row][column][1]), []).append((column, part))
    for (row, first), parts in spread.items():
        apart = _stand_apart(parts)
        for column, part in parts:
            owner = owners[row][column]
            placed.setdefault((owner[0], column) if apart and owner[1] == first else owner, []).append(part)
    return placed


def _stand_apart(parts: Sequence[tuple[int, Item]]) -> bool:
    """Whether the words of a field over several columns stand in columns of their own: its row has no upright lines."""
    if len({column for column, _ in parts}) < 2:
        return False
    for line in lines_of(part for _, part in parts):
        columns = {id(part): column for column, part in parts}
        for left, right in pairwise(line):
            if columns[id(left)] != columns[id(right)] and right.left - left.right < 0.6 * left.height:
                return False
    return True


def _column(part: Item, xs: Sequence[float]) -> int:
    return min(max(bisect_right(xs, part.left + part.width / 2) - 1, 0), len(xs) - 2)


def _distinct(values: Iterable[float]) -> list[float]:
    """Values in order, those that are near each other once."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _NEAR:
            distinct.append(value)
    return distinct


def _owners(
    xs: Sequence[float], ys: Sequence[float], flat: Sequence[Rule], upright: Sequence[Rule]
) -> list[list[tuple[int, int]]] | None:
    """For each field of the grid the first field of the cell that it belongs to; None if a cell is no rectangle."""
    posts = [[rule for rule in upright if abs(rule.at - x) <= _NEAR] for x in xs]
    levels = [[rule for rule in flat if abs(rule.at - y) <= _NEAR] for y in ys]

    def is_open(rules: Sequence[Rule], middle: float) -> bool:
        return not any(rule.start - 1 <= middle <= rule.end + 1 for rule in rules)

    rows, columns = len(ys) - 1, len(xs) - 1
    owners = [[(-1, -1)] * columns for _ in range(rows)]
    for r in range(rows):
        for c in range(columns):
            if owners[r][c] != (-1, -1):
                continue
            middle = (ys[r] + ys[r + 1]) / 2
            right = c
            while right + 1 < columns and owners[r][right + 1] == (-1, -1) and is_open(posts[right + 1], middle):
                right += 1
            below = r
            while below + 1 < rows and all(
                is_open(levels[below + 1], (xs[i] + xs[i + 1]) / 2) for i in range(c, right + 1)
            ):
                below += 1
            for row in range(r, below + 1):
                for column in range(c, right + 1):
                    if owners[row][column] != (-1, -1):
                        return None
                    owners[row][column] = (r, c)
    return owners


def _is_table(texts: dict[tuple[int, int], str], cells: int) -> bool:
    """Whether what the lines close in is a table: no frame around text, no drawing with a word here and there."""
    filled = [place for place, text in texts.items() if text]
    several = len({column for _, column in filled}) > 1 and len({row for row, _ in filled}) > 1
    return several and len(filled) > _FILLED * cells and max(len(texts[place]) for place in filled) <= _LONGEST


def _torn(words: dict[tuple[int, int], list[Item]], owners: _Owners, xs: Sequence[float]) -> int:
    """How many words the upright sides of their cells go through, as in drawings."""
    torn = 0
    for (row, column), found in words.items():
        left, right = xs[column], xs[column + max(owners[row].count((row, column)), 1)]
        parts = [part for item in found for part in item.parts]
        torn += sum(part.left < side - 2 < side + 2 < part.right for part in parts for side in (left, right))
    return torn
