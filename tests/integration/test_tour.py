"""The notebook: kept without outputs, and runs from a folder without anything in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from making import lend_kernels
from nbclient import NotebookClient

PATH = Path(__file__).parents[2] / "outputs" / "tour.ipynb"


def as_kept() -> Any:
    return nbformat.read(PATH, as_version=4)


def test_it_is_kept_without_outputs() -> None:
    book = as_kept()
    nbformat.validate(book)
    assert set(book.metadata) == {"kernelspec", "language_info"}
    for cell in book.cells:
        assert not re.search(r"/(home|root|Users|tmp|work)/", cell.source)
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path, str]:
    """The notebook after every cell was run, its folder, and what the kernel printed by itself."""
    place = tmp_path_factory.mktemp("tour")
    book = as_kept()
    with pytest.MonkeyPatch.context() as patch, (place / "kernel.txt").open("w+") as printed:
        for name, folder in (("XDG_CACHE_HOME", "cache"), ("IPYTHONDIR", "ipython")):
            patch.setenv(name, str(place / folder))
        lend_kernels(place / "cache")
        client = NotebookClient(
            book,
            timeout=300,
            kernel_name="python3",
            extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of TCP on this machine
            resources={"metadata": {"path": str(place)}},
        )
        client.execute(stdout=printed, stderr=printed)
        printed.seek(0)
        return book, place, printed.read()


def outputs(book: Any, words: str) -> list[Any]:
    """Outputs of the cell with some words in it."""
    (found,) = [c.outputs for c in book.cells if c.cell_type == "code" and words in c.source]
    return list(found)


@pytest.mark.deep
def test_nothing_is_printed_but_results(run: tuple[Any, Path, str]) -> None:
    """No warnings, no bars that fill the page, no lines of a stack; nor when the kernel ends."""
    book, _, printed = run
    assert printed == ""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            assert output.output_type in ("execute_result", "display_data"), output


@pytest.mark.deep
def test_releases_results_and_comparisons_show_themselves(run: tuple[Any, Path, str]) -> None:
    book, place, _ = run
    assert (place / "visits.csv").is_file()
    (release,) = outputs(book, "sim.table(")
    assert "600 people" in release.data["text/html"]
    (result,) = outputs(book, "result = sim.run(")
    assert "Who is found by Scoreboard-RH?" in result.data["text/html"]
    assert '<img src="data:image' in result.data["text/html"]
    (compared,) = outputs(book, "sim.compare(")
    assert "drop_items" in compared.data["text/html"]


@pytest.mark.deep
def test_it_plots_audits_and_opens_a_run_again(run: tuple[Any, Path, str]) -> None:
    book, place, _ = run
    assert "image/png" in outputs(book, "plt.show()")[0].data
    (verdicts,) = outputs(book, "sim.audit(")
    assert re.search(r"exceeds|within|not tested", verdicts.data["text/html"])
    (same,) = outputs(book, "sim.load(")
    assert same.data["text/plain"] == "True"
    assert (place / "tour-run" / "report.html").is_file()


@pytest.mark.deep
def test_a_run_on_ray_prints_nothing_of_its_own(tmp_path: Path) -> None:
    """Without widgets, for which Ray and its bars ask in a notebook."""
    book = nbformat.v4.new_notebook()
    code = f"""
import sim
release = sim.synthetic("tiny", cache={str(tmp_path / "cache")!r})
sim.run(release, aux=["2/2"], targets=5, bayes_targets=0, workers=1).summary["verdict"]
"""
    book.cells.append(nbformat.v4.new_code_cell(code))
    NotebookClient(
        book,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    printed = "".join(out.get("text", "") for out in book.cells[0].outputs)
    assert "widgets" not in printed
    assert "Warning" not in printed
