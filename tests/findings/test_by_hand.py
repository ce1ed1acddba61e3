"""Every number of an assessment, counted by hand from the facts that were drawn."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import CONFIDENCE, RECORDS, audited, judged, named, posteriors, table_of
from scipy.stats import beta

from sim.findings.assessment import assess
from sim.findings.strongest import NOT_COMPARED
from sim.findings.verdicts import judge
from sim.metrics.shared_targets import on_shared_targets
from sim.record.run_folder import open_folder
from sim.session.result import Result

pytestmark = pytest.mark.fast


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return audited(
        table_of(RECORDS), tmp_path_factory.mktemp("audit") / "run",
        attackers=["insider"], max_risk=0.6, measure="mean", context="inside",
        options={"grid.aux": ["2/2"], "audit.confidence": CONFIDENCE},
    )  # fmt: skip


ENDS = {"estimate": "", "low": "_low", "high": "_high"}


def drawn(result: Result, present: bool) -> dict[int, set[int]]:
    bayes = result.parts["insider"].bayes
    assert bayes is not None
    cells = bayes.curves.set_index("cell")["present"]
    aux = bayes.aux[bayes.aux["cell"].map(cells) == present]
    facts: dict[int, set[int]] = defaultdict(set)
    for target, item in zip(aux["target"], aux["item"], strict=True):
        facts[int(target)].add(int(item))
    return facts


def exact(successes: int, n: int) -> tuple[float, float]:
    low = 0.0 if successes == 0 else beta.ppf(0.025, successes, n - successes + 1)
    high = 1.0 if successes == n else beta.ppf(0.975, successes + 1, n - successes)
    return low, high


def is_share(found: dict[str, float], successes: int, n: int) -> None:
    assert found["estimate"] == pytest.approx(successes / n)
    assert (found["low"], found["high"]) == pytest.approx(exact(successes, n), abs=1e-9)


def test_every_number_is_that_of_a_brute_force(result: Result) -> None:
    (row,) = judged(result)
    facts = drawn(result, present=True)
    eligible = [who for who, record in enumerate(RECORDS) if len(record) >= 2]
    assert sorted(facts) == eligible
    assert (row["records"], row["eligible"], row["attacked"]) == (12, 11, 11)
    here = posteriors(facts, absent=False)
    names = {who: named(posterior) for who, posterior in here.items()}
    is_share(row["succeeds"], sum(name == who for who, name in names.items()), 11)
    is_share(row["wrong"], sum(n is not None and n != who for who, n in names.items()), 11)
    gone = posteriors(drawn(result, present=False), absent=True)
    is_share(row["control"], sum(named(p) is not None for p in gone.values()), 11)
    likeliest = np.array([max(posterior.values()) for posterior in here.values()])
    assert row["best_guess"]["estimate"] == pytest.approx(likeliest.mean())
    assert row["mean"]["estimate"] < likeliest.mean() < 1
    risk = np.sort([here[who][who] for who in eligible])
    mean, variance, rest = risk.mean(), risk.var(ddof=1), math.log(2 / 0.025)
    off = math.sqrt(2 * variance * rest / 11) + 7 * rest / (3 * 10)
    assert row["mean"]["estimate"] == pytest.approx(mean)
    assert row["mean"]["low"] == pytest.approx(max(mean - off, 0))
    high = min(mean + off, 1)  # items 5 and 8 have one holder
    assert row["mean"]["high"] == pytest.approx(high)
    assert row["mean"]["high_of_all"] == pytest.approx(high * 11 / 12 + 1 / 12)
    assert row["percentile_99"]["estimate"] == pytest.approx(risk.max())
    assert row["highest"]["estimate"] == pytest.approx(risk.max())
    assert row["highest"]["high_of_all"] == 1
    assert (row["bound"], row["verdict"]) == (0.6, "exceeds")
    published = result.parts["insider"].curves.set_index("present").loc[True]
    finds = row[
        "published_finds"
    ]  # the number of the part's own report, whose interval is Wilson's
    assert finds["estimate"] == published["matched_right"]
    assert finds["low"] < published["matched_right_low"]
    assert published["matched_right_high"] < finds["high"]


def test_the_context_the_data_and_what_is_not_tested_are_stated(result: Result) -> None:
    found = result.assessment
    assert found["context"] == "inside"
    assert found["bound"] == 0.6
    none = dict.fromkeys(("merged", "dropped", "unreadable", "zeros"), 0)
    assert found["data"]["rows"] == {"rows": 32, "cells": 32, **none}
    open_ = {row["criterion"] for row in found["rows"] if row["verdict"] == "not tested"}
    assert open_ == {"linkability", "inference"}
    (short,) = (one for one in result.findings if one.kind == "too_few_facts")
    assert (short.numbers["count"], short.denominator) == (1, 12)


def test_facts_until_found_by_hand(result: Result) -> None:
    run = result.parts["facts_until_found"]
    table = result.tables["facts_until_found"]
    facts = {int(who): set(rows["item"].astype(int)) for who, rows in run.aux.groupby("target")}
    here = posteriors(facts, absent=False)
    right = sum(named(posterior) == who for who, posterior in here.items())
    assert table["n"].tolist() == [right, 11 - right]
    assert table["facts"].isna().tolist() == [False, True]
    at_most = {key: table[f"at_most{end}"].iloc[0] for key, end in ENDS.items()}
    assert at_most["estimate"] == pytest.approx(right / 11)
    assert (at_most["low"], at_most["high"]) == pytest.approx(exact(right, 11), abs=1e-9)
    assert table["at_most_high"].isna().tolist() == [False, True]


def test_the_table_is_the_json(result: Result) -> None:
    (row,) = judged(result)
    table = result.tables["assessment"].iloc[0]
    for name in ("succeeds", "wrong", "control", "mean", "percentile_99", "highest", "best_guess"):
        for end, key in (("", "estimate"), ("_low", "low"), ("_high", "high")):
            assert table[f"{name}{end}"] == pytest.approx(row[name][key]), name
    assert table["verdict"] == row["verdict"]


def test_an_attack_that_was_not_run_on_all_targets_is_named(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is a published one or not."""
    run = open_folder(Path(result.folder))

    def of_fewer(*given: Any) -> pd.DataFrame:
        return on_shared_targets(*given).assign(n_shared=1)

    monkeypatch.setattr("sim.findings.strongest.on_shared_targets", of_fewer)
    (row,) = assess(run).rows
    assert row.problem == NOT_COMPARED.found()
    assert judge(row, "mean", 0.99).verdict == "not tested"
