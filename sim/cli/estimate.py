"""Estimate the time and memory of a job without running it: ``dry_run=true``.

Invariant: no cluster is started and no run folder written. The release is opened, and built on
first use, since its postings are counted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from sim.adversary.publisher import Publisher
from sim.attack.kernels.top2 import start_top
from sim.config.schema import ATTACK, Config
from sim.defence.apply import defended
from sim.errors import GridError
from sim.numeric.text import format_duration, quantity
from sim.release.store.store import Store
from sim.report.text_table import aligned
from sim.report.words.left_out import adapted
from sim.session.bayes_companion import companion_of
from sim.session.checks import attack_of, check_release, defences_of, targets_of
from sim.session.cost import Cost, cost_of
from sim.session.fit import fitted, sized
from sim.session.open_release import open_release
from sim.session.suite import Job, key_of
from sim.study.plan import make_plan

log = logging.getLogger("standout")

_SHOWN = 12  # grid cells in the table


def estimate(job: Job) -> str:
    """Return the time and memory that a job and all its parts will take, as text.

    Raises
    ------
    StandoutError
        An error that the user can correct, and that would also stop the run.
    """
    if _are_loops_to_compile():
        log.info(
            "estimate: a few people are attacked to measure the time; the first time after an "
            "installation, the loops are compiled for this, which takes a minute or two"
        )
    stores: dict[str, Store] = {}
    runs: list[Cost | str] = []
    adapted_to: list[tuple[str, ...]] = []
    for name, config, overrides in _runs(job):
        key = key_of(config.data)
        if key not in stores:
            stores[key] = open_release(config.data)
        sentences: tuple[str, ...] = ()
        try:
            cost, sentences = _estimated(config, stores[key], name, overrides)
        except GridError as error:
            if not runs and not job.parts:
                raise
            cost = f"{name}: not possible: {error}"
        runs.append(cost)
        adapted_to.append(sentences)
    parts = [
        run if isinstance(run, str) else "\n".join([*lines(run), *sentences])
        for run, sentences in zip(runs, adapted_to, strict=True)
    ]
    if len(runs) > 1:
        seconds = sum(run.seconds for run in runs if isinstance(run, Cost))
        unknown = sum(isinstance(run, str) for run in runs)
        verb = "is" if unknown == 1 else "are"
        left = f", without {quantity(unknown, 'run')} that {verb} not estimated"
        without = left if unknown else ""
        parts.append(f"total: about {format_duration(seconds)}{without}")
    return "\n\n".join(parts)


def _are_loops_to_compile() -> bool:
    """Whether no loop of the attacks was ever compiled here."""
    return not any(Path(start_top.stats.cache_path).glob("top2.*.nbi"))


def _runs(job: Job) -> Iterator[tuple[str, Config, Sequence[str]]]:
    """Yield every single run in the order of execution: name, configuration, typed overrides."""
    if job.parts:
        for part in job.parts:
            yield from _runs(part)
        return
    config = job.config
    name = config.name if job.name in ("", config.name) else f"{config.name}, {job.name}"
    yield name, config, job.overrides
    companion = companion_of(config)
    if companion is not None:
        yield f"{name}, Bayes-optimal attacker", companion, job.overrides


def _estimated(
    config: Config, store: Store, name: str, overrides: Sequence[str]
) -> tuple[Cost | str, tuple[str, ...]]:
    """What a run takes, and how its grid was adapted to the release, in sentences."""
    if config.study.kind != ATTACK:
        return f"{name}: measurement {config.study.kind} of the release; not estimated", ()
    change = defended(store, defences_of(config))
    config = sized(config, store)
    grid = fitted(config, store, store, overrides)
    attack = attack_of(config.attack, grid.cells, _of_the_original(change.publisher))
    check_release(attack, grid.cells, store.manifest)
    plan = make_plan(store, grid.cells, attack, targets_of(config), config.seed)
    cluster = config.cluster
    cost = cost_of(
        store,
        plan,
        attack,
        0 if cluster.kind == "inline" else cluster.workers,
        shared_cores=cluster.kind != "address",
        title=f"{name}: {attack.name} on {store.source}"
        + (", before its defences" if change.stages else ""),
    )
    without = ("Measuring the utility is not estimated.",) if config.utility else ()
    return cost, (*adapted({"config": asdict(grid.config), **grid.record()}), *without)


def _of_the_original(publisher: Publisher) -> Publisher:
    """Return what is known of the defences but for new levels of values: the original has none."""
    return replace(publisher, value_channel=(), released=())


def lines(cost: Cost) -> list[str]:
    """Format the table of grid cells, the total, and the basis of the estimate."""

    def row(name: str, sets: int, postings: float) -> tuple[str, ...]:
        each = format_amount(cost.phases * postings / sets)
        return (name, f"{sets:,}", each, format_duration(cost.scan_of(sets, postings)))

    cells = [row(name, targets, targets * each) for name, targets, each in cost.cells[:_SHOWN]]
    if len(cost.cells) > _SHOWN:
        cells.append((f"... and {len(cost.cells) - _SHOWN} more grid cells", "", "", ""))
    head, last = (
        ("grid cell", "targets", "postings each", "one core"),
        row("all", cost.sets, cost.postings),
    )
    with_workers = {0: "in one process", 1: "with 1 worker"}
    scans = f"{cost.phases} scans of the release" if cost.phases > 1 else "1 scan of the release"
    return [
        cost.title,
        *aligned([head, *cells, last], left=1),
        f"{scans} in {quantity(cost.batches, 'batch', 'batches')}; estimated from "
        f"{cost.probe.sets:,} of these aux sets, scanned in {format_duration(cost.probe.scan)}",
        f"drawing aux and writing results {format_duration(cost.driver_seconds)}, "
        f"startup and report {format_duration(cost.around_seconds)}",
        f"about {format_duration(cost.seconds)} "
        f"{with_workers.get(cost.workers, f'with {cost.workers} workers')}; "
        f"{format_amount(cost.held_bytes, 'B')} of memory in each process, "
        f"{format_amount(cost.mapped_bytes, 'B')} of the release mapped",
    ]


def format_amount(number: float, unit: str = "") -> str:
    """Format a large number with three digits and the prefix for powers of 1,000.

    Examples
    --------
    >>> format_amount(452_000), format_amount(4.52e9, "B"), format_amount(7)
    ('452 k', '4.52 GB', '7')
    """
    for prefix, power in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= power:
            scaled = number / power
            return f"{f'{scaled:,.0f}' if scaled >= 100 else f'{scaled:.3g}'} {prefix}{unit}"
    return f"{number:.3g} {unit}".rstrip()
