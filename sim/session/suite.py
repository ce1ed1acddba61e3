"""Several runs as one: each part in its own folder below the suite's, and one report.

Invariant: a part is the run that its own overrides define, so it can be repeated or resumed alone;
all parts are checked before the first one starts. A part that is not possible on the release is
left out, and the reason recorded.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.assessment.assessment import assess, tables_of
from sim.axes.fact_draw import FactDrawAxis
from sim.config.compose import composed, configured
from sim.config.own_overrides import check_part, keys_of, own_key
from sim.config.schema import ATTACK, AUDIT, Config, DataConfig
from sim.errors import ConfigError, GridError
from sim.files.private import private
from sim.papers.aggregate import aggregate
from sim.papers.aggregate.part import Part
from sim.record.digests import FILES, digests_of
from sim.record.disk import disk_full_as_error
from sim.record.frames import write_tables
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger
from sim.record.run_folder import open_folder
from sim.record.run_record import Stopwatch, is_complete, read_record, write_record
from sim.release.store.store import Store
from sim.report.page.assessment import write_assessment
from sim.session.checks import check_config, measurement_of
from sim.session.open_release import open_release
from sim.session.result import Result
from sim.session.session import finish, header_of, new_record, run_session

log = logging.getLogger("standout")

_DEEPEST = 3
_ATTACKER = "attacker"


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
    """

    name: str
    config: Config
    overrides: tuple[str, ...]
    parts: tuple[Job, ...] = ()

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
    for override in overrides:
        own_key(override)  # recorded overrides must be accepted when they are read again
    stray = sorted(key for key in keys_of(overrides) if key.startswith(f"{AUDIT}."))
    if stray and config.aggregate != AUDIT:
        raise ConfigError(f"{stray[0]}: only an audit has it; add experiment=audit")
    return _plan(config, tuple(overrides), data, ())


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
    if config.aggregate == AUDIT:
        config.parts = _with_attackers(config, overrides)
    if len(within) >= _DEEPEST:
        raise ConfigError(f"parts: {' > '.join(within)}: parts are nested too deeply")
    parts = []
    for part, own in _parts_of(config):
        try:
            theirs = overrides_of(overrides, own)
            made = configured(composed(theirs))
            parts.append(_plan(made, theirs, data, (*within, part)))
        except ConfigError as error:
            raise ConfigError(f"part {part}: {error}") from None
    return Job(name, config, overrides, tuple(parts))


def _with_attackers(config: Config, overrides: Sequence[str]) -> dict[str, Any]:
    """Return the parts of an audit: a part for each attacker, and those of the configuration."""
    if _ATTACKER in keys_of(overrides):
        chosen = [one.partition("=")[2] for one in overrides if own_key(one) == _ATTACKER]
        raise ConfigError(
            f"attacker={chosen[-1]}: an audit tries the attackers of audit.attackers, each in a "
            f"part of its own; leave attacker out and set 'audit.attackers=[{chosen[-1]}]'"
        )
    check_config(config)
    given: Any = config.parts
    others: dict[str, Any] = given if isinstance(given, dict) else {}
    both = [name for name in config.audit.attackers if name in others]
    if both:
        raise ConfigError(f"audit.attackers: {both[0]}: is the name of another part of the audit")
    draws = config.audit.draws
    again = [f"grid.{FactDrawAxis.name}={[*range(draws)]}"] if draws > 1 else []
    return {name: [f"attacker={name}", *again] for name in config.audit.attackers} | others


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
    keys = {own_key(override) for override in own}
    another = "experiment" in keys
    kept = []
    for override in suite:
        key = own_key(override)
        if key in keys and key != "experiment":
            raise ConfigError(f"{key}: the parts of this experiment set it; leave {key} out")
        of_suite = key in ("parts", "name") or key.startswith("audit.")
        if key not in keys and not (another and of_suite):
            kept.append(override)
    return (*kept, *own, *(() if another else ("parts=null",)))


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
    stores = dict(opened or {})

    def store_of(data: DataConfig) -> Store:
        key = key_of(data)
        if key not in stores:
            stores[key] = open_release(data)
        return stores[key]

    return _Suite(job.n_runs, store_of).run(job, folder)


def key_of(data: DataConfig) -> str:
    """Return a key that distinguishes configurations of data."""
    return repr(data)


class _Suite:
    def __init__(self, n_runs: int, store_of: Any) -> None:
        self.n_runs = n_runs
        self.begun = 0
        self.store_of = store_of

    def run(self, job: Job, folder: Path) -> Result:
        if job.parts:
            return self._suite(job, folder)
        self.begun += 1
        if self.n_runs > 1:
            log.info("[%d/%d] %s", self.begun, self.n_runs, job.config.name + _within(job))
        return run_session(job.config, self.store_of(job.config.data), folder, job.overrides)

    def _suite(self, job: Job, folder: Path) -> Result:
        stopwatch = Stopwatch()
        store = self.store_of(job.config.data)
        asked = {"overrides": list(job.overrides)}
        header = header_of(job.config.seed, asked, store)
        record = new_record(job.config, job.overrides, header, store) | {"parts": []}
        with disk_full_as_error(folder), Ledger(folder / LEDGER, header) as ledger:
            if not is_complete(folder):
                write_record(folder, record)
            record["parts"] = [self._part(part, folder) for part in job.parts]
            done = _complete(folder, record["parts"])
            if not done:
                first = record["parts"][0]
                raise GridError(f"no part can be run: {first['name']}: {first['reason']}")
            stopwatch.end("parts")
            audit = job.config.aggregate == AUDIT
            if audit:
                if not is_complete(folder):
                    write_record(folder, record)
                write_tables(folder, tables_of(assess(open_folder(folder))))
                stopwatch.end("assessment")
            elif job.config.aggregate is not None:
                write_tables(folder, aggregate(job.config.aggregate, done))
                stopwatch.end("aggregate")
            finish(folder, record, stopwatch)
            if audit and not ledger.finished:
                write_assessment(folder)
            if not ledger.finished:
                files = {FILES: digests_of(folder)} if audit else {}
                ledger.finish({"parts": len(done), **files})
        return Result(folder)

    def _part(self, part: Job, folder: Path) -> dict[str, Any]:
        entry = {"name": part.name, "folder": part.name, "status": "complete", "reason": None}
        before = self.begun
        (folder / part.name).mkdir(exist_ok=True)
        try:
            self.run(part, folder / part.name)
        except GridError as error:
            with contextlib.suppress(OSError):  # not empty: from an earlier attempt
                (folder / part.name).rmdir()
            self.begun = before + part.n_runs
            log.warning("%s: not possible: %s", part.name, error)
            entry |= {"status": "impossible", "reason": str(error)}
        return entry


def _within(job: Job) -> str:
    return "" if job.name in ("", job.config.name) else f", {job.name}"


def _complete(folder: Path, entries: Sequence[Mapping[str, Any]]) -> list[Part]:
    return [
        Part(entry["name"], folder / entry["folder"], read_record(folder / entry["folder"]))
        for entry in entries
        if entry["status"] == "complete"
    ]
