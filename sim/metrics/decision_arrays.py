"""The decisions of one grid cell as plain arrays, checked, in the order of their targets.

Invariant: `concatenated` gives the same arrays however the decisions were cut into batches and in
whatever order these came, so that whatever is measured of them is the same bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.errors import GridError
from sim.metrics.attack_properties import AttackProperties

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class DecisionArrays:
    """Decisions of one cell; every array has shape (n,).

    Parameters
    ----------
    target : array
        The user's own identifiers: of the people attacked, or else of the records.
    known : bool array
        Whether it is known which record is the target's, or that none is.
    present, matched, correct : bool arrays
        Present and correct: False where this is not known.
    rank, above, longest_ties : int64 arrays
        0 where the target is no candidate.
    bits, bits_all, posterior, theta : float64 arrays
        ``entropy_bits``, ``entropy_all_bits``, ``posterior`` and ``theta_similarity``; NaN where
        null.
    """

    target: NDArray[Any]
    known: Mask
    present: Mask
    matched: Mask
    correct: Mask
    sigma: Floats
    eccentricity: Floats
    rank: Ints
    above: Ints
    longest_ties: Ints
    ties: Ints
    candidates: Ints
    matching_set: Ints
    bits: Floats
    bits_all: Floats
    posterior: Floats
    theta: Floats

    def __len__(self) -> int:
        return self.target.size

    def take(self, places: NDArray[Any]) -> DecisionArrays:
        """Return some of the rows."""
        return DecisionArrays(
            **{field.name: getattr(self, field.name)[places] for field in fields(DecisionArrays)}
        )


_NUMBERS = {
    "rank": "true_rank",
    "above": "above",
    "longest_ties": "longest_ties",
    "ties": "ties",
    "candidates": "candidates",
    "matching_set": "matching_set",
}
_MEASURED = {
    "bits": "entropy_bits",
    "bits_all": "entropy_all_bits",
    "posterior": "posterior",
    "theta": "theta_similarity",
}
_SCORES = ("best_score", "second_score", "target_score")
NEEDED = (
    *("target", "person", "present", "matched", "correct", "sigma", "eccentricity"),
    *(*_SCORES, *_NUMBERS.values(), *_MEASURED.values()),
)
"""The columns of ``decisions.parquet`` that are measured."""


def decision_arrays(
    decisions: pd.DataFrame, cell: str, properties: AttackProperties
) -> DecisionArrays:
    """Check some decisions of a cell and take what is measured of them.

    Parameters
    ----------
    decisions : DataFrame
        DecisionArrays of ``decisions.parquet``, all of one cell.
    cell : str
        Names the cell in messages.

    Raises
    ------
    GridError
        A score or a measure is NaN or infinite.
    ValueError
        A column is missing, or the rows contradict themselves.
    """
    missing = [name for name in NEEDED if name not in decisions.columns]
    if missing:
        raise ValueError(f"decisions lack {', '.join(missing)}")
    floats = {name: _floats(decisions[name]) for name in (*_SCORES, "sigma", "eccentricity")}
    arrays: dict[str, Any] = {n: _whole(decisions[column]) for n, column in _NUMBERS.items()}
    arrays |= {name: _floats(decisions[column]) for name, column in _MEASURED.items()}
    person = decisions["person"]
    rows = DecisionArrays(
        target=(decisions["target"] if person.isna().all() else person).to_numpy(),
        known=decisions["present"].notna().to_numpy(),
        present=_truths(decisions["present"]),
        matched=decisions["matched"].to_numpy(np.bool_),
        correct=_truths(decisions["correct"]),
        sigma=floats["sigma"],
        eccentricity=floats["eccentricity"],
        **arrays,
    )
    floats |= {column: getattr(rows, name) for name, column in _MEASURED.items()}
    some, ranked, spread = rows.candidates > 0, rows.rank > 0, rows.sigma > 0
    # One candidate has no second score and no eccentricity; it has σ = 0 as well, so that where
    # σ > 0 a missing one is a NaN.
    needed = {
        "sigma": np.ones(len(rows), np.bool_),
        "best_score": some,
        "target_score": ranked,
        "second_score": spread,
        "eccentricity": spread,
    }
    for name, values in floats.items():
        must = needed.get(name, np.zeros(len(rows), np.bool_))
        _check_finite(values, must, name in _SCORES and properties.log_scores, rows, cell, name)
    _check_consistent(rows, cell)
    return rows


def concatenated(parts: Iterable[DecisionArrays]) -> DecisionArrays:
    """Concatenate the rows of several batches, in the order of their targets.

    Parameters
    ----------
    parts : iterable of DecisionArrays
        At least one.
    """
    held = list(parts)
    whole = DecisionArrays(
        **{
            field.name: np.concatenate([getattr(part, field.name) for part in held])
            for field in fields(DecisionArrays)
        }
    )
    # Stable, and unknown targets at the end; whether these are in one order makes no difference to
    # what is measured of targets that are present.
    order = pd.Series(whole.target).sort_values(kind="stable", na_position="last")
    return whole.take(order.index.to_numpy())


def _floats(column: pd.Series[Any]) -> Floats:
    return column.to_numpy(np.float64, na_value=np.nan)


def _truths(column: pd.Series[Any]) -> Mask:
    """Truths, False for null."""
    return column.astype("boolean").fillna(False).to_numpy(np.bool_)


def _whole(column: pd.Series[Any]) -> Ints:
    """Return a column as integers, 0 for null; pandas may hold them as floats."""
    return np.nan_to_num(_floats(column), nan=0.0).astype(np.int64)


def _check_finite(
    values: Floats, needed: Mask, may_rule_out: bool, rows: DecisionArrays, cell: str, column: str
) -> None:
    bad = np.isinf(values) | (np.isnan(values) & needed)
    if may_rule_out:
        bad &= values != -np.inf
    if bad.any():
        first = int(np.argmax(bad))
        raise GridError(
            f"{cell}: {column} of target {rows.target[first]} is {values[first]}, a finite number "
            "was expected; check the values and days of the release and the parameters of the "
            "attack"
        )


def _check_consistent(rows: DecisionArrays, cell: str) -> None:
    ranked = rows.rank > 0
    contradictions = {
        "ties": (rows.ties < 1) & (rows.candidates > 0),
        "rank and ties": ranked & (rows.above > 0) & (rows.rank <= rows.ties),
        "rank and the top": ranked & (rows.above == 0) & (rows.rank > rows.ties),
        "rank and above": ranked & (rows.rank <= rows.above),
        "rank and candidates": ranked & (rows.rank > rows.candidates),
        "rank and present": ranked & ~rows.present,
        "correct and present": rows.correct & ~rows.present,
    }
    for what, wrong in contradictions.items():
        if wrong.any():
            raise ValueError(f"{cell}: {what} contradict each other")
