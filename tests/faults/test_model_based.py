"""Random histories of a corpus: whatever happened, the next sync that succeeds leaves what a sync from scratch would.

`KERF_TEST_SEQUENCES` sets how many histories are tried, `KERF_TEST_RANDOM=1` tries other ones each time.
"""

from __future__ import annotations

import itertools
import os
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from choices import BROKEN, CHOICES, FIRST
from corpus_making import EDITS, FORMATS, Draft, drafted, edited
from hash_models import MODELS
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from same_rows import emptied
from world import CORPUS, Room, Run, World

from corpus.errors import NeedsApproval, RunFailed, TransientError
from corpus.records import Reprocess
from corpus.store import Store

SEQUENCES = int(os.environ.get("KERF_TEST_SEQUENCES", "50"))
STEPS = 20

dimensions = st.sampled_from(sorted(CHOICES))
picks = st.integers(0, 60)  #: which of the things that there are, round and round
seeds = st.integers(0, 10**6)
kinds = st.sampled_from(["sync", "backfill", "parse", "cut", "embed"])  #: of runs; the last three: reprocess from there
names = st.sampled_from(["tide", "dock", "ferry", "buoy"])
folders = st.sampled_from(["", "north/", "south/", "south/quay/"])


class Corpus(RuleBasedStateMachine):
    """What may happen to a corpus between two nights, and in them."""

    world: World  #: set by `machine`

    def __init__(self) -> None:
        super().__init__()
        self.world = self.open_world()
        self.drafts: dict[str, Draft] = {}  #: what is at an address, where it is whole
        self.gone: list[tuple[str, bytes, int | None]] = []  #: what was deleted or overwritten, with its mtime
        self.silent: set[str] = set()  #: edited under the same size and mtime
        self.open: list[Run] = []
        self.settled_at: tuple[str, int] | None = None  #: configuration and source that the last settled state is of

    def open_world(self) -> World:
        raise NotImplementedError

    # the source

    @initialize(made=st.lists(st.tuples(folders, names, st.sampled_from(FORMATS), seeds), min_size=2, max_size=6))
    def begin(self, made: list[tuple[str, str, str, int]]) -> None:
        self.configuration = dict(FIRST)
        self.apply()
        for folder, name, form, seed in made:
            self.create(folder, name, form, seed)

    @rule(folder=folders, name=names, form=st.sampled_from(FORMATS), seed=seeds)
    def create(self, folder: str, name: str, form: str, seed: int) -> None:
        draft = drafted(random.Random(seed), form)
        self.put(f"{folder}{name}{draft.suffix}", draft)

    @rule(edits=st.lists(st.tuples(picks, st.sampled_from(sorted(EDITS)), seeds), min_size=1, max_size=3))
    def edit(self, edits: list[tuple[int, str, int]]) -> None:
        for pick, how, seed in edits:
            if uri := self.picked(pick, self.drafts):
                self.put(uri, edited(self.drafts[uri], random.Random(seed), how))

    @rule(pick=picks, folder=folders, name=names, form=st.sampled_from([None, *FORMATS]))
    def rename(self, pick: int, folder: str, name: str, form: str | None) -> None:
        """Over another one, perhaps; and to a name that says another format."""
        if uri := self.picked(pick):
            suffix = Path(uri).suffix if form is None else f".{form}"
            self.move(uri, f"{folder}{name}{suffix}")

    @rule(pick=picks, to=st.sampled_from(["north", "south", "east", "south/mole"]))
    def rename_folder(self, pick: int, to: str) -> None:
        inhabited = sorted({uri.rpartition("/")[0] for uri in self.world.files() if "/" in uri})
        if inhabited and not to.startswith(folder := inhabited[pick % len(inhabited)]):
            for uri in self.world.files():
                if uri.startswith(f"{folder}/"):
                    self.move(uri, to + uri.removeprefix(folder))

    @rule(one=picks, other=picks)
    def swap(self, one: int, other: int) -> None:
        first, second = self.picked(one), self.picked(other)
        if first and second and first != second:
            self.move(first, "aside.tmp")
            self.move(second, first)
            self.move("aside.tmp", second)

    @rule(pick=picks, folder=folders, name=names)
    def copy(self, pick: int, folder: str, name: str) -> None:
        if uri := self.picked(pick):
            target = f"{folder}{name}{Path(uri).suffix}"
            if target != uri:
                self.put(target, self.drafts.get(uri, self.world.read(uri)))

    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        if uri := self.picked(pick):
            self.remember(uri)
            self.world.delete(uri)
            self.drafts.pop(uri, None)

    @rule(pick=picks, dated=st.booleans())
    def restore(self, pick: int, dated: bool) -> None:
        """Put back what was at an address, with its old date or with today's."""
        if self.gone:
            uri, data, at = self.gone[pick % len(self.gone)]
            self.put(uri, data, at=at if dated else None)

    @rule(pick=picks)
    def touch(self, pick: int) -> None:
        if uri := self.picked(pick):
            self.world.date(uri, self.world.tick())

    @rule(pick=picks, letter=st.sampled_from("abc"))
    def edit_within_an_mtime(self, pick: int, letter: str) -> None:
        """As many bytes as before under an mtime of the future, which proves nothing."""
        if uri := self.picked(pick, self.drafts):
            self.remember(uri)
            self.reletter(uri, letter, at=self.world.future)

    @precondition(lambda self: self.configuration.get("trust") == "content")
    @rule(pick=picks, letter=st.sampled_from("abc"))
    def edit_in_silence(self, pick: int, letter: str) -> None:
        """As many bytes as before under the mtime of before: only a corpus that trusts nothing else notices."""
        if uri := self.picked(pick, self.drafts):
            self.silent.add(uri)
            self.reletter(uri, letter, at=self.world.mtime(uri))

    @rule(pick=picks, bad=st.sampled_from(BROKEN))
    def break_(self, pick: int, bad: bytes) -> None:
        if uri := self.picked(pick):
            self.put(uri, bad)

    @rule(pick=picks, seed=seeds)
    def heal(self, pick: int, seed: int) -> None:
        """What is broken is whole again: as it was, or otherwise."""
        broken = [uri for uri in self.world.files() if uri not in self.drafts]
        if broken:
            uri = broken[pick % len(broken)]
            was = [data for address, data, _ in self.gone if address == uri and data not in BROKEN]
            form = Path(uri).suffix.removeprefix(".")
            self.put(uri, was[-1] if was and seed % 2 else drafted(random.Random(seed), form))

    # the configuration, and an operator's word

    @rule(change=dimensions.flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(CHOICES[name]))))
    def configure(self, change: tuple[str, Any]) -> None:
        name, value = change
        self.configuration[name] = value
        if change == ("trust", "stat"):
            for uri in self.silent & set(self.world.files()):
                self.world.date(uri, self.world.tick())
            self.silent.clear()
        self.apply()

    @rule(pick=picks, forget=st.booleans())
    def answer_the_quarantine(self, pick: int, forget: bool) -> None:
        with Store(self.world.dsn) as store:
            waiting = [row["uri"] for row in store.quarantined(CORPUS)]
            if waiting:
                uri = waiting[pick % len(waiting)]
                store.forget(CORPUS, uri) if forget else store.retry(CORPUS, uri)

    # runs

    @rule(yes=st.booleans())
    def sync(self, yes: bool) -> None:
        """Without a word for it, what a changed configuration alone would embed may wait for another one."""
        try:
            self.world.sync(yes=yes)
        except NeedsApproval:
            assert not yes

    @rule(after=st.integers(1, 200))
    def sync_and_die(self, after: int) -> None:
        with self.world.dying(after):
            self.world.sync(yes=True)

    @rule(picks=st.lists(picks, min_size=1, max_size=2), finish=st.booleans())
    def sync_while_some_cannot_be_read(self, picks: list[int], finish: bool) -> None:
        self.world.room.unreadable |= {uri for pick in picks if (uri := self.picked(pick))}
        try:
            self.try_to_sync(finish=finish)
        finally:
            self.world.room.unreadable.clear()

    @rule(words=st.sampled_from(["mole", "quay", "Part 1"]), finish=st.booleans())
    def sync_while_the_model_is_down(self, words: str, finish: bool) -> None:
        """It refuses batches with certain words."""
        for model in MODELS:
            model.down_for = words
        try:
            self.try_to_sync(finish=finish)
        finally:
            for model in MODELS:
                model.down_for = None

    @precondition(lambda self: len(self.open) < 3)
    @rule(kind=kinds, seconds=st.integers(10, 200))
    def open_a_run(self, kind: str, seconds: int) -> None:
        if kind == "sync":
            self.open.append(self.world.plan())
        elif kind == "backfill":
            self.open.append(self.world.plan(window=(self.world.ago(seconds), self.world.ago(-10))))
        else:
            self.open.append(self.world.plan(reprocess=Reprocess("**/*.md", kind, "a word")))

    @precondition(lambda self: self.open)
    @rule(pick=picks, steps=st.integers(1, 3), after=st.integers(1, 120) | st.none())
    def go_on_with_a_run(self, pick: int, steps: int, after: int | None) -> None:
        """One, two or all three stages, or until it dies; a stage that died is begun again."""
        run = self.open[pick % len(self.open)]
        for _ in range(min(steps, len(run.stages))):
            if after is not None:
                with self.world.dying(after):
                    self.world.step(run)
            self.world.step(run)
            run.stages.pop(0)
        if not run.stages:
            self.open.remove(run)

    @precondition(lambda self: self.open)
    @rule(pick=picks)
    def abandon_a_run(self, pick: int) -> None:
        del self.open[pick % len(self.open)]

    # what must hold

    @rule()
    def settle(self) -> None:
        """A sync that succeeds leaves what one from scratch would, and the next finds nothing to do."""
        world = self.world
        done = world.sync(yes=True)
        assert done["state"] == "succeeded"
        self.compare()
        before, handed = world.written(), world.handed()
        again = world.sync()
        assert (again["parsed"], again["embedded"], again["rows_written"]) == (0, 0, 0), again
        assert (world.written(), world.handed()) == (before, handed), "a row was written, or a text embedded"
        self.settled_at = (str(world.config.path), world.edits)

    @precondition(lambda self: self.open and self.settled_at == (str(self.world.config.path), self.world.edits))
    @rule(pick=picks)
    def publish_late(self, pick: int) -> None:
        """A run that began before the settled state and ends after it undoes nothing of it."""
        run = self.open.pop(pick % len(self.open))
        self.finish(run)
        self.compare()

    @precondition(lambda self: len(self.open) < 3)
    @rule(
        kind=kinds,
        what=st.sampled_from(["create", "edit", "delete", "touch", "break", "rename", "configure"]),
        pick=picks,
        seed=seeds,
        steps=st.integers(0, 2),
    )
    def undo_under_a_run(self, kind: str, what: str, pick: int, seed: int, steps: int) -> None:
        """What a run saw is undone, to the date of each file, before the next sync; then that run ends."""
        before, drafts, settings = self.world.saved(), dict(self.drafts), dict(self.configuration)
        dice = random.Random(seed)
        if what == "create":
            self.create("north/", "late", dice.choice(FORMATS), seed)
        elif what == "edit":
            self.edit([(pick, dice.choice(sorted(EDITS)), seed)])
        elif what == "delete":
            self.delete(pick)
        elif what == "touch":
            self.touch(pick)
        elif what == "break":
            self.break_(pick, dice.choice(BROKEN))
        elif what == "rename":
            self.rename(pick, "south/", "late", None)
        else:
            name = dice.choice(sorted(CHOICES.keys() - {"trust"}))
            self.configure((name, dice.choice(CHOICES[name])))
        self.open_a_run(kind, 200)
        run = self.open.pop()
        for _ in range(steps):
            self.world.step(run)
            run.stages.pop(0)
        self.world.put_back(before)
        self.drafts, self.configuration = drafts, settings
        self.apply()
        self.settle()
        self.finish(run)
        self.compare()

    def teardown(self) -> None:
        if self.settled_at != (str(self.world.config.path), self.world.edits):
            self.settle()

    # in other words

    def try_to_sync(self, *, finish: bool) -> None:
        """Sync, or its stages one by one, of which some may fail."""
        with suppress(RunFailed, TransientError):
            if finish:
                self.world.sync(yes=True)
            else:
                self.finish(self.world.plan())

    def compare(self) -> None:
        found = self.world.differences()
        assert not found, "\n".join(found)

    def finish(self, run: Run) -> None:
        while run.stages:
            self.world.step(run)
            run.stages.pop(0)

    def apply(self) -> None:
        whole: dict[str, Any] = {}
        for name, value in self.configuration.items():
            section, _, key = name.rpartition(".")
            (whole.setdefault(section, {}) if section else whole)[key] = value
        self.world.settings = whole

    def picked(self, pick: int, among: Any = None) -> str | None:
        there = sorted(self.world.files() if among is None else among)
        return there[pick % len(there)] if there else None

    def remember(self, uri: str) -> None:
        if self.world.has(uri):
            at = None if uri in self.silent else self.world.mtime(uri)
            self.gone.append((uri, self.world.read(uri), at))

    def put(self, uri: str, made: Draft | bytes, *, at: int | None = None) -> None:
        self.remember(uri)
        self.drafts.pop(uri, None)
        if isinstance(made, Draft):
            self.drafts[uri] = made
        self.silent.discard(uri)
        self.world.write(uri, bytes(made), at=at)

    def move(self, uri: str, target: str) -> None:
        if uri == target:
            return
        if self.world.has(target):
            self.remember(target)
        self.drafts.pop(target, None)
        self.silent.discard(target)
        if uri in self.drafts:
            self.drafts[target] = self.drafts.pop(uri)
        if uri in self.silent:
            self.silent.remove(uri)
            self.silent.add(target)
        self.world.move(uri, target)

    def reletter(self, uri: str, letter: str, *, at: int) -> None:
        """Put another letter where the plain formats have one that means nothing."""
        data = re.sub(rb"unti[labc]", b"unti" + letter.encode(), self.world.read(uri))
        self.world.write(uri, data, at=at)


def machine(room: Room, root: Path, fresh: Callable[[], str], scratch: Callable[[], str]) -> type[Corpus]:
    numbers = itertools.count()

    class Machine(Corpus):
        def open_world(self) -> World:
            return World(root / str(next(numbers)), room, fresh(), scratch)

    return Machine


@pytest.mark.timeout(0)
def test_whatever_happened_a_sync_leaves_what_one_from_scratch_would(
    tmp_path: Path, fresh_database: Callable[[], str]
) -> None:
    with Room.opened() as room:
        run_state_machine_as_test(
            machine(room, tmp_path, emptied(fresh_database()), emptied(fresh_database())),
            settings=settings(
                max_examples=SEQUENCES,
                stateful_step_count=STEPS,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink a history takes as long as to find it
            ),
        )
