"""What the theorems of NS08, section 4, promise, beside what was measured.

Invariant: a promise is a line over every m, a measurement a point with its interval; the two are
never joined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.measurements.measurement import FACTS
from sim.papers.papers import PaperNumber
from sim.report.figures.style import COLOURS, FAINT, INK, LINES, house_style, new_figure

TITLE = "Scoreboard, and what is proved of it"
TITLE_SAMPLES = "What a sample of the release tells of its sparsity (theorem 5)"

_BY = {
    "presence": "items alone",
    "values": "items and values",
    "dates": "items and dates",
    "values_and_dates": "items, values and dates",
}
_PRINTED, _SOUND = COLOURS[1], COLOURS[0]


def theory_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw success and remaining bits over the attributes known; then theorem 5.

    Parameters
    ----------
    tables : Mapping
        As `sim.papers.joint.theory.join` makes them.
    numbers, settings
        Not needed: the papers state no number here.

    Yields
    ------
    Figure
    """
    yield _attributes(tables[FACTS], tables["promises"], tables["needed"])
    if len(tables["samples"]):
        yield _samples(tables["samples"])


def _attributes(facts: pd.DataFrame, promises: pd.DataFrame, needed: pd.DataFrame) -> Figure:
    bys = list(needed["by"])
    with house_style():
        figure = new_figure(9.6, 1.7 + 2.6 * len(bys))
        grid = figure.subplots(len(bys), 2, squeeze=False, sharex="row")
        for row, by in enumerate(bys):
            mine, line = facts[facts["by"] == by], promises[promises["by"] == by]
            wanted = needed[needed["by"] == by].iloc[0]
            success, bits = grid[row]
            _draw_success(success, mine, line, wanted)
            _draw_bits(bits, mine, line)
            success.set_title(f"{_BY.get(by, by)}: {_sparse(wanted)}")
            success.set_ylabel("targets (%)")
            bits.set_ylabel("bits left")
            if row == len(bys) - 1:
                for axes in (success, bits):
                    axes.set_xlabel("attributes known")
        figure.suptitle(TITLE, x=0.01, horizontalalignment="left")
        figure.legend(
            handles=_handles(facts),
            loc="outside lower center",
            ncols=3,
            title=fill(_caption(facts, needed), 125),
        ).get_title().set_multialignment("center")
    return figure


def _draw_success(
    axes: Axes, facts: pd.DataFrame, promises: pd.DataFrame, needed: pd.Series[Any]
) -> None:
    axes.plot(promises["m"], 100 * promises["promised"], color=_PRINTED, linestyle=LINES[1])
    axes.plot(promises["m"], 100 * promises["promised_sound"], color=_SOUND, linestyle=LINES[0])
    for present, marker, filled in ((True, "o", True), (False, "s", False)):
        rows = facts[facts["present"] == present]
        _points(axes, rows, "named", 100, marker, filled)
    if not math.isnan(needed["theorem1"]):
        axes.axvline(needed["theorem1"], color=FAINT, linewidth=0.8, linestyle=LINES[3])
    axes.set_ylim(-3, 104)
    axes.set_yticks(range(0, 101, 20))
    axes.set_xlim(left=0)


def _draw_bits(axes: Axes, facts: pd.DataFrame, promises: pd.DataFrame) -> None:
    axes.plot(promises["m"], promises["promised_bits"], color=_PRINTED, linestyle=LINES[1])
    _points(axes, facts[facts["present"]], "bits", 1, "o", True)
    axes.set_ylim(bottom=-0.3)


def _points(
    axes: Axes, rows: pd.DataFrame, name: str, unit: float, marker: str, filled: bool
) -> None:
    rows = rows[rows[name].notna()]
    share = unit * rows[name]
    low, high = (unit * rows[f"{name}{end}"].fillna(rows[name]) for end in ("_low", "_high"))
    axes.errorbar(
        rows["m"], share, yerr=[share - low, high - share], color=INK, linestyle="none",
        marker=marker, markersize=4.5, markerfacecolor=INK if filled else "white",
        elinewidth=1.0, zorder=3,
    )  # fmt: skip


def _sparse(needed: pd.Series[Any]) -> str:
    share = f"{needed['epsilon']:.0%}"
    if math.isnan(needed["delta"]):
        return f"no θ leaves {share} with a neighbour"
    return f"({needed['theta']:.2g}, {share})-sparse"


def _handles(facts: pd.DataFrame) -> list[Line2D]:
    point: dict[str, Any] = {"color": INK, "linestyle": "none", "markersize": 4.5}
    found = [Line2D([], [], marker="o", label="measured: named alone", **point)]
    if not facts["present"].all():
        empty = Line2D([], [], marker="s", label="measured: absent, no one named alone", **point)
        empty.set_markerfacecolor("white")
        found.append(empty)
    return [
        *found,
        Line2D([], [], color=_PRINTED, linestyle=LINES[1], label="theorems 1–4 as printed"),
        Line2D([], [], color=_SOUND, linestyle=LINES[0], label="less the share with a look-alike"),
        Line2D([], [], color=FAINT, linestyle=LINES[3], label="attributes theorem 1 asks for"),
    ]


def _caption(facts: pd.DataFrame, needed: pd.DataFrame) -> str:
    broken = facts[facts["kept"] == False]  # noqa: E712 - null is neither
    enough = [
        f"{_BY.get(row['by'], row['by'])} {row['enough']:.0f} of {math.ceil(row['theorem1'])}"
        for row in needed.to_dict("records")
        if not (math.isnan(row["enough"]) or math.isnan(row["theorem1"]))
    ]
    said = "targets: at each m, records with m or more attributes; bars: 95% intervals"
    if enough:
        said += "; attributes that were enough, of those asked for: " + ", ".join(enough)
    if len(broken):
        said += (
            f"; points where a promise is not kept: {len(broken)}, since lemma 1 needs similarity "
            "over the target's own items, and NS08 defines it over those of either record"
        )
    return said


def _samples(samples: pd.DataFrame) -> Figure:
    bys = list(dict.fromkeys(samples["by"]))
    with house_style():
        figure = new_figure(max(3.3 * len(bys), 6.0), 3.9)
        grid = figure.subplots(1, len(bys), squeeze=False, sharey=True)[0]
        lams = sorted(set(samples["lam"]))
        for axes, by in zip(grid, bys, strict=True):
            rows = samples[samples["by"] == by]
            one = rows.iloc[0]
            printed = rows[rows["lam"] == lams[0]]
            axes.plot(printed["gamma"], 100 * printed["printed"], color=_PRINTED, linestyle="--")
            for place, lam in enumerate(lams):
                of_lam = rows[rows["lam"] == lam]
                axes.plot(
                    of_lam["gamma"], 100 * of_lam["sound"], color=_SOUND, linestyle=LINES[2 * place]
                )
            axes.set_title(f"{_BY.get(by, by)}: {one['delta']:.0%} above {one['eps']:.2g}")
            axes.set_xlabel("γ")
            axes.set_ylim(-3, 104)
        grid[0].set_ylabel("probability (%)")
        figure.suptitle(TITLE_SAMPLES, x=0.01, horizontalalignment="left")
        handles = [Line2D([], [], color=_PRINTED, linestyle="--", label="as printed: 1 − γ")]
        handles += [
            Line2D([], [], color=_SOUND, linestyle=LINES[2 * place], label=f"what follows, 1/{lam}")
            for place, lam in enumerate(lams)
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=3,
            title=fill(
                "that a 1/λ-subset shows at least δγ/λ of its records with a neighbour as near; "
                "the proof takes Markov's inequality for a lower tail",
                int(12 * figure.get_figwidth()),
            ),
        ).get_title().set_multialignment("center")
    return figure
