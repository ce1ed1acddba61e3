"""Results worked out again from the raw rows and ``aux.parquet``, by pandas alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

pytestmark = pytest.mark.usefixtures("no_figures")

RHO0, D0, EPS_VALUE, EPS_DAY, PHI = 1.5, 30.0, 1.0, 3.0, 1.5
NEAR = 1e-9
"""Sums of a few terms of order one, in two orders, are nearer than this; others are not."""


def canonical(rows: pd.DataFrame) -> pd.DataFrame:
    """Of duplicates the latest stays, the greatest value among equals; time becomes a day."""
    order = rows.sort_values(["time", "value"], na_position="first")
    cells = order.drop_duplicates(["record", "item"], keep="last")
    return cells.assign(day=cells["time"] // 86_400).drop(columns="time")


class Dense:
    """A release as tables of records × items."""

    def __init__(self, cells: pd.DataFrame) -> None:
        self.cells = cells
        self.support = cells.groupby("item").size()
        wide = cells.assign(held=True).set_index(["record", "item"])[["held", "value", "day"]]
        self.held = wide["held"].unstack().notna()
        self.value = wide["value"].unstack().astype(float)
        self.day = wide["day"].unstack().astype(float)

    def scores(self, facts: pd.DataFrame, similarity: str, weight: str) -> pd.Series:
        """The score of every record: the sum over the facts, as NS08 section 4 writes it."""
        support = self.support[facts["item"]].to_numpy()
        rarity = 1 / np.log(np.maximum(support, 2) if weight == "log" else support + 1)
        apart = (self.value[facts["item"]] - facts["value"].to_numpy(float)).abs()
        days = (self.day[facts["item"]] - facts["day"].to_numpy(float)).abs()
        if similarity == "exponential":
            alike = np.exp(-apart / RHO0).fillna(0) + np.exp(-days / D0).fillna(0)
        else:
            near = (apart <= EPS_VALUE) | apart.isna()
            alike = (near & ((days <= EPS_DAY) | days.isna())).astype(float)
        return (alike * self.held[facts["item"]] * rarity).sum(axis=1)

    def decide(self, facts: pd.DataFrame, target: Any, how: dict[str, str]) -> dict[str, Any]:
        """Everything ``decisions.parquet`` says of one aux set."""
        scores = self.scores(facts, how["similarity"], how["weight"])
        sharing = self.held[facts["item"]].any(axis=1)
        ordered = np.sort(scores.to_numpy())[::-1]
        top = scores > ordered[0] - NEAR
        sigma = scores[sharing].std(ddof=0) if how["sigma"] == "nonzero" else scores.std(ddof=0)
        alone = top.sum() == 1 and sharing.any()
        gap = ordered[0] - ordered[1] if top.sum() == 1 else 0.0
        return {
            "best": scores.idxmax() if alone else None,
            "best_score": ordered[0],
            "second_score": ordered[1],
            "sigma": sigma,
            "eccentricity": gap / sigma if sigma > NEAR else 0.0,
            "target_score": scores[target],
            "true_rank": int((scores > scores[target] - NEAR).sum()),
            "ties": int(top.sum()),
            # Scores that differ, but by so little that rounding may put them in another order.
            "doubtful": bool(
                np.any((np.abs(scores - scores[target]) > 1e-13)
                       & (np.abs(scores - scores[target]) < 1e-7))
            ),
        }  # fmt: skip


def table_of_run(run: Path, name: str) -> pd.DataFrame:
    """A table of the paper's attack, without the rows of the strongest attacker."""
    return pd.read_parquet(run / f"{name}.parquet").query("run == ''")


def check_decisions(run: Path, release: Dense, how: dict[str, str]) -> None:
    decisions = table_of_run(run, "decisions")
    aux = dict(list(table_of_run(run, "aux").groupby(["cell", "target"])))
    assert len(aux) == len(decisions)
    again = pd.DataFrame(
        [
            release.decide(aux[cell, target], target, how)
            for cell, target in zip(decisions["cell"], decisions["target"], strict=True)
        ]
    )
    assert not again["doubtful"].any()
    for name in ("best_score", "second_score", "sigma", "target_score"):
        np.testing.assert_allclose(decisions[name], again[name], rtol=1e-9, atol=1e-12)
    for name in ("true_rank", "ties"):
        assert decisions[name].tolist() == again[name].tolist()
    same = decisions["best"].astype(object).where(decisions["best"].notna(), None)
    assert same.tolist() == again["best"].astype(object).where(again["best"].notna(), None).tolist()
    assert (decisions["correct"] == (again["best"] == decisions["target"])).all()
    eccentricity = decisions["eccentricity"].fillna(0)
    np.testing.assert_allclose(eccentricity, again["eccentricity"], rtol=1e-7, atol=1e-9)
    assert not (np.abs(again["eccentricity"] - PHI) < 1e-7).any()
    assert (decisions["matched"] == (again["eccentricity"] > PHI)).all()
    # The test sees all there is to see.
    assert 0 < decisions["matched"].mean() < 1
    assert 0 < decisions["correct"].mean() < 1


def check_aux(run: Path, release: Dense) -> None:
    """Every fact is what its cell of the grid says, by the raw rows."""
    curves = table_of_run(run, "curves")
    known = table_of_run(run, "aux").merge(
        curves[["cell", "aux", "date_noise", "value_noise", "popularity"]], on="cell"
    )
    ranked = release.support.reset_index(name="n").sort_values(
        ["n", "item"], ascending=[False, True], kind="stable"
    )
    known["rank"] = known["item"].map(pd.Series(range(len(ranked)), index=ranked["item"]))
    own = release.cells.rename(columns={"record": "target", "value": "own", "day": "own_day"})
    known = known.merge(own, on=["target", "item"], how="left", validate="many_to_one")
    assert not known["own"].isna().all()
    inside = known["rank"] >= known["popularity"]
    assert inside[known["kind"] != "wrong_item"].all()
    assert not known.duplicated(["cell", "target", "item"]).any()
    right = known[known["kind"] == "true"]
    assert ((right["value"] - right["own"]).abs().fillna(0) <= right["value_noise"]).all()
    assert (right["value"].isna() == (right["own"].isna() | right["value_noise"].isna())).all()
    shift = (right["day"] - right["own_day"]).abs()
    assert (shift.fillna(0) <= right["date_noise"].fillna(0)).all()
    assert (right["day"].isna() == (right["own_day"].isna() | right["date_noise"].isna())).all()
    assert (shift.groupby(right["date_noise"]).max() == shift.groupby(
        right["date_noise"]).max().index).all()  # fmt: skip
    wrong = known[known["kind"] == "wrong_value"]
    off = (wrong["value"] - wrong["own"]).abs() > wrong["value_noise"]
    late = (wrong["day"] - wrong["own_day"]).abs() > wrong["date_noise"]
    assert (off | late).all()
    lacked = known[known["kind"] == "wrong_item"]
    assert not any(
        release.held.at[target, item]
        for target, item in zip(lacked["target"], lacked["item"], strict=True)
    )
    assert len(wrong) + len(lacked) == (known["kind"] != "true").sum() > 0
    counts = known.assign(right=known["kind"] == "true").groupby(["cell", "target"])["right"]
    asked = counts.agg(["sum", "size"]).reset_index().merge(curves[["cell", "aux"]], on="cell")
    assert (asked["sum"].astype(str) + "/" + asked["size"].astype(str) == asked["aux"]).all()
    for _, cell in curves.iterrows():
        inside = ranked["item"][int(cell["popularity"]) :]
        items = release.held[inside].sum(axis=1)
        assert cell["eligible"] == (items >= int(cell["aux"].partition("/")[2])).mean()


def check_curves(run: Path) -> None:
    """Proportions and their intervals, from the decisions."""
    decisions = table_of_run(run, "decisions")
    curves = table_of_run(run, "curves").set_index("cell")
    for cell, rows in decisions.groupby("cell"):
        curve, n = curves.loc[cell], len(rows)
        assert curve["n_targets"] == n
        first = np.where(rows["true_rank"] == rows["ties"], 1 / rows["ties"], 0).sum()
        assert curve["rank1"] == pytest.approx(first / n, abs=1e-12)
        for name, count in (
            ("matched_right", (rows["matched"] & rows["correct"]).sum()),
            ("matched_wrong", (rows["matched"] & ~rows["correct"]).sum()),
            ("no_match", (~rows["matched"]).sum()),
        ):
            interval = binomtest(int(count), n).proportion_ci(0.95, "wilson")
            assert curve[name] == count / n
            assert curve[f"{name}_low"] == pytest.approx(interval.low, abs=1e-12)
            assert curve[f"{name}_high"] == pytest.approx(interval.high, abs=1e-12)


@pytest.mark.parametrize(
    ("how", "wrong", "missing"),
    [
        ({"similarity": "exponential", "sigma": "all", "weight": "log"}, "value", 0.0),
        (
            {
                "similarity": "threshold", "eps_value": EPS_VALUE, "eps_day": EPS_DAY,
                "sigma": "nonzero", "weight": "log1p",
            },
            "item", 0.1,
        ),
    ],
)  # fmt: skip
def test_a_table(
    standout: Any, place: Path, how: dict[str, Any], wrong: str, missing: float
) -> None:
    """Text identifiers, duplicate rows, cells without value or date, seconds within a day."""
    rng = np.random.default_rng(11)
    n = 2_500
    rows = pd.DataFrame(
        {
            "record": [f"person {p:03d}" for p in rng.integers(0, 120, n)],
            "item": [f"i{int(60 * x):02d}" for x in rng.random(n) ** 2],
            "value": np.where(rng.random(n) < missing, np.nan, rng.integers(1, 11, n) / 2),
            "time": np.where(rng.random(n) < 0.1, np.nan, rng.integers(1e9, 1e9 + 90 * 86_400, n)),
        }
    )
    assert rows.duplicated(["record", "item"]).sum() > 100
    rows.assign(time=rows["time"].astype("Int64")).to_csv(place / "t.csv", index=False)
    found = standout(
        "data=table", "data.path=t.csv", "data.user=record", "data.item=item", "data.value=value",
        "data.date=time", "data.date_unit=s", f"data.cache={place / 'stores'}", "cluster=inline",
        "targets=40", f"adversary.wrong={wrong}", "grid.aux=[2/2,3/4]",
        "grid.date_noise=[3,null]", "grid.value_noise=[0,1]",
        "grid.popularity=[0,5]", *(f"attack.{key}={value}" for key, value in how.items()),
        "hydra.run.dir=run",
    )  # fmt: skip
    assert found.code == 0, found.err
    release = Dense(canonical(rows))
    check_decisions(place / "run", release, how)
    check_aux(place / "run", release)
    check_curves(place / "run")


def test_movielens(standout: Any, place: Path, real_data: Path) -> None:
    found = standout(
        "data=movielens", f"data.path={real_data / 'ml-100k'}", f"data.cache={place / 'stores'}",
        "targets=60", "cluster=inline", "grid.aux=[2/2,6/8]", "grid.date_noise=[14,null]",
        "grid.value_noise=[0,1]", "grid.popularity=[0,100]", "hydra.run.dir=run",
    )  # fmt: skip
    assert found.code == 0, found.err
    (path,) = (real_data / "ml-100k").rglob("u.data")
    rows = pd.read_csv(path, sep="\t", names=["record", "item", "value", "time"])
    release = Dense(canonical(rows))
    how = {"similarity": "exponential", "sigma": "all", "weight": "log"}
    check_decisions(place / "run", release, how)
    check_aux(place / "run", release)
    check_curves(place / "run")
