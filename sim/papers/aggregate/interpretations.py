"""Every interpretation of what NS08 leaves open, compared with its numbers (Figs. 4-6).

Invariant: no interpretation is chosen here; each is measured on the same targets in every grid
cell, and the conclusion follows from the table alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.measurements.measurement import FACTS, Tables
from sim.numeric.binomial import fair_coin_quantile
from sim.numeric.columns import mean, share
from sim.numeric.intervals import Interval
from sim.numeric.rows import row_dicts
from sim.papers.aggregate.part import Part
from sim.papers.interpretation_conclusions import conclude
from sim.papers.interpretations import INTERPRETATIONS, SCORES, STATISTICS, expected_right, right_at
from sim.papers.papers import SLACK, numbers_for
from sim.papers.statements import PaperNumber

_TERMS = ("aux", "date_noise")
_COLUMNS = (
    *("figure", "interpretation", "score", "how", "measure", *_TERMS, "ours", "low", "high"),
    *("relation", "theirs", "difference", "agrees", "n"),
)


@dataclass(frozen=True, slots=True)
class _Cell:
    """One grid cell of one part: its decisions and properties."""

    score: str
    phi: float
    phi_star: float
    n_records: int
    nonzero: bool
    alone: bool
    """The attack's Π is its own: it has no σ, and only one interpretation."""
    place: Mapping[str, Any]
    decisions: pd.DataFrame


def aggregate(parts: Sequence[Part]) -> Tables:
    """Measure every interpretation in every cell.

    Parameters
    ----------
    parts : sequence of Part
        Attack runs, named as in `SCORES`.

    Returns
    -------
    Tables
        ``interpretations``, a row per interpretation, measure and cell: ``figure``,
        ``interpretation`` (in words), ``score`` (the part), ``how`` (the variant), ``measure``,
        ``aux``, ``date_noise``, ``ours`` with ``low`` and ``high``, ``relation`` and ``theirs``
        where the paper states a number, ``difference``, ``agrees``, and ``n`` targets. And
        ``facts``, a row per figure; see `sim.papers.interpretation_conclusions.conclude`.
    """
    rows: list[dict[str, Any]] = []
    for part in parts:
        for cell in _cells(part):
            rows += [*_named(cell), *_answered(cell), *_bits(cell)]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    frame = frame.astype({"agrees": "boolean", "theirs": "float64", "difference": "float64"})
    return {"interpretations": frame, FACTS: conclude(frame)}


def _cells(part: Part) -> Iterator[_Cell]:
    """The cells of a run, each with its decisions."""
    decisions = dict(list(part.table("decisions").groupby("cell")))
    attack = part.record["config"]["attack"]
    for row in row_dicts(part.table("curves")):
        yield _Cell(
            score=re.sub(r"_\d+$", "", part.name),
            phi=float(attack["phi"]),
            phi_star=float(row["phi_star"]),
            n_records=int(part.record["release"]["n_records"]),
            nonzero=attack["sigma"] == "nonzero",
            alone=attack_class(attack["name"]).entropy_is_measured == "always",
            place={str(key): row[key] for key in ("aux", "date_noise", "present") if key in row},
            decisions=decisions[row["cell"]],
        )


def _named(cell: _Cell) -> Iterator[dict[str, Any]]:
    """Interpretations of "identified" in Fig. 4: of present targets."""
    if not cell.place["present"]:
        return
    n, decided = len(cell.decisions), cell.decisions
    words = {"rank1": "named, φ ignored", "unique": "named and alone at the top"}
    rates = {
        "rank1": float(expected_right(decided).sum()),
        "unique": int(decided["correct"].astype("boolean").fillna(False).sum()),
    }
    if not cell.alone:
        rates |= {name: int(right.sum()) for name, right in _rules(cell).items()}
        words |= _rule_words(cell)
    for how, right in rates.items():
        yield _row(cell, "Fig. 4", how, words[how], "named", share("x", right, n), n)


def _answered(cell: _Cell) -> Iterator[dict[str, Any]]:
    """Interpretations of "right" in Fig. 5: present targets named, absent ones noticed."""
    if cell.alone or np.isnan(cell.phi_star):
        return
    n = len(cell.decisions)
    measure = "right, present" if cell.place["present"] else "right, absent"
    for how, right in _rules(cell).items():
        found = share("x", int(right.sum()), n)
        yield _row(cell, "Fig. 5", how, _rule_words(cell)[how], measure, found, n)


def _rules(cell: _Cell) -> dict[str, Any]:
    """Right answers by other rules; at φ* only where the run has both kinds of targets."""
    found = {"phi": (cell.phi, 0), "phi_ddof1": (cell.phi, 1)}
    if not np.isnan(cell.phi_star):
        found["phi_star"] = (cell.phi_star, 0)
    return {how: right_at(cell.decisions, *rule) for how, rule in found.items()}


def _rule_words(cell: _Cell) -> dict[str, str]:
    return {
        "phi": f"right at φ = {cell.phi:g}",
        "phi_ddof1": f"right at φ = {cell.phi:g}, σ with n − 1",
        "phi_star": "right at the equal-error φ*",
    }


def _bits(cell: _Cell) -> Iterator[dict[str, Any]]:
    """Interpretations of the entropies of Fig. 6: of present targets."""
    if not cell.place["present"]:
        return
    decided = cell.decisions
    named = decided["correct"].astype("boolean").fillna(False).to_numpy(np.bool_)
    for how, interpretation in INTERPRETATIONS.items():
        if cell.alone and how not in ("all", "itself"):
            continue
        if cell.nonzero and how != "overlapping":
            continue  # the same whatever σ the eccentricity is measured by
        bits = interpretation.bits(decided, cell.n_records)
        if np.isnan(bits).any():
            continue
        said = _stated("Fig. 6", cell.place)
        # With six of eight facts the paper's number is about all targets: almost all are found.
        some = bits if said is not None and said.measure == "bits" else bits[~named]
        for statistic, values in {"unresolved": some, "all": bits, "median": bits}.items():
            found = mean("x", values)
            if statistic == "median":
                found = _median(values)
            words = f"{interpretation.words}; {STATISTICS[statistic]}"
            if cell.alone:
                own = "entropy of it" if how == "itself" else "−log2 of the target's share"
                words = f"{own}; {STATISTICS[statistic]}"
            yield _row(cell, "Fig. 6", f"{how}_{statistic}", words, "bits", found, values.size)


def _median(values: Any) -> dict[str, float]:
    """A median, and the order statistics that hold it with 95% confidence (by signs)."""
    n = values.size
    low = fair_coin_quantile(n, Fraction(1, 40))
    high = n - low
    ends = np.sort(values)[[max(low - 1, 0), min(high, n - 1)]] if n else [np.nan, np.nan]
    middle = float(np.median(values)) if n else np.nan
    return {"x": middle, "x_low": float(ends[0]), "x_high": float(ends[1])}


def _row(
    cell: _Cell,
    figure: str,
    how: str,
    words: str,
    measure: str,
    found: Mapping[str, float],
    n: int,
) -> dict[str, Any]:
    ours, low, high = found["x"], found["x_low"], found["x_high"]
    said = _stated(figure, cell.place)
    score = SCORES.get(cell.score, cell.score)
    row = {
        "figure": figure,
        "interpretation": f"{score}: {words}",
        "score": cell.score,
        "how": how,
        "measure": measure,
        **{axis: cell.place[axis] for axis in _TERMS},
        "ours": ours,
        "low": low,
        "high": high,
        "n": n,
    }
    if said is None or said.value is None:
        return row | {"relation": None, "theirs": None, "difference": None, "agrees": None}
    return row | {
        "relation": said.relation,
        "theirs": said.value,
        "difference": ours - said.value,
        "agrees": None if np.isnan(ours) else _agrees(said, ours, low, high),
    }


def _stated(figure: str, place: Mapping[str, Any]) -> PaperNumber | None:
    """Return the paper's number on a cell, regardless of the targets it refers to.

    A fraction of a bit is stated at no date noise in particular: it must hold for each. Nothing is
    stated of an attacker who knows no dates.
    """
    if pd.isna(place["date_noise"]):
        return None
    experiment = {"Fig. 4": "ns08_fig4", "Fig. 6": "ns08_fig6"}.get(figure)
    for number in numbers_for(experiment) if experiment else ():
        if number.paper != "NS08" or number.measure == "bits_prior":
            continue
        wanted = {axis: number.conditions[axis] for axis in _TERMS if axis in number.conditions}
        if all(place[axis] == value for axis, value in wanted.items()):
            return number
    return None


def _agrees(said: PaperNumber, ours: float, low: float, high: float) -> bool:
    """Whether a number lies within what a statement leaves open.

    A share within our interval, widened as in `sim.papers.papers`; "about 3" within [2.5, 3.5].
    """
    ends = Interval(*((ours, ours) if np.isnan(low) else (low, high)))
    value = float(said.value or 0.0)
    if said.relation == "about":
        return ends.low < value + 0.5 and ends.high >= value - 0.5
    if said.relation == "<":
        return ends.low < value
    return value in ends.widened(SLACK)
