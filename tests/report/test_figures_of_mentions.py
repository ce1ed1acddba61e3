"""Figures of attacks on public mentions: every line and mark there, nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figuring import draw
from mentioning import SAID, mention_part

from sim.numeric.columns import share
from sim.papers.aggregate import attacks, by_mentions
from sim.papers.papers import numbers_for
from sim.report.figures.attacks import attack_labels
from sim.report.figures.style import save


def texts(figure):
    legend = figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def marks(axes):
    return [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in axes.lines
        if line.get_marker() == "D" and line.get_markerfacecolor() == "none"
    ]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory):
    made = {
        "set_intersection": ["attack=set_intersection"],
        "scoring": ["attack=scoring"],
        "kept": ["attack=scoring", "attack.max_length_share=null"],
    }
    tmp_path = tmp_path_factory.mktemp("parts")
    return [mention_part(tmp_path / name, attack, targets=30) for name, attack in made.items()]


def test_attacks_with_the_numbers_of_the_paper(parts, tmp_path: Path) -> None:
    (figure,) = draw("attacks", attacks.aggregate(parts), numbers=numbers_for("f06_fig4"))
    axes = figure.axes[0]
    assert texts(figure)[:3] == ["Set Intersection", "Scoring", "Scoring, longest records kept"]
    heights = sorted(round(y) for _, y in marks(axes))
    assert heights == sorted([7, 12, 14, 23, 31, 44, 52, 57, 22])
    for path in save(figure, tmp_path, "attacks"):
        assert path.stat().st_size > 5000
    (bare,) = draw("attacks", attacks.aggregate(parts))
    assert not marks(bare.axes[0])


def test_the_same_attack_twice_is_told_apart(parts) -> None:
    facts = attacks.aggregate([parts[1], parts[1]])["facts"]
    assert attack_labels(facts.assign(value_known=[0, 1]))[1] == (
        "Scoring, value of 100% of mentions known"
    )
    assert attack_labels(facts.assign(part=["a", "b"])) == ["a: Scoring", "b: Scoring"]


def test_bins_as_lines_and_as_stacks(parts, tmp_path: Path) -> None:
    tables = by_mentions.aggregate(parts)
    pages = draw("by_mentions", tables)
    assert [len(page.axes) for page in pages] == [1, 3]
    for axes in pages[1].axes:
        tops: dict[float, float] = {}
        for bar in axes.patches:
            tops[bar.get_x()] = max(tops.get(bar.get_x(), 0), bar.get_y() + bar.get_height())
        assert list(tops.values()) == pytest.approx([100] * len(tops))
    for number, page in enumerate(pages):
        save(page, tmp_path, f"page_{number}")


def test_bins_of_one_run_with_many_cells(tmp_path: Path) -> None:
    part = mention_part(tmp_path / "run", targets=25, hide_rarest=[0, 0.5], decoys=[0, 3])
    pages = draw("by_mentions", {"by_mentions": part.table("by_mentions")})
    assert [len(page.axes) for page in pages] == [1, 3, 1]
    assert texts(pages[0])[1] == "nothing hidden, 3 decoys"
    one = part.table("by_mentions").query("cell == 0")
    assert [len(page.axes) for page in draw("by_mentions", {"by_mentions": one})] == [1, 1]


def curve_of_dropping(cells: int = 1) -> pd.DataFrame:
    rows = []
    for cell in range(cells):
        for at, (items, left) in enumerate([(0.0, 30), (0.5, 9), (0.9, 0)]):
            row = {"cell": cell, "min_support": 4**at, "n_targets": 100}
            row |= {"items_dropped": items, "cells_dropped": items / 3}
            for k in (1, 5, 10, 100):
                row |= share(f"k{k}", min(left + k, 100), 100)
            rows.append(row)
    return pd.DataFrame(rows)


def test_dropped_has_both_panels_and_the_papers_points(tmp_path: Path) -> None:
    tables = {"dropped": curve_of_dropping()}
    (figure,) = draw("dropped", tables, numbers=numbers_for("f06_fig6_7"))
    left, right = figure.axes
    assert marks(left) == [(88, 0)]
    assert marks(right) == [pytest.approx((28, 0))]
    drawn = [line for line in left.lines if len(line.get_xdata()) == 3]
    np.testing.assert_allclose(drawn[0].get_xdata(), [0, 50, 90])
    np.testing.assert_allclose(drawn[0].get_ydata(), [31, 10, 1])
    assert len(draw("dropped", {"dropped": curve_of_dropping(3)})) == 3
    save(figure, tmp_path, "dropped")


def test_hiding_is_drawn_over_the_share_hidden(tmp_path: Path) -> None:
    part = mention_part(tmp_path / "run", targets=25, hide_rarest=[0, 0.2, 0.5])
    curves = part.table("curves")
    (figure,) = draw("defence", {"curves": curves})
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]
    assert len(lines) == 4
    np.testing.assert_allclose(lines[0].get_xdata(), [0, 20, 50])
    np.testing.assert_allclose(lines[3].get_ydata(), 100 * curves["k100"])
    both = mention_part(tmp_path / "two", said=SAID, targets=9, hide_rarest=[0, 0.5], decoys=[0, 2])
    assert len(draw("defence", {"curves": both.table("curves")})) == 4


def decoy_facts(supports) -> pd.DataFrame:
    rows = []
    for s, support in enumerate(supports):
        for decoys in (0, 5, 20):
            row = {"cell": len(rows), "algorithm": "scoring", "decoys": decoys, "n_targets": 100}
            row |= {"n_present": 100, "n_eligible": 500, "eligible": 0.5}
            rows.append(row | {"decoy_support": support} | share("k1", 30 - s - decoys // 5, 100))
    return pd.DataFrame(rows)


def test_decoys_have_a_line_for_each_list_as_far_as_can_be_told_apart(tmp_path: Path) -> None:
    supports = [*(str(2**i) for i in range(14)), "top"]
    tables = {"facts": decoy_facts(supports)}
    (figure,) = draw("decoys", tables, numbers=numbers_for("f06_fig9"))
    words = texts(figure)
    assert words[0] == "decoys of support 1 or more"
    assert words[5:7] == ["decoys of support 8192 or more", "most popular decoys"]
    assert " 8 more" in figure.legends[0].get_title().get_text()
    assert marks(figure.axes[0]) == [(0, 31), (5, 13)]
    (few,) = draw("decoys", {"facts": decoy_facts(["1", "8"])})
    assert len(texts(few)) == 2
    assert "more thresholds" not in few.legends[0].get_title().get_text()
    save(figure, tmp_path, "decoys")
