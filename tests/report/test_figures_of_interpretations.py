"""Pictures of interpretations and of people of another site: everything measured is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from figuring import draw

from sim.metrics.people_found import summed_up
from sim.papers.papers import numbers_for


def people(n: int = 50, cell: int = 0) -> pd.DataFrame:
    values = np.sort(np.geomspace(0.01, 40, n))[::-1]
    kinds = ["present", "absent", "unknown"]
    return pd.DataFrame(
        {
            "cell": cell,
            "place": np.arange(1, n + 1),
            "eccentricity": values,
            "record": [kinds[i % 3] for i in range(n)],
            "guess": ["right" if i % 2 else "wrong" for i in range(n)],
            "matched": values > 1.5,
            "aux_size": 9,
        }
    )


def points(axes: Any) -> int:
    """Points drawn in our colours: the paper's marks and lines have none."""
    return sum(
        line.get_xdata().size
        for line in axes.lines
        if line.get_linestyle() == "None" and line.get_marker() in ("o", "s", "x", "^")
    )


def test_every_person_is_drawn() -> None:
    tables = {
        "people": pd.concat([people(), people(7, 1)]),
        "facts": pd.concat(
            [summed_up(people()).assign(cell=0), summed_up(people(7)).assign(cell=1)]
        ),
    }
    run = {"phi": 1.5}
    pages = draw("people", tables, numbers=numbers_for("ns08_imdb"), settings=run)
    assert [points(page.axes[0]) for page in pages] == [50, 7]
    words = [text.get_text() for text in pages[0].legends[0].get_texts()]
    assert any("in the release, best guess right (8)" in text for text in words)
    assert any("a match begins: φ = 1.5" in text for text in words)
    assert any("nearly all others at most 2" in text for text in words)
    marks = [line for line in pages[0].axes[0].lines if line.get_marker() == "D"]
    assert [(float(m.get_xdata()[0]), float(m.get_ydata()[0])) for m in marks] == [(1, 28), (2, 15)]


def test_who_has_no_eccentricity_is_counted() -> None:
    some = people(4)
    some.loc[3, "eccentricity"] = np.nan
    (figure,) = draw("people", {"people": some})
    assert points(figure.axes[0]) == 3
    assert "not drawn: 1 without" in figure.legends[0].get_title().get_text()
    assert not draw("people", {"people": some[:0]})


def interpretations() -> pd.DataFrame:
    rows = []
    for score in ("exponential", "steps"):
        for aux, days in (("2/2", 3), ("6/8", 3), ("6/8", 14)):
            cell = {"score": score, "aux": aux, "date_noise": days, "low": 0.1, "high": 0.9}
            for how in ("rank1", "phi"):
                base = {
                    "figure": "Fig. 4",
                    "how": how,
                    "interpretation": f"{score}: {how}",
                    "ours": 0.5,
                }
                rows.append({**cell, **base, "theirs": 0.68, "measure": "named"})
            for kind in ("present", "absent"):
                base = {
                    "figure": "Fig. 5",
                    "how": "phi",
                    "interpretation": f"{score}: at φ",
                    "ours": 0.5,
                }
                rows.append({**cell, **base, "theirs": np.nan, "measure": f"right, {kind}"})
            for how in ("all_all", "all_unresolved", "all_median"):
                base = {"figure": "Fig. 6", "how": how, "interpretation": f"{score}: bits; {how}"}
                rows.append({**cell, **base, "ours": 0.5, "theirs": 3.0, "measure": "bits"})
    return pd.DataFrame(rows)


def test_every_reading_is_drawn() -> None:
    pages = draw("interpretations", {"interpretations": interpretations()})
    assert len(pages) == 3
    # 2 scores: 2 interpretations; present and absent; of Fig. 6 two statistics, two date noises.
    assert [[points(axes) for axes in page.axes] for page in pages] == [[4, 4], [4, 4], [4, 4]]
    assert (
        len(
            draw(
                "interpretations",
                {"interpretations": interpretations().query("figure == 'Fig. 6'")},
            )
        )
        == 1
    )


def test_a_reading_that_says_nothing_has_no_line() -> None:
    some = interpretations().query("figure == 'Fig. 4'").copy()
    some.loc[some["how"] == "phi", "ours"] = np.nan
    (page,) = draw("interpretations", {"interpretations": some})
    assert [points(axes) for axes in page.axes] == [2, 2]
    assert len(page.axes[0].get_yticks()) == 4
