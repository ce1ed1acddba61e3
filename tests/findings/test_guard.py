"""What the guard finds counts in an audit: in rates, in the risks of people and in the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import audited, judged

from sim.adversary.original_totals import OriginalTotals
from sim.findings.assessment import assess, tables_of
from sim.findings.attacker_row import Row
from sim.findings.attacker_rows import guard_of
from sim.findings.strongest import NOT_RUN
from sim.findings.verdicts import EXCEEDS, WITHIN, judge
from sim.measurements.measurement import Tables
from sim.metrics.risk_estimates import Estimate
from sim.record.run_folder import RunFolder, open_folder
from sim.session.result import Result
from sim.study.guard import GUARD, GUARD_PEOPLE, Guard

EVERYBODY = {"records": 1, "eligible": 1}
ONE_DATE = {"grid.aux": ["1/1"], "grid.date_noise": [0]}
SAMPLED = {"defence": ["sample_records"], "defence.sample_records.share": 0.9}
JITTER = {"defence": ["jitter_time"], "defence.jitter_time.date_noise": 14}


def table(people: int) -> pd.DataFrame:
    """Everybody has 12 of 15 items, all on one day of a year."""
    rng = np.random.default_rng(1)
    days = rng.integers(18_000, 18_365, people)
    return pd.DataFrame(
        [
            {"who": who, "what": int(item), "date": int(days[who])}
            for who in range(people)
            for item in rng.choice(15, 12, replace=False)
        ]
    )


def best_of(result: Result) -> RunFolder:
    """The run of the Bayes-optimal attacker."""
    (part,) = (one.run for one in open_folder(result.folder).parts if one.name == "insider")
    assert part is not None
    return part.bayes or part


def audit(folder: Path, people: int = 200, **more: Any) -> Result:
    options = ONE_DATE | more.pop("options", JITTER)
    given = {"attackers": ["insider"], "measure": "mean", "max_risk": 0.2, **more}
    return audited(table(people), folder, options=options, **given)


@pytest.fixture(autouse=True, scope="module")
def no_model_of_times() -> Iterator[None]:
    """What the model of whole records leaves out is little: the guard is to find much more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OriginalTotals, "moves_times", property(lambda _: False))
        yield


@pytest.fixture(scope="module")
def jittered(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return audit(tmp_path_factory.mktemp("jittered") / "audit", options=JITTER | {"audit.draws": 2})


def test_a_rate_is_the_larger_of_the_model_and_the_guard(jittered: Result) -> None:
    (row,) = assess(open_folder(jittered.folder)).rows
    found = best_of(jittered).tables[GUARD]
    stronger = found[found["stronger"]]
    assert len(stronger) == 2
    assert row.guard is not None
    assert row.guard.estimate == pytest.approx(stronger["right"].mean())
    assert row.guard.low == stronger["right_low"].min()
    assert row.guard.high == stronger["right_high"].max()
    assert row.guard_above_model
    for one in (row.mean, row.best_guess):
        assert one is not None
        assert one.estimate == row.guard.estimate
        assert one.high >= row.guard.high
    assert row.counted("mean") is not None
    assert row.counted("mean") >= row.guard.high


def test_the_risk_of_a_person_is_the_larger_of_posterior_and_guard(jittered: Result) -> None:
    (row,) = assess(open_folder(jittered.folder)).rows
    best = best_of(jittered)
    people, decided = best.tables[GUARD_PEOPLE], best.tables["decisions"]
    decided = decided[decided["present"].astype(bool)]
    both = decided.merge(people, on=["cell", "target"])
    assert len(both) == len(people) == 400
    risk = np.maximum(2.0 ** -both["entropy_bits"], both["own"])
    each = risk.groupby(both["target"]).mean()
    assert row.highest is not None
    assert row.highest.estimate == pytest.approx(each.max())
    assert row.highest_draw == pytest.approx(risk.max())
    assert risk.max() > (2.0 ** -both["entropy_bits"]).max()


def test_tables_json_and_words_have_it(jittered: Result) -> None:
    table_ = jittered.tables["assessment"]
    assert table_["guard_above_model"].tolist() == [True]
    assert (table_["guard_low"] <= table_["guard"]).all()
    (row,) = judged(jittered)
    assert row["guard_above_model"] is True
    assert row["guard"]["estimate"] == table_["guard"][0]
    assert row["verdict"] == "exceeds"
    assert [one.kind for one in jittered.findings].count("guard_above_model") == 1


def test_a_run_that_ends_while_it_is_guarded_can_be_resumed(
    jittered: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Guard) -> Tables:
        raise KeyboardInterrupt

    options = JITTER | {"audit.draws": 2}
    with monkeypatch.context() as patch:
        patch.setattr(Guard, "tables", interrupted)
        with pytest.raises(KeyboardInterrupt):
            audit(tmp_path / "audit", options=options)
    resumed = audit(tmp_path / "audit", options=options)
    for name in (GUARD, GUARD_PEOPLE):
        one, other = (run.folder / f"{name}.parquet" for run in (jittered, resumed))
        assert one.read_bytes() == other.read_bytes()


def test_the_run_is_complete_and_stays_so(jittered: Result) -> None:
    again = audit(jittered.folder, options=JITTER | {"audit.draws": 2})
    assert again.folder == jittered.folder
    assert again.tables["assessment"].equals(jittered.tables["assessment"])


@pytest.mark.parametrize(("people", "defence"), [(60, JITTER), (120, {}), (200, SAMPLED)])
def test_it_is_run_where_the_release_has_a_defence_and_enough_people(
    tmp_path: Path, people: int, defence: dict[str, Any]
) -> None:
    result = audit(tmp_path / "audit", people, options=defence)
    (row,) = assess(open_folder(result.folder)).rows
    written = list(result.folder.rglob(f"{GUARD}.parquet"))
    if defence != SAMPLED:
        assert row.guard is None
        assert not written
        assert "guard" not in tables_of(assess(open_folder(result.folder)))["assessment"]
    else:
        assert row.guard is not None
        assert not row.guard_above_model
        assert written


def test_cells_of_which_one_lacks_a_guard_are_not_tested(jittered: Result) -> None:
    run = best_of(jittered)
    targets = pd.Series(run.tables[GUARD_PEOPLE]["target"].unique())
    assert guard_of(run, [0, 99], targets, EVERYBODY) is None
    found = guard_of(run, [0], pd.Series([*targets[:2], 12_345]), EVERYBODY)
    assert found is not None
    assert found[1].shape == (1, 3)
    assert found[1][0, 2] == 0


def test_one_draw_above_the_model_is_enough(jittered: Result) -> None:
    run = best_of(jittered)
    rows = run.tables[GUARD]
    rows.loc[rows["cell"] == 0, "above_model"] = False
    found = guard_of(run, [0, 1], run.tables[GUARD_PEOPLE]["target"], EVERYBODY)
    assert found is not None
    assert found[0]["guard_above_model"]


@pytest.mark.parametrize("measure", ["mean", "succeeds", "percentile_99", "highest"])
def test_a_bound_holds_for_what_the_guard_finds(measure: str) -> None:
    small = Estimate(0.1, 0.05, 0.15, 0.15)
    row = Row(
        attacker="insider", cell=0, axes={}, attack="bayes", records=200, eligible=200,
        attacked=200, succeeds=small, wrong=small, control=None, absent=0, mean=small,
        percentile_99=small, highest=small,
    )  # fmt: skip
    assert judge(row, measure, 0.2).verdict == WITHIN
    assert judge(replace(row, guard=small), measure, 0.2).verdict == WITHIN
    touching = Estimate(0.18, 0.16, 0.21, 0.21)
    assert judge(replace(row, guard=touching), measure, 0.2).verdict == EXCEEDS
    above = Estimate(0.5, 0.4, 0.6, 0.6)
    open_ = replace(row, guard=above, problem=NOT_RUN.found())
    assert judge(open_, measure, 0.2).verdict == EXCEEDS
