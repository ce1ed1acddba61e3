"""Run folders for tests of reports: real small runs on a table full of odd names."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd
from making import random_rows

from sim.config.compose import composed, configured
from sim.report.screen import RUN, Screen
from sim.report.table import Chapter, Table
from sim.session.jobs import plan_job
from sim.session.result import Result
from sim.session.suite import run_planned

ODD = "a <b>&amp; 'table' {{ 7*7 }}.csv"
"""Name of a file that must not be taken for anything else."""


def odd_table(folder: Path, **given: Any) -> list[str]:
    """Write a table and say how it is opened, as on the command line."""
    path = folder / ODD
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "what", "stars", "day"])
        for record, item, value, day in random_rows(3, 60, 25, 600, **given):
            writer.writerow([f"person<i>{record}</i>", f"item {item}", value, day])
    quoted = str(path).replace("'", "\\'")
    return [
        *("data=table", f"data.path='{quoted}'", f"data.cache={folder / 'cache'}"),
        *("data.user=who", "data.item=what", "data.value=stars", "data.date=day"),
        *("data.date_unit=days", "cluster=inline", "targets=20"),
    ]


def run_at(folder: Path, *overrides: str) -> Result:
    """Run what the command line would run."""
    folder.mkdir(parents=True, exist_ok=True)
    return run_planned(plan_job(configured(composed(overrides)), overrides), folder)


def folder_of(
    folder: Path, config: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], **more: Any
) -> Path:
    """Write a run folder by hand."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        frame.to_parquet(folder / f"{name}.parquet")
    record = {"status": "complete", "config": dict(config), "release": {"n_records": 943}, **more}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def lengths_folder(folder: Path, **more: Any) -> Path:
    """Write the run folder of a measurement by hand."""
    facts = {"n_records": [9], "length_median": 2.0, "length_mean": 2.5, "length_max": 4}
    lengths = {"x": [1, 2, 3], "exactly": [4, 3, 2], "at_least": [9, 5, 2]}
    tables: dict[str, Any] = {"facts": facts, "lengths": lengths}
    tables |= {"beyond": {"items": [3], "records": [0]}}
    config = {"name": "ns08_fig2_3", "seed": 1, "study": {"kind": "lengths", "ranges": [3]}}
    config["data"] = {"kind": "synthetic"}
    frames = {name: pd.DataFrame(columns) for name, columns in tables.items()}
    return folder_of(folder, config, frames, **more)


SCREEN = Screen(
    verdict="Two of two attackers find more than you allow.",
    data=["visits.csv  500 people", "person = who"],
    table=Table(
        ["", "known", "found"],
        [["insider", "4 facts", "75%"], ["stranger", "nothing", "–"]],
        "Who could be found?",
        shares=[0.75, None],
    ),
    more=["Half the people are found from 3 facts."],
    minds=["27 rows have no date.", "Few people have facts enough."],
    n_others=5,
    commands=[("picture", f"{RUN}/best_guess.png"), ("repeat", f"standout repeat {RUN}")],
)
CHAPTERS = (
    Chapter(
        "Who is found",
        ["By length."],
        ["an item"],
        Table(
            ["items", "found"],
            [[n, f"{n}%"] for n in ("20", "3", "100")],
            "By length",
            "A note.",
        ),
        ["standout describe run"],
    ),
    Chapter("Not tested"),
)


@contextmanager
def screens(screen: Screen = SCREEN, chapters: Sequence[Chapter] = CHAPTERS) -> Iterator[None]:
    """Show every run by a screen and chapters made by hand."""
    where = "sim.report.page.html"
    with (
        mock.patch(f"{where}.screen_of", return_value=screen),
        mock.patch(f"{where}.details_of", return_value=list(chapters)),
    ):
        yield


def numbers_in(text: str) -> list[str]:
    """All numbers of a text, percentages with their sign."""
    return re.findall(r"\d[\d,]*(?:\.\d+)?%?", text.replace(", ", "; "))


class Page(HTMLParser):
    """A page taken apart; what is not well-formed is an error."""

    VOID = frozenset({"meta", "link", "img", "br", "hr", "input"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.folded: list[str] = []
        self.visible: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts.append((self.open[-1], data.strip()))
            if self.open[-1] not in ("style", "script", "title"):
                (self.folded if "details" in self.open else self.visible).append(data.strip())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all tags of a name."""
        return [attrs for name, attrs in self.tags if name == tag]

    def said(self, *within: str) -> str:
        """All text, or what stands directly in some tags."""
        kept = [text for tag, text in self.texts if tag not in ("style", "script")]
        if within:
            kept = [text for tag, text in self.texts if tag in within]
        return re.sub(r"\s+", " ", " ".join(kept))
