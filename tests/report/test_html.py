"""The report: one screen, the rest folded; complete, readable without scripts or a network."""

import base64
import dataclasses
import itertools
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from reporting import CHAPTERS, SCREEN, Page, folder_of, lengths_folder, screens

from sim.errors import StandoutError
from sim.record.run_folder import open_folder
from sim.report.figures.draw import drawings_of
from sim.report.figures.style import DPI
from sim.report.page import html
from sim.report.page.html import page_of, write_report
from sim.report.page.notebook import notebook_html

ROWS = [{"person": "an…", "item": "place 1", "date": "2014-01-01"}] * 2
ROWS += [{"person": "bo…", "item": "place 2", "date": ""}]
RECORD = {
    "overrides": ["experiment=ns08_fig2_3", "data.path='a b.csv'"],
    "release_fingerprint": "0123abcd",
    "versions": {"numpy": "2.0", "standout": "0.1"},
    "rows_as_read": ROWS,
}


@pytest.fixture(autouse=True)
def made_by_hand():
    with screens():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A measurement."""
    return lengths_folder(tmp_path_factory.mktemp("report") / "run", **RECORD)


@pytest.fixture
def suite(folder, tmp_path):
    """A suite of the measurement, once without a report, and of what was not possible."""
    for name in ("with", "without"):
        shutil.copytree(folder, tmp_path / name)
    (tmp_path / "with" / "report.html").touch()
    (tmp_path / "without" / "report.html").unlink(missing_ok=True)
    parts = [{"name": name, "folder": name, "status": "complete"} for name in ("with", "without")]
    impossible = {"status": "impossible", "error": "there are no dates"}
    parts.append({"name": "no_dates", "folder": "no_dates", **impossible})
    config = {"name": "own", "parts": {"with": [], "without": [], "no_dates": []}}
    config["data"] = {"kind": "synthetic"}
    return folder_of(tmp_path, config, {}, parts=parts)


@pytest.fixture
def page(folder):
    return Page(write_report(folder).read_text(encoding="utf-8"))


def test_nothing_comes_from_elsewhere(page):
    links = [attrs.get(name) for _, attrs in page.tags for name in ("src", "href", "srcset")]
    assert all(link.startswith("data:") for link in links if link)
    policy = next(m["content"] for m in page.named("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"url\(|@import", page.said("style"))


def test_the_first_screen_is_all_that_is_not_folded(folder, page):
    seen = " ".join(page.visible)
    table = SCREEN.table
    for text in (
        *(SCREEN.verdict, SCREEN.table.caption, *SCREEN.more, *SCREEN.minds, "5 more below"),
        *(cell for row in (table.heads, *table.rows) for cell in row),
        *(value for row in ROWS for value in row.values()),
        *("What we took as person, item and date", f"standout repeat {folder}", "person = who"),
    ):
        assert text in seen
    assert "best_guess.png" not in seen
    assert len(seen.split()) < 120
    bars = [attrs["style"] for attrs in page.named("i")]
    assert [re.findall(r"[; ]width: ([0-9.]+)%", style) for style in bars] == [["75.0"]]


def test_what_is_folded_has_everything_else_once(page):
    folded = " ".join(page.folded)
    titles = ["Who is found", "Not tested", "How to repeat", "Files"]
    assert [text for tag, text in page.texts if tag == "h2"] == titles
    assert len(page.named("details")) == len(titles)
    (chapter, _) = CHAPTERS
    for text in (*chapter.sentences, *chapter.items, *chapter.commands, "A note.", "100%"):
        assert folded.count(text) == 1
    for files in ("run.json", "facts.parquet", "lengths.parquet"):
        assert files in folded
    assert "0123abcd" in folded
    commands = [shlex.split(text) for tag, text in page.texts if tag == "code"]
    assert ["standout", *RECORD["overrides"]] in commands
    assert not any("hidden" in attrs or "none" in attrs.get("style", "") for _, attrs in page.tags)


def test_what_helps_to_find_the_way(page):
    assert page.named("html")[0]["lang"] == "en"
    assert page.named("title")
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_tables_and_figures_can_be_read_by_all(page):
    assert len(page.named("caption")) == len(page.named("table")) > 3
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.named("th"))
    (image,) = page.named("img")
    assert len(image["alt"]) > 30
    data = base64.b64decode(image["src"].removeprefix("data:image/png;base64,"))
    points = int.from_bytes(data[16:20]) * 72 / DPI
    assert abs(int(image["width"]) - points * 96 / 72) <= 1


def test_further_figures_are_folded(folder, monkeypatch):
    more = [*drawings_of(open_folder(folder))] * 2
    monkeypatch.setattr("sim.report.page.html.drawings_of", lambda run: more)
    page = Page(page_of(open_folder(folder)))
    assert page.said("h2").endswith("Further figures")
    assert len(page.named("img")) == 2


def test_a_screen_may_have_a_verdict_alone(folder):
    bare = dataclasses.replace(SCREEN, table=None, data=(), more=(), minds=(), n_others=0)
    with screens(dataclasses.replace(bare, commands=()), ()):
        page = Page(page_of(open_folder(folder)))
    assert SCREEN.verdict in page.said("h1")
    assert "more below" not in page.said()


def test_the_parts_of_a_suite_are_listed(suite):
    page = Page(page_of(open_folder(suite)))
    assert not page.named("a")
    assert "no dates there are no dates" in " ".join(page.folded)
    assert "without complete" in " ".join(page.folded)
    assert len(page.named("img")) == 2  # the first figure of each part


def test_the_same_files_give_the_same_page(folder, tmp_path):
    first = write_report(folder).read_bytes()
    assert write_report(folder).read_bytes() == first
    other = tmp_path / "other"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("figures", "report.html"))
    again = write_report(other).read_bytes()
    assert again.replace(str(other).encode(), str(folder).encode()) == first


def test_a_report_that_cannot_be_written_leaves_nothing_behind(folder, tmp_path):
    other = tmp_path / "run"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("report.html"))
    (other / "report.html").mkdir()
    with pytest.raises(StandoutError, match=r"report\.html: is a folder, and no file; remove it"):
        write_report(other)
    assert not list(other.glob("*.part")) + list(other.glob(".*.part"))


def test_a_notebook_shows_the_first_screen(folder, page):
    shown = Page(notebook_html(open_folder(folder), "removed <soon>"))
    assert [*shown.visible[:-1]] == page.visible[1 : len(shown.visible)]
    assert shown.visible[-1] == "removed <soon>"
    assert shown.named("img") == page.named("img")
    assert not shown.folded


def test_a_run_that_read_no_table_has_no_rows(folder, tmp_path):
    other = tmp_path / "run"
    shutil.copytree(folder, other)
    record = json.loads((other / "run.json").read_text(encoding="utf-8"))
    (other / "run.json").write_text(json.dumps(record | {"rows_as_read": None}), encoding="utf-8")
    assert "What we took" not in Page(page_of(open_folder(other))).said()


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_stands_out_from_its_paper_by_day_by_night_and_in_print():
    style = Path(html.__file__).parent / "templates" / "report.css"
    themes = re.findall(r":root \{(.*?)\}", style.read_text(encoding="utf-8"), re.DOTALL)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", theme))
        for ground in ("paper", "panel"):
            for text in ("ink", "faint", "link"):
                dark, light = sorted(luminance(colours[name]) for name in (ground, text))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (theme, ground, text)
