"""Several runs as one: each part in its own folder below the suite's, and one report.

Invariant: a part is the run that its own overrides define, so it can be repeated or resumed alone;
all parts are checked before the first one starts. A part that is not possible on the release is
left out, and the reason recorded.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sim.assessment import frontier, planning
from sim.assessment.assessment import assess, tables_of
from sim.assessment.few_facts import FewFacts, cure, min_lengths, with_min_length
from sim.attack.algorithms.registry import ATTACKS
from sim.axes.fact_draw import FactDrawAxis
from sim.config.chains import UNCHANGED, chains_of, chains_tried
from sim.config.compose import composed, configured
from sim.config.own_overrides import check_part, keys_of, own_group, own_key
from sim.config.schema import (
    ATTACK,
    AUDIT,
    FRONTIER,
    KNOWN_FACTS,
    PLAN,
    Config,
    DataConfig,
    package,
)
from sim.defence.apply import defended
from sim.errors import ConfigError, GridError, StandoutError
from sim.extend.options import unchosen
from sim.files.private import private
from sim.measurements.measurement import Tables
from sim.numeric.text import quantity
from sim.papers.aggregate import aggregate
from sim.papers.aggregate.part import Part
from sim.record.digests import as_written, is_sealed, seal
from sim.record.disk import disk_full_as_error
from sim.record.frames import write_tables
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger, finished_entry
from sim.record.run_folder import open_folder
from sim.record.run_record import NAME as RUN
from sim.record.run_record import Stopwatch, is_complete, read_record, write_record
from sim.record.sweep_record import is_sweep
from sim.release.store.store import Store
from sim.report.page.assessment import write_assessment
from sim.report.words.few_facts import few_facts_words
from sim.report.words.plan_commands import release_overrides
from sim.session.checks import check_config, defences_of, measurement_of, utilities_of
from sim.session.fit import fitted
from sim.session.open_release import cache_of, open_release, release_of_tool
from sim.session.plan_release import check_free, write_beside, write_offered
from sim.session.progress import Progress, told_once
from sim.session.result import Result
from sim.session.search import Search, audit_overrides
from sim.session.session import finish, header_of, new_record, run_session
from sim.utility.table import UTILITY, utility_table

log = logging.getLogger("standout")

_DEEPEST = 3
_ANEW = frozenset({"experiment", "utility"})
"""Keys of a suite that its parts set anew."""
_ATTACKER = "attacker"
_OF_CHAINS = (FRONTIER, PLAN)
"""Suites whose parts are audits of a release after chains of defences."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run, or a suite of them.

    Parameters
    ----------
    name : str
        Name of its folder within the suite.
    overrides : tuple of str
        The overrides that define it, as on the command line.
    parts : tuple of Job
        Empty for a single run.
    pictures : bool
        Whether to draw figures and write a report.
    """

    name: str
    config: Config
    overrides: tuple[str, ...]
    parts: tuple[Job, ...] = ()
    pictures: bool = True

    @property
    def n_runs(self) -> int:
        """Number of single runs in it."""
        return sum(part.n_runs for part in self.parts) if self.parts else 1


def plan_job(config: Config, overrides: Sequence[str], data: DataConfig | None = None) -> Job:
    """Compose and check a run and all its parts before any of them starts.

    Parameters
    ----------
    overrides : sequence of str
        The overrides that define it, as on the command line.
    data : DataConfig, optional
        The configuration of an open release, for the run and all its parts, whatever the overrides.

    Raises
    ------
    ConfigError
        An override is no key of the configuration; or a part cannot be composed, contradicts the
        overrides, or contains itself.

    Examples
    --------
    >>> overrides = ["experiment=ns08_fig4"]
    >>> job = plan_job(configured(composed(overrides)), overrides)
    >>> job.n_runs, job.config.name
    (1, 'ns08_fig4')
    """
    for each in overrides:
        own_key(each)  # recorded overrides must be accepted when they are read again
    _refuse_stray(config, overrides)
    job = _plan(config, tuple(overrides), data, ())
    _refuse_unchosen(job)
    return job


def _refuse_unchosen(job: Job) -> None:
    """Refuse options of a kind, such as of a similarity, that no attack of the job has chosen."""
    unused: dict[str, str] = {}
    used = set[str]()
    for one in _single(job):
        cls = ATTACKS.get(one.config.attack.name)
        stray = {} if cls is None else unchosen(cls, vars(one.config.attack))
        keys = keys_of(one.overrides)
        unused |= {key: why for key, why in stray.items() if key in keys}
        used |= keys - stray.keys()
    left = sorted(unused.keys() - used)
    if left:
        raise ConfigError(f"{left[0]}: {unused[left[0]]}")


def _single(job: Job) -> Iterator[Job]:
    """Yield the single runs of a job."""
    if not job.parts:
        yield job
    for part in job.parts:
        yield from _single(part)


def _refuse_stray(config: Config, overrides: Sequence[str]) -> None:
    """Refuse keys that have no effect on this run."""
    keys = sorted(keys_of(overrides))
    stray = [key for key in keys if key.startswith("plan.")]
    if stray and not config.plan.defences:
        raise ConfigError(f"{stray[0]}: only a frontier has it; add experiment=frontier")
    stray = [key for key in keys if key.startswith(f"{AUDIT}.")]
    if stray and config.aggregate not in (AUDIT, *_OF_CHAINS):
        raise ConfigError(f"{stray[0]}: only an audit has it; add experiment=audit")


def _plan(
    config: Config,
    overrides: tuple[str, ...],
    data: DataConfig | None,
    within: tuple[str, ...],
) -> Job:
    name = within[-1] if within else ""
    if data is not None:
        config.data = data
    if config.parts is None:
        _check(config)
        return Job(name, config, overrides)
    pictures = config.aggregate not in _OF_CHAINS
    if config.aggregate == AUDIT:
        config.parts = _with_attackers(config, overrides)
    elif config.aggregate in _OF_CHAINS:
        config.parts = _with_chains(config, overrides)
    if len(within) >= _DEEPEST:
        raise ConfigError(f"parts: {' > '.join(within)}: parts are nested too deeply")
    parts = []
    for part, own in _parts_of(config):
        try:
            theirs = overrides_of(_for_part(config, part, overrides), own)
            made = configured(composed(theirs))
            parts.append(_plan(made, theirs, data, (*within, part)))
        except ConfigError as error:
            is_attacker = config.aggregate == AUDIT and part in map(str, config.audit.attackers)
            able = [*_able(config, overrides)] if is_attacker else []
            if able:
                raise ConfigError(
                    f"attacker {part}: {str(error).partition(';')[0]}; audit.attackers="
                    f"[{','.join(able)}] names those who can be had so"
                ) from None
            raise ConfigError(f"part {part}: {error}") from None
    # A hundred reports of single chains would take longer than their attacks.
    return Job(name, config, overrides, tuple(parts if pictures else map(_plain, parts)))


def _for_part(config: Config, part: str, overrides: Sequence[str]) -> Sequence[str]:
    """Return the overrides of a suite for a part: the attack of an audit is of its attackers.

    How many facts it takes is asked of the Bayes-optimal attacker, whoever attacks beside.
    """
    if config.aggregate != AUDIT or part in map(str, config.audit.attackers):
        return overrides
    return [one for one in overrides if own_group(one) != "attack"]


def _able(config: Config, overrides: Sequence[str]) -> Iterator[str]:
    """Yield the attackers of an audit that have all keys that were set."""
    attackers = set(map(str, config.audit.attackers))
    for name, own in _parts_of(config):
        if name in attackers:
            with contextlib.suppress(ConfigError):
                configured(composed(overrides_of(overrides, own)))
                yield name


def _plain(job: Job) -> Job:
    return replace(job, parts=tuple(map(_plain, job.parts)), pictures=False)


def _with_chains(config: Config, overrides: Sequence[str]) -> dict[str, list[str]]:
    """Return the parts of a frontier: an audit of the release after each chain of defences."""
    _refuse_attacker(overrides)
    allowed = package("defence", KNOWN_FACTS)
    keys = sorted(keys_of(overrides) - {allowed})
    chosen = [key for key in keys if key.partition(".")[0] == "defence"]
    if chosen:
        raise ConfigError(
            f"{chosen[0]}: a {config.aggregate} tries the chains of plan.defences, each in a part "
            "of its own; leave it out, and write the defence with its options in a chain, as in "
            "\"plan.defences=['drop_items.min_support=5 drop_time']\""
        )
    check_config(config)
    plan = config.plan
    if plan.min_length is not None:
        every = [UNCHANGED, *plan.defences]
        plan.defences = with_min_length(every, plan.min_length) or plan.defences
    own = audit_overrides(config)
    if config.aggregate == PLAN:
        if plan.max_risk is None:
            raise ConfigError(
                "plan.max_risk: null: a plan needs the bound that it has to keep; set "
                "plan.max_risk=0.05, or show every chain by experiment=frontier"
            )
        own.append(f"targets={planning.FIRST}")
    return {chain.name: [*chain.overrides, *own] for chain in chains_tried(plan.defences)}


def _refuse_attacker(overrides: Sequence[str]) -> None:
    if _ATTACKER in keys_of(overrides):
        chosen = [one.partition("=")[2] for one in overrides if own_key(one) == _ATTACKER]
        raise ConfigError(
            f"attacker={chosen[-1]}: an audit tries the attackers of audit.attackers, each in a "
            f"part of its own; leave attacker out and set 'audit.attackers=[{chosen[-1]}]'"
        )


def _with_attackers(config: Config, overrides: Sequence[str]) -> dict[str, Any]:
    """Return the parts of an audit: a part for each attacker, and those of the configuration."""
    _refuse_attacker(overrides)
    check_config(config)
    given: Any = config.parts
    others: dict[str, Any] = given if isinstance(given, dict) else {}
    both = [name for name in config.audit.attackers if name in others]
    if both:
        raise ConfigError(f"audit.attackers: {both[0]}: is the name of another part of the audit")
    own = ["utility=[]"] if config.utility else []  # the audit measures it
    if config.audit.draws > 1:
        own.append(f"grid.{FactDrawAxis.name}={[*range(config.audit.draws)]}")
    return {name: [f"attacker={name}", *own] for name in config.audit.attackers} | others


def _parts_of(config: Config) -> list[tuple[str, list[str]]]:
    given: Any = config.parts
    if not isinstance(given, dict) or not given:
        raise ConfigError(
            "parts: expected names of parts, each with a list of overrides; set "
            "\"parts={a: ['seed=1'], b: ['seed=2']}\", or parts=null"
        )
    for part, own in given.items():
        check_part(str(part), own)
    return [(str(part), list(own)) for part, own in given.items()]


def overrides_of(suite: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides of a part: those of the suite, and its own.

    Parameters
    ----------
    suite : sequence of str
        Overrides of the suite.
    own : sequence of str
        Overrides that the suite gives to the part.

    Raises
    ------
    ConfigError
        Both set the same key, or one sets a key that the configuration does not have.

    Examples
    --------
    >>> overrides_of(["experiment=all", "seed=2"], ["experiment=ns08_fig4"])
    ('seed=2', 'experiment=ns08_fig4')
    >>> overrides_of(["experiment=f06_fig4"], ["attack=tf_idf"])
    ('experiment=f06_fig4', 'attack=tf_idf', 'parts=null')
    >>> overrides_of(["experiment=f06_fig4", "attack=bayes"], ["attack=tf_idf"])
    Traceback (most recent call last):
    sim.errors.ConfigError: attack: the parts of this experiment set it; leave attack out
    """
    keys = {own_key(each) for each in own}
    another = "experiment" in keys
    kept = []
    for each in suite:
        key = own_key(each)
        if key in keys and key not in _ANEW:
            raise ConfigError(f"{key}: the parts of this experiment set it; leave {key} out")
        of_suite = key == "name" or key.startswith(("audit.", "plan."))
        if key.partition(".")[0] in _ANEW & keys:  # with its options
            continue
        if key not in keys and key != "parts" and not (another and of_suite):
            kept.append(each)
    has_parts = another or "parts" in keys
    return (*kept, *own, *(() if has_parts else ("parts=null",)))


def _check(config: Config) -> None:
    check_config(config)
    if config.study.kind != ATTACK:
        measurement_of(config.study)


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
            stores[key] = open_release(data)
        return stores[key]

    if not job.parts:
        return _Suite(Progress(1, 0), store_of).run(job, folder)
    progress = Progress(job.n_runs, job.parts[0].n_runs)
    with told_once():
        result = _Suite(progress, store_of).run(job, folder)
        progress.tell_complete()
    return result


_OF_RUNS = ("*.csv", "*.parquet", "*.json", "*.html", "*.md", "figures/*.png")
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
    if others and not (folder / RUN).exists() and not any(folder.rglob(LEDGER)):
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
        self._impossible: dict[str, str] = {}

    def run(self, job: Job, folder: Path) -> Result:
        if job.parts:
            return self._suite(job, folder)
        name = f"{self._chain}, {job.name}" if self._chain else job.config.name + _within(job)
        done = is_complete(folder) and finished_entry(folder / LEDGER) is not None
        self.progress.begin(name, complete=done)
        store = self.store_of(job.config.data)
        return run_session(job.config, store, folder, job.overrides, pictures=job.pictures)

    def _suite(self, job: Job, folder: Path) -> Result:
        with as_written(folder) if is_sealed(folder) else contextlib.nullcontext():
            return self._run_suite(job, folder)

    def _run_suite(self, job: Job, folder: Path) -> Result:
        stopwatch = Stopwatch()
        store = self.store_of(job.config.data)
        asked = {"overrides": [one for one in job.overrides if own_group(one) != "cluster"]}
        header = header_of(job.config.seed, asked, store)
        record = new_record(job.config, job.overrides, header, store) | {"parts": []}
        if job.config.aggregate == PLAN and not (folder / LEDGER).exists():
            check_free(job.config.plan.write)
        with disk_full_as_error(folder), Ledger(folder / LEDGER, header) as ledger:
            if not is_complete(folder):
                write_record(folder, record)
            if job.config.aggregate in _OF_CHAINS:
                self._chains = {
                    chain.name: chain.text for chain in chains_tried(job.config.plan.defences)
                }
                log.info(
                    "%s to try: the data as they are, and after each chain of defences",
                    quantity(len(job.parts), "release"),
                )
                self._impossible = dict(self._found_impossible(job, store))
                self._tell_impossible()
                _tell_few_facts(job, store)
            record["parts"] = [self._part(part, folder) for part in job.parts]
            self._chain = ""
            done = _complete(folder, record["parts"])
            if not done:
                first, alike = record["parts"][0], {part["reason"] for part in record["parts"]}
                all_alike = len(record["parts"]) > len(alike) == 1
                which = "" if all_alike else f"{first['name']}: "
                raise GridError(f"no part can be run: {which}{first['reason']}")
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
            elif job.config.aggregate in _OF_CHAINS:
                self._compare_chains(job, folder, record, store)
                stopwatch.end(job.config.aggregate)
            elif job.config.aggregate is not None:
                write_tables(folder, aggregate(job.config.aggregate, done))
                stopwatch.end("aggregate")
            finish(folder, record, stopwatch, job.pictures)
            concludes = job.config.aggregate in (AUDIT, PLAN)
            if concludes and ledger.finished is None:
                write_assessment(folder)
                if record.get("plan", {}).get("written"):
                    write_beside(record["plan"]["written"]["path"], folder)
            seal(ledger, folder, {"parts": len(done)})
        return Result(folder)

    def _compare_chains(self, job: Job, folder: Path, record: dict[str, Any], store: Store) -> None:
        if not is_complete(folder):
            write_record(folder, record)
        points = frontier.frontier_of(open_folder(folder))
        plan = job.config.plan
        measure = job.config.audit.measure
        write_tables(folder, frontier.tables_of(points, plan.max_risk, measure))
        if job.config.aggregate != PLAN:
            return

        def run_part(name: str, overrides: Sequence[str]) -> Mapping[str, Any]:
            theirs = tuple(overrides)
            made = _plan(configured(composed(theirs)), theirs, job.config.data, (name,))
            inner = _Suite(Progress(1, 0), self.store_of)
            record["parts"].append(inner._part(_plain(made), folder))
            return dict(record["parts"][-1])

        chains = chains_tried(job.config.plan.defences)
        self.progress.tell_complete()
        search = Search(folder, job.overrides, chains, job.config, run_part)
        each = self.progress.seconds_per_run()
        if each is not None:
            search.seconds[planning.FIRST] = [each * job.parts[0].n_runs]
        found = search.run(points, store.manifest.n_records)
        write_tables(folder, planning.tables_of(found))
        offered = found.offered
        record["plan"] = {"offered": offered.part if offered else None, "written": None}
        if offered and plan.write:
            chain = next(each for each in chains if each.text == offered.chain)
            config = configured(composed(release_overrides(job.overrides, chain)))
            config.data = job.config.data
            record["plan"]["written"] = write_offered(config, store, plan.write)

    def _found_impossible(self, job: Job, store: Store) -> Iterator[tuple[str, str]]:
        """Yield the parts whose chain cannot be applied, and why, before any part is run."""
        for part in job.parts:
            try:
                read = partial(release_of_tool, part.config.data)
                defended(store, defences_of(part.config), read)
            except GridError as error:
                self.progress.n_runs -= part.n_runs
                yield part.name, _of_chain(error)

    def _tell_impossible(self) -> None:
        chains: dict[str, list[str]] = {}
        for name, reason in self._impossible.items():
            chains.setdefault(reason, []).append(self._chains[name])
        for reason, some in chains.items():
            log.warning("%s: not possible: %s", "; ".join(some), reason)

    def _part(self, part: Job, folder: Path) -> dict[str, Any]:
        entry = {"name": part.name, "folder": part.name, "status": "complete", "reason": None}
        if part.name in self._impossible:
            return entry | {"status": "impossible", "reason": self._impossible[part.name]}
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
            reason = _of_chain(error) if self._chains else str(error)
            log.warning("%s: not possible: %s", self._chains.get(part.name, part.name), reason)
            entry |= {"status": "impossible", "reason": reason}
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
    dropped = min_lengths(chains_of(job.config.plan.defences))
    if remedy is not None and max(dropped, default=1) < remedy.length:
        words = few_facts_words(tried[remedy.length], remedy, bound, dropped)
        goes_on = "The plan goes on, to show which chain comes nearest."
        log.warning("Before any attack: %s %s", words, goes_on)


def _utility_of(config: Config, store: Store) -> Tables:
    """Measure the utility of what an audit attacked, once for all attackers."""
    released = defended(store, defences_of(config)).open(cache_of(config.data))
    return {UTILITY: utility_table(store, released, utilities_of(config), config.seed)}


def _of_chain(error: GridError) -> str:
    """Return why a chain cannot be run, without the key that no one has set."""
    return str(error).partition("; set 'defence=")[0]


def _within(job: Job) -> str:
    return "" if job.name in ("", job.config.name) else f", {job.name}"


def _complete(folder: Path, entries: Sequence[Mapping[str, Any]]) -> list[Part]:
    return [
        Part(entry["name"], folder / entry["folder"], read_record(folder / entry["folder"]))
        for entry in entries
        if entry["status"] == "complete"
    ]
