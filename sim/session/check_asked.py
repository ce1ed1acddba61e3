"""What is asked of a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.errors import ConfigError
from sim.findings.assessment import CRITERIA
from sim.findings.attacker_row import MEASURES
from sim.findings.risk_rows import SINGLING_OUT
from sim.numeric.text import share_meant
from sim.session.check_values import one_of

USAGE = "standout check RUN_FOLDER max_risk=0.09"

USUAL = (SINGLING_OUT,)
"""The criteria that are checked where none is named."""

FILE, AS_READ = RELEASED = ("file", "as_read")
"""What is released: the file as it is, or only what was read of it."""


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
    released : str
        One of `RELEASED`.
    file : Path or None
        The file that is to be released; None: none is given.
    """

    folder: Path
    max_risk: float | None = None
    measure: str | None = None
    criteria: Sequence[str] = USUAL
    attackers: Sequence[str] | None = None
    released: str = FILE
    file: Path | None = None

    def __post_init__(self) -> None:
        for name in self.criteria:
            one_of("criterion", name, CRITERIA)
        if self.measure is not None:
            one_of("measure", self.measure, MEASURES)
        one_of("released", self.released, RELEASED)
        if self.max_risk is not None:
            bound_of(self.max_risk)


def bound_of(given: float | str) -> float:
    """Return a bound on the risk, as a number.

    Raises
    ------
    ConfigError
        It cannot be one.

    Examples
    --------
    >>> bound_of("0.09")
    0.09
    >>> bound_of(9)
    Traceback (most recent call last):
    sim.errors.ConfigError: max_risk: 9: expected a number from 0 to 1, such as 0.09 for 9%
    """
    try:
        bound = -1.0 if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        bound = -1.0
    if not 0 <= bound <= 1:  # not a number compares as false
        pointed = str(given).replace(",", ".")
        hint = f"; a number has a point: max_risk={pointed}" if pointed != str(given) else ""
        example = share_meant(given, "0.05 for 5%")
        raise ConfigError(
            f"max_risk: {given!r}: expected a number from 0 to 1, such as {example}{hint}"
        )
    return bound
