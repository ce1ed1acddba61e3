"""What a study will cost, before it is begun: work counted, speed measured on a small sample.

The aux sets of a few targets of each grid cell are drawn as the study itself would draw them, so
the postings they have to be compared with are counted, not guessed. A still smaller sample is then
attacked for a fraction of a second, with the study's own attack on its own release: what an aux set
costs on this machine and what a posting of it, is measured, whatever the attack and however its
scan works. What the main process does beside is measured too, on studies of the sample in a
temporary folder.

Invariant: nothing is left behind, and the targets and aux sets are the study's own.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace

from sim.attack.engine.algorithm import Algorithm
from sim.axes.axis import written
from sim.release.store.store import Store
from sim.report.text_table import aligned
from sim.session.speed import BUDGET, Clock, Speed, measure, postings_of, spread
from sim.study.plan import Plan

SAMPLE = 64
"""Targets of each cell whose postings are counted."""

# What the sample cannot tell. Measured 2026-11-21 on 2 cores of an Intel Xeon at 24 GiB, idle.
_REPORT_SECONDS = 1.5  # figures and report of six grid cells
_CLUSTER_SECONDS = 3.0  # until Ray is up
_WORKERS_SECONDS = 1.5  # until its workers have opened the release and loaded the kernels
_MESSAGE_SECONDS = 0.01  # a batch to the workers and back
_PROCESS_BYTES = 300 << 20  # Python with all that is imported, nothing in work
_TABLE_BYTES = 160 << 20  # tables of contributions of one slice of a batch, as they are made
_SHOWN = 12  # grid cells in the table
_AHEAD = 3  # batches on their way, see `actors.coordinator`


@dataclass(frozen=True, slots=True)
class CellCost:
    """The work of one grid cell.

    Parameters
    ----------
    postings : float
        Cells of the release that one aux set is compared with in one scan, on average.
    """

    name: str
    targets: int
    postings: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a study will take.

    Parameters
    ----------
    phases : int
        Scans of the release.
    posting_bytes : int
        Bytes moved for a posting.
    workers : int
        0 for the runner in this process.
    cores : int
        That the workers share; 0 where each has its own.
    held_bytes : int
        Memory of each process: itself, tables, and messages on their way.
    mapped_bytes : int
        Memory-mapped parts of the release, which all processes share and the system can drop.
    """

    title: str
    cells: tuple[CellCost, ...]
    phases: int
    batches: int
    posting_bytes: int
    speed: Speed
    workers: int
    cores: int
    held_bytes: int
    mapped_bytes: int

    @property
    def sets(self) -> int:
        """Aux sets to attack with."""
        return sum(cell.targets for cell in self.cells)

    @property
    def postings(self) -> float:
        """Postings to be read, over all scans."""
        return self.phases * sum(cell.targets * cell.postings for cell in self.cells)

    @property
    def ns_a_posting(self) -> float:
        """Nanoseconds of one core for a posting, beside what every aux set takes."""
        by_postings = self.speed.scan - self.speed.scan_a_set * self.speed.sets
        return by_postings * 1e9 / max(self.speed.postings * self.phases, 1)

    @property
    def scan_seconds(self) -> float:
        """Seconds of one core to score and decide."""
        return self.scan_of(self.sets, self.postings)

    def scan_of(self, sets: int, postings: float) -> float:
        """Seconds of one core for so many aux sets and postings, over all scans."""
        return self.speed.scan_a_set * sets + self.ns_a_posting * 1e-9 * postings

    @property
    def driver_seconds(self) -> float:
        """Seconds of the main process to draw the aux and to write results."""
        return self.speed.a_set * self.sets + self.speed.a_batch * self.batches

    @property
    def around_seconds(self) -> float:
        """Seconds to start, and to draw the figures and write the report."""
        start = self.speed.first + self.speed.a_study
        if self.workers:
            start += _CLUSTER_SECONDS + _WORKERS_SECONDS + _MESSAGE_SECONDS * self.batches
        return start + _REPORT_SECONDS

    @property
    def attack_seconds(self) -> float:
        """Seconds from the first batch to the last."""
        if not self.workers:
            return self.scan_seconds + self.driver_seconds
        scan = self.scan_seconds * self.speed.contention / self.workers
        busy = (self.scan_seconds + self.driver_seconds) / self.cores if self.cores else 0.0
        return max(scan, self.driver_seconds, busy)

    @property
    def seconds(self) -> float:
        """Seconds of the whole."""
        return self.attack_seconds + self.around_seconds

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def cost_of(
    store: Store,
    plan: Plan,
    attack: Algorithm,
    workers: int = 0,
    *,
    shared_cores: bool = True,
    title: str = "",
    budget: float = BUDGET,
    clock: Clock = time.perf_counter,
) -> Cost:
    """Foresee a study.

    Parameters
    ----------
    store : Store
        The release under attack.
    workers : int
        Scorer processes; 0 for the runner in this process.
    shared_cores : bool
        Whether the workers are processes of this machine.
    title : str
        What stands above the table.
    budget, clock
        See `sim.session.speed.measure`.

    Raises
    ------
    GridError
        A fact cannot be made wrong.
    """
    cores = _cores() if shared_cores else 0
    cells = tuple(
        CellCost(name, targets.size, _postings_a_set(store, plan, index))
        for index, (name, targets) in enumerate(zip(_names(plan), plan.targets, strict=True))
    )
    level = store.block(0).item_level.dtype.itemsize
    m = store.manifest
    partials = len(plan.cells) * plan.batch_targets * attack.partial_bytes(store) * m.n_blocks
    return Cost(
        title=title or f"{attack.name} on {m.source}",
        cells=cells,
        phases=attack.n_phases,
        batches=plan.n_batches,
        posting_bytes=4 + level,
        speed=measure(store, plan, attack, min(workers, cores or 1), budget, clock),
        workers=workers,
        cores=cores,
        held_bytes=_PROCESS_BYTES + _TABLE_BYTES + (_AHEAD if workers else 1) * partials,
        mapped_bytes=m.n_cells * (4 + level),
    )


def _names(plan: Plan) -> list[str]:
    """Grid cells by number and by what they differ in."""
    axes = plan.cells[0].axes
    differ = [axis for axis in axes if len({written(c.axes[axis]) for c in plan.cells}) > 1]
    return [
        " ".join([str(c.index), *(f"{axis}={written(c.axes[axis])}" for axis in differ)])
        for c in plan.cells
    ]


def _postings_a_set(store: Store, plan: Plan, cell: int) -> float:
    """Mean over a sample of the cell's targets; over all of them where they are few."""
    targets = plan.targets[cell]
    chosen = targets[spread(targets.size, SAMPLE)]
    only = replace(
        plan,
        cells=[plan.cells[cell]],
        targets=[chosen],
        eligible=[plan.eligible[cell]],
        everyone=chosen,
        batch_targets=chosen.size,
    )
    return postings_of(store, only.draw(store, 0).aux) / chosen.size


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def in_words(seconds: float) -> str:
    """A duration as people say it.

    Examples
    --------
    >>> in_words(0.3), in_words(72), in_words(5000), in_words(200_000)
    ('0.3 s', '1.2 min', '1.4 hours', '2.3 days')
    """
    for unit, length in (("days", 86_400), ("hours", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def amount(number: float, unit: str = "") -> str:
    """A large number in three figures, with the prefix for powers of 1,000.

    Examples
    --------
    >>> amount(452_000), amount(4.52e9, "B"), amount(7)
    ('452 k', '4.52 GB', '7')
    """
    for prefix, power in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= power:
            return f"{_three(number / power)} {prefix}{unit}"
    return f"{_three(number)} {unit}".rstrip()


def _three(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _lines(cost: Cost) -> list[str]:
    """The table, and below it what it adds up to."""
    speed, total = cost.speed, cost.postings
    rows = [("grid cell", "targets", "postings each", "bytes", "one core")]
    for cell in cost.cells[:_SHOWN]:
        postings = cell.targets * cell.postings * cost.phases
        rows.append(
            (
                cell.name,
                f"{cell.targets:,}",
                amount(cell.postings * cost.phases),
                amount(postings * cost.posting_bytes, "B"),
                in_words(cost.scan_of(cell.targets, postings)),
            )
        )
    if len(cost.cells) > _SHOWN:
        rows.append((f"... and {len(cost.cells) - _SHOWN} more grid cells", "", "", "", ""))
    rows.append(
        (
            "all",
            f"{cost.sets:,}",
            amount(total / cost.sets),
            amount(total * cost.posting_bytes, "B"),
            in_words(cost.scan_seconds),
        )
    )
    table = aligned(rows, left=1)
    with_workers = {0: "in one process", 1: "with 1 worker"}
    workers = with_workers.get(cost.workers, f"with {cost.workers} workers")
    scan = f"{cost.phases} scans of the release" if cost.phases > 1 else "1 scan of the release"
    per = f"{_three(cost.ns_a_posting)} ns a posting" if speed.postings else "no postings"
    a_set = f"{_three(speed.scan_a_set * 1e6)} µs an aux set"
    return [
        cost.title,
        *table,
        f"{scan} in {cost.batches:,} batches; {a_set} and {per}, as {speed.sets:,} took just now",
        f"drawing and results {in_words(cost.driver_seconds)}, "
        f"starting and reporting {in_words(cost.around_seconds)}",
        f"about {in_words(cost.seconds)} {workers}; "
        f"{amount(cost.held_bytes, 'B')} of memory in each process, "
        f"{amount(cost.mapped_bytes, 'B')} of the release mapped",
    ]
