"""The guide: found by the command, and true of the code."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from sim.cli.guide import guide_command
from sim.config.compose import composed
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


DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "outputs/README.md")),
    *(ROOT / "sim/guide").rglob("*.md"),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", text)
    for link in links:
        assert (path.parent / link).exists(), link


def linked(text: str, folder: str = "") -> set[str]:
    """Pages of the guide that a document links to."""
    return set(re.findall(rf"\]\({folder}(\w+)\.md\)", text))


def test_every_page_is_linked_from_the_index() -> None:
    assert linked(page("index")) == set(pages()) - {"index"}
    assert linked((ROOT / "README.md").read_text(encoding="utf-8"), "sim/guide/") <= set(pages())


def test_documents_are_short() -> None:
    def words(*paths: Path) -> int:
        return sum(len(path.read_text(encoding="utf-8").split()) for path in paths)

    guide = [path for path in (ROOT / "sim/guide").rglob("*.md") if path.stem != "spec"]
    assert words(*guide) <= 15_000
    assert words(ROOT / "README.md") <= 700
    assert words(ROOT / "CHANGELOG.md") <= 300
    assert words(*(ROOT / "benchmarks").glob("*.md")) <= 2_000


def test_the_citation_is_of_this_version() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"version = {{{project['version']}}}" in readme
    assert f"dist/standout-{project['version']}-py3-none-any.whl" in readme


def test_the_schema_of_the_summary_is_printed_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    guide_command(["schema"])
    assert "properties" in json.loads(capsys.readouterr().out)


def test_the_gate_in_a_pipeline_is_one_that_people_with_few_entries_can_pass() -> None:
    (known,) = composed(["attacker=well_informed"]).grid.aux
    gate = page("command_line").partition("## A check in a pipeline")[2].partition("\n#")[0]
    assert f"fewer than the {known.partition('/')[2]} entries that `well_informed` knows" in gate
    assert "'grid.aux=[4/4]'" in gate
    assert "bounds nobody's own" in gate
