"""What papers state, as points of a plot."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.papers.papers import PaperNumber, matching_cells
from sim.plot.spec import Data

_DATA = {"netflix_prize": "Netflix Prize", "movielens_2006": "MovieLens"}


def stated_in(rows: pd.DataFrame, table: pd.DataFrame, data: Data) -> pd.DataFrame:
    """Return what papers state about the measures that rows show, each number at its own row.

    Parameters
    ----------
    rows : DataFrame
        As from `rows_of` the table, whose index they keep.
    table : DataFrame
        Its columns are the conditions of the numbers.
    """
    found = [rows[:0].assign(words="", source="")]
    for number in data.numbers:
        if number.value is None or number.paper == "reproduction":
            continue  # a comparison lists reproductions
        mine = table
        if "algorithm" in table and number.algorithm:
            mine = table[table["algorithm"] == number.algorithm]
        about = rows.index.isin(matching_cells(mine, number, data.settings).index)
        at = rows[about & (rows["measure"] == number.measure) & (rows["variant"] != "dotted")]
        found.append(at.assign(**stated_at(number)))
    return pd.concat(found)


def stated_at(number: PaperNumber, **given: Any) -> dict[str, Any]:
    """Return the height of a stated point, the words beside it, and its source.

    Parameters
    ----------
    given : object
        Where it stands, if at no row: its panel, x, y.

    Examples
    --------
    >>> from sim.papers.papers import numbers_for
    >>> stated_at(numbers_for("ns08_fig4")[0])
    {'y': 68.0, 'words': 'NS08: 68%', 'source': 'NS08 Fig. 4 (Netflix Prize)'}
    """
    value = number.value or 0.0
    text = f"{100 * value:g}%" if number.unit == "share" else f"{value:g} {number.unit}"
    source = f"{number.paper} {number.figure}".strip()
    return {
        "y": 100 * value if number.unit == "share" else value,
        "words": f"{number.paper}: {text}",
        "source": f"{source} ({_DATA.get(number.data, number.data)})",
        **given,
    }
