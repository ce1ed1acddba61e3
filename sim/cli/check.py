"""``standout check RUN max_risk=0.09``: whether an audit's risk keeps a bound.

The folder is not trusted: the verdicts are computed anew from its tables, and a run that was
changed or is incomplete is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.assessment.assessment import CRITERIA, Assessment, assess, audit_of
from sim.assessment.names import attacker_words, row_name
from sim.assessment.rows import MEASURES, Row
from sim.assessment.verdicts import EXCEEDS, NOT_TESTED, WITHIN, Verdict
from sim.config.schema import FRONTIER
from sim.errors import ConfigError, InputError, StandoutError
from sim.numeric.text import format_percent, quantity
from sim.record.digests import check_unchanged
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import read_record
from sim.report.words.assessment import MEASURED, verdict_words
from sim.session.checks import one_of

USAGE = "standout check RUN_FOLDER max_risk=0.09"

NOT_WITHIN = 1
"""Exit code where the bound is exceeded, or a criterion asked for was not tested."""

_WORST_FIRST = (EXCEEDS, NOT_TESTED, WITHIN)

_VOUCHED = (
    "unchanged since the run: its tables (parquet, csv), records (json) and assessment.md; not "
    "checked: report.html and the figures, which standout report RUN_FOLDER makes anew"
)
"""What the digests cover."""

_KEYS = ("run", "max_risk", "measure", "criterion", "attackers")


@dataclass(frozen=True, slots=True)
class Asked:
    """What to check.

    Parameters
    ----------
    max_risk : float or None
        None: the bound of the run.
    measure : str or None
        None: that of the run.
    criteria : sequence of str
        Some of `CRITERIA`.
    attackers : sequence of str or None
        None: all of the run.
    """

    folder: Path
    max_risk: float | None = None
    measure: str | None = None
    criteria: Sequence[str] = ("singling_out",)
    attackers: Sequence[str] | None = None


def check_command(arguments: Sequence[str]) -> int:
    """Print the verdicts on an audit, and return the exit code.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout check``.

    Returns
    -------
    int
        0 if all that was asked for is within the bound, `NOT_WITHIN` otherwise.

    Raises
    ------
    ConfigError
        An argument is wrong, or there is no bound.
    InputError
        The folder is no audit, is incomplete, or was changed.
    """
    asked = asked_of(arguments)
    if _is_frontier(asked.folder):
        raise InputError(
            f"{asked.folder}: a frontier is no audit: it attacks samples, to compare chains of "
            "defences; standout experiment=plan looks for one that keeps a bound, and standout "
            "experiment=audit assesses one release"
        )
    check_unchanged(asked.folder)
    run = open_folder(asked.folder)
    audit = audit_of(run)
    if audit is None:
        print(_VOUCHED)
        print(_nothing_offered(run, asked))
        return NOT_WITHIN
    found = assess(audit, asked.max_risk, asked.measure)
    if found.bound is None:
        raise ConfigError(f"check: no bound: the audit has none; add max_risk=, as in {USAGE}")
    attackers = asked.attackers
    unknown = [name for name in attackers or () if name not in found.attackers]
    if unknown:
        raise ConfigError(
            f"attackers: {unknown[0]}: not in this audit; expected some of "
            f"{', '.join(found.attackers)}"
        )
    print(_VOUCHED)
    print(
        f"bound {format_percent(found.bound)} for {MEASURED[found.measure]}; the upper end of the "
        "95% interval counts"
    )
    asked_for = found.attackers if attackers is None else attackers
    verdicts = dict[str, str]()
    for criterion in asked.criteria:
        if criterion == "singling_out":
            verdicts |= _singling_out(found, asked_for)
        else:
            print(f"{criterion}: {NOT_TESTED}")
            verdicts[criterion] = NOT_TESTED
    print(_summary(verdicts, found.attackers, asked_for))
    return 0 if set(verdicts.values()) == {WITHIN} else NOT_WITHIN


def _is_frontier(folder: Path) -> bool:
    """Whether a folder is a frontier, by a record that may be anything."""
    try:
        return bool(read_record(folder)["config"]["aggregate"] == FRONTIER)
    except (StandoutError, LookupError, TypeError):
        return False  # what it is instead is said later


def _nothing_offered(run: RunFolder, asked: Asked) -> str:
    """Say that a plan offers no release, by the bound that it was given."""
    bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
    others = {"plan.max_risk": asked.max_risk, "audit.measure": asked.measure}
    own = {"plan.max_risk": bound, "audit.measure": measure}
    new = [f"{key}={given}" for key, given in others.items() if given not in (None, own[key])]
    again = f"; what is asked here needs a new plan: experiment=plan {' '.join(new)}" if new else ""
    return (
        f"the plan offers no release: none that it tried keeps its bound, {format_percent(bound)} "
        f"for {MEASURED[measure]}{again}"
    )


def _singling_out(found: Assessment, asked_for: Sequence[str]) -> dict[str, str]:
    """Print a line per row, and return the worst verdict on each attacker."""
    verdicts = dict.fromkeys(asked_for, "")
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        if row.attacker in verdicts:
            _print(row_name(row), row, found.measure, verdict)
            verdicts[row.attacker] = _worse(verdicts[row.attacker], verdict.verdict)
    for one in found.missing:
        if one.name in verdicts:
            _print(attacker_words(one.name), None, "", Verdict(NOT_TESTED, one.reason))
            verdicts[one.name] = NOT_TESTED
    return {name: verdict or NOT_TESTED for name, verdict in verdicts.items()}


def _worse(one: str, other: str) -> str:
    return min(one or WITHIN, other, key=_WORST_FIRST.index)


def _summary(verdicts: Mapping[str, str], every: Sequence[str], asked_for: Sequence[str]) -> str:
    """Count the verdicts, the worst first; an attacker is as its worst row.

    Examples
    --------
    >>> verdicts = {"insider": "within", "public_profile": "not tested"}
    >>> for piece in _summary(verdicts, list(verdicts), list(verdicts)).split("; "):
    ...     print(piece)
    not tested: 1 of 2 attackers (public profile)
    within: 1
    attackers=insider leaves out those not tested
    """
    pieces = list[str]()
    for kind in _WORST_FIRST:
        names = [attacker_words(name) for name, verdict in verdicts.items() if verdict == kind]
        if names:
            of = "" if pieces else f" of {quantity(len(verdicts), 'attacker')}"
            which = "" if kind == WITHIN else f" ({', '.join(names)})"
            pieces.append(f"{kind}: {len(names)}{of}{which}")
    tested = [n for n in asked_for if verdicts.get(n, NOT_TESTED) != NOT_TESTED]
    if tested and any(verdicts.get(name) == NOT_TESTED for name in asked_for):
        pieces.append(f"attackers={','.join(tested)} leaves out those not tested")
    others = [attacker_words(name) for name in every if name not in asked_for]
    if others:
        pieces.append(f"not asked for: {', '.join(others)}")
    return "; ".join(pieces)


def _print(name: str, row: Row | None, measure: str, verdict: Verdict) -> None:
    given = getattr(row, measure) if row is not None else None
    least = "at least " if row is not None and row.problem else ""
    risk = "" if given is None else f" {least}{format_percent(given.estimate)},"
    print(f"singling_out: {name}:{risk} {verdict_words(verdict)}")


def asked_of(arguments: Sequence[str]) -> Asked:
    """Parse the arguments of ``standout check``.

    Raises
    ------
    ConfigError
        There is not exactly one folder, or a key or a value is wrong.

    Examples
    --------
    >>> asked_of([".", "max_risk=0.09", "criterion=singling_out,linkability"]).criteria
    ('singling_out', 'linkability')
    """
    given: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in _KEYS:
            if equals and not Path(argument).is_dir():
                raise ConfigError(
                    f"check: {argument}: expected some of {', '.join(_KEYS)}; as in {USAGE}"
                )
            key, value = "run", argument
        if key in given:
            raise ConfigError(f"check: {argument}: {key} is given twice; expected {USAGE}")
        given[key] = value
    if not given.get("run") or given["run"].startswith("-"):
        raise ConfigError(f"check: expected one run folder: {USAGE}")
    folder = Path(given["run"])
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder; expected {USAGE}")
    criteria = _names(given, "criterion") or ("singling_out",)
    for name in criteria:
        one_of("criterion", name, CRITERIA)
    if "measure" in given:
        one_of("measure", given["measure"], MEASURES)
    return Asked(
        folder,
        _bound(given["max_risk"]) if "max_risk" in given else None,
        given.get("measure"),
        criteria,
        _names(given, "attackers"),
    )


def _names(given: Mapping[str, str], key: str) -> tuple[str, ...] | None:
    if key not in given:
        return None
    names = tuple(name.strip() for name in given[key].strip("[]").split(","))
    if not all(names) or len(set(names)) < len(names):
        raise ConfigError(f"{key}: {given[key]!r}: expected names, each once: {key}=a,b")
    return names


def _bound(text: str) -> float:
    try:
        bound = float(text)
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:  # not a number compares as false
        raise ConfigError(f"max_risk: {text!r}: expected a number from 0 to 1")
    return bound
