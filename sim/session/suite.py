"""Several runs as one: each part in its own folder while they run, and one folder in the end.

Invariant: all parts are checked before the first one starts (`sim.session.jobs`). A part that is
not possible on the release is left out, and the reason recorded.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sim.config.chain_lengths import min_lengths
from sim.config.chains import chains_of, chains_tried
from sim.config.compose import composed, configured
from sim.config.own_overrides import own_group
from sim.config.schema import (
    AUDIT,
    PLAN,
    Config,
    DataConfig,
)
from sim.defence.apply import defended
from sim.errors import GridError, StandoutError
from sim.files.private import private
from sim.findings.assessment import assess, tables_of
from sim.findings.plan import few_facts_finding
from sim.findings.release import counts_finding
from sim.measurements.measurement import Tables
from sim.metrics.few_facts import FewFacts, cure
from sim.papers.aggregate import aggregate
from sim.papers.aggregate.part import Part
from sim.record.digests import as_written, is_sealed, seal, seal_folder
from sim.record.disk import disk_full_as_error
from sim.record.frames import write_tables
from sim.record.gathered import gather
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger, alone_in, check_same_run, finished_entry
from sim.record.run_folder import open_folder, parts_opened_once
from sim.record.run_record import (
    SAME,
    UNFINISHED,
    Stopwatch,
    is_begun,
    is_complete,
    plan_of,
    read_record,
    write_record,
)
from sim.record.sweep_record import is_sweep
from sim.release.store.people_counts import PERIOD, count_people
from sim.release.store.store import Store
from sim.release.store.unread_rows import copy_unread
from sim.report.commands import release_overrides
from sim.report.figures.draw import draw_run
from sim.report.json_files import write_assessment, write_findings
from sim.report.page.html import write_report
from sim.report.sentences import sentence
from sim.report.summary_json import write_summary
from sim.session.chain_points import frontier_of, frontier_tables
from sim.session.chain_search import FIRST, trials_tables
from sim.session.chains_to_try import ChainsToTry, impossible_entry
from sim.session.checks import defences_of, utilities_of
from sim.session.compiling import compiling_ahead, told_of_compiling
from sim.session.fit import fitted
from sim.session.jobs import OF_CHAINS, Job, part_job, without_pictures
from sim.session.open_release import cache_of, open_release
from sim.session.plan_release import check_free, write_beside, write_offered
from sim.session.progress import Progress, told_once
from sim.session.result import Result
from sim.session.search import Search
from sim.session.session import finish, header_of, new_record, run_session
from sim.study.bar import stage
from sim.utility.table import UTILITY, utility_table

log = logging.getLogger("standout")


@private()
def run_planned(job: Job, folder: Path, opened: Mapping[str, Store] | None = None) -> Result:
    """Run or resume a job in a folder.

    Parameters
    ----------
    folder : Path
        Run folder.
    opened : dict of str to Store, optional
        Open releases, by `key_of` their configuration.

    Raises
    ------
    StandoutError
        An error that the user can correct.
    """
    if is_sweep(folder):
        raise StandoutError(f"{folder}: is the folder of a --multirun; choose another for this run")
    _refuse_others(folder)
    stores = dict(opened or {})

    def store_of(data: DataConfig) -> Store:
        key = key_of(data)
        if key not in stores:
            stores[key] = open_release(data, job.overrides)
        return stores[key]

    copy_unread(store_of(job.config.data).folder, folder)
    first = job.parts[0].n_runs if job.parts else 0
    suite = _Suite(Progress(job.n_runs, first), store_of)
    with (
        told_of_compiling(),
        compiling_ahead(job, store_of(job.config.data)),
        told_once() if job.parts else nullcontext(),
        parts_opened_once(),
        _at_work(folder) as work,
    ):
        suite.run(job, work)
        suite.progress.tell_complete()
        with disk_full_as_error(folder), as_written(folder) if work == folder else nullcontext():
            if work != folder:
                gather(work, folder)
            _conclude(folder, job, again=work == folder)
            if work != folder:
                seal_folder(work, folder)
    if work == folder:
        log.info("%s: already complete", folder)
    return Result(folder)


@contextlib.contextmanager
def _at_work(folder: Path) -> Iterator[Path]:
    """Give the folder in which a run is at work, which is gone once the run is finished.

    That of a finished run is its own folder: nothing is written to it but the report.
    """
    work = folder / UNFINISHED
    work.mkdir(exist_ok=True)
    with alone_in(work):
        try:
            yield folder if is_sealed(folder) else work
        finally:
            if finished_entry(folder / LEDGER) is not None or not (work / LEDGER).exists():
                shutil.rmtree(work, ignore_errors=True)


def _conclude(folder: Path, job: Job, *, again: bool) -> None:
    """Draw the figures of a run, and write what it found; see `Job.pictures`."""
    if not job.pictures:
        return
    with stage("drawing the figures", 1):
        draw_run(folder)
    write_summary(folder)
    write_findings(folder)
    if job.config.aggregate in (AUDIT, PLAN) and not again:
        write_assessment(folder)
        written = plan_of(read_record(folder)).get("written")
        if written:
            write_beside(written["path"], folder)
    with stage("writing the report", 1):
        write_report(folder)


_OF_RUNS = ("*.parquet", "*.json", "*.html", "*.md", "figures/*.png")
"""Files that runs write: of others, one might be overwritten."""


def _refuse_others(folder: Path) -> None:
    """Refuse a folder that is no run and has files such as runs write.

    Raises
    ------
    StandoutError
        It has some.
    """
    others = sorted(path.name for pattern in _OF_RUNS for path in folder.glob(pattern))
    # A suite that was interrupted has the ledgers of its parts alone.
    if others and not is_begun(folder) and not any(folder.rglob(LEDGER)):
        raise StandoutError(
            f"{folder}: has files that are not of a run, such as {others[0]}, which might be "
            "overwritten; choose another folder for this run"
        )


def key_of(data: DataConfig) -> str:
    """Return a key that distinguishes configurations of data."""
    return repr(data)


class _Suite:
    def __init__(self, progress: Progress, store_of: Any) -> None:
        self.progress = progress
        self.store_of = store_of
        self._chains: dict[str, str] = {}
        self._chain = ""
        self._impossible: Mapping[str, GridError] = {}

    def run(self, job: Job, folder: Path) -> None:
        if job.parts:
            self._suite(job, folder)
            return
        name = f"{self._chain}, {job.name}" if self._chain else job.config.name + _within(job)
        done = is_complete(folder) and finished_entry(folder / LEDGER) is not None
        self.progress.begin(name, complete=done)
        store = self.store_of(job.config.data)
        run_session(job.config, store, folder, job.overrides, remarks=job.pictures)

    def _suite(self, job: Job, folder: Path) -> None:
        finished, stopwatch = is_sealed(folder), Stopwatch()
        store = self.store_of(job.config.data)
        asked = {"overrides": [one for one in job.overrides if own_group(one) != "cluster"]}
        header = header_of(job.config.seed, asked, store)
        if finished:
            check_same_run(folder / LEDGER, header)
            self.progress.begun += job.n_runs
            return
        record = new_record(job.config, job.overrides, header, store) | {"parts": []}
        check_free(job.config, folder.parent if folder.name == UNFINISHED else folder)
        with disk_full_as_error(folder), Ledger(folder / LEDGER, header) as ledger:
            if not is_complete(folder):
                write_record(folder, record)
            parts: Sequence[Job] = job.parts
            if job.config.aggregate in OF_CHAINS:
                self._chains = {
                    chain.name: chain.text for chain in chains_tried(job.config.plan.defences)
                }
                tried = ChainsToTry.of(job.parts, store)
                self._impossible = tried.impossible
                tried.tell(self._chains)
                gone = {*tried.impossible, *tried.same}
                self.progress.n_runs -= sum(one.n_runs for one in parts if one.name in gone)
                parts = tried.parts
                record[SAME] = {self._chains[a]: self._chains[b] for a, b in tried.same.items()}
                _tell_few_facts(job, store)
            record["parts"] = [self._part(part, folder) for part in parts]
            self._chain = ""
            done = _complete(folder, record["parts"])
            if not done:
                first, alike = record["parts"][0], {part["error"] for part in record["parts"]}
                all_alike = len(record["parts"]) > len(alike) == 1
                which = "" if all_alike else f"{first['name']}: "
                raise GridError(f"no part can be run: {which}{first['error']}")
            stopwatch.end("parts")
            audits = job.config.aggregate == AUDIT
            if audits:
                if not is_complete(folder):
                    write_record(folder, record)
                write_tables(folder, tables_of(assess(open_folder(folder))))
                stopwatch.end("assessment")
                if job.config.utility:
                    write_tables(folder, _utility_of(job.config, store))
                    stopwatch.end("utility")
            elif job.config.aggregate in OF_CHAINS:
                self._compare_chains(job, folder, record, store)
                stopwatch.end(job.config.aggregate)
            elif job.config.aggregate is not None:
                write_tables(folder, aggregate(job.config.aggregate, done))
                stopwatch.end("aggregate")
            finish(folder, record, stopwatch)
            seal(ledger, folder, {"parts": len(done)})

    def _compare_chains(self, job: Job, folder: Path, record: dict[str, Any], store: Store) -> None:
        if not is_complete(folder):
            write_record(folder, record)
        points = frontier_of(open_folder(folder))
        plan = job.config.plan
        measure = job.config.audit.measure
        write_tables(folder, frontier_tables(points, plan.max_risk, measure))
        if job.config.aggregate != PLAN:
            return

        def run_part(name: str, overrides: Sequence[str]) -> Mapping[str, Any]:
            theirs = tuple(overrides)
            made = part_job(configured(composed(theirs)), theirs, job.config.data, (name,))
            inner = _Suite(Progress(1, 0), self.store_of)
            record["parts"].append(inner._part(without_pictures(made), folder))
            return dict(record["parts"][-1])

        chains = chains_tried(job.config.plan.defences)
        self.progress.tell_complete()
        search = Search(folder, job.overrides, chains, job.config, run_part)
        each = self.progress.seconds_per_run()
        if each is not None:
            search.seconds[FIRST] = [each * job.parts[0].n_runs]
        found = search.run(points, store.manifest.n_records)
        write_tables(folder, trials_tables(found))
        offered = found.offered
        record["plan"] = {"offered": offered.part if offered else None, "written": None}
        if offered is None:  # what can be published all the same
            counts = counts_finding("data", count_people(store), PERIOD)
            record["plan"]["counts"] = dict(counts.numbers)
        if offered and plan.write:
            chain = next(each for each in chains if each.text == offered.chain)
            config = configured(composed(release_overrides(job.overrides, chain)))
            config.data = job.config.data
            record["plan"]["written"] = write_offered(config, store, plan.write)

    def _part(self, part: Job, folder: Path) -> dict[str, Any]:
        entry = {"name": part.name, "folder": part.name, "status": "complete", "error": None}
        if part.name in self._impossible:
            return entry | impossible_entry(self._impossible[part.name])
        before = self.progress.begun
        if part.name in self._chains:
            self._chain = self._chains[part.name]
        (folder / part.name).mkdir(exist_ok=True)
        try:
            self.run(part, folder / part.name)
        except GridError as error:
            with contextlib.suppress(OSError):  # not empty: from an earlier attempt
                (folder / part.name).rmdir()
            self.progress.begun = before + part.n_runs
            reason = error.reason if self._chains else str(error)
            log.warning("%s: not possible: %s", self._chains.get(part.name, part.name), reason)
            entry |= impossible_entry(error) | {"error": reason}
        return entry


def _tell_few_facts(job: Job, store: Store) -> None:
    """Say before any attack that people with too few facts alone exceed the bound."""
    bound, measure = job.config.plan.max_risk, job.config.audit.measure
    if bound is None:
        return
    tried: dict[int, FewFacts] = {}
    for part in job.parts[0].parts:
        try:
            cells = fitted(part.config, store, store, part.overrides).cells
        except GridError:
            continue
        for known in (cell.adversary.knowledge for cell in cells):
            if known is not None:
                tried[known.size] = FewFacts.of_records(store.length, known.size)
    remedy = cure([*tried.values()], measure, bound)
    lengths = min_lengths(chains_of(job.config.plan.defences))
    # A chain that asks for longer records than there are leaves no release.
    dropped = [length for length in lengths if length <= store.length.max(initial=0)]
    if remedy is not None and max(dropped, default=1) < remedy.length:
        found = few_facts_finding(tried[remedy.length], remedy, bound, dropped)
        log.warning("Before any attack: %s", sentence(found))


def _utility_of(config: Config, store: Store) -> Tables:
    """Measure the utility of what an audit attacked, once for all attackers."""
    released = defended(store, defences_of(config)).open(cache_of(config.data))
    return {UTILITY: utility_table(store, released, utilities_of(config), config.seed)}


def _within(job: Job) -> str:
    return "" if job.name in ("", job.config.name) else f", {job.name}"


def _complete(folder: Path, entries: Sequence[Mapping[str, Any]]) -> list[Part]:
    return [
        Part(entry["name"], folder / entry["folder"], read_record(folder / entry["folder"]))
        for entry in entries
        if entry["status"] == "complete"
    ]
