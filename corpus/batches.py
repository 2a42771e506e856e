"""Documents → the mapped tasks that prepare them. Pure, and in memory only the batches' own weights."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

DOCUMENT_COST = 16_384  #: bytes that one document weighs beside its own, so that many small ones spread too
MOST = 400  #: batches of a run


@dataclass(frozen=True, slots=True)
class Load:
    """A document to be put into a batch."""

    size: int  #: bytes
    kind: str  #: media type, or whatever tells cheap documents from dear ones


@dataclass(frozen=True, slots=True)
class Shape:
    """How many batches there are, and how many documents fit into one."""

    count: int
    room: int


def shape(loads: int, weight: int, *, documents: int, size: int, most: int = MOST) -> Shape:
    """The batches that `loads` documents of `weight` bytes need, if one is to hold `documents` and `size` bytes."""
    count = min(most, loads, max(math.ceil(loads / documents), math.ceil(weight / size)))
    return Shape(count, max(documents, math.ceil(loads / max(1, count))))


def spread(loads: Iterable[Load], batches: Shape) -> Iterator[int]:
    """The batch, from 0, of each document; they come by kind, and within a kind the largest first.

    Each kind is spread evenly by bytes, each document into the batch with least of its kind (of those, the one with
    least of all), so that no batch gets all the PDFs. Where neither `MOST` nor a document larger than the size of a
    batch forbids it, no batch has more documents or more bytes than was asked for. No batch is empty.
    """
    held = [0] * batches.count
    weights = [0] * batches.count
    for _, alike in groupby(loads, key=lambda load: load.kind):
        lightest = [(0, weights[index], index) for index in range(batches.count) if held[index] < batches.room]
        heapq.heapify(lightest)
        for load in alike:
            of_kind, _, index = heapq.heappop(lightest)
            held[index] += 1
            cost = load.size + DOCUMENT_COST
            weights[index] += cost
            if held[index] < batches.room:
                heapq.heappush(lightest, (of_kind + cost, weights[index], index))
            yield index


def kind_of(uri: str) -> str:
    """What tells cheap documents from dear ones before they are read: the ending of the name, where it has one."""
    stem, dot, ending = uri.rpartition(".")
    known = dot and stem and not stem.endswith("/") and len(ending) <= _LONGEST and "/" not in ending
    return ending.lower() if known and not ending.isdigit() else ""


_LONGEST = 8  #: characters of an ending; what is longer is part of a name
