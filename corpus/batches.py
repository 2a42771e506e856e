"""Documents → the mapped tasks that prepare them. Pure."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

DOCUMENT_COST = 16_384  #: bytes that one document weighs beside its own, so that many small ones spread too


@dataclass(frozen=True, slots=True)
class Load:
    """A document to be put into a batch."""

    uri: str
    size: int  #: bytes
    kind: str  #: media type, or whatever tells cheap documents from dear ones


def batches(loads: Iterable[Load], *, documents: int, size: int, most: int = 400) -> list[tuple[Load, ...]]:
    """Spread documents over as many batches as `documents` and `size` (bytes) ask for, but at most `most`.

    Each kind is spread evenly by bytes, the largest document first and each into the batch with least of its kind
    (of those, the one with least of all), so that no batch gets all the PDFs. Where neither `most` nor a document
    larger than `size` forbids it, no batch has more than `documents` documents and batches have about `size` bytes.
    The same documents give the same batches, in whatever order they come.
    """
    kinds: dict[str, list[Load]] = defaultdict(list)
    for load in sorted(loads, key=lambda load: (-load.size, load.uri)):
        kinds[load.kind].append(load)
    total = sum(len(group) for group in kinds.values())
    if not total:
        return []
    weight = sum(load.size for group in kinds.values() for load in group)
    count = min(most, total, max(math.ceil(total / documents), math.ceil(weight / size)))
    room = max(documents, math.ceil(total / count))
    made: list[list[Load]] = [[] for _ in range(count)]
    weights = [0] * count
    for kind in sorted(kinds):
        lightest = [(0, weights[index], index) for index in range(count) if len(made[index]) < room]
        heapq.heapify(lightest)
        for load in kinds[kind]:
            of_kind, _, index = heapq.heappop(lightest)
            made[index].append(load)
            cost = load.size + DOCUMENT_COST
            weights[index] += cost
            if len(made[index]) < room:
                heapq.heappush(lightest, (of_kind + cost, weights[index], index))
    return [tuple(sorted(batch, key=lambda load: load.uri)) for batch in made if batch]
