"""The page about the files of a run: its example decides rightly, and every column is described."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from making import random_rows
from studying import small_plan, study

from sim.adversary.aux import FactKind
from sim.metrics.curves import MEASURES
from sim.study.results import RELIABILITY as RELIABILITY_FILE
from sim.study.results import RESULTS

PAGE = Path(__file__).parents[2] / "sim" / "guide" / "files.md"
DECISIONS = [
    *("cell", "target", "aux_size", "best", "best_score", "second_score", "sigma"),
    *(
        "eccentricity",
        "matched",
        "correct",
        "target_score",
        "true_rank",
        "ties",
        "present",
        "above",
    ),
    *("candidates", "matching_set", "overlapping"),
    *("entropy_bits", "entropy_bits_other", "entropy_all_bits"),
    *("posterior", "theta_similarity", "longest_ties", "person"),
]
AUX = ["cell", "target", "item", "value", "day", "kind", "person"]
PHI = ["cell", "phi", "matched_right", "matched_wrong", "no_match"]
RELIABILITY = ["cell", "low", "high", "n", "claimed", "right"]
FIGURES = ["best_guess", "phi", "k_identification", "mu", "entropy", "reliability"]


@pytest.fixture(scope="module")
def ratings():
    """Invent ratings with duplicates, in no order, of a few people."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "record": rng.integers(1, 16, 260),
            "item": rng.integers(100, 140, 260),
            "value": rng.integers(1, 6, 260),
            "time": rng.integers(10_000, 10_100, 260) * 86_400 + rng.integers(0, 86_400, 260),
        }
    )
    assert frame.duplicated(["record", "item"]).any()
    return frame


def scored_by_loops(ratings, aux):
    """Score every record by the formula, one cell at a time."""
    latest = {}
    for record, item, value, time in ratings.itertuples(index=False):
        if (record, item) not in latest or time >= latest[record, item][1]:
            latest[record, item] = (value, time)
    support = {item: sum(1 for _, i in latest if i == item) for _, item in latest}
    scores = {}
    for record in {record for record, _ in latest}:
        scores[record] = 0.0
        for item, value, day in aux:
            if (record, item) in latest:
                own, time = latest[record, item]
                similarity = 0 if value is None else math.exp(-abs(own - value) / 1.5)
                similarity += 0 if day is None else math.exp(-abs(time // 86_400 - day) / 30)
                scores[record] += similarity / math.log(max(support[item], 2))
    return scores


@pytest.mark.parametrize(
    "aux",
    [
        [(105, 4.0, 10_050), (117, 2.0, 10_020), (131, None, 10_080), (110, 5.0, None)],
        [(105, None, 10_050)],
        [(None, 3.0, 10_000), (101, 3.0, 10_000)],
    ],
)
def test_the_example_repeats_a_decision(ratings, aux, tmp_path, monkeypatch, capsys):
    ratings.to_csv(tmp_path / "u.data", sep="\t", header=False, index=False)
    known = pd.DataFrame(aux, columns=["item", "value", "day"]).astype(
        {"item": "Int64", "value": "Float64", "day": "Int32"}
    )
    rows = known.assign(cell=np.int32(0), target=7, kind="true", person=None)
    other = known.assign(cell=np.int32(1), target=7, kind="true", value=1.0)
    (tmp_path / "outputs" / "my-run").mkdir(parents=True)
    pd.concat([rows, other])[AUX].to_parquet(tmp_path / "outputs" / "my-run" / "aux.parquet")

    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    code, changed = re.subn(r"0, 196, 1\.5", "0, 7, 1.5", code)
    assert changed == 1
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(PAGE), "exec"), {})
    best, first, second, sigma, eccentricity, matched = capsys.readouterr().out.split()

    scores = scored_by_loops(ratings, aux)
    order = sorted(scores.values(), reverse=True)
    assert float(first) == pytest.approx(order[0])
    assert float(second) == pytest.approx(order[1])
    assert scores[int(best)] == pytest.approx(order[0])
    assert float(sigma) == pytest.approx(float(np.std(order)))
    assert float(eccentricity) == pytest.approx((order[0] - order[1]) / float(np.std(order)))
    assert (matched == "True") == (float(eccentricity) > 1.5)


def test_every_column_is_described():
    text = PAGE.read_text(encoding="utf-8")
    for column in {*DECISIONS, *AUX, *PHI, *RELIABILITY, *FIGURES, *MEASURES}:
        assert f"`{column}`" in text or column.endswith(("_low", "_high")), column
    for kind in FactKind:
        assert f"`{kind.name.lower()}`" in text
    for file in ("run.json", "ledger.jsonl", RELIABILITY_FILE, *RESULTS):
        assert f"`{file}`" in text


def test_the_files_of_a_run_have_the_columns_that_are_described(make_store, tmp_path):
    plan = small_plan(make_store(random_rows(5)), 20)
    study(make_store(random_rows(5)), plan, tmp_path / "run")
    for file, columns in (("decisions", DECISIONS), ("aux", AUX), ("phi", PHI)):
        assert pq.read_schema(tmp_path / "run" / f"{file}.parquet").names == columns
    curves = pq.read_schema(tmp_path / "run" / "curves.parquet").names
    assert curves == ["cell", *plan.cells[0].axes, *MEASURES]
