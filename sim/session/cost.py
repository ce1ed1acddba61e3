"""Estimates the time and memory of a study: work is counted, speed measured by a short probe.

Targets, aux sets and batches are the plan's; postings are counted by drawing the aux sets of some
targets of each grid cell and adding up the supports of their items. The probe is a study of a few
of the plan's targets, with the study's own attack and release, in a temporary folder.

Invariant: the probe leaves no files, and the work and scan are measured on this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.block_tree import most_held
from sim.attack.engine.decisions import Decisions
from sim.axes.axis import config_text
from sim.release.store.store import Store
from sim.study.inline import decided
from sim.study.plan import Plan
from sim.study.run import run_study
from sim.study.runner import Draw

BUDGET = 0.3
"""Approximate seconds of scanning in the probe; more where a single target takes longer."""
_SAMPLE = 64  # targets of each cell whose postings are counted

# What the probe does not cover, measured on 2 cores of an Intel Xeon at 24 GiB, idle.
_REPORT_SECONDS = 1.5  # figures and report of six grid cells
_CLUSTER_SECONDS = 4.5  # until Ray is up, and its workers have opened the release
_MESSAGE_SECONDS = 0.01  # a batch to the workers and back
_PROCESS_BYTES = 460 << 20  # Python with all imports, and tables of contributions of one slice
_AHEAD = 3  # batches on their way, see `actors.coordinator`

Timer = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Probe:
    """Times of a study of a few targets on one core of this machine.

    Parameters
    ----------
    postings : float
        Postings that its aux sets are compared with in one scan.
    first : float
        Seconds for the first aux sets, including loading the compiled loops.
    scan : float
        Seconds to score and decide, over all scans.
    driver : float
        Seconds of the main process per aux set, for drawing and results.
    batch, fixed : float
        Seconds of the main process per batch, and regardless of the work.
    """

    sets: int
    postings: float
    first: float
    scan: float
    driver: float
    batch: float
    fixed: float


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of a study.

    Parameters
    ----------
    cells : tuple of (str, int, float)
        For each grid cell: its name, its targets, and the mean number of postings that an aux set
        is compared with in one scan.
    phases : int
        Scans of the release.
    workers : int
        0 for the runner in this process.
    cores : int
        Cores that the workers share; 0 where each has its own.
    held_bytes : int
        Memory of each process: Python, tables, and messages in transit.
    mapped_bytes : int
        Memory-mapped parts of the release, which all processes share and the system can drop.
    """

    title: str
    cells: tuple[tuple[str, int, float], ...]
    phases: int
    batches: int
    probe: Probe
    workers: int
    cores: int
    held_bytes: int
    mapped_bytes: int

    @property
    def sets(self) -> int:
        """Aux sets to attack with."""
        return sum(targets for _, targets, _ in self.cells)

    @property
    def postings(self) -> float:
        """Postings that aux sets are compared with in one scan."""
        return sum(targets * postings for _, targets, postings in self.cells)

    def scan_of(self, sets: int, postings: float) -> float:
        """Return the seconds of one core for some aux sets and postings, over all scans."""
        if self.probe.postings:
            return self.probe.scan * postings / self.probe.postings
        return self.probe.scan * sets / self.probe.sets

    @property
    def scan_seconds(self) -> float:
        """Seconds of one core to score and decide."""
        return self.scan_of(self.sets, self.postings)

    @property
    def driver_seconds(self) -> float:
        """Seconds of the main process to draw the aux and to write results."""
        return self.probe.driver * self.sets + self.probe.batch * self.batches

    @property
    def around_seconds(self) -> float:
        """Seconds to start, and to draw the figures and write the report."""
        start = self.probe.first + self.probe.fixed
        if self.workers:
            start += _CLUSTER_SECONDS + _MESSAGE_SECONDS * self.batches
        return start + _REPORT_SECONDS

    @property
    def attack_seconds(self) -> float:
        """Seconds from the first batch to the last."""
        work = self.scan_seconds + self.driver_seconds
        if not self.workers:
            return work
        busy = work / self.cores if self.cores else 0.0
        return max(self.scan_seconds / self.workers, self.driver_seconds, busy)

    @property
    def seconds(self) -> float:
        """Seconds of the whole study."""
        return self.attack_seconds + self.around_seconds


def cost_of(
    store: Store,
    plan: Plan,
    attack: Algorithm,
    workers: int = 0,
    *,
    shared_cores: bool = True,
    title: str = "",
    budget: float = BUDGET,
    clock: Timer = time.perf_counter,
) -> Cost:
    """Estimate the cost of a study.

    Parameters
    ----------
    store : Store
        The release under attack.
    workers : int
        Scorer processes; 0 for the runner in this process.
    shared_cores : bool
        Whether the workers are processes of this machine.
    title : str
        Title of the table.

    Raises
    ------
    GridError
        A fact cannot be made wrong.
    """
    m = store.manifest
    partials = len(plan.cells) * plan.batch_targets * attack.partial_bytes(store)
    return Cost(
        title=title or f"{attack.name} on {store.source}",
        cells=tuple(_counted(store, plan)),
        phases=attack.n_phases,
        batches=plan.n_batches,
        probe=_probe(store, plan, attack, budget, clock),
        workers=workers,
        cores=cores() if shared_cores else 0,
        held_bytes=_PROCESS_BYTES + (_AHEAD if workers else 1) * partials * most_held(m.n_blocks),
        mapped_bytes=m.n_cells * (4 + store.block(0).item_level.dtype.itemsize),
    )


def _counted(store: Store, plan: Plan) -> Iterator[tuple[str, int, float]]:
    """Yield the name of each grid cell (number and varying axes), its targets and postings."""
    axes = plan.cells[0].axes
    differ = [axis for axis in axes if len({config_text(c.axes[axis]) for c in plan.cells}) > 1]
    for cell, targets in zip(plan.cells, plan.targets, strict=True):
        only = replace(plan, cells=[cell], targets=[targets], everyone=targets)
        drawn = part_of(only, _SAMPLE).draw(store, 0)
        name = " ".join([str(cell.index), *(f"{a}={config_text(cell.axes[a])}" for a in differ)])
        yield name, targets.size, postings_of(store, drawn) / len(drawn)


def postings_of(store: Store, drawn: Drawn) -> float:
    """Count the cells of a release that aux sets are compared with in one scan."""
    return float(store.cells[drawn.aux.item[drawn.aux.item >= 0]].sum())


def part_of(plan: Plan, n: int) -> Plan:
    """Return a plan for about n evenly spaced targets of a plan, as one batch.

    Every grid cell keeps at least one target, so there may be more than n.
    """
    size = plan.everyone.size
    n = min(n, size)
    chosen = plan.everyone[((np.arange(n) + 0.5) * size / n).astype(np.int64)]
    lacking = [t[:1] for t in plan.targets if not np.isin(t, chosen).any()]
    chosen = np.unique(np.concatenate([chosen, *lacking]))
    targets = [np.intersect1d(chosen, t, assume_unique=True) for t in plan.targets]
    return replace(plan, targets=targets, everyone=chosen, batch_targets=chosen.size)


@dataclass(slots=True)
class _Watched:
    """The runner in this process, with its seconds of scanning; see `sim.study.runner.Runner`."""

    store: Store
    attack: Algorithm
    clock: Timer
    scan: float = 0.0

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        for batch in batches:
            drawn = draw(batch)
            begin = self.clock()
            decisions = decided(self.store, self.attack, drawn)
            self.scan += self.clock() - begin
            yield batch, drawn, decisions

    def shape(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        pass


def _probe(store: Store, plan: Plan, attack: Algorithm, budget: float, clock: Timer) -> Probe:
    """Attack as many targets as the budget allows; then time studies of these and of one target."""

    def scanned(n: int) -> tuple[float, Drawn]:
        drawn = attack.annotated(store, part_of(plan, n).draw(store, 0))
        begin = clock()
        decided(store, attack, drawn)
        return clock() - begin, drawn

    def overhead(n: int, batches: int = 1) -> float:
        """Return the seconds of a study of n targets, scans excluded."""
        part, seconds = part_of(plan, n), []
        part = replace(part, batch_targets=-(-part.batch_targets // batches))
        for _ in range(2):  # the first also fills caches
            runner, begin = _Watched(store, attack, clock), clock()
            with TemporaryDirectory() as folder, redirect_stderr(StringIO()):  # the progress bar
                run_study(store, attack, part, Path(folder), runner, {}, lambda: None)
            seconds.append(clock() - begin - runner.scan)
        return min(seconds)

    first, few = scanned(1)
    n, most = 1, min(plan.everyone.size, plan.batch_targets)
    while True:
        took, drawn = scanned(n)
        if took >= budget / 2 or n >= most:
            break
        n = min(most, max(n + 1, int(n * min(8.0, 0.75 * budget / max(took, 1e-6)))))
    fixed, whole, in_four = overhead(1), overhead(n), overhead(n, 4)
    driver = max(whole - fixed, 0.0) / max(len(drawn) - len(few), 1)
    batch = max(in_four - whole, 0.0) / 3
    return Probe(
        sets=len(drawn),
        postings=postings_of(store, drawn),
        first=first,
        scan=min(took, scanned(n)[0]),  # the first fetches pages of the release too
        driver=driver,
        batch=batch,
        fixed=max(fixed - batch - driver * len(few), 0.0),
    )


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
