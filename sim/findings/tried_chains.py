"""What is known of the chains of defences that a plan or a frontier tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.findings.frontier import preference
from sim.findings.planning import DROPPED, last_trials
from sim.findings.verdicts import EXCEEDS
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder

_UTILITY = "utility"


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
    """Return the preferred chain first, as a plan does, with a column ``loss``.

    Parameters
    ----------
    rows : DataFrame
        As ``frontier.parquet``.
    """
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

    Parameters
    ----------
    rows : DataFrame
        As ``frontier.parquet``.
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
