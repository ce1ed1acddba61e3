"""Draw the figures of a run from its files alone.

Invariant: only ``run.json`` and the parquet files are read, so figures can be redrawn anywhere;
figures that do not apply to a run are left out; one figure at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from sim.plot.spec import Data, FigureSpec
from sim.record.run_folder import RunFolder, open_folder, study_of
from sim.report.figures.catalogue import (
    OF_ATTACKS,
    OF_AUDIT,
    OF_SUITES,
    OF_TABLES,
    figure_spec,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "figures"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of a run, drawn when its pages are asked for; its files: ``name``, ``name_2`` ..."""

    name: str
    caption: str
    pages: Callable[[], Iterator[Figure]]


def drawings_of(run: RunFolder) -> tuple[Drawing, ...]:
    """Return the figures that a run has, in the order of a report, before any is drawn.

    Raises
    ------
    InputError
        A file of the run cannot be read.
    """
    data = _data_of(run)
    return tuple(
        Drawing(name, spec.caption, _drawer(spec, data))
        for name, spec in _specs(run)
        if spec.applies_to(data)
    )


def figures_for(folder: Path) -> dict[str, Figure]:
    """Return the figures that apply to a run folder, by name.

    Returns
    -------
    dict of str to Figure
        For an attack ``best_guess``, always; ``phi``; ``k_identification``; ``mu``; ``entropy``;
        ``reliability``; ``by_mentions``; ``people``. For a measurement, one with the name of its
        kind; for an audit, ``found_by_facts``; for another suite, one with the name of its
        aggregate. Further pages are ``name_2`` ...
    """
    return dict(_drawn(open_folder(folder)))


def draw_run(folder: Path, most: int | None = None) -> list[Path]:
    """Draw and save the figures of a run; not those of its parts.

    Parameters
    ----------
    folder : Path
        Run folder.
    most : int, optional
        Only so many figures, from the first.

    Returns
    -------
    list of Path
        The files written; those of the best guess first.
    """
    run = open_folder(folder)
    paths: list[Path] = []
    for drawing in drawings_of(run)[:most]:
        paths += save_pages(run, drawing)
    return paths


def save_pages(run: RunFolder, drawing: Drawing) -> list[Path]:
    """Draw and save one figure, replacing all pages of an earlier one.

    Returns
    -------
    list of Path
        The files written, page by page.
    """
    from sim.report.figures.style import save  # with matplotlib, which a dry run does without

    figures = run.path / FOLDER
    paths: list[Path] = []
    for name, figure in _named(drawing):
        paths.append(save(figure, figures, name))
    page = len(paths) + 1
    while (old := _file(figures, page_name(drawing.name, page))).is_file():
        with suppress(OSError):
            old.unlink()
        page += 1
    return paths


def page_name(name: str, page: int) -> str:
    """Name a page of a figure.

    Parameters
    ----------
    page : int
        From 1.

    Examples
    --------
    >>> page_name("phi", 1), page_name("phi", 2)
    ('phi', 'phi_2')
    """
    return name if page == 1 else f"{name}_{page}"


def saved_pages(run: RunFolder, drawing: Drawing) -> list[Path]:
    """Find the files of a figure that was saved before, page by page; empty if it was not drawn."""
    found: list[Path] = []
    while (png := _file(run.path / FOLDER, page_name(drawing.name, len(found) + 1))).is_file():
        found.append(png)
    return found


def stated_about(config: Mapping[str, Any]) -> tuple[PaperNumber, ...]:
    """Return the papers' and reproductions' numbers on the experiment and the attack of a run.

    Parameters
    ----------
    config : dict
        As in ``run.json``.
    """
    if config["name"] not in EXPERIMENTS:
        return ()
    numbers = numbers_for(config["name"])
    if config.get("parts") or study_of(config) != "attack":
        return numbers
    return tuple(n for n in numbers if n.algorithm in ("", config["attack"]["name"]))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.png"


def _drawn(run: RunFolder) -> Iterator[tuple[str, Figure]]:
    for drawing in drawings_of(run):
        yield from _named(drawing)


def _named(drawing: Drawing) -> Iterator[tuple[str, Figure]]:
    for page, figure in enumerate(drawing.pages(), 1):
        yield page_name(drawing.name, page), figure


def _specs(run: RunFolder) -> Iterator[tuple[str, FigureSpec]]:
    """Yield the figures that a run of its kind may have, by name."""
    if run.kind == "attack":
        sets = attack_class(run.config["attack"]["name"]).answers_with_set
        for name in (*OF_ATTACKS, *OF_TABLES):
            if not (sets and name == "phi"):
                yield name, figure_spec(name)
    elif run.kind == "measurement":
        measurement = MEASUREMENTS.get(study_of(run.config))
        if measurement is not None:
            stated = measurement.figure
            spec = figure_spec(stated) if isinstance(stated, str) else stated
            words = spec.caption or f"{measurement.described()}."
            yield measurement.kind, replace(spec, caption=words[:1].upper() + words[1:])
    elif is_audit(run):
        yield OF_AUDIT, figure_spec(OF_AUDIT)
    elif is_plan(run):
        yield FRONTIER, figure_spec(FRONTIER)
    elif run.config.get("aggregate") in OF_SUITES:
        yield str(run.config["aggregate"]), figure_spec(str(run.config["aggregate"]))


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


def _drawer(spec: FigureSpec, data: Data) -> Callable[[], Iterator[Figure]]:
    def drawn() -> Iterator[Figure]:
        from sim.report.figures.page import draw_page

        return map(draw_page, spec.pages(data))

    return drawn
