"""Figures of the recommender, of k-anonymity and of the theorems: all that is in the tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figuring import draw
from making import MakeStore, random_rows
from matplotlib.figure import Figure

from sim.measurements.k_of_release import KAnonymity
from sim.measurements.recommender import Recommender
from sim.papers.papers import numbers_for
from sim.report.figures.style import save


def legend(figure: Figure) -> str:
    found = figure.legends[0]
    texts = [found.get_title(), *found.get_texts()]
    return " ".join(word for text in texts for word in text.get_text().split())


def saved_alike(figure: Figure, again: Figure, folder: Path) -> bool:
    one, other = (save(f, folder / str(n), "x")[1] for n, f in enumerate((figure, again)))
    return one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("rmse", [0.89, None])
def test_recommender(make_store: MakeStore, tmp_path: Path, rmse: float | None) -> None:
    store = make_store(random_rows(1, 40, 20, 300))
    tables = Recommender(rmse=rmse).measure(store, 1)
    numbers = numbers_for("ns07_rmse")
    (figure,) = draw("recommender", tables, numbers=numbers)
    near, whole = figure.axes
    marks = [line for line in near.lines if line.get_marker() == "D"]
    assert len(marks) == (1 if rmse else 0)  # NS07's number is about its own RMSE
    if rmse:
        assert marks[0].get_xydata().tolist() == [[pytest.approx(1.12), pytest.approx(0.88)]]
    curves = tables["gain"].groupby(["weighing", "chosen", "law"])
    drawn = [line.get_ydata() for line in whole.lines]
    for _, curve in curves:
        assert any(np.array_equal(line, curve["rmse"]) for line in drawn)
    assert ("NS07 (Netflix Prize)" in legend(figure)) == bool(rmse)
    (again,) = draw("recommender", tables, numbers=numbers)
    assert saved_alike(figure, again, tmp_path)


@pytest.mark.parametrize(("values", "days"), [(True, True), (False, True), (False, False)])
def test_kanonymity(make_store: MakeStore, tmp_path: Path, values: bool, days: bool) -> None:
    store = make_store(random_rows(2, 40, 5, 90, values=values, days=days))
    tables = KAnonymity(k=(2, 5), items=(None, 2)).measure(store, 1)
    (figure,) = draw("kanonymity", tables, numbers=numbers_for("slides_kanon"))
    facts = tables["facts"]
    release = facts[facts["data"] == "release"]
    assert len(figure.axes) == 4
    for axes, (items, k) in zip(figure.axes, [(None, 2), (None, 5), (2, 2), (2, 5)], strict=True):
        rows = release[release["items"].isna() if items is None else release["items"] == items]
        heights = sorted(bar.get_height() for bar in axes.patches)
        assert heights == pytest.approx(sorted(100 * rows[f"suppressed_records_{k}"]))
    assert "k = 1 as recorded, 2 suppressed and generalised (slides: 2)" in legend(figure)
    (again,) = draw("kanonymity", tables, numbers=numbers_for("slides_kanon"))
    assert saved_alike(figure, again, tmp_path)


def theory_tables(promised: float) -> dict[str, pd.DataFrame]:
    ends = {"named": 0.6, "named_low": 0.5, "named_high": 0.7, "bits": 0.4, "bits_low": 0.3}
    facts = pd.DataFrame(
        [
            {"attributes": "presence", "m": m, "present": present, "n_targets": 9} | ends
            | {"bits_high": 0.5, "kept": None if np.isnan(promised) else present}
            for m in (2, 4) for present in (True, False)
        ]
    )  # fmt: skip
    m = np.arange(6)
    promises = pd.DataFrame({"attributes": "presence", "m": m, "promised": promised})
    promises = promises.assign(promised_sound=promised, promised_bits=promised)
    delta = promised and 0.5
    needed = pd.DataFrame(
        [{"attributes": "presence", "epsilon": 0.05, "theta": 1 - delta, "delta": delta,
          "theorem1": 4.5 * promised, "enough": 2.0}]
    )  # fmt: skip
    samples = pd.DataFrame(
        [{"attributes": "presence", "eps": 0.3, "delta": 0.5, "lam": lam, "gamma": gamma,
          "printed": 1 - gamma, "sound": 0.1} for lam in (2, 10) for gamma in (0.2, 0.8)]
    )  # fmt: skip
    return {"facts": facts, "promises": promises, "needed": needed, "samples": samples}


def test_theory(tmp_path: Path) -> None:
    tables = theory_tables(1.0)
    figure, samples = draw("theory", tables)
    success, bits = figure.axes
    assert [line.get_marker() for line in success.lines].count("s") == 1
    assert success.get_title(loc="left") == "items alone: (0.5, 5%)-sparse"
    assert "items alone 2 of 5" in legend(figure)
    assert "violate a bound: 2" in legend(figure)
    assert len(bits.lines) >= 2
    assert len(samples.axes) == 1
    again, _ = draw("theory", tables)
    assert saved_alike(figure, again, tmp_path)


def test_theory_of_what_is_not_sparse() -> None:
    tables = theory_tables(float("nan"))
    tables["needed"]["theorem1"] = tables["needed"]["delta"] = float("nan")
    figure, _ = draw("theory", tables | {"samples": tables["samples"]})
    assert "no θ leaves 5% with a neighbour" in figure.axes[0].get_title(loc="left")
    assert "violate" not in legend(figure)
    (alone,) = draw("theory", tables | {"samples": pd.DataFrame()})
    assert alone.axes
