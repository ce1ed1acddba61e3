"""``standout check RUN max_risk=0.09``: whether the risk of a run keeps a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sim.cli.arguments import run_and_keys
from sim.cli.describe import FORMATS
from sim.errors import ConfigError
from sim.findings.verdicts import EXCEEDS
from sim.numeric.text import quantity, visible
from sim.record.own_files import existing_folder
from sim.session.check_asked import FILE, USAGE, USUAL, Asked, bound_of
from sim.session.check_run import check_runs
from sim.session.check_values import one_of
from sim.session.checked import Check, Checked

_PATH = "data.path"
_KEYS = (
    *("run", "max_risk", "measure", "criterion", "attackers", "released", "format"),
    _PATH,
)


def check_command(arguments: Sequence[str]) -> int:
    """Print the verdicts on an audit, a plan or attacks, and return the exit code.

    Of the folder of a ``--multirun``, every run within is checked.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout check``.

    Returns
    -------
    int
        0 if all that was asked for is within the bound, 1 otherwise.

    Raises
    ------
    ConfigError
        An argument is wrong, or there is no bound.
    InputError
        See `check_runs`.
    """
    asked, style = asked_of(arguments)
    found = list[Checked]()
    for one in check_runs(asked):
        found.append(one)
        if style == "text":
            if one.folder != asked.folder:
                print(f"{chr(10) * (len(found) > 1)}{visible(str(one.folder))}")
            print(visible(str(one)))
    check = Check(tuple(found))
    if style == "json":
        print(visible(check.to_json()))
    elif found[0].folder != asked.folder:
        print(f"\n{_of_all(check)}")
    return check.exit_code


def _of_all(check: Check) -> str:
    """Count the runs that passed, and the attackers that are not judged."""
    passed = sum(one.passed for one in check.runs)
    pieces = [f"{passed} of {quantity(len(check.runs), 'run')} within the bound"]
    above = sum(any(row.verdict == EXCEEDS for row in one.rows) for one in check.runs)
    if passed < len(check.runs):
        pieces.append(f"above it: {above}; not tested: {len(check.runs) - passed - above}")
    several = len({one.data.fingerprint for one in check.runs})
    if several > 1:
        pieces.append(f"they attacked {several} different data")
    if left := dict.fromkeys(name for one in check.runs for name in one.not_judged):
        names = ", ".join(name.replace("_", " ") for name in left)
        pieces.append(f"not asked for, and not judged: {names}")
    return "; ".join(pieces)


def asked_of(arguments: Sequence[str]) -> tuple[Asked, str]:
    """Parse the arguments of ``standout check``; return them, and the format to print in.

    Raises
    ------
    ConfigError
        There is not exactly one folder, or a key or a value is wrong.

    Examples
    --------
    >>> asked_of([".", "max_risk=0.09", "criterion=singling_out,linkability"])[0].criteria
    ('singling_out', 'linkability')
    """
    given = run_and_keys("check", arguments, _KEYS, USAGE)
    if not given.get("run") or given["run"].startswith("-"):
        raise ConfigError(f"check: expected one run folder: {USAGE}")
    style = one_of("format", given.get("format", "text"), FORMATS)
    asked = Asked(
        existing_folder(given["run"], USAGE),
        bound_of(given["max_risk"]) if "max_risk" in given else None,
        given.get("measure"),
        _names(given, "criterion") or USUAL,
        _names(given, "attackers"),
        given.get("released", FILE),
        Path(given[_PATH]) if _PATH in given else None,
    )
    return asked, style


def _names(given: Mapping[str, str], key: str) -> tuple[str, ...] | None:
    if key not in given:
        return None
    names = tuple(name.strip() for name in given[key].strip("[]").split(","))
    if not all(names) or len(set(names)) < len(names):
        raise ConfigError(f"{key}: {given[key]!r}: expected names, each once: {key}=a,b")
    return names
