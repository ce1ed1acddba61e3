"""The figure of records at risk: bins of a few people are merged, and nobody is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from sim.numeric.intervals import wilson
from sim.plot.spec import Data, Points
from sim.report.figures.page import draw_page
from sim.report.figures.risk import merged, pages
from sim.report.small_groups import FEWEST

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=12)


def test_bins_of_a_few_people_are_merged(make_curves):
    curves = make_curves({"aux": ["2/2"]})
    shares = {"rank1": 0.5, "rank1_low": 0.4, "rank1_high": 0.6}
    bins = pd.DataFrame({"cell": 0, "aux": "2/2", "low": [1, 2, 5], "n": [2, 10, 30], **shares})
    tables = {"curves": curves, "risk_by_length": bins, "risk_by_rarest": bins}
    (page,) = pages(Data(tables=tables))
    drawn = [mark for panel in page.panels for mark in panel.marks if isinstance(mark, Points)]
    assert [list(np.asarray(line.x)) for line in drawn] == [[1, 5], [1, 5]]
    assert "2 bins are merged with another, so that each holds 10 people or more" in page.caption
    assert "1,000 sampled" in page.caption


def test_a_single_bin_is_seen(make_curves):
    """A logarithmic axis of one place would be too narrow to show it."""
    curves = make_curves({"aux": ["2/2"]})
    shares = {"rank1": 0.5, "rank1_low": 0.4, "rank1_high": 0.6}
    bins = pd.DataFrame({"cell": 0, "aux": "2/2", "low": [2, 5], "n": [57, 3], **shares})
    tables = {"curves": curves, "risk_by_length": bins, "risk_by_rarest": bins}
    (page,) = pages(Data(tables=tables))
    for axes in draw_page(page).axes:
        low, high = axes.get_xlim()
        assert low < 2 < high


@given(SIZES, SIZES)
def test_every_person_is_in_a_bin_of_ten_or_more(first: list[int], second: list[int]) -> None:
    bins = pd.concat(
        pd.DataFrame({
            "cell": cell,
            "low": [2**k for k in range(len(sizes))],
            "n": sizes,
            "rank1": [k % 3 / 2 for k in range(len(sizes))],
        })
        for cell, sizes in enumerate((first, second))
    )  # fmt: skip
    found = merged(bins)
    for cell, sizes in enumerate((first, second)):
        its, given_ = found[found["cell"] == cell], bins[bins["cell"] == cell]
        assert its["n"].sum() == sum(sizes)
        assert (its["n"] >= FEWEST).all() or len(its) == 1
        assert its["low"].iloc[0] == 1
        assert its["low"].is_monotonic_increasing
        right = (given_["n"] * given_["rank1"]).sum()
        assert np.isclose((its["n"] * its["rank1"]).sum(), right)
        # A bin with enough people next to ones with enough stays as it is.
        if min(sizes) >= FEWEST:
            assert its["n"].tolist() == sizes
    row = found.iloc[0]
    ends = wilson(row["n"] * row["rank1"], int(row["n"]))
    assert np.isclose(row["rank1_low"], ends.low)
    assert np.isclose(row["rank1_high"], ends.high)
