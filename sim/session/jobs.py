"""What a configuration asks for, composed and checked before any of it runs: a run, or a suite.

Invariant: a part is the run that its own overrides define, so it can be repeated or resumed alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.attack.algorithms.registry import ATTACKS
from sim.axes.fact_draw import FactDrawAxis
from sim.axes.first import FirstAxis
from sim.config.chain_lengths import with_max_length, with_min_length
from sim.config.chains import UNCHANGED, chains_tried
from sim.config.compose import composed, configured
from sim.config.own_overrides import check_part, keys_of, own_group, own_key
from sim.config.schema import (
    ATTACK,
    AUDIT,
    FRONTIER,
    PLAN,
    Config,
    DataConfig,
    PlanConfig,
)
from sim.errors import ConfigError
from sim.extend.options import unchosen
from sim.session.chain_search import FIRST
from sim.session.checks import check_config, measurement_of
from sim.session.search import audit_overrides

_DEEPEST = 3
_ANEW = frozenset({"experiment", "utility"})
"""Keys of a suite that its parts set anew."""
_ATTACKER, _FIRST = "attacker", f"grid.{FirstAxis.name}"
OF_CHAINS = (FRONTIER, PLAN)
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
    job = part_job(config, tuple(overrides), data, ())
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
    # A part of a plan has the keys of the plan, and an aggregate of its own.
    is_part = bool(config.plan.defences) and "aggregate" in keys
    if stray and config.aggregate not in OF_CHAINS and not is_part:
        is_audit = config.aggregate == AUDIT
        of_audit = f", or leave it out: an audit has {AUDIT}.max_risk" if is_audit else ""
        raise ConfigError(
            f"{stray[0]}: only a plan and a frontier have it; add experiment=plan{of_audit}"
        )
    stray = [key for key in keys if key.startswith(f"{AUDIT}.")]
    if stray and config.aggregate not in (AUDIT, *OF_CHAINS):
        if "aggregate" in keys:
            given = "null" if config.aggregate is None else config.aggregate
            raise ConfigError(
                f"aggregate: {given}: makes no audit of the run, and only an audit has {stray[0]}; "
                "leave aggregate out"
            )
        raise ConfigError(f"{stray[0]}: only an audit has it; add experiment=audit")


def part_job(
    config: Config,
    overrides: tuple[str, ...],
    data: DataConfig | None,
    within: tuple[str, ...],
) -> Job:
    """Compose and check a run and its parts, as `plan_job` does, as a part of another.

    Parameters
    ----------
    within : tuple of str
        Its name, after those of the jobs that it is a part of; empty for none.

    Raises
    ------
    ConfigError
        See `plan_job`.
    """
    name = within[-1] if within else ""
    if data is not None:
        config.data = data
    if config.parts is None:
        _check(config)
        return Job(name, config, overrides)
    pictures = config.aggregate not in OF_CHAINS
    if config.aggregate == AUDIT:
        config.parts = _with_attackers(config, overrides)
    elif config.aggregate in OF_CHAINS:
        config.parts = _with_chains(config, overrides)
    if len(within) >= _DEEPEST:
        raise ConfigError(f"parts: {' > '.join(within)}: parts are nested too deeply")
    parts = []
    for part, own in _parts_of(config):
        try:
            theirs = overrides_of(_for_part(config, part, overrides), own)
            made = configured(composed(theirs))
            parts.append(part_job(made, theirs, data, (*within, part)))
        except ConfigError as error:
            is_attacker = config.aggregate == AUDIT and part in map(str, config.audit.attackers)
            able = [*_able(config, overrides)] if is_attacker else []
            if able:
                raise ConfigError(
                    f"attacker {part}: {error}; or audit.attackers=[{','.join(able)}], who can be "
                    "had so"
                ) from None
            raise ConfigError(f"part {part}: {error}") from None
    # A hundred reports of single chains would take longer than their attacks.
    return Job(name, config, overrides, tuple(parts if pictures else map(without_pictures, parts)))


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


def without_pictures(job: Job) -> Job:
    """Return a job that draws no figures and writes no report, nor do its parts."""
    return replace(job, parts=tuple(map(without_pictures, job.parts)), pictures=False)


def _with_chains(config: Config, overrides: Sequence[str]) -> dict[str, list[str]]:
    """Return the parts of a frontier: an audit of the release after each chain of defences."""
    _refuse_attacker(overrides)
    keys = sorted(keys_of(overrides))
    chosen = [key for key in keys if key.partition(".")[0] == "defence"]
    if chosen:
        raise ConfigError(
            f"{chosen[0]}: a {config.aggregate} tries the chains of plan.defences, each in a part "
            "of its own; leave it out, and write the defence with its options in a chain, as in "
            "\"plan.defences=['drop_items.min_support=5 drop_time']\""
        )
    check_config(config)
    plan = config.plan
    if plan.min_length is not None or plan.max_length is not None:
        plan.defences = _without_lengths(plan)
    own = audit_overrides(config)
    if config.aggregate == PLAN:
        if plan.max_risk is None:
            raise ConfigError(
                "plan.max_risk: null: a plan needs the bound that it has to keep; set "
                "plan.max_risk=0.05, or show every chain by experiment=frontier"
            )
        own.append(f"targets={FIRST}")
    return {chain.name: [*chain.overrides, *own] for chain in chains_tried(plan.defences)}


def _without_lengths(plan: PlanConfig) -> list[str]:
    """Return the chains of a plan, each of which leaves out short and long records as it asks."""
    chains = [UNCHANGED, *plan.defences]
    if plan.min_length is not None:
        chains = with_min_length(chains, plan.min_length) or chains
    if plan.max_length is not None:
        chains = with_max_length(chains, plan.max_length)
    return [text for text in chains if text != UNCHANGED]


def _refuse_attacker(overrides: Sequence[str]) -> None:
    if _FIRST in keys_of(overrides):
        raise ConfigError(
            f"{_FIRST}: the attackers of an audit use all the facts that they have, and a part of "
            f"these would be judged in place of all; leave {_FIRST} out, or give them fewer facts "
            "by 'grid.aux=[1/1]'"
        )
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
