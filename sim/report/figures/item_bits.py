"""How much one known item tells, by its rank (NS08, Fig. 7).

Invariant: every item is in one bin of ranks, and bins are as good as equally wide on the axis they
are drawn on (the first hold one rank each); a line goes through the medians, a band lies between
the quartiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from sim.papers.papers import PaperNumber
from sim.report.figures.plates import plate
from sim.report.figures.style import COLOURS, FAINT, LINES

TITLE = "What one item tells about its holder"

BINS_A_DECADE = 16

_WORDS = {
    "presence": "the item alone",
    "values": "with its value",
    "dates": "with its date",
    "values_and_dates": "with both",
}


def item_bits_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the bits gained from an item over its rank.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.measurements.item_bits.ItemBits`.
    numbers : sequence of PaperNumber
        None that could be marked: the paper only drew a curve.
    settings : Mapping, optional
        Not needed.

    Yields
    ------
    Figure
    """
    items = tables["item_bits"]
    facts = tables["facts"].set_index("known")
    prior = float(facts["bits_prior"].iloc[0])
    known = [name for name in _WORDS if items[name].notna().any()]
    edges = rank_bins(len(items))
    middles = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    bins = np.searchsorted(edges, items["rank"], side="right")

    def draw(axes: Axes) -> None:
        axes.axhline(prior, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
        for name in known:
            look = list(_WORDS).index(name)
            grouped = items[name].groupby(bins)
            low, middle, high = (grouped.quantile(q) for q in (0.25, 0.5, 0.75))
            colour = COLOURS[look]
            axes.fill_between(middles, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(middles, middle, color=colour, linestyle=LINES[look])
        axes.set_xscale("log")
        axes.set_xlim(1, max(len(items), 2))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
        axes.set_ylim(0, 1.06 * max(prior, 0.1))
        axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.set_xlabel("rank of the item, 1 the most supported")
        axes.set_ylabel("bits gained")

    def handles() -> list[Any]:
        lines = [
            Line2D(
                [],
                [],
                color=COLOURS[list(_WORDS).index(name)],
                linestyle=LINES[list(_WORDS).index(name)],
                label=f"{_WORDS[name]} ({float(facts['bits'][name]):.1f} bits a cell)",
            )
            for name in known
        ]
        whole = Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2)
        whole.set_label(f"all there is to know: log2 N = {prior:.1f}")
        return [*lines, whole]

    yield plate(TITLE, [draw], handles, _caption(known, facts), each=6.8)


def rank_bins(items: int) -> NDArray[np.int64]:
    """Cut ranks 1 … M into bins that are equally wide on a logarithmic axis.

    Parameters
    ----------
    items : int
        M.

    Returns
    -------
    int64 array
        First rank of each bin, and M + 1; strictly rising.

    Examples
    --------
    >>> rank_bins(12).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13]
    >>> rank_bins(10_000)[-3:].tolist()
    [7500, 8660, 10001]
    """
    count = max(1, round(BINS_A_DECADE * np.log10(items + 1)))
    edges: NDArray[np.int64] = np.unique(np.geomspace(1, items + 1, count + 1).round()).astype(
        np.int64
    )
    return edges


def _caption(known: Sequence[str], facts: pd.DataFrame) -> str:
    missing = [word for word in ("values", "dates") if word not in known]
    lacks = [f"the release has no {' and no '.join(missing)}"] if missing else []
    within = facts.iloc[0]
    agree = [
        *([f"values within {within['eps_value']:g}"] if "values" in known else []),
        *([f"days within {within['eps_day']:g}"] if "dates" in known else []),
    ]
    said = [f"{' and '.join(agree)} agree"] if agree else []
    return "; ".join([*said, "medians and quartiles of bins of ranks", *lacks])
