"""How fast a study goes on this machine: its own attack on a few of its own targets.

Invariant: nothing is left behind, and what is measured is the study's own code on the study's own
release; no number here was measured elsewhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from dataclasses import dataclass, fields, replace
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.release.store.store import Store
from sim.study.plan import Plan
from sim.study.run import run_study

Clock = Callable[[], float]

BUDGET = 0.3
"""Seconds of scanning that are spent on measuring."""

_SETS_BESIDE = 256  # aux sets on which the work of the main process is measured


@dataclass(frozen=True, slots=True)
class Speed:
    """What a sample took on this machine, one core.

    Parameters
    ----------
    sets : int
        Aux sets that were attacked.
    postings : int
        Theirs, in one scan.
    scan : float
        Seconds to score these and to decide, all phases.
    scan_a_set : float
        Of these, what each aux set takes however few its postings; the rest goes by postings.
    a_set, a_batch, a_study : float
        Seconds that the main process spends on drawing and results: for each aux set, for each
        batch, and once.
    first : float
        Seconds of the very first aux sets, when the compiled loops are loaded.
    contention : float
        How much longer a scan takes when all workers scan at once.
    """

    sets: int
    postings: int
    scan: float
    scan_a_set: float
    a_set: float
    a_batch: float
    a_study: float
    first: float
    contention: float = 1.0


def measure(
    store: Store,
    plan: Plan,
    attack: Algorithm,
    at_once: int = 1,
    budget: float = BUDGET,
    clock: Clock = time.perf_counter,
) -> Speed:
    """Attack a few targets of a plan.

    Parameters
    ----------
    store : Store
        The release under attack.
    at_once : int
        Scans to run at the same time, to see how much they are in each other's way.
    budget : float
        Seconds of scanning to spend, about; a little more, where a single target takes longer.
    clock : callable
        What seconds are told by.

    Raises
    ------
    GridError
        A fact cannot be made wrong.
    """
    return _Stopwatch(store, plan, attack, clock).speed(at_once, budget)


@dataclass(frozen=True, slots=True)
class _Stopwatch:
    store: Store
    plan: Plan
    attack: Algorithm
    clock: Clock

    def speed(self, at_once: int, budget: float) -> Speed:
        first, _ = self.timed(lambda: self.attacked(self.drawn(part_of(self.plan, 1))))
        n, most = 1, min(self.plan.everyone.size, self.plan.batch_targets)
        while True:
            part = part_of(self.plan, n)
            drawn = self.drawn(part)
            scan = partial(self.attacked, drawn)
            took, _ = self.timed(scan)
            if took >= budget / 2 or n >= most:
                break
            n = min(most, max(n + 1, int(n * min(8.0, 0.75 * budget / max(took, 1e-6)))))
        # The first scan also fetches pages of the release, which a long run does once.
        took = min(took, self.timed(scan)[0])
        a_set, a_batch, a_study = self.beside()
        return Speed(
            sets=len(drawn),
            postings=int(postings_of(self.store, drawn.aux)),
            scan=took,
            scan_a_set=min(self.without_postings(part, drawn), took / len(drawn)),
            a_set=a_set,
            a_batch=a_batch,
            a_study=a_study,
            first=first,
            contention=self.contention(scan, at_once, took),
        )

    def contention(self, scan: Callable[[], Any], at_once: int, alone: float) -> float:
        if at_once <= 1:
            return 1.0
        with ThreadPoolExecutor(at_once) as pool:
            together, _ = self.timed(lambda: list(pool.map(lambda _: scan(), range(at_once))))
        return max(1.0, together / alone)

    def beside(self) -> tuple[float, float, float]:
        """Seconds of the main process for an aux set, for a batch, and for a study as such."""
        few = part_of(self.plan, 1)
        more = part_of(self.plan, max(_SETS_BESIDE // len(self.plan.cells), 2))
        halves = replace(more, batch_targets=-(-more.batch_targets // 2))
        runner = _Told(self.attacked)
        for part in (few, more):  # so that it knows all kinds, and what is done once is done
            self.told(part, runner)
        of_few, of_more, of_halves = (
            min(self.told(part, runner) for _ in range(2)) for part in (few, more, halves)
        )
        a_batch = max(of_halves - of_more, 0.0) if halves.n_batches > 1 else 0.0
        a_set = max(of_more - of_few, 0.0) / max(more.n_units - few.n_units, 1)
        return a_set, a_batch, max(of_few - a_batch - a_set * few.n_units, 0.0)

    def told(self, part: Plan, runner: _Told) -> float:
        """Seconds of a study that hardly attacks."""
        # The progress bar shows itself on terminals only.
        with TemporaryDirectory() as folder, redirect_stderr(StringIO()):
            work = partial(run_study, self.store, self.attack, part, Path(folder), runner, {})
            return self.timed(lambda: work(lambda: None))[0]

    def drawn(self, part: Plan) -> Drawn:
        return self.attack.annotated(self.store, part.draw(self.store, 0))

    def without_postings(self, part: Plan, drawn: Drawn) -> float:
        """Seconds of an aux set without any, from the targets with few and those with many."""
        of_target = np.searchsorted(part.everyone, np.concatenate(part.targets))
        postings = _postings_each(self.store, drawn.aux)
        by_target = np.bincount(of_target, postings, minlength=part.everyone.size)
        cannot_tell = 0.0 if postings.any() else math.inf
        if by_target.size < 2:
            return cannot_tell
        few = by_target.argsort(kind="stable").argsort() < by_target.size // 2
        sets, read, took = np.empty(2), np.empty(2), np.empty(2)
        for half, here in enumerate((few[of_target], ~few[of_target])):
            units = np.flatnonzero(here)
            sets[half], read[half] = units.size, postings[units].sum()
            scan = partial(self.attacked, drawn.take(units))
            took[half] = min(self.timed(scan)[0] for _ in range(2))
        differ = sets[0] * read[1] - sets[1] * read[0]
        if differ <= 0:
            return cannot_tell
        return max(float(took[0] * read[1] - took[1] * read[0]) / float(differ), 0.0)

    def attacked(self, drawn: Drawn) -> Any:
        """Decisions on annotated aux sets: what the runner in this process does."""
        blocks, carry = list(range(self.store.manifest.n_blocks)), None
        for phase in range(self.attack.n_phases):
            found: Any = self.attack.score(self.store, blocks, drawn, phase, carry)
            carry = self.attack.fold(self.store, drawn, phase, carry, found)
        return carry

    def timed(self, work: Callable[[], Any]) -> tuple[float, Any]:
        begin = self.clock()
        done = work()
        return self.clock() - begin, done


class _Told:
    """A runner that decides on few aux sets, and on all others as on one of their kind.

    Of one kind are those of a grid cell whose targets are in the release, and those whose are not:
    one's decision can stand for another's. See `sim.study.runner.Runner`.
    """

    def __init__(self, attacked: Callable[[Drawn], Decisions]) -> None:
        self._attacked = attacked
        self._place: dict[tuple[int, bool], int] = {}
        self._columns: dict[str, list[Any]] = {f.name: [] for f in fields(Decisions)}

    def run(
        self, batches: list[int], draw: Callable[[int], Drawn]
    ) -> Iterator[tuple[int, Drawn, Decisions]]:
        for batch in batches:
            drawn = draw(batch)
            cells, present = drawn.aux.cell.tolist(), drawn.truth.present.tolist()
            kinds = list(zip(cells, present, strict=True))
            for unit, kind in enumerate(kinds):
                if kind not in self._place:
                    self._learn(kind, self._attacked(drawn.part(unit, unit + 1)))
            places = np.array([self._place[kind] for kind in kinds], np.int64)
            columns = {name: np.array(found)[places] for name, found in self._columns.items()}
            yield batch, drawn, Decisions(**columns)

    def _learn(self, kind: tuple[int, bool], decisions: Decisions) -> None:
        self._place[kind] = len(self._place)
        for name, found in self._columns.items():
            found.append(getattr(decisions, name)[0])

    def shape(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        pass


def part_of(plan: Plan, n: int) -> Plan:
    """A plan for about n of a plan's targets, spread evenly, as one batch.

    Returns
    -------
    Plan
        Every grid cell has a target, so it may be for more.
    """
    chosen = plan.everyone[spread(plan.everyone.size, n)]
    lacking = [t[:1] for t in plan.targets if not np.isin(t, chosen).any()]
    chosen = np.unique(np.concatenate([chosen, *lacking]))
    targets = [np.intersect1d(chosen, t, assume_unique=True) for t in plan.targets]
    return replace(plan, targets=targets, everyone=chosen, batch_targets=chosen.size)


def spread(size: int, n: int) -> NDArray[np.int64]:
    """At most n places out of `size`, evenly spread.

    Returns
    -------
    int64 array, shape (min(n, size),)

    Examples
    --------
    >>> spread(10, 2), spread(3, 5)
    (array([2, 7]), array([0, 1, 2]))
    """
    n = min(n, size)
    places: NDArray[np.int64] = ((np.arange(n) + 0.5) * size / n).astype(np.int64)
    return places


def postings_of(store: Store, aux: Aux) -> float:
    """Cells of a release that aux sets are compared with in one scan."""
    return float(_postings_each(store, aux).sum())


def _postings_each(store: Store, aux: Aux) -> NDArray[np.float64]:
    known = aux.item >= 0
    each = np.bincount(aux.unit[known], store.support[aux.item[known]], minlength=len(aux))
    return each.astype(float)
