"""Draw the figures of a run from its files alone.

Invariant: only ``run.json`` and the parquet files are read, so figures can be redrawn anywhere;
figures that do not apply to a run are left out; one figure at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.attack.algorithms.registry import attack_class
from sim.config.schema import FRONTIER
from sim.findings.assessment import is_audit, is_plan
from sim.measurements.registry import MEASUREMENTS
from sim.papers.comparison import settings_of
from sim.papers.papers import EXPERIMENTS, PaperNumber, numbers_for
from sim.plot.spec import Data, FigureSpec, Plot
from sim.record.run_folder import RunFolder, open_folder, study_of
from sim.report.figures import (
    of_attacks,
    of_audit,
    of_releases,
    of_suites,
    of_tables,
    of_theory,
    plain_facts,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "figures"

_MODULES = (of_attacks, of_tables, of_suites, of_theory, of_releases, of_audit, plain_facts)

FIGURES: Mapping[str, FigureSpec] = {
    name: value
    for module in _MODULES
    for name, value in vars(module).items()
    if isinstance(value, FigureSpec)
}

_OF_ATTACKS = ("best_guess", "phi", "k_identification", "defence", "mu", "entropy", "reliability")
_OF_SOME_ATTACKS = ("by_mentions", "people", "risk")
"""In the order of a report."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of a run, drawn page by page when asked for; its files: ``name``, ``name_2`` ..."""

    name: str
    caption: str
    plots: tuple[Plot, ...]

    def pages(self) -> Iterator[tuple[str, Figure]]:
        """Draw every page; yield it with its name."""
        from sim.report.figures.page import draw_plot, pages_of

        pages = (page for plot in self.plots for page in pages_of(plot))
        for nth, page in enumerate(pages, 1):
            yield page_name(self.name, nth), draw_plot(page)


def drawings_of(run: RunFolder) -> tuple[Drawing, ...]:
    """Return the figures that a run has, in the order of a report, before any is drawn.

    Raises
    ------
    InputError
        A file of the run cannot be read.
    """
    data = _data_of(run)
    drawings = (
        Drawing(name, caption, tuple(spec.filled(data))) for name, caption, spec in _specs(run)
    )
    return tuple(drawing for drawing in drawings if drawing.plots) or tuple(_of_parts(run))


def _of_parts(run: RunFolder) -> Iterator[Drawing]:
    """Yield the first figure of each part of a suite, which has none of its own."""
    for part in run.parts:
        for one in () if part.run is None else drawings_of(part.run)[:1]:
            name, caption = f"{part.name}_{one.name}", f"{part.name}: {one.caption}"
            yield replace(one, name=name, caption=caption)


def figures_for(run: RunFolder) -> dict[str, Figure]:
    """Return the figures that apply to a run, by name; further pages are ``name_2`` ..."""
    return dict(page for drawing in drawings_of(run) for page in drawing.pages())


def draw_run(folder: Path) -> list[Path]:
    """Draw and save the figures of a run."""
    run = open_folder(folder)
    figures = run.path / FOLDER
    return [path for each in drawings_of(run) for path in save_pages(figures, each)]


def save_pages(folder: Path, drawing: Drawing) -> list[Path]:
    """Draw and save one figure, replacing all pages of an earlier one."""
    from sim.report.figures.style import save  # with matplotlib, which a dry run does without

    paths = [save(figure, folder, name) for name, figure in drawing.pages()]
    page = len(paths) + 1
    while (old := _file(folder, drawing.name, page)).is_file():
        with suppress(OSError):
            old.unlink()
        page += 1
    return paths


def page_name(name: str, page: int) -> str:
    """Name a page of a figure, from 1.

    Examples
    --------
    >>> page_name("phi", 1), page_name("phi", 2)
    ('phi', 'phi_2')
    """
    return name if page == 1 else f"{name}_{page}"


def saved_pages(folder: Path, drawing: Drawing) -> list[Path]:
    """Find the files of a figure that was saved before, page by page; empty if it was not drawn."""
    found: list[Path] = []
    while (png := _file(folder, drawing.name, len(found) + 1)).is_file():
        found.append(png)
    return found


def stated_about(config: Mapping[str, Any]) -> tuple[PaperNumber, ...]:
    """Return the papers' and reproductions' numbers on the experiment and the attack of a run."""
    if config["name"] not in EXPERIMENTS:
        return ()
    numbers = numbers_for(config["name"])
    if config.get("parts") or study_of(config) != "attack":
        return numbers
    return tuple(n for n in numbers if n.algorithm in ("", config["attack"]["name"]))


def _file(folder: Path, name: str, page: int) -> Path:
    return folder / f"{page_name(name, page)}.png"


def _specs(run: RunFolder) -> Iterator[tuple[str, str, FigureSpec]]:
    """Yield the figures that a run of its kind may have: name, caption and figure."""
    names: list[str] = []
    if run.kind == "attack":
        names = [*_OF_ATTACKS, *_OF_SOME_ATTACKS]
        if attack_class(run.config["attack"]["name"]).answers_with_set:
            names.remove("phi")
    elif run.kind == "measurement":
        measurement = MEASUREMENTS.get(study_of(run.config))
        if measurement is not None:
            stated = measurement.figure
            spec = FIGURES[stated] if isinstance(stated, str) else stated
            words = spec.caption or f"{measurement.described()}."
            yield measurement.kind, words[:1].upper() + words[1:], spec
    elif is_audit(run):
        names = ["found_by_facts"]
    else:
        name = FRONTIER if is_plan(run) else str(run.config.get("aggregate"))
        names = [name] if name in FIGURES else []
    for name in names:
        yield name, FIGURES[name].caption, FIGURES[name]


def _data_of(run: RunFolder) -> Data:
    is_attack = run.kind == "attack"
    by_phi = is_attack and attack_class(run.config["attack"]["name"]).matches_by_phi
    return Data(
        tables=run.tables,
        numbers=stated_about(run.config),
        settings=settings_of(run.config),
        strongest=None if run.bayes is None else run.bayes.tables["curves"],
        phi=run.config["attack"]["phi"] if by_phi else None,
        n_records=run.record["release"]["n_records"] if is_attack else None,
    )
