"""One small audit in every medium, as it is printed; and how long results are, on three data sets.

``STANDOUT_GOLDEN=1 pytest tests/report/test_golden.py`` renews the files in ``golden/``, which are
to be read before they are committed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from auditing import without_pictures
from reporting import Page, run_at

from sim.record.run_folder import RunFolder, open_folder
from sim.report.markdown import chapters_markdown, screen_markdown
from sim.report.page.html import page_of
from sim.report.screen import MOST_MINDS
from sim.report.screens.assessment import assessment_chapters
from sim.report.screens.of_run import details_of, screen_of
from sim.report.terminal import details_text, screen_text

GOLDEN = Path(__file__).parent / "golden"
RENEW = "STANDOUT_GOLDEN"
MOST_VISIBLE, MOST_IN_PAGE, MOST_IN_ASSESSMENT, WIDTH = 400, 2500, 500, 100
RUNS = {"audit": 24, "ratings": 24, "grid": 20, "points": 20}
"""Lines of the first screen of each run, at most."""

_OF_A_VERSION = ("versions", "overrides")


def visits(path: Path) -> list[str]:
    """Visits to shops: by semicolons, with days first, copies, and dates that stand for none."""
    rng = np.random.default_rng(7)
    lines = ["Kd.-Nr.;Filiale;Kaufdatum;PLZ"]
    for who in range(120):
        for _ in range(int(rng.integers(1, 16))):
            day = "-" if rng.random() < 0.02 else f"{rng.integers(1, 29):02}.03.2021"
            shop = int(40 * rng.random() ** 2)
            lines.append(f"{1000 + who};Köln {shop};{day};{50000 + who}")
            if rng.random() < 0.03:
                lines.append(lines[-1])
    path.write_text("\n".join([*lines, ""]), encoding="cp1252")
    return [
        *("data=table", f"data.path={path}", f"data.cache={path.parent / 'cache'}"),
        *("data.user=Kd.-Nr.", "data.item=Filiale", "data.date=Kaufdatum"),
        "data.placeholders=['-']",
    ]


def ratings(path: Path) -> list[str]:
    """Ratings by a scale, of people of whom a third gave one, and some several of one film."""
    rng = np.random.default_rng(8)
    lines = ["user_id,film,stars"]
    for who in range(90):
        n = 1 if who % 3 == 0 else int(rng.integers(4, 30))
        lines += [
            f"{who},film {int(60 * rng.random() ** 2)},{rng.integers(1, 6)}" for _ in range(n)
        ]
    path.write_text("\n".join([*lines, ""]))
    return [
        *("data=table", f"data.path={path}", f"data.cache={path.parent / 'cache'}"),
        *("data.user=user_id", "data.item=film", "data.value=stars"),
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, RunFolder]]:
    place = tmp_path_factory.mktemp("golden")
    shops, films = visits(place / "export.csv"), ratings(place / "films.csv")
    inline = "cluster=inline"
    audit = ("experiment=audit", inline, "audit.attackers=[insider,acquaintance,public_profile]")
    asked = {
        "audit": [*audit, *shops, "audit.max_risk=0.1"],
        "ratings": [*audit, *films],
        "grid": ["experiment=ns08_fig4", inline, "data=synthetic", "data.preset=tiny",
                 "targets=20", "bayes_targets=5"],
        "points": ["experiment=unicity", inline, *shops],
    }  # fmt: skip
    with without_pictures():
        yield {
            name: open_folder(run_at(place / name, *words).folder) for name, words in asked.items()
        }


def in_media(run: RunFolder) -> Iterator[tuple[str, str]]:
    """An audit as a file of each medium."""
    screen, details = screen_of(run), details_of(run)
    yield "terminal.txt", f"{screen_text(screen, bars=True)}\n\n{details_text(details)}\n"
    yield (
        "assessment.md",
        f"{screen_markdown(screen)}\n\n{chapters_markdown(assessment_chapters(run)[:-1])}\n",
    )
    page = Page(page_of(run))
    folded = page.folded[: page.folded.index("How to repeat")]
    seen = [text for text in page.visible if str(run.path) not in text]
    yield "page.txt", "\n".join([*seen, "", *folded, ""])
    found = json.loads((run.path / "assessment.json").read_text(encoding="utf-8"))
    kept: dict[str, Any] = {key: one for key, one in found.items() if key not in _OF_A_VERSION}
    kept["findings"] = json.loads((run.path / "findings.json").read_text("utf-8"))["findings"]
    yield "assessment.json", json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def test_an_audit_is_printed_as_it_was_reviewed(runs: dict[str, RunFolder]) -> None:
    for name, text in in_media(runs["audit"]):
        path = GOLDEN / name
        if os.environ.get(RENEW):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path}: renew it by {RENEW}=1"


@pytest.mark.parametrize("name", RUNS)
def test_results_are_short(runs: dict[str, RunFolder], name: str) -> None:
    run = runs[name]
    screen, page = screen_of(run), Page(page_of(run))
    lines = screen_text(screen, folder=f"outputs/{name}").splitlines()
    assert len(lines) <= RUNS[name]
    assert max(map(len, lines[: -len(screen.commands)])) <= WIDTH
    assert len(screen.minds) <= MOST_MINDS
    assert len(" ".join(page.visible).split()) <= MOST_VISIBLE
    assert len(" ".join([*page.visible, *page.folded]).split()) <= MOST_IN_PAGE
    assessment = run.path / "assessment.md"
    if assessment.is_file():
        assert len(assessment.read_text(encoding="utf-8").split()) <= MOST_IN_ASSESSMENT
