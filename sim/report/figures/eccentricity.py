"""How far the best guess about each person of another site stands out (NS08 §5, IMDb).

Invariant: every person with an eccentricity is drawn once, in the order of the eccentricities; who
has none, since nobody shares an item with them, is counted below the picture.
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

from sim.papers.papers import PaperNumber
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS, FAINT, INK, house_style, new_figure

TITLE = "How far the best guess about each person stands out"

_LINEAR = 2.0
"""Up to here the scale is linear, as most eccentricities are small; then it is logarithmic."""

_LOOKS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "right": ("in the release, and named", {"marker": "o", "color": COLOURS[0]}),
    "missed": (
        "in the release, another named or a tie",
        {"marker": "s", "color": COLOURS[1], "markerfacecolor": "white", "markeredgewidth": 1.2},
    ),
    "absent": ("not in the release", {"marker": "x", "color": FAINT, "markeredgewidth": 1.3}),
    "unknown": ("nobody knows who is who", {"marker": "^", "color": COLOURS[2]}),
}
"""By what is known of a person and was found: words and looks of their point."""


def figure_eccentricity(people: pd.DataFrame, **options: Any) -> Figure:
    """Draw the people of one grid cell.

    Parameters
    ----------
    people : DataFrame
        As ``people.parquet``, of one cell.
    **options
        As for `eccentricity_pages`.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        There is nobody to draw.

    Examples
    --------
    >>> one = {"cell": [0], "place": [1], "eccentricity": [3.0], "record": ["unknown"],
    ...     "guess": ["unknown"], "matched": [True], "aux_size": [9]}
    >>> len(figure_eccentricity(pd.DataFrame(one)).axes)
    1
    """
    pages = eccentricity_pages({"people": people}, **options)
    found = next(pages, None)
    if found is None:
        raise ValueError("there is nobody to draw")
    return found


def eccentricity_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw the people of every grid cell.

    Parameters
    ----------
    tables : Mapping
        ``people``, as `sim.metrics.people_found` makes it; ``facts``, to know which cell a number
        is about.
    numbers : sequence of PaperNumber
        Those about the first, the second and the other people are marked.
    settings : Mapping, optional
        What is the same for everybody; ``phi``, for a line where a match begins.

    Yields
    ------
    Figure
        One for each cell.
    """
    people = tables["people"]
    cells = people["cell"].drop_duplicates().tolist()
    facts = tables.get("facts", pd.DataFrame({"cell": [], "whose": []}))
    for nth, cell in enumerate(cells, 1):
        title = TITLE if len(cells) == 1 else f"{TITLE} ({nth} of {len(cells)})"
        mine, said = (frame[frame["cell"] == cell] for frame in (people, facts))
        yield _page(mine, said, title, numbers, settings or {})


def _page(
    people: pd.DataFrame,
    facts: pd.DataFrame,
    title: str,
    numbers: Sequence[PaperNumber],
    settings: Mapping[str, Any],
) -> Figure:
    kinds = np.select(
        [people["record"] != "present", people["guess"] == "right"],
        [people["record"], "right"],
        "missed",
    )
    known = people["eccentricity"].notna().to_numpy(np.bool_)
    highest = float(np.nanmax([4.0, *people["eccentricity"]]))
    with house_style():
        figure = new_figure(7.2, 4.4)
        axes = figure.subplots()
        handles = []
        for kind, (words, look) in _LOOKS.items():
            which = kinds == kind
            if not which.any():
                continue
            drawn = people[which & known]
            axes.plot(drawn["place"], drawn["eccentricity"], linestyle="none", zorder=3, **look)
            label = f"{words} ({int(which.sum()):,})"
            handles.append(Line2D([], [], linestyle="none", label=label, **look))
        if settings.get("phi") is not None:
            phi = float(settings["phi"])
            axes.axhline(phi, color=INK, linestyle="--", linewidth=1.1, zorder=1)
            label = f"a match begins: φ = {phi:g}"
            handles.append(Line2D([], [], color=INK, linestyle="--", linewidth=1.1, label=label))
        handles += _mark_numbers(axes, facts, len(people), numbers, settings)
        highest = max(highest, *(n.value or 0.0 for n in numbers), 0.0)
        axes.set_yscale("symlog", linthresh=_LINEAR, linscale=1.2)
        axes.set_ylim(-0.12, 1.35 * highest)
        ticks = [0, 0.5, 1, 1.5, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        axes.set_yticks([tick for tick in ticks if tick <= 1.35 * highest], minor=False)
        axes.set_yticks([], minor=True)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.set_xlim(0.0, len(people) + 1.0)
        axes.set_xlabel("people, by how far their best guess stands out")
        axes.set_ylabel("eccentricity (σ)")
        figure.suptitle(title, x=0.01, horizontalalignment="left")
        note = f"{len(people):,} people, linear up to {_LINEAR:g}, logarithmic above"
        if not known.all():
            note += f"; not drawn: {int((~known).sum()):,} without an eccentricity"
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=2, title=note)
        legend.get_title().set_multialignment("center")
    return figure


def _mark_numbers(
    axes: Axes,
    facts: pd.DataFrame,
    count: int,
    numbers: Sequence[PaperNumber],
    settings: Mapping[str, Any],
) -> list[Line2D]:
    """Mark what a paper states of its own people where ours have the same place."""
    places = {"first": 1, "second": 2}
    used: dict[str, bool] = {}
    lines = []
    for row, number in References(numbers, settings).about(facts, ["eccentricity"]):
        if number.value is None:
            continue
        if row["whose"] in places:
            used |= mark(axes, places[row["whose"]], number.value, number)
        else:
            look: dict[str, Any] = {"color": FAINT, "linestyle": ":", "linewidth": 1.4}
            axes.plot([2.5, count + 0.5], [number.value] * 2, zorder=1, **look)
            label = f"{number.paper}: nearly all others at most {number.value:g}"
            lines.append(Line2D([], [], label=label, **look))
    return [*reference_handles(used), *lines]
