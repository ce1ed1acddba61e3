"""The guide: found by the command, and true of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.cli.guide import guide_command
from sim.guide import page, pages

ROOT = Path(__file__).parents[1]


def test_the_list_names_every_page(capsys: pytest.CaptureFixture[str]) -> None:
    guide_command([])
    printed = capsys.readouterr().out
    for name, title in pages().items():
        assert re.search(rf"^{name}\s+{re.escape(title)}$", printed, re.MULTILINE)


@pytest.mark.parametrize("name", pages())
def test_a_page_is_printed_as_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    guide_command([name])
    assert capsys.readouterr().out == page(name)


def test_sections_that_docstrings_cite_are_in_the_specification() -> None:
    headings = set(re.findall(r"^#+ ([0-9.]+?)\.? ", page("spec"), re.MULTILINE))
    cited = {
        section.rstrip(".")
        for folder in ("sim", "actors", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for section in re.findall(r"\bspec §([0-9.]+)", path.read_text(encoding="utf-8"))
    }
    assert cited
    assert cited <= headings


@pytest.mark.parametrize("name", pages())
def test_paths_that_a_page_names_exist(name: str) -> None:
    for path in re.findall(r"`((?:sim|actors|conf|tests|benchmarks)/[\w/.]*)`", page(name)):
        assert (ROOT / path).exists(), path
