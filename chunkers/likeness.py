"""Where neighbours have least in common, and which runs hang together best: numbers about consecutive vectors.

Nothing here compares with a number from outside: a likeness is held against the others of the same document, so that
another model, whose likenesses lie elsewhere, cuts much the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Vectors = NDArray[np.float64]  #: one a row

_DIGITS = 5  #: of a likeness; what lies behind them differs between processors


def unit(vectors: Vectors) -> Vectors:
    """The rows at length 1; one of length 0 stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def across(vectors: Vectors, buffer: int) -> Numbers:
    """(n - 1,) cosines at the boundaries between n unit vectors, shape (n, dimensions).

    On each side of a boundary the mean of the adjacent vector and of `buffer` beyond it is taken.
    """
    count = len(vectors)
    sums = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    middle = np.arange(1, count)
    before = sums[middle] - sums[np.maximum(0, middle - 1 - buffer)]
    after = sums[np.minimum(count, middle + 1 + buffer)] - sums[middle]
    cosines: Numbers = np.sum(unit(before) * unit(after), axis=1)
    return cosines.round(_DIGITS)


def mean(vectors: Vectors, weights: Numbers) -> float:
    """The mean cosine of all pairs of the n unit vectors, weighted by the products of `weights`; 0 without a pair."""
    whole = np.sum(weights[:, None] * vectors, axis=0)
    alone = float(np.sum(weights**2))
    pairs = float(np.sum(weights)) ** 2 - alone
    return round((float(whole @ whole) - alone) / pairs, _DIGITS) if pairs > 0 else 0.0


def runs(vectors: Vectors, sizes: Numbers, level: float, cap: float, least: float) -> list[tuple[int, int]]:
    """Cut n units into the runs `[first, last)`, each at most `cap` long, that hang together best.

    A run is worth the sum over its pairs of (cosine - `level`), each pair weighted by the product of its sizes; one
    shorter than `least` loses as much as the best run could win. A unit above `cap` is a run of its own. Dynamic
    programming: the time is n times the units that a cap holds.
    """
    count = len(sizes)
    reached = np.concatenate([[0.0], np.cumsum(sizes)])
    squares = np.concatenate([[0.0], np.cumsum(sizes**2)])
    sums = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors * sizes[:, None], axis=0)])
    best = np.zeros(count + 1)
    back = np.zeros(count + 1, dtype=np.intp)
    first = 0
    for end in range(1, count + 1):
        while first < end - 1 and reached[end] - reached[first] > cap:
            first += 1
        lengths = reached[end] - reached[first:end]
        alone = squares[end] - squares[first:end]
        alike = np.sum((sums[end] - sums[first:end]) ** 2, axis=1) - alone
        worth = (alike - level * (lengths**2 - alone)) / 2 - cap**2 * (lengths < least)
        values = best[first:end] + worth
        chosen = int(np.argmax(values))
        best[end], back[end] = values[chosen], first + chosen
    found = []
    end = count
    while end > 0:
        found.append((int(back[end]), end))
        end = int(back[end])
    return found[::-1]
