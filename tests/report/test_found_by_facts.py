"""The picture of an audit: every row a point, each attacker a line that is named at its end."""

import numpy as np
import pandas as pd
import pytest
from figuring import draw
from laying_out import check_layout

from sim.report.figures.names import apart


def with_ends(**shares):
    return {f"{name}{end}": value for name, x in shares.items() for end, value in ends(x)}


def ends(share):
    return ("", share), ("_low", share - 0.1), ("_high", share + 0.1)


def row(attacker, aux, **shares):
    given = {"succeeds": 0.5, "published_finds": np.nan} | shares
    judged = {"bound": 0.25, "measure": "succeeds"}
    return {"attacker": attacker, "aux": aux, **judged, **with_ends(**given)}


ROWS = [
    row("insider", "4/4", succeeds=0.5),
    row("well_informed", "6/8", succeeds=0.625, published_finds=0.75),
    row("acquaintance", "2/2", succeeds=0.375),
    row("acquaintance", "2/2", succeeds=0.25),
    row("acquaintance", "4/4", succeeds=0.4375),
    row("public_profile", "", succeeds=0.125),
]
FACTS = pd.DataFrame([{"facts": n, **with_ends(at_most=n / 10)} for n in (1, 2, 4, 8, np.nan)])


def drawn(rows=ROWS, facts=FACTS):
    tables = {"assessment": pd.DataFrame(rows)} if rows else {}
    return draw("found_by_facts", tables | ({} if facts is None else {"facts_until_found": facts}))


def lines_of(axes):
    """The points of each line, by the tick that they stand nearest to."""
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    return [
        {ticks[round(x)]: y for x, y in zip(*line.get_data(), strict=True)}
        for line in (container.lines[0] for container in axes.containers)
    ]


def test_every_attacker_is_a_line_over_the_facts_known():
    (figure,) = drawn()
    (axes,) = figure.axes
    assert lines_of(axes) == [
        {"1": 10, "2": 20, "4": 40, "8": 80},
        {"4": 50},
        {"8": 75},
        {"2": 37.5, "4": 43.75},
        {"from other\nsources": 12.5},
    ]
    assert [text.get_text().replace("\n", " ") for text in axes.texts] == [
        *("exact facts", "insider", "well informed, 6 of 8 right", "acquaintance"),
        *("public profile", "your bound 25%, on the share found"),
    ]
    assert any(set(line.get_ydata()) == {25.0} for line in axes.lines)
    (bars,) = axes.containers[1].lines[2]
    assert [y for _, y in bars.get_segments()[0]] == pytest.approx([40, 60])
    check_layout(figure)


def test_what_was_not_run_or_set_is_not_drawn():
    (figure,) = drawn([one | {"bound": None} for one in ROWS[:1]], facts=None)
    assert [text.get_text() for text in figure.axes[0].texts] == ["insider"]
    (figure,) = drawn([])
    assert [text.get_text() for text in figure.axes[0].texts] == ["exact facts"]


def test_more_attackers_than_colours_can_be_read():
    (figure,) = drawn([row(f"attacker {n} of a team", "4/4", succeeds=0.01) for n in range(9)])
    assert len(figure.axes[0].texts) == 11
    check_layout(figure)


@pytest.mark.parametrize("at", [[100, 100, 100], [0, 0, 1], [50, 52, 48], [3, 99, 2]])
def test_no_name_covers_another(at):
    heights = [4.0, 8.0, 4.0]
    middles = apart(at, heights, low=-3)
    order = np.argsort(middles)
    gaps = (
        np.diff(middles[order]) - (np.take(heights, order)[1:] + np.take(heights, order)[:-1]) / 2
    )
    assert (gaps > -1e-9).all()
    assert (middles - np.array(heights) / 2 >= -3 - 1e-9).all()
