"""Estimate the time and memory of a job without running it: ``dry_run=true``.

Invariant: no cluster is started and no run folder written. The release is opened, and built on
first use, since its postings are counted.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from sim.adversary.publisher import Publisher
from sim.attack.kernels.top2 import start_top
from sim.config.schema import ATTACK, BOTH, PLAN, RELEASED, Config
from sim.defence.apply import defended
from sim.errors import GridError
from sim.findings.release import grid_findings
from sim.numeric.text import format_duration, quantity
from sim.release.store.store import Store
from sim.report.sentences import sentences
from sim.report.text_table import aligned
from sim.session.bayes_companion import companion_of
from sim.session.chain_search import FIRST
from sim.session.checks import attack_of, check_release, defences_of, targets_of
from sim.session.cost import Cost, cost_of
from sim.session.file_facts import knowing_facts, known_facts_of
from sim.session.fit import fitted, sized
from sim.session.jobs import OF_CHAINS, Job
from sim.session.open_release import open_release
from sim.session.runners import INLINE, resolved
from sim.session.suite import key_of
from sim.study.bar import stage
from sim.study.plan import make_plan

log = logging.getLogger("standout")

_Run = tuple[str, Config, Sequence[str]]
"""Name, configuration, typed overrides."""

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
    costs: dict[str, Cost] = {}
    runs: list[Cost | str] = []
    adapted_to: list[tuple[str, ...]] = []
    for name, config, overrides in _with_progress(list(_runs(job))):
        key = key_of(config.data)
        if key not in stores:
            stores[key] = open_release(config.data, job.overrides)
        said: tuple[str, ...] = ()
        try:
            cost, said = _estimated(config, stores[key], name, overrides, costs)
        except GridError as error:
            if not runs and not job.parts:
                raise
            if known_facts_of(config) == RELEASED and job.config.audit.known_facts == BOTH:
                continue  # it is said of the run with facts of the original
            reason = error.reason if job.config.aggregate in OF_CHAINS else str(error)
            cost = f"{name}: not possible: {reason}"
        runs.append(cost)
        adapted_to.append(said)
    parts = [*_alike_once(runs, adapted_to)]
    if len(runs) > 1:
        seconds = sum(run.seconds for run in runs if isinstance(run, Cost))
        unknown = sum(isinstance(run, str) for run in runs)
        verb = "is" if unknown == 1 else "are"
        left = f", without {quantity(unknown, 'run')} that {verb} not estimated"
        without = left if unknown else ""
        parts.append(f"total: about {format_duration(seconds)}{without}")
    if job.config.aggregate == PLAN:
        parts.append(
            f"That is the first step of the plan: every chain, on at most {FIRST:,} people. The "
            "steps after it attack fewer chains on more people, and in the end every person, "
            "twice; how long these take is estimated when the first is done."
        )
    return "\n\n".join(parts)


def _alike_once(runs: Sequence[Cost | str], adapted_to: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield what each run takes; those that differ in their names alone, once with their number.

    As chains of defences do, whose runs are estimated on the same release before them.
    """
    named: dict[tuple[str, ...], list[str]] = {}
    for run, said in zip(runs, adapted_to, strict=True):
        # A run that is not estimated is a name and a reason.
        name, *rest = run.split(": ", 1) if isinstance(run, str) else [*lines(run), *said]
        named.setdefault(tuple(rest), []).append(name)
    for rest_of_all, (first, *others) in named.items():
        is_line = len(rest_of_all) == 1
        text = (": " if is_line else "\n").join([first, *rest_of_all])
        more = f"({quantity(len(others), 'more run')} alike, each with another name or defence)"
        yield f"{text}{' ' if is_line else chr(10)}{more}" if others else text


def _are_loops_to_compile() -> bool:
    """Whether no loop of the attacks was ever compiled here."""
    return not any(Path(start_top.stats.cache_path).glob("top2.*.nbi"))


def _runs(job: Job) -> Iterator[_Run]:
    """Yield every single run in the order of execution: name, configuration, typed overrides."""
    if job.parts:
        for part in job.parts:
            yield from _runs(part)
        return
    config = job.config
    name = config.name if job.name in ("", config.name) else f"{config.name}, {job.name}"
    twice = known_facts_of(config) == BOTH and config.defence
    of_file = [(f"{name}, facts of the file", knowing_facts(config, RELEASED))] if twice else []
    for title, one in ((name, config), *of_file):
        yield title, one, job.overrides
        companion = companion_of(one)
        if companion is not None:
            yield f"{title}, Bayes-optimal attacker", companion, job.overrides


def _estimated(
    config: Config, store: Store, name: str, overrides: Sequence[str], costs: dict[str, Cost]
) -> tuple[Cost | str, tuple[str, ...]]:
    """What a run takes, and how its grid was adapted to the release, in sentences.

    Costs that are known are kept in `costs`: a run costs what another does that differs only in
    its defences, since both are estimated on the release before them.
    """
    if config.study.kind != ATTACK:
        return f"{name}: measurement {config.study.kind} of the release; not estimated", ()
    change = defended(store, defences_of(config))
    config = sized(config, store)
    grid = fitted(config, store, store, overrides)
    attack = attack_of(config.attack, grid.cells, _of_the_original(change.publisher))
    check_release(attack, grid.cells, store.manifest)
    plan = make_plan(store, grid.cells, attack, targets_of(config), config.seed)
    cluster = resolved(config.cluster, plan.n_units * store.manifest.n_cells)
    key = _apart_from_defences(config)
    title = f"{name}: {attack.name} on {store.source}"
    if key not in costs:
        costs[key] = cost_of(
            store,
            plan,
            attack,
            0 if cluster.kind == INLINE else cluster.workers or 0,
            shared_cores=cluster.kind != "address",
            title=title,
        )
    before = ", before its defences" if change.stages else ""
    cost = replace(costs[key], title=f"{title}{before}")
    without = ("Measuring the utility is not estimated.",) if config.utility else ()
    return cost, (
        *sentences(grid_findings({"config": asdict(grid.config), **grid.record()})),
        *without,
    )


def _with_progress(runs: list[_Run]) -> Iterator[_Run]:
    """Yield runs, and show how many are estimated."""
    with stage("estimate", len(runs)) as estimating:
        for done, run in enumerate(runs):
            estimating.reach(done)
            yield run


def _apart_from_defences(config: Config) -> str:
    """All of a configuration that its cost depends on, as text."""
    given = asdict(config)
    for key in ("name", "defence", "utility", "parts", "aggregate"):
        given.pop(key, None)
    given["audit"].pop("known_facts")
    return json.dumps(given, sort_keys=True, default=str)


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
