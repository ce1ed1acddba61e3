"""Facts about the same people drawn several times: the risk of a person is the mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import CONFIDENCE, RECORDS, audited, judged, named, posteriors, table_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from sim.errors import ConfigError
from sim.metrics.risk_estimates import over_draws, risks_of
from sim.session.result import Result

DRAWS = 3


def audit_of(folder: Path, draws: int) -> Result:
    return audited(
        table_of(RECORDS), folder, attackers=["insider"], max_risk=0.6,
        options={"grid.aux": ["2/2"], "audit.confidence": CONFIDENCE, "audit.draws": draws},
    )  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return audit_of(tmp_path_factory.mktemp("draws") / "run", DRAWS)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return audit_of(tmp_path_factory.mktemp("draws") / "run", 1)


def facts_of(result: Result, draw: int, present: bool) -> dict[int, set[int]]:
    bayes = result.parts["insider"].bayes
    assert bayes is not None
    cells = bayes.curves[(bayes.curves["fact_draw"] == draw) & (bayes.curves["present"] == present)]
    aux = bayes.aux[bayes.aux["cell"].isin(cells["cell"])]
    return {int(who): set(rows["item"].astype(int)) for who, rows in aux.groupby("target")}


def spanned(successes: list[int], n: int) -> tuple[float, float]:
    """From the lowest to the highest end of the exact intervals of all draws."""
    ends = [
        (
            0.0 if k == 0 else beta.ppf(0.025, k, n - k + 1),
            1.0 if k == n else beta.ppf(0.975, k + 1, n - k),
        )
        for k in successes
    ]
    return min(low for low, _ in ends), max(high for _, high in ends)


def is_mean(found: dict[str, float], successes: list[int], n: int) -> None:
    assert found["estimate"] == pytest.approx(sum(successes) / (n * DRAWS))
    assert (found["low"], found["high"]) == pytest.approx(spanned(successes, n), abs=1e-9)


def test_every_number_is_the_mean_of_a_brute_force(result: Result) -> None:
    (row,) = judged(result)
    here = [posteriors(facts_of(result, d, True), absent=False) for d in range(DRAWS)]
    gone = [posteriors(facts_of(result, d, False), absent=True) for d in range(DRAWS)]
    people = sorted(here[0])
    assert all(sorted(each) == people for each in (*here, *gone))
    assert here[0] != here[1] != here[2]
    names = [{who: named(posterior) for who, posterior in each.items()} for each in here]
    is_mean(row["succeeds"], [sum(n == who for who, n in each.items()) for each in names], 11)
    wrong = [sum(n is not None and n != who for who, n in each.items()) for each in names]
    is_mean(row["wrong"], wrong, 11)
    is_mean(row["control"], [sum(named(p) is not None for p in e.values()) for e in gone], 11)
    risks = np.array([[each[who][who] for who in people] for each in here])
    assert row["draws"] == DRAWS
    assert row["highest_draw"] == pytest.approx(risks.max())
    assert row["mean"]["estimate"] == pytest.approx(risks.mean())
    assert row["highest"]["estimate"] == pytest.approx(risks.mean(axis=0).max())
    guesses = [max(posterior.values()) for each in here for posterior in each.values()]
    assert row["best_guess"]["estimate"] == pytest.approx(np.mean(guesses))
    assert row["highest"]["high"] == 1  # item 9 has one holder
    assert row["percentile_99"]["estimate"] == pytest.approx(risks.mean(axis=0).max())
    (line,) = result.tables["assessment"].to_dict("records")
    assert line["draws"] == DRAWS
    assert line["mean"] == row["mean"]["estimate"]
    (drawn,) = (one for one in result.findings if one.kind == "facts_drawn")
    assert drawn.numbers["draws"] == DRAWS


def test_the_highest_risk_that_is_said_is_of_any_draw_and_no_mean(tmp_path: Path) -> None:
    """Who has a rare pair of common items is found by it, and by no other pair."""
    common = [{who % 4, 4 + who % 3, 7 + who % 2} for who in range(48)]
    result = audited(
        table_of([*common, {0, 1, 4, 5}]), tmp_path / "run", attackers=["insider"],
        max_risk=0.6, options={"grid.aux": ["2/2"], "audit.draws": 4},
    )  # fmt: skip
    (row,) = judged(result)
    most = row["highest_draw"]
    assert row["highest"]["estimate"] < most == 1
    (said,) = (one for one in result.findings if one.kind == "highest_person")
    assert said.numbers["risk"] == most


def test_the_first_draw_is_that_of_an_audit_that_draws_once(result: Result, once: Result) -> None:
    several, single = result.parts["insider"], once.parts["insider"]
    assert "fact_draw" not in single.curves
    assert "fact_draw" not in str(single.record["overrides"])
    curves = several.curves[several.curves["fact_draw"] == 0]
    number = dict(zip(curves["cell"], single.curves["cell"], strict=True))
    for table in ("decisions", "aux"):
        ours: pd.DataFrame = getattr(several, table)
        ours = ours[ours["cell"].isin(number)].assign(cell=lambda rows: rows["cell"].map(number))
        theirs = getattr(single, table)
        key = [name for name in ("cell", "target", "position") if name in theirs]
        pd.testing.assert_frame_equal(
            ours.sort_values(key, kind="stable").reset_index(drop=True),
            theirs.sort_values(key, kind="stable").reset_index(drop=True),
            check_dtype=False,
        )
    (row,) = judged(once)
    assert row["draws"] == 1
    assert row["highest_draw"] == row["highest"]["estimate"]
    (drawn,) = (one for one in once.findings if one.kind == "facts_drawn")
    assert drawn.numbers["draws"] == 1


def test_the_mean_over_two_draws_by_hand() -> None:
    """Two people: 0.9 and 0.1 are as risky as 0.5 twice, but for the upper end."""
    risks = np.array([[0.9, 0.5], [0.1, 0.5]])
    found = risks_of(risks, {"records": 2, "eligible": 2, "attacked": 2})
    assert [found[name].estimate for name in ("mean", "percentile_99", "highest")] == [0.5] * 3
    assert found["highest"].high == 0.9
    share, around = over_draws(np.array([[True, False], [False, False]]))
    assert share == 0.25
    assert (around.low, around.high) == pytest.approx(spanned([1, 0], 2), abs=1e-9)


risk_arrays = st.integers(1, 4).flatmap(
    lambda draws: st.lists(
        st.lists(st.floats(0, 1), min_size=draws, max_size=draws), min_size=1, max_size=12
    ).map(lambda people: np.array(people).T)
)


@given(risk_arrays, st.randoms(use_true_random=False), st.integers(0, 3))
def test_the_order_of_draws_and_people_changes_nothing(risks: Any, random: Any, more: int) -> None:
    draws, people = [*range(len(risks))], [*range(risks.shape[1])]
    random.shuffle(draws)
    random.shuffle(people)
    shuffled = risks[draws][:, people]
    n = risks.shape[1]
    counts = {"records": n + more, "eligible": n + more, "attacked": n}
    assert risks_of(shuffled, counts) == risks_of(risks, counts)
    assert over_draws(shuffled > 0.5) == over_draws(risks > 0.5)


@given(risk_arrays)
def test_more_draws_never_lower_the_upper_end_of_the_highest_risk(risks: Any) -> None:
    n = risks.shape[1]
    counts = {"records": n, "eligible": n, "attacked": n}
    ends = [risks_of(risks[: k + 1], counts)["highest"].high for k in range(len(risks))]
    assert ends == sorted(ends)
    for each in risks_of(risks, counts).values():
        assert 0 <= each.low <= each.estimate <= each.high <= 1
    again = risks_of(np.repeat(risks[:1], 3, axis=0), counts)
    assert again == risks_of(risks[:1], counts)


def test_facts_are_drawn_at_least_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"audit\.draws: 0"):
        audit_of(tmp_path / "run", 0)
