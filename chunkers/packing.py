"""Content-defined packing: consecutive units into runs under a cap, so that edits stay local.

Where a run ends is decided by the units near that place and not by their distance from the start. Each boundary has a
price: low where the structure is strong, and among equals drawn from a hash of the unit before it. Of what is longer
than a few caps, the boundaries that are the cheapest within two thirds of a cap on both sides are cut, whatever lies
farther away. Between two of them, and in what is not so long, the cheapest cuts that bring every run under the cap are
taken. An edit moves the cuts between its neighbouring fixed ones at most, and the old cuts come back right after.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from zlib import crc32

_DRAWN = 1 << 16  #: prices drawn by hash lie in [0, _DRAWN)
_SPREAD = 0x9E3779B1  #: an odd number: what differs anywhere in a checksum differs in the upper half of its product
_RUN = _DRAWN  #: what every cut costs beside, so that runs are not cut smaller than need be
_GRADE = _DRAWN // 2  #: what one grade of strength saves
_SHORT = 4 * _DRAWN  #: what a run below a quarter of the cap costs beside
_FEW = 4  #: caps up to which an edit may move every cut; fixed ones in so little make a tenth more runs


def pack(
    sizes: Sequence[int], keys: Sequence[bytes | int | str], strengths: Sequence[int], cap: int
) -> list[tuple[int, int]]:
    """Cut the units `0 … n-1` into runs `[first, last)` of at most `cap` in total, in time linear in n.

    `keys[i]` stands for the content of unit i, `strengths[i]` grades the boundary after it (more is stronger; that of
    the last unit is not looked at). All units together are one run if they fit. A unit above `cap` is a run of its own.
    """
    if not sizes:
        return []
    if sum(sizes) <= cap:
        return [(0, len(sizes))]
    strongest = max(strengths)
    prices = [
        _RUN + _GRADE * (strongest - strength) + drawn for drawn, strength in zip(_drawn(keys), strengths, strict=True)
    ]
    reached = [0, *accumulate(sizes)]
    runs: list[tuple[int, int]] = []
    first = 0
    for last in [*(_fixed(reached, prices, cap) if reached[-1] > _FEW * cap else ()), len(sizes)]:
        if last - first == 1 or reached[last] - reached[first] <= cap:
            runs.append((first, last))
        else:
            runs += _cheapest(reached, prices, first, last, cap)
        first = last
    return runs


def _drawn(keys: Sequence[bytes | int | str]) -> list[int]:
    """For each key, squared, so that good places are told apart more clearly than bad ones."""
    data = [
        key.encode("utf-8", "surrogatepass") if isinstance(key, str) else key if isinstance(key, bytes) else b"%d" % key
        for key in keys
    ]
    drawn = [(checksum * _SPREAD & 0xFFFFFFFF) >> 16 for checksum in map(crc32, data)]
    return [each * each // _DRAWN for each in drawn]


def _fixed(reached: Sequence[int], prices: Sequence[int], cap: int) -> list[int]:
    """The boundaries, as numbers of units before them, that are cheapest within two thirds of a cap on both sides.

    Of equals so near to each other the first counts. None lies within half a cap of either end.
    """
    radius, edge = cap * 2 // 3, cap // 2
    rising: list[int] = []  #: boundaries that none so far after them beats, cheapest first
    beaten: list[bool] = []  #: whether one before them does, for each of `rising`
    found: list[int] = []
    for at in range(1, len(prices)):
        price, place = prices[at - 1], reached[at]
        while rising and prices[rising[-1] - 1] > price:
            above = rising.pop()
            if not beaten.pop() and place - reached[above] > radius:
                found.append(above)
        beaten.append(bool(rising) and place - reached[rising[-1]] <= radius)
        rising.append(at)
    found += [at for at, lost in zip(rising, beaten, strict=True) if not lost]
    return sorted(at for at in found if reached[at] >= edge and reached[-1] - reached[at] >= edge)


def _cheapest(reached: Sequence[int], prices: Sequence[int], first: int, last: int, cap: int) -> list[tuple[int, int]]:
    """The cheapest way to cut units `[first, last)` into runs of at most `cap`; a run that is short costs extra."""
    short = cap // 4
    cost = [0] * (last - first + 1)  #: of the best way up to each boundary, from `first` on
    back = [first] * (last - first + 1)
    waiting = first  #: the first start whose run is still short
    near: deque[int] = deque()  #: starts of short runs, and of others: each cheaper than those before it in the queue
    far: deque[int] = deque()
    for end in range(first + 1, last + 1):
        reach = reached[end]
        paid = cost[end - 1 - first]
        while near and cost[near[-1] - first] >= paid:
            near.pop()
        near.append(end - 1)
        while waiting < end and reach - reached[waiting] > short:
            entering = cost[waiting - first]
            while far and cost[far[-1] - first] >= entering:
                far.pop()
            far.append(waiting)
            waiting += 1
        while near and near[0] < waiting:
            near.popleft()
        while far and reach - reached[far[0]] > cap:
            far.popleft()
        start = end - 1
        if far:
            start = far[0]
            paid = cost[start - first]
        if near and (not far or cost[near[0] - first] + _SHORT < paid):
            start = near[0]
            paid = cost[start - first] + _SHORT
        back[end - first] = start
        cost[end - first] = paid + prices[end - 1]
    runs = []
    while last > first:
        start = back[last - first]
        runs.append((start, last))
        last = start
    return runs[::-1]
