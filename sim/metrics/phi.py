"""The outcomes of a cell at every φ, and the φ at which both errors are equal (NS08 §5, Fig. 5).

Invariant: the curve holds the exact shares at each φ of its grid, nothing in between is smoothed;
φ* is found among the observed eccentricities, not on the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sim.metrics.decision_arrays import DecisionArrays, Floats

COLUMNS = ("phi_star", "equal_error")
PRESENT = "present"
"""The grid axis for whether a target's record is in the release."""

_STEPS_A_UNIT, _HIGHEST = 20, 10


@dataclass(frozen=True, slots=True, eq=False)
class Eccentricities:
    """Eccentricities of one cell, ascending, without those that are undefined.

    Parameters
    ----------
    n : int
        Targets, those without an eccentricity included.
    known : int
        Of these, those whose record, or that there is none, is known.
    right, wrong : float64 arrays
        Of these, those of known targets that the best guess names, and does not name.
    """

    n: int
    known: int
    everyone: Floats
    right: Floats
    wrong: Floats

    def above(self, phis: Floats) -> tuple[Floats, Floats, Floats]:
        """Shares that are matched, of all targets, and matched right and wrong, of the known ones.

        Parameters
        ----------
        phis : float64 array, shape (p,)

        Returns
        -------
        tuple of float64 array, shape (p,)
            NaN where no target is known.
        """
        return (
            _share_above(self.everyone, phis, self.n),
            _share_above(self.right, phis, self.known),
            _share_above(self.wrong, phis, self.known),
        )


@dataclass(frozen=True, slots=True)
class EqualError:
    """The point at which the two error rates of a pair of cells are equal.

    Parameters
    ----------
    equal_error : float
        Mean of the two rates, which are steps and need not meet.
    """

    phi_star: float
    equal_error: float


def _share_above(values: Floats, phis: Floats, n: int) -> Floats:
    if n == 0:
        return np.full(phis.size, np.nan)
    return (values.size - np.searchsorted(values, phis, side="right")) / n


def phi_grid(phi: float) -> Floats:
    """List the φ at which a curve is kept: 0 to 10 by 0.05, and the run's own.

    Parameters
    ----------
    phi : float
        The run's φ.

    Examples
    --------
    >>> phi_grid(1.5).size, phi_grid(1.51).size
    (201, 202)
    """
    steps = np.arange(_STEPS_A_UNIT * _HIGHEST + 1) / _STEPS_A_UNIT
    return np.unique(np.append(steps, phi))


def eccentricities(rows: DecisionArrays) -> Eccentricities:
    """Return the arrays of a cell that its curve over φ needs."""
    known = ~np.isnan(rows.eccentricity)
    return Eccentricities(
        len(rows),
        int(np.count_nonzero(rows.known)),
        np.sort(rows.eccentricity[known]),
        np.sort(rows.eccentricity[known & rows.correct]),
        np.sort(rows.eccentricity[known & rows.known & ~rows.correct]),
    )


def phi_frame(cell: int, found: Eccentricities, phi: float) -> pd.DataFrame:
    """Measure the outcomes of a cell over φ.

    Parameters
    ----------
    phi : float
        The run's φ.

    Returns
    -------
    DataFrame
        As ``phi.parquet``: one row for each φ of `phi_grid`.
    """
    phis = phi_grid(phi)
    matched, right, wrong = found.above(phis)
    return pd.DataFrame(
        {
            "cell": np.full(phis.size, cell, np.int32),
            "phi": phis,
            "matched_right": right,
            "matched_wrong": wrong,
            "no_match": 1.0 - matched,
        }
    )


def equal_error(present: Eccentricities, absent: Eccentricities) -> EqualError:
    """Find φ*: false positives on absent targets equal false negatives on present ones.

    A present target that is matched to another record is a false negative too. The rates change
    only at an observed eccentricity; φ* is where they are closest, the lowest of several.

    Examples
    --------
    >>> four = np.array([1.0, 3.0, 4.0, 5.0])
    >>> there = Eccentricities(4, 4, four, right=four, wrong=np.empty(0))
    >>> guesses = np.array([0.1, 0.2, 0.5, 2.0])
    >>> gone = Eccentricities(4, 4, guesses, right=np.empty(0), wrong=guesses)
    >>> equal_error(there, gone)
    EqualError(phi_star=1.0, equal_error=0.25)
    """
    phis = np.unique(np.concatenate([[0.0], present.everyone, absent.everyone]))
    false_positive = absent.above(phis)[0]
    false_negative = 1.0 - present.above(phis)[1]
    # In whole targets, so that equal gaps compare as equal.
    gaps = np.abs(
        np.rint(false_positive * absent.n) * present.n
        - np.rint(false_negative * present.n) * absent.n
    )
    best = int(np.argmin(gaps))
    both = float(false_positive[best] + false_negative[best])
    return EqualError(float(phis[best]), both / 2)


def pairs(cells: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Find the cells that differ only in whether the target is present.

    Parameters
    ----------
    cells : sequence of Mapping
        ``cell`` (its number) and the value of each grid axis.

    Returns
    -------
    list of tuple of int
        Places in `cells` of a present cell and of its absent twin.

    Examples
    --------
    >>> axes = [("2/2", True), ("2/2", False), ("6/8", True)]
    >>> pairs([{"cell": i, "aux": a, "present": p} for i, (a, p) in enumerate(axes)])
    [(0, 1)]
    """
    there: dict[tuple[tuple[str, Any], ...], int] = {}
    gone: dict[tuple[tuple[str, Any], ...], int] = {}
    for place, cell in enumerate(cells):
        if PRESENT in cell:
            key = tuple((a, v) for a, v in cell.items() if a not in ("cell", PRESENT))
            (there if cell[PRESENT] else gone)[key] = place
    return [(place, gone[key]) for key, place in there.items() if key in gone]
