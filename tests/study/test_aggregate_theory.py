"""Promises beside measurements: worked by hand, and on a release that breaks one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from making import MakeStore, Row
from studying import cells, study

from sim import theory
from sim.attack.algorithms.sets import Scoreboard
from sim.attack.engine.similarity import Presence
from sim.errors import GridError
from sim.papers.aggregate.part import Part
from sim.papers.aggregate.theory import GAMMAS, LAMBDAS, aggregate
from sim.study.plan import make_plan

pytestmark = pytest.mark.fast

EPS = np.arange(20) / 20


def sparsity(by: str, delta: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"attributes": by, "eps": EPS, "delta": delta, "delta_low": 0.0, "delta_high": 1.0}
    )


def curves(named: dict[int, float], bits: float, present: bool = True) -> pd.DataFrame:
    source = "matched_right" if present else "no_match"
    rows = [
        {"cell": place, "aux": f"{m}/{m}", "present": present, "n_targets": 100, "eligible": 1.0}
        | {source: share, f"{source}_low": share - 0.1, f"{source}_high": share + 0.1}
        | {"bits": bits, "bits_low": bits - 0.1, "bits_high": bits + 0.1}
        for place, (m, share) in enumerate(named.items())
    ]
    other = "no_match" if present else "matched_right"
    return pd.DataFrame(rows).assign(**{f"{other}{end}": 0.5 for end in ("", "_low", "_high")})


def part(folder: Path, name: str, kind: str, alpha: float = 0.95, **tables: pd.DataFrame) -> Part:
    place = folder / name
    place.mkdir()
    for table, frame in tables.items():
        frame.to_parquet(place / f"{table}.parquet")
    config: dict[str, Any] = {"study": {"kind": kind}, "attack": {"alpha": alpha}}
    return Part(name, place, {"config": config, "release": {"n_records": 1024}})


HALF = [1.0] * 10 + [0.05] * 10
"""At most 5% of the records have a neighbour above 0.5, nearly all one above 0.45."""


def test_promises_by_hand(tmp_path: Path) -> None:
    """N = 1024, ε = 5%, θ = 0.5, δ = 0.5: 1024/2^m false matches are expected at most."""
    found = aggregate(
        [
            part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("presence", HALF)),
            part(tmp_path, "presence", "attack", curves=curves({10: 0.96, 4: 0.3, 12: 0.6}, 0.2)),
        ]
    )
    facts = found["facts"].set_index("m")
    assert facts.index.tolist() == [4, 10, 12]
    assert facts["promised"].tolist() == [0, 0, pytest.approx(0.75)]
    assert facts["promised_sound"].tolist() == [0, 0, pytest.approx(0.70)]
    assert facts["promised_bits"].tolist() == pytest.approx(
        [math.log2(65), 1, math.log2(1.25)], rel=1e-9
    )
    # At 12 the share named, 0.6 ± 0.1, leaves room for what is promised; the bits, 0.2, do too.
    assert facts["kept"].tolist() == [True, True, True]
    needed = found["needed"].iloc[0]
    assert (needed["theta"], needed["delta"], needed["enough"]) == (0.5, 0.5, 10)
    assert needed["theorem1"] == pytest.approx(math.log2(1024 / 0.05))
    assert needed["theorem3_k2"] == pytest.approx(10)
    promises = found["promises"]
    assert promises["m"].tolist() == list(range(math.ceil(needed["theorem1"]) + 2))
    assert promises.set_index("m").loc[12, "promised"] == pytest.approx(0.75)


@pytest.mark.parametrize(("share", "bits", "kept"), [(0.59, 0.2, False), (0.6, 0.5, False)])
def test_a_violated_bound_is_stated(tmp_path: Path, share: float, bits: float, kept: bool) -> None:
    found = aggregate(
        [
            part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("values", HALF)),
            part(tmp_path, "values", "attack", curves=curves({12: share}, bits)),
        ]
    )
    assert found["facts"]["kept"].tolist() == [kept]


def test_nothing_is_promised_of_what_is_not_sparse(tmp_path: Path) -> None:
    found = aggregate(
        [
            part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("dates", [1.0] * 20)),
            part(tmp_path, "dates", "attack", curves=curves({2: 0.9}, 0.1, present=False)),
        ]
    )
    row = found["facts"].iloc[0]
    assert row["named"] == 0.9  # "no match", for absent targets
    assert math.isnan(row["promised"])
    assert row["kept"] is None
    assert math.isnan(found["needed"]["theorem1"].iloc[0])
    assert found["samples"].empty


def test_theorem_5_is_worked_out_where_half_have_a_neighbour(tmp_path: Path) -> None:
    delta = np.linspace(1, 0, 20).round(2).tolist()
    found = aggregate(
        [
            part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("presence", delta)),
            part(tmp_path, "presence", "attack", curves=curves({2: 0.9}, 0.1)),
        ]
    )["samples"]
    assert len(found) == len(LAMBDAS) * GAMMAS.size
    assert (found["delta"] - 0.5).abs().max() < 0.05
    row = found.iloc[25]
    assert row["printed"] == 1 - row["gamma"]
    assert row["sound"] == theory.theorem5_sound(1024, row["delta"], row["gamma"], row["lam"])
    assert (found["sound"] < found["printed"]).all()


def test_what_cannot_be_joined_is_said(tmp_path: Path) -> None:
    sparse = part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("presence", HALF))
    attack = part(tmp_path, "values", "attack", curves=curves({2: 0.9}, 0.1))
    for parts in ([sparse], [attack], []):
        with pytest.raises(GridError, match="needs the sparsity"):
            aggregate(parts)
    with pytest.raises(GridError, match="sparsity is not measured by values"):
        aggregate([sparse, attack])
    wrong = curves({2: 0.9}, 0.1).assign(aux="1/2")
    with pytest.raises(GridError, match="let no attribute be off"):
        aggregate([sparse, part(tmp_path, "presence", "attack", curves=wrong)])


def test_a_long_record_breaks_the_printed_promise(make_store: MakeStore, tmp_path: Path) -> None:
    """Nine people hold four items each, and one holds everything: dissimilar to all (4 of 36), it
    agrees with each of them everywhere. By theorem 2 as printed they would be named; none is."""
    rows: list[Row] = [(r, 4 * r + i, None, None) for r in range(9) for i in range(4)]
    rows += [(9, i, None, None) for i in range(36)]
    store = make_store(rows)
    grid = cells(aux=["4/4"], date_noise=[None], value_noise=[None])
    attack = Scoreboard(similarity=Presence(), alpha=0.9)
    place = tmp_path / "presence"
    study(store, make_plan(store, grid, attack, None, 1), place, attack=attack)
    config = {"study": {"kind": "attack"}, "attack": {"alpha": 0.9}}
    run = Part("presence", place, {"config": config, "release": {"n_records": 10}})
    delta = [float(eps < 4 / 36) for eps in EPS]
    sparse = part(tmp_path, "sparsity", "neighbours", sparsity=sparsity("presence", delta))
    row = aggregate([sparse, run])["facts"].iloc[0]
    # θ = 0.15: ten records pass four attributes with 0.15⁴ each.
    assert row["promised"] == pytest.approx(1 - 10 * 0.15**4)
    assert row["named"] <= 0.1
    assert not row["kept"]
