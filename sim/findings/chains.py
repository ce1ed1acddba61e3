"""What is known of chains of defences, by the tables of a frontier and of a plan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.config.chains import UNCHANGED
from sim.findings.finding import Kind
from sim.findings.verdicts import EXCEEDS
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder

FRONTIER, TRIALS = "frontier", "trials"
"""Names of the tables: of chains, and of the attacks of a plan on them."""

NOT_APPLIED = Kind("not_applied", "it cannot be applied to the data")
NOTHING_LEFT = Kind("nothing_left", "nothing is left of the data")
TOO_SHORT = Kind("records_too_short", "nobody has as many entries as it asks for")
NOT_MADE = {kind.name: kind for kind in (NOT_APPLIED, NOTHING_LEFT, TOO_SHORT)}
"""Why a chain left no release, by the name that the record of its part has."""

ALL, FRESH = "all records", "new seed"
GOES_ON, RESERVE, OFFERED, DROPPED = "goes on", "in reserve", "offered", "dropped"

_UTILITY = "utility"


def is_frontier(run: RunFolder) -> bool:
    """Whether a run compares chains of defences."""
    return FRONTIER in run.tables


def preference(
    chain: str, loss: float | None, counted: float | None, risk: float | None
) -> tuple[bool, float, float, float]:
    """Return what chains are sorted by: the least lossy first, unknown utility last.

    The release as it is stands first, as it loses nothing by any measure. Of other chains that lose
    as much, or of which this is not known, the one whose risk has the lower upper end comes first.
    As that is 100% of every sample where the highest risk is compared, the lower risk decides then.

    Parameters
    ----------
    chain : str
        As written.
    loss, counted, risk : float or None
        The share of the utility that is lost; what is compared with the bound; the risk.
    """
    return (
        chain != UNCHANGED,
        2.0 if loss is None else loss,
        math.inf if counted is None else counted,
        math.inf if risk is None else risk,
    )


def last_trials(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of each chain as it is, in the order in which chains first appear."""
    places = pd.Series(range(len(trials)))
    return trials.iloc[places.groupby(trials["chain"].to_numpy(), sort=False).last().to_numpy()]


@dataclass(frozen=True, slots=True)
class TriedChains:
    """How many chains were tried.

    Parameters
    ----------
    chains : int
        All, the data as they are among them.
    tried : int
        Of these, those of which a release was made.
    tested : int
        Of these, those of which it is known whether they keep the bound.
    """

    chains: int
    tried: int
    tested: int

    @classmethod
    def of(cls, trials: pd.DataFrame) -> TriedChains:
        """Count them by ``trials.parquet``."""
        last = last_trials(trials)
        return cls(len(last), len(made_of(trials)), int((~is_untested(last)).sum()))

    @property
    def untested(self) -> int:
        """Chains of which a release was made, and it is not known whether they keep the bound."""
        return self.tried - self.tested

    @property
    def not_applied(self) -> int:
        """Chains that cannot be applied to the data, or leave nobody to attack."""
        return self.chains - self.tried


def made_of(trials: pd.DataFrame) -> set[str]:
    """Return the chains of which a release was made: not those after which nothing is left."""
    return {*trials.loc[~is_untested(trials) | trials["people"].notna(), "chain"]}


def is_untested(chains: pd.DataFrame) -> pd.Series[bool]:
    """Of which the risk is not known, nor that it exceeds the bound by what some attack finds."""
    return chains["risk"].isna() & (chains["verdict"] != EXCEEDS)


def by_loss(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the preferred chain first, as a plan does, with a column ``loss``."""
    loss = (1.0 - rows["kept"].astype(float)).clip(lower=0)
    keys = [
        preference(chain, *(None if pd.isna(one) else float(one) for one in known))
        for chain, *known in zip(rows["chain"], loss, rows["counted"], rows["risk"], strict=True)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return rows.assign(loss=loss).iloc[order]


def by_nearness(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the chain nearest to the bound first, of those whose risk is known.

    An attack that was run may find more for sure than the model of the attacker says, so that
    chains are sorted by the higher of the two (``at_least``); of those with equally high upper
    ends, such as 100%, by the risk of the people attacked.
    """
    known = rows[rows["risk"].notna()]
    counted, risk = (
        known[[name, "found_low"]].astype(float).max(axis=1) for name in ("counted", "risk")
    )
    return known.assign(at_least=counted, of_attacked=risk).sort_values(
        ["at_least", "of_attacked", "risk"], kind="stable"
    )


def equally_lossy(trials: pd.DataFrame, chain: str) -> list[dict[Any, Any]]:
    """Return the chains that lose as much as the one that is offered, and may keep the bound."""
    last = by_loss(last_trials(trials))
    loss = last.loc[last["chain"] == chain, "loss"].iloc[0]
    alike = (last["loss"] == loss) & (last["decision"] != DROPPED) & (last["chain"] != chain)
    return [*row_dicts(last[alike])]


def compared_utility(run: RunFolder) -> pd.DataFrame | None:
    """Return the utility of one release that was tried; None: it was not measured."""
    tables = (part.run.tables for part in run.parts if part.run is not None)
    return next((one[_UTILITY] for one in tables if _UTILITY in one), None)


def unmeasured_utility(run: RunFolder) -> tuple[str, str] | None:
    """Return what a plan is to keep, if nothing of it can be: its label, and why if known.

    None: it can be kept, or was not measured.
    """
    measured = compared_utility(run)
    if measured is None:
        return None
    of = measured[measured["measure"] == str(run.config["plan"]["utility"])]
    for row in row_dicts(of):
        if pd.isna(row["before"]) or row["before"] == 0:
            return str(row["label"]), str(row["note"] or "")
    return None
