"""1-identification over the number of decoys, a line for each support of decoys (F06, Fig. 9).

Where there are more lines than a reader can distinguish, the lowest, the highest and some between
are drawn; the caption counts the others, and all are in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.plot.spec import Data, FigureSpec, Page
from sim.report.figures.defence import defence_page
from sim.report.figures.series import MOST
from sim.study.labels import level_words


def pages(data: Data) -> Iterator[Page]:
    """Yield one page."""
    facts = data.tables["facts"]
    known = facts[facts["k1"].notna()]
    groups = {str(key): rows for key, rows in known.groupby("decoy_support", sort=False)}
    chosen = _some(list(groups))
    lines = [(level_words("decoy_support", s), groups[s], "k1") for s in chosen]
    left = len(groups) - len(chosen)
    words = f"the table has {left} more thresholds" if left else ""
    yield defence_page("decoys", lines, words, data)


def _some(levels: Sequence[str]) -> list[str]:
    """At most `MOST` levels: the ends and evenly between; the last is the top."""
    if len(levels) <= MOST:
        return list(levels)
    top = [level for level in levels if level == "top"]
    rest = [level for level in levels if level != "top"]
    places = np.linspace(0, len(rest) - 1, MOST - len(top)).round().astype(int)
    return [*(rest[place] for place in places.tolist()), *top]


SPEC = FigureSpec(
    "People identified, by the number of decoys they mention and the decoys' support.", pages
)
