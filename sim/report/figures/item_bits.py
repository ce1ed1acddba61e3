"""Information gained from one known item, by its rank (NS08, Fig. 7).

Invariant: every item is in one bin of ranks, and bins are almost equally wide on the logarithmic
axis (the first hold one rank each); a line goes through the medians, a band lies between the
quartiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.plot.palette import COLOURS, LINES
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Rule

BINS_A_DECADE = 16

_WORDS = {
    "presence": "the item alone",
    "values": "with its value",
    "dates": "with its date",
    "values_and_dates": "with both",
}


def pages(data: Data) -> Iterator[Page]:
    """Yield the bits gained over the rank of the item."""
    items, facts = data.tables["item_bits"], data.tables["facts"].set_index("known")
    prior = float(facts["bits_prior"].iloc[0])
    known = [name for name in _WORDS if items[name].notna().any()]
    edges = rank_bins(len(items))
    middles = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    bins = np.searchsorted(edges, items["rank"], side="right")

    def marks() -> Iterator[Mark]:
        for nth, (name, words) in enumerate(_WORDS.items()):
            if name in known:
                low, middle, high = (items[name].groupby(bins).quantile(q) for q in _QUARTILES)
                yield Line(
                    middles,
                    middle,
                    low=low,
                    high=high,
                    colour=COLOURS[nth],
                    style=LINES[nth],
                    label=f"{words} ({float(facts['bits'][name]):.1f} bits per cell)",
                )
        yield Rule(prior, label=f"total uncertainty: log2 N = {prior:.1f}")

    yield Page(
        "Information gained from one known item",
        [
            Panel(
                list(marks()),
                Axis(
                    "rank of the item, 1 the most supported",
                    (1, max(len(items), 2)),
                    scale="log",
                    form="{:,.0f}",
                ),
                Axis("bits gained", (0, 1.06 * max(prior, 0.1)), whole=8),
            )
        ],
        _caption(known, facts),
        each=6.8,
    )


_QUARTILES = (0.25, 0.5, 0.75)


def rank_bins(items: int) -> NDArray[np.int64]:
    """Cut ranks 1 … `items` into bins that are equally wide on a logarithmic axis.

    Returns
    -------
    int64 array
        First rank of each bin, and `items` + 1; strictly rising.

    Examples
    --------
    >>> rank_bins(12).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13]
    >>> rank_bins(10_000)[-3:].tolist()
    [7500, 8660, 10001]
    """
    count = max(1, round(BINS_A_DECADE * np.log10(items + 1)))
    edges = np.geomspace(1, items + 1, count + 1).round()
    return np.unique(edges).astype(np.int64)


def _caption(known: Sequence[str], facts: pd.DataFrame) -> str:
    missing = [word for word in ("values", "dates") if word not in known]
    within = facts.iloc[0]
    agree = [
        *([f"values within {within['eps_value']:g}"] if "values" in known else []),
        *([f"days within {within['eps_day']:g}"] if "dates" in known else []),
    ]
    return "; ".join(
        [
            *([f"{' and '.join(agree)} agree"] if agree else []),
            "medians and quartiles of bins of ranks",
            *([f"the release has no {' and no '.join(missing)}"] if missing else []),
        ]
    )


SPEC = FigureSpec("Bits gained from knowing one item of a person, by the rank of the item.", pages)
