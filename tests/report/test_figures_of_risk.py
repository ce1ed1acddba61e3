"""The figure of records at risk: bins of a few records are counted, not drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.plot.spec import Data, Line
from sim.report.figures.risk import pages


def test_bins_of_a_few_records_are_left_out(make_curves):
    curves = make_curves({"aux": ["2/2"]})
    shares = {"rank1": 0.5, "rank1_low": 0.4, "rank1_high": 0.6}
    bins = pd.DataFrame({"cell": 0, "aux": "2/2", "low": [1, 2, 5], "n": [2, 10, 30], **shares})
    tables = {"curves": curves, "risk_by_length": bins, "risk_by_rarest": bins}
    (page,) = pages(Data(tables=tables))
    drawn = [mark for panel in page.panels for mark in panel.marks if isinstance(mark, Line)]
    assert [list(np.asarray(line.x)) for line in drawn] == [[2, 5], [2, 5]]
    assert "2 bins with fewer than 10 records are left out" in page.caption
    assert "1,000 sampled" in page.caption
