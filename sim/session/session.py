"""One study from its configuration to its result, for the command line and the API."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_list_like

from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.registry import ATTACKS
from sim.axes.registry import AXES, without_unused
from sim.config.compose import composed
from sim.config.paths import working_directory
from sim.config.schema import ATTACK, BOTH, RELEASED, AuxConfig, Config
from sim.defence.apply import Defended, defended
from sim.defence.drop_long import DropLong
from sim.defence.drop_records import DropRecords
from sim.errors import ConfigError, GridError
from sim.extend.options import Options
from sim.extend.plugins import foreign_code, qualified_name
from sim.files.free_memory import available
from sim.findings.release import left_findings
from sim.findings.suspicions import FAR_ABOVE, SINGLE_ENTRY
from sim.measurements.measurement import FACTS, Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.metrics.post_run import post_run_tables
from sim.metrics.risk import risk
from sim.numeric.text import grid_cells
from sim.record.digests import RESULTS, check_results, digests, is_sealed, seal
from sim.record.disk import disk_full_as_error
from sim.record.frames import write_tables
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger, check_same_run
from sim.record.provenance import code_digest, git_revision, machine, versions
from sim.record.run_record import (
    BAYES_FOLDER,
    FILE_FACTS_FOLDER,
    INNER,
    LONG_RECORDS,
    ROWS_AS_READ,
    Stopwatch,
    is_complete,
    write_record,
)
from sim.release.store.long_records import are_left_out, long_records
from sim.release.store.store import Store
from sim.release.store.value_bins import MAX_LEVELS
from sim.report.sentences import sentences
from sim.session.bayes_companion import companion_of, most_targets, overrides_of
from sim.session.checks import (
    AUTO,
    attack_of,
    check_config,
    check_release,
    defences_of,
    measurement_of,
    targets_of,
    utilities_of,
)
from sim.session.description import suspicions_of
from sim.session.file_facts import knowing_facts, known_facts_of, with_known_facts
from sim.session.fit import Fitted, fitted, sized
from sim.session.open_release import cache_of, described, release_of_tool
from sim.session.rows_as_read import rows_as_read
from sim.session.runners import make_runner
from sim.study.guard import Guard
from sim.study.plan import Plan, make_plan
from sim.study.run import run_study
from sim.study.worst_case import WORST_CASE, worst_case
from sim.utility.table import UTILITY, utility_table

log = logging.getLogger("standout")
run_log = logging.getLogger("standout.run_log")
"""Logs to the run folder's log only."""


_Work = Callable[[Path, Mapping[str, Any], dict[str, Any], Stopwatch], None]
"""Writes result files into a folder that is empty or holds the same run."""


def run_session(
    config: Config,
    store: Store,
    folder: Path,
    overrides: Sequence[str] = (),
    *,
    remarks: bool = True,
) -> None:
    """Run or resume a study in a folder; write its results and its record.

    Parameters
    ----------
    store : Store
        The release under attack.
    folder : Path
        Folder of the run; may hold the same study, interrupted or finished.
    overrides : sequence of str
        The overrides as typed, for the record and for resuming.
    remarks : bool
        Whether to log what the defences left.

    Raises
    ------
    StandoutError
        An error that the user can correct.
    """
    check_config(config)
    finished = is_sealed(folder)
    stopwatch = Stopwatch()
    opened = store
    change = defended(opened, defences_of(config), partial(release_of_tool, config.data))
    store = change.open(cache_of(config.data))
    if known_facts_of(config) == RELEASED and change.loses_facts(store):
        change = change.with_file_facts(store, cache_of(config.data))
    asked, about = config, dict[str, Any]()
    if config.study.kind == ATTACK:
        asked = config = sized(config, change.truth or store)
        grid = fitted(config, store, change.truth or store, overrides)
        config, about = grid.config, grid.record()
        work = _attack_of(grid, store, change)
    else:
        work = _measurement_of(config, store)
    stopwatch.end("plan")
    header = _header(config, store)
    if finished:
        check_same_run(folder / LEDGER, header)
        if folder.name in INNER:
            log.info("%s: already complete", folder.name)
        return
    record = new_record(config, overrides, header, store) | about
    if change.stages:
        record["read"] = described(opened)
        record["defences"] = change.record(store)
        for line in sentences(left_findings(record)) if remarks else ():
            log.info("%s", line)
    work(folder, header, record, stopwatch)
    measures = utilities_of(config)
    if measures:
        with disk_full_as_error(folder):
            write_tables(folder, {UTILITY: utility_table(opened, store, measures, config.seed)})
        stopwatch.end("utility")
    other = companion_of(asked)
    if other is not None:
        record["bayes"] = _run_bayes(other, opened, folder, overrides)
        limit = most_targets(asked) if asked.bayes_targets == AUTO else None
        if limit is not None:
            record["bayes"]["limit"] = limit
        stopwatch.end("bayes")
    inner = _run_file_facts(asked, change, opened, store, folder, overrides)
    if inner is not None:
        record[FILE_FACTS_FOLDER] = inner
        stopwatch.end(FILE_FACTS_FOLDER)
    with disk_full_as_error(folder), Ledger(folder / LEDGER, header) as ledger:
        finish(folder, record, stopwatch)
        seal(ledger, folder, ledger.finished or {})


def finish(folder: Path, record: Mapping[str, Any], stopwatch: Stopwatch) -> None:
    """Complete the record of a run; one that was already complete keeps it."""
    if not is_complete(folder):
        write_record(folder, {**record, "status": "complete", "seconds": stopwatch.seconds})
    run_log.info("complete: %s", stopwatch.seconds)


def _attack_of(grid: Fitted, store: Store, change: Defended) -> _Work:
    truth, config, cells = change.truth, grid.config, grid.cells
    known = [cell.adversary.knowledge for cell in cells]
    attack = attack_of(config.attack, cells, change.with_totals(store, known))
    check_release(attack, cells, store.manifest)
    plan = make_plan(store, cells, attack, targets_of(config), config.seed, truth)
    _warn_of_few(plan, targets_of(config), config.attack.name)

    def work(
        folder: Path, header: Mapping[str, Any], record: dict[str, Any], stopwatch: Stopwatch
    ) -> None:
        record["adversary_notes"] = dict(cells[0].adversary.notes(store))
        if attack.untested:
            record["untested"] = attack.untested
        run_log.info(
            "%s: %s on %s: %d grid cells, %d aux sets in %d batches",
            *(config.name, attack.name, store.source),
            *(len(plan.cells), plan.n_units, plan.n_batches),
        )
        runner = make_runner(config.cluster, store, attack, plan.n_units)
        stopwatch.end("cluster")
        with contextlib.ExitStack() as opened:
            opened.callback(runner.close)
            record["cluster"] = dict(runner.shape())

            def end() -> None:
                record["cluster"] = dict(runner.shape())  # with what replaced nodes have copied
                opened.close()

            begin = partial(write_record, folder, record)
            run_study(store, attack, plan, folder, runner, header, begin, end)
            stopwatch.end("attack")
            with disk_full_as_error(folder):
                write_tables(folder, post_run_tables(folder, record))
                own_facts = isinstance(config.adversary, AuxConfig)
                if isinstance(attack, Bayes) and not is_complete(folder):
                    if own_facts and plan.attacks_all:
                        write_tables(folder, {WORST_CASE: worst_case(store, attack, plan)})
                        stopwatch.end(WORST_CASE)
                    if truth is not None:
                        write_tables(folder, Guard(store, attack, plan).tables())
                        stopwatch.end("guard")
                if own_facts and truth is None:
                    write_tables(folder, risk(folder, store, by_record=targets_of(config) is None))

    return work


def _check_tables(measurement: Measurement, tables: object) -> None:
    """Check that a measurement returned what `Measurement.measure` is to return."""
    who = f"{qualified_name(type(measurement))}: measure"
    if not isinstance(tables, Mapping) or not all(
        isinstance(table, pd.DataFrame) for table in tables.values()
    ):
        raise ConfigError(f"{who}: {type(tables).__name__}: expected a dict of tables by name")
    if FACTS not in tables:
        listed = ", ".join(map(str, tables)) or "none"
        raise ConfigError(f"{who}: tables {listed}: expected {FACTS!r} among them")
    for name, table in tables.items():
        twice = [*table.columns[table.columns.duplicated()]]
        if twice:
            raise ConfigError(f"{who}: {name}: column {twice[0]!r}: expected each column once")
    facts = tables[FACTS]
    if not facts.size:
        rows, columns = facts.shape
        raise ConfigError(
            f"{who}: {FACTS}: {rows} rows and {columns} columns: expected at least one of each"
        )
    for column in facts:
        if facts[column].map(is_list_like).any():
            raise ConfigError(f"{who}: {FACTS}: column {column!r}: expected one entry in each row")


def _measurement_of(config: Config, store: Store) -> _Work:
    measurement = measurement_of(config.study)
    lacking = measurement.unmet(store.manifest)
    if lacking:
        raise GridError(f"study={measurement.kind}: needs {lacking}, which the release lacks")

    def work(
        folder: Path, header: Mapping[str, Any], record: dict[str, Any], stopwatch: Stopwatch
    ) -> None:
        if not is_complete(folder):
            _check_memory(measurement, store)
        run_log.info("%s: %s of %s", config.name, measurement.kind, store.source)
        with disk_full_as_error(folder), Ledger(folder / LEDGER, header) as ledger:
            if ledger.finished is not None:
                check_results(folder, ledger.finished)
                log.info("%s: already complete", folder)
                return
            write_record(folder, record)
            tables = measurement.measure(store, config.seed)
            _check_tables(measurement, tables)
            write_tables(folder, tables)
            files = [f"{name}.parquet" for name in sorted(tables)]
            ledger.finish({"tables": sorted(tables), RESULTS: digests(folder, files)})
        stopwatch.end("measurement")

    return work


def _check_memory(measurement: Measurement, store: Store) -> None:
    """Refuse to begin what the system would end."""
    needed, free = measurement.memory(store), available()
    if free is not None and needed > free:
        raise GridError(
            f"study={measurement.kind}: needs up to {needed / 1e9:.2f} GB of memory, and "
            f"{free / 1e9:.2f} GB are free; free some, or choose a machine that has more"
        )


def _run_bayes(
    other: Config, store: Store, folder: Path, overrides: Sequence[str]
) -> dict[str, Any]:
    """Run the Bayes-optimal attacker on the same grid, in a folder within the run's."""
    theirs = overrides_of(other, overrides)
    inside = folder / BAYES_FOLDER
    inside.mkdir(exist_ok=True)
    levels = len(store.manifest.scale)
    if levels > MAX_LEVELS:
        log.warning(
            "The release has %s distinct values, so the Bayes-optimal attacker takes long; "
            "data.value_bins=quantiles:%s or bayes_targets=100 makes it faster.",
            *(f"{levels:,}", MAX_LEVELS),
        )
    try:
        # The report compares its curves with those of the attack.
        run_session(other, store, inside, theirs, remarks=False)
    except GridError as error:
        log.warning("the Bayes-optimal attacker is not run: %s", error)
        with contextlib.suppress(OSError):
            inside.rmdir()
        return {"folder": None, "error": str(error)}
    return {"folder": BAYES_FOLDER, "error": None}


def _run_file_facts(
    config: Config,
    change: Defended,
    original: Store,
    store: Store,
    folder: Path,
    overrides: Sequence[str],
) -> dict[str, Any] | None:
    """Run the same attack with facts of the file, in a folder within the run's; None: no other."""
    if known_facts_of(config) != BOTH:
        return None
    inside = folder / FILE_FACTS_FOLDER
    try:
        if not change.loses_facts(store):
            return None
        inside.mkdir(exist_ok=True)
        theirs = with_known_facts(overrides, RELEASED)
        changed = knowing_facts(config, RELEASED)
        run_session(changed, original, inside, theirs, remarks=False)
    except GridError as error:
        with contextlib.suppress(OSError):
            inside.rmdir()
        return {"folder": None, "error": str(error)}
    return {"folder": FILE_FACTS_FOLDER, "error": None}


def header_of(seed: int, asked: Mapping[str, Any], store: Store) -> dict[str, Any]:
    """Return the header of a ledger: what must be the same for a run or a suite to be resumed.

    Parameters
    ----------
    asked : dict
        The configuration that results depend on; JSON values only.
    """
    return {
        "seed": seed,
        "asked": dict(asked),
        "release_fingerprint": store.manifest.fingerprint,
        "store_identity": store.manifest.identity,
        "code": code_digest(),
        "versions": versions(),
    }


def new_record(
    config: Config, overrides: Sequence[str], header: Mapping[str, Any], store: Store
) -> dict[str, Any]:
    """Return a new record of a run or a suite.

    Parameters
    ----------
    overrides : sequence of str
        The overrides as typed.
    header : dict
        The header of its ledger, from `header_of`.

    Returns
    -------
    dict
        For ``run.json``.
    """
    return {
        "status": "running",
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "overrides": list(overrides),
        "working_directory": str(working_directory()),
        "config": dataclasses.asdict(config),
        **header,
        "git_revision": git_revision(),
        "machine": machine(),
        "release": described(store),
        **({ROWS_AS_READ: rows_as_read(store)} if config.data.kind == "table" else {}),
        LONG_RECORDS: long_records(store),
        "suspicions": [
            one.as_json()
            for one in suspicions_of(store, config.data)
            if not (one.kind == SINGLE_ENTRY.name and _drops_short_records(config))
            and not (one.kind == FAR_ABOVE.name and are_left_out(store, _most_cells(config)))
        ],
    }


def _drops_short_records(config: Config) -> bool:
    """Whether a run attacks nobody with a single cell: the release is looked at before that."""
    drops = config.defence.get(DropRecords.name)
    return drops is not None and drops.min_length > 1


def _most_cells(config: Config) -> int | None:
    """Return the most cells of anybody whom a run attacks, where others are left out."""
    drops = config.defence.get(DropLong.name)
    asked = [config.plan.max_length, None if drops is None else drops.max_length]
    return min((one for one in asked if one is not None), default=None)


def _header(config: Config, store: Store) -> dict[str, Any]:
    """Return the header of a run's ledger: everything that results depend on."""
    whole = dataclasses.asdict(config)
    keys = ["name", "study", "defence", "utility"]
    cls: type[Options] | None = MEASUREMENTS.get(config.study.kind)
    if config.study.kind == ATTACK:
        keys += ["targets", "attack", "adversary", "grid"]
        cls = ATTACKS.get(config.attack.name)
        whole["grid"] = without_unused(whole["grid"])
    asked = {key: whole[key] for key in keys}
    foreign = cls and foreign_code(cls)
    if foreign:
        asked["plug_in"] = foreign
    if known_facts_of(config) == RELEASED:
        asked["known_facts"] = RELEASED
    if "grid" in asked:
        codes = {name: foreign_code(AXES.all()[name]) for name in asked["grid"]}
        axes = {name: code for name, code in codes.items() if code}
        if axes:
            asked["plug_in_axes"] = axes
    return header_of(config.seed, asked, store)


@cache
def _usual_targets() -> Any:
    """Return how many are attacked by default; of a small release, all are, as is expected."""
    return composed([]).targets


def _warn_of_few(plan: Plan, asked: int | None, attack: str) -> None:
    found = [targets.size for targets in plan.targets]
    few = [n for n in found if asked is not None and n < asked]
    if few and asked != _usual_targets():
        log.warning(
            "%s: in %s fewer than %s records can be targets (fewest: %s); every one of these is "
            "attacked.",
            attack,
            *(grid_cells(len(few), len(found)), f"{asked:,}", f"{min(few):,}"),
        )
