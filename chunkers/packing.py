"""Content-defined packing: consecutive units into runs under a cap, so that edits stay local.

Where a run ends is decided by the units near that place and not by their distance from the start. Each boundary has a
price: low where the structure is strong, and among equals drawn from a hash of the unit before it. Boundaries that
are the cheapest within half a cap on both sides are cut, whatever lies farther away; between two of them, where a run
may still be above the cap, the cheapest cuts that bring it under are taken. An edit moves the cuts between its
neighbouring fixed ones at most, and the old cuts come back right after.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from hashlib import blake2b

_DRAWN = 1 << 16  #: prices drawn by hash lie in [0, _DRAWN)
_RUN = _DRAWN // 4  #: what every cut costs beside, so that runs are not cut smaller than need be
_GRADE = _DRAWN // 2  #: what one grade of strength saves
_SHORT = 4 * _DRAWN  #: what a run below a quarter of the cap costs beside


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
        _RUN + _GRADE * (strongest - strength) + _drawn(key) for key, strength in zip(keys, strengths, strict=True)
    ]
    reached = [0]
    for size in sizes:
        reached.append(reached[-1] + size)
    runs: list[tuple[int, int]] = []
    first = 0
    for last in [*_fixed(reached, prices, cap), len(sizes)]:
        runs += _cheapest(reached, prices, first, last, cap)
        first = last
    return runs


def _drawn(key: bytes | int | str) -> int:
    """Squared, so that good places are told apart more clearly than bad ones."""
    data = key if isinstance(key, bytes) else str(key).encode("utf-8", "surrogatepass")
    drawn = int.from_bytes(blake2b(data, digest_size=2).digest(), "big")
    return drawn * drawn // _DRAWN


def _fixed(reached: Sequence[int], prices: Sequence[int], cap: int) -> Iterator[int]:
    """The boundaries, as numbers of units before them, that are cheapest within half a cap on both sides."""
    inner = range(1, len(prices))
    rivals = _cheaper_before(inner, reached, prices, cap // 2, strict=False)
    rivals |= _cheaper_before(reversed(inner), reached, prices, cap // 2, strict=True)
    edge = cap // 4
    for at in inner:
        if at not in rivals and reached[at] >= edge and reached[-1] - reached[at] >= edge:
            yield at


def _cheaper_before(
    order: Iterator[int] | range, reached: Sequence[int], prices: Sequence[int], radius: int, *, strict: bool
) -> set[int]:
    """The boundaries that one before them in `order`, at most `radius` away, beats (or equals, unless `strict`)."""
    beaten = set()
    window: deque[int] = deque()
    for at in order:
        price = prices[at - 1]
        while window and abs(reached[at] - reached[window[0]]) > radius:
            window.popleft()
        if window and (prices[window[0] - 1] < price or (not strict and prices[window[0] - 1] == price)):
            beaten.add(at)
        while window and prices[window[-1] - 1] >= price:
            window.pop()
        window.append(at)
    return beaten


def _cheapest(reached: Sequence[int], prices: Sequence[int], first: int, last: int, cap: int) -> list[tuple[int, int]]:
    """The cheapest way to cut units `[first, last)` into runs of at most `cap`; a run that is short costs extra."""
    if reached[last] - reached[first] <= cap or last - first == 1:
        return [(first, last)]
    short = cap // 4
    cost = {first: 0}
    back: dict[int, int] = {}
    waiting = first  #: the first start whose run is still short
    near: deque[int] = deque()
    far: deque[int] = deque()
    for end in range(first + 1, last + 1):
        _enter(near, end - 1, cost)
        while waiting < end and reached[end] - reached[waiting] > short:
            _enter(far, waiting, cost)
            waiting += 1
        while near and near[0] < waiting:
            near.popleft()
        while far and reached[end] - reached[far[0]] > cap:
            far.popleft()
        options = [(cost[far[0]], far[0])] if far else []
        options += [(cost[near[0]] + _SHORT, near[0])] if near else []
        paid, back[end] = min(options, default=(cost[end - 1], end - 1))
        cost[end] = paid + prices[end - 1]
    runs = []
    while last > first:
        runs.append((back[last], last))
        last = back[last]
    return runs[::-1]


def _enter(window: deque[int], start: int, cost: dict[int, int]) -> None:
    while window and cost[window[-1]] >= cost[start]:
        window.pop()
    window.append(start)
