"""People whose records are equal count 1/size each, whatever is compared with the bound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from auditing import audited, table_of
from hypothesis import given
from hypothesis import strategies as st

from sim.findings.verdicts import EXCEEDS, WITHIN
from sim.metrics.decided_targets import chance_right
from sim.metrics.risk_estimates import mean_chance

pytestmark = [pytest.mark.usefixtures("no_drawings")]


@pytest.fixture(scope="module")
def couples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 couples of equal records, no item of which anybody else has."""
    people = [[5 * (who // 2) + item for item in range(5)] for who in range(120)]
    folder = tmp_path_factory.mktemp("couples") / "audit"
    audited(table_of(people), folder, attackers=["insider"])
    return folder


@pytest.mark.parametrize("measure", ["highest", "percentile_99", "mean", "succeeds"])
def test_half_of_the_couples_is_found(couples: Path, measure: str) -> None:
    from sim.findings.assessment import assess
    from sim.record.run_folder import open_folder

    found = assess(open_folder(couples), 0.4, measure)
    (row,), (verdict,) = found.rows, found.verdicts
    assert verdict.verdict == EXCEEDS
    assert row.counted(measure) >= 0.5
    assert row.named_right is not None
    assert row.named_right.estimate == 0.5
    assert assess(open_folder(couples), 0.7, measure).verdicts[0].verdict == WITHIN


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=1))
def test_ties_count_by_chance(decided: list[tuple[int, int, int]]) -> None:
    """A target that is the best of t alike is right by 1/t; a census counts all who are left."""
    ranks = [(ties if above == 0 else above + 1) * (own > 0) for own, above, ties in decided]
    rows = pd.DataFrame(
        {
            "true_rank": ranks,
            "above": [one[1] for one in decided],
            "ties": [one[2] for one in decided],
        }
    )
    expected = [1 / ties if own and not above else 0.0 for own, above, ties in decided]
    chances = chance_right(rows)
    np.testing.assert_allclose(chances, expected)
    found = mean_chance(chances[None], {"eligible": 1, "records": 2})
    assert found.estimate == pytest.approx(np.mean(expected))
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.high_of_all == 0.5 * found.high + 0.5
