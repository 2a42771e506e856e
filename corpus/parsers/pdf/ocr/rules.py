"""The ruled lines on a picture: what closes in the cells of a table, and what is taken for letters beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from corpus.parsers.draft import Box
from corpus.parsers.pdf.ocr.type import Ink
from corpus.parsers.pdf.ocr.words import Reading, Word

_LEVEL, _UPRIGHT = 30.0, 18.0  #: points; the least length of a line that lies, and of one that stands
_PIECE = 5.0  #: points; a line that lies askew is a stair of pieces that are as long
_THICKEST = 3.0  #: points
_JUMP = 3
_ASKEW = 0.02  #: of a line's length, by which it may lean
_BESIDE = 4.0  #: points from an upright line, within which a bar is that line
_BARS = "|¦[]{}_—–=\\/"
_GAP, _CLOSED = b"\1\0\1", b"\1\1\1"  #: a pixel that the scanner missed


def rules_of(ink: Ink, *, pixels: float) -> tuple[Box, ...]:
    """The lines, as boxes in points, of a picture with `pixels` to a point; those that lie first."""
    width, height = ink.width, len(ink.pixels) // (ink.width or 1)
    rows = (ink.pixels[row * width : (row + 1) * width] for row in range(height))
    columns = (ink.pixels[column::width] for column in range(width))
    piece, thickest = max(1, round(_PIECE * pixels)), _THICKEST * pixels
    level = _lines(_bands(rows, piece), _LEVEL * pixels, thickest)
    upright = _lines(_bands(columns, piece), _UPRIGHT * pixels, thickest)
    boxes = [
        *((start, first, end, last) for first, last, start, end in level),
        *((first, start, last, end) for first, last, start, end in upright),
    ]
    return tuple((a / pixels, b / pixels, c / pixels, d / pixels) for a, b, c, d in boxes)


def without_bars(reading: Reading) -> Reading:
    """A page without the characters that its upright lines were taken for."""
    upright = [rule for rule in reading.rules if rule[3] - rule[1] > rule[2] - rule[0]]
    lines = []
    for line in reading.lines:
        words = tuple(word for found in line.words if (word := _without_bars(found, upright)))
        if words:
            lines.append(replace(line, words=words))
    return replace(reading, lines=tuple(lines))


def _without_bars(word: Word, upright: Iterable[Box]) -> Word | None:
    text = word.text.strip(_BARS)
    if text == word.text or not any(_stands_at(rule, word.box) for rule in upright):
        return word
    return replace(word, text=text) if text else None


def _stands_at(rule: Box, box: Box) -> bool:
    """Whether an upright line runs through a word's box, or close to it."""
    crosses = box[0] - _BESIDE <= rule[2] and rule[0] <= box[2] + _BESIDE
    return crosses and rule[1] < box[3] and box[1] < rule[3]


_Band = tuple[int, int, int, int]  #: its first line of pixels and the one after its last; where it starts and ends


def _lines(bands: Iterable[_Band], least: float, thickest: float) -> Iterator[_Band]:
    """Those of `bands` that are long and thin."""
    for first, last, start, end in bands:
        if end - start >= least and last - first < thickest + _ASKEW * (end - start):
            yield first, last, start, end


def _bands(lines: Iterable[bytes], piece: int) -> Iterator[_Band]:
    """What is dark over at least `piece` pixels of a line, put together with what goes on from it in the next line."""
    open_bands: list[list[int]] = []
    for number, line in enumerate(lines):
        going_on: list[list[int]] = []
        at = 0
        for start, end in _runs(line.replace(_GAP, _CLOSED), piece):
            while at < len(open_bands) and open_bands[at][3] + 2 < start:
                at += 1  # both are in order: what ends before this run ends before the next one
            if at < len(open_bands) and open_bands[at][2] <= end + 2 and _are_alike(open_bands[at][4], end - start):
                band = open_bands[at]
                band[1:] = [number, min(band[2], start), max(band[3], end), end - start]
            else:
                band = [number, number, start, end, end - start]
            if not going_on or going_on[-1] is not band:
                going_on.append(band)
        kept = set(map(id, going_on))
        yield from ((band[0], band[1] + 1, band[2], band[3]) for band in open_bands if id(band) not in kept)
        open_bands = going_on
    yield from ((band[0], band[1] + 1, band[2], band[3]) for band in open_bands)


def _are_alike(one: int, other: int) -> bool:
    """Whether runs of these lengths may be one line: where a line meets a filled area, its length jumps."""
    return one <= _JUMP * other and other <= _JUMP * one


def _runs(line: bytes, least: int) -> Iterator[tuple[int, int]]:
    """Where the runs of 1 that are at least so long begin and end."""
    long, at = b"\1" * least, 0
    while (start := line.find(long, at)) >= 0:
        at = line.find(0, start)
        at = len(line) if at < 0 else at
        yield start, at
