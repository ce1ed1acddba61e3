"""Draw the figures of a run from its files alone.

Invariant: nothing but ``run.json`` and the parquet files is read, so figures can be made again
wherever these are; figures that do not apply to a run are left out; one figure at a time is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.attack.algorithms.registry import attack_class
from sim.measurements.registry import MEASUREMENTS
from sim.papers.beside import settings_of
from sim.papers.papers import EXPERIMENTS, PaperNumber, numbers_for
from sim.record.run_folder import RunFolder, open_folder, study_of
from sim.report.figures.catalogue import OF_ATTACKS, OF_SUITES, OF_TABLES, Picture, call, picture_of
from sim.report.figures.defence import defences
from sim.report.figures.style import save
from sim.report.words.population import populations_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = "figures"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of a run, drawn when its pages are asked for.

    Parameters
    ----------
    name : str
        Its files are ``name``, ``name_2`` ...
    caption : str
    pages : callable
    """

    name: str
    caption: str
    pages: Callable[[], Iterator[Figure]]


def drawings_of(run: RunFolder) -> tuple[Drawing, ...]:
    """Say which figures a run has, before any is drawn.

    Parameters
    ----------
    run : RunFolder

    Returns
    -------
    tuple of Drawing
        In the order of a report.

    Raises
    ------
    InputError
        A file of the run cannot be read.
    """
    makers = {"attack": _of_attack, "measurement": _of_measurement, "suite": _of_suite}
    return tuple(makers[run.kind](run))


def figures_for(folder: Path) -> dict[str, Figure]:
    """Figures that apply to a run, by name.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    dict of str to Figure
        Of an attack ``best_guess``, always; ``phi``; ``k_identification``; ``mu``; ``entropy``;
        ``reliability``; ``by_mentions``; ``people``. Of a measurement one by the name of its kind,
        of a suite one by the name of what joins its parts. Of a grid too large for one page the
        further pages are ``name_2`` ...
    """
    return dict(_drawn(open_folder(folder)))


def draw_run(folder: Path) -> list[Path]:
    """Draw and save the figures of a run; not those of its parts.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    list of Path
        The files written, PNG and SVG; those of the best guess first.
    """
    run = open_folder(folder)
    paths: list[Path] = []
    for drawing in drawings_of(run):
        paths += save_pages(run, drawing)
    return paths


def save_pages(run: RunFolder, drawing: Drawing) -> list[Path]:
    """Draw and save one figure, in place of an earlier one of more pages.

    Parameters
    ----------
    run : RunFolder
    drawing : Drawing

    Returns
    -------
    list of Path
        The files written, PNG and SVG, page by page.
    """
    figures = run.path / FOLDER
    paths: list[Path] = []
    for name, figure in _named(drawing):
        paths += save(figure, figures, name)
    page = len(paths) // 2 + 1
    while old := [p for p in _files(figures, page_name(drawing.name, page)) if p.is_file()]:
        for path in old:
            with suppress(OSError):
                path.unlink()
        page += 1
    return paths


def page_name(name: str, page: int) -> str:
    """Name a page of a figure.

    Parameters
    ----------
    name : str
    page : int
        From 1.

    Returns
    -------
    str

    Examples
    --------
    >>> page_name("phi", 1), page_name("phi", 2)
    ('phi', 'phi_2')
    """
    return name if page == 1 else f"{name}_{page}"


def saved_pages(run: RunFolder, drawing: Drawing) -> list[tuple[Path, Path]]:
    """Find the files of a figure that was saved before.

    Parameters
    ----------
    run : RunFolder
    drawing : Drawing

    Returns
    -------
    list of tuple of Path
        PNG and SVG of every page; empty if it was not drawn.
    """
    found: list[tuple[Path, Path]] = []
    while True:
        png, svg = _files(run.path / FOLDER, page_name(drawing.name, len(found) + 1))
        if not (png.is_file() and svg.is_file()):
            return found
        found.append((png, svg))


def stated_about(config: Mapping[str, Any]) -> tuple[PaperNumber, ...]:
    """What the papers and reproductions state about the experiment and the attack of a run.

    Parameters
    ----------
    config : dict
        As in ``run.json``.

    Returns
    -------
    tuple of PaperNumber
    """
    if config["name"] not in EXPERIMENTS:
        return ()
    numbers = numbers_for(config["name"])
    if config.get("parts") or study_of(config) != "attack":
        return numbers
    return tuple(n for n in numbers if n.algorithm in ("", config["attack"]["name"]))


def _files(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"{name}.png", folder / f"{name}.svg"


def _drawn(run: RunFolder) -> Iterator[tuple[str, Figure]]:
    for drawing in drawings_of(run):
        yield from _named(drawing)


def _named(drawing: Drawing) -> Iterator[tuple[str, Figure]]:
    for page, figure in enumerate(drawing.pages(), 1):
        yield page_name(drawing.name, page), figure


def _drawing(name: str, picture: Picture, *given: Any, whom: str = "", **options: Any) -> Drawing:
    caption = f"{picture.caption} {whom}".strip()
    return Drawing(name, caption, lambda: call(picture, *given, **options))


def _of_attack(run: RunFolder) -> Iterator[Drawing]:
    config, tables = run.config, run.tables
    curves = tables["curves"]
    attack = attack_class(config["attack"]["name"])
    phi = config["attack"]["phi"] if attack.matches_by_phi else None
    stated: dict[str, Any] = {"numbers": stated_about(config), "fixed": settings_of(config)}

    whom = f"Targets: {populations_text(curves, config)}."

    def drawing(name: str, *given: Any, **options: Any) -> Drawing:
        return _drawing(name, OF_ATTACKS[name], curves, *given, whom=whom, **options)

    yield drawing("best_guess", phi, baseline=1 / run.record["release"]["n_records"], **stated)
    if not attack.answers_with_set:
        yield drawing("phi", tables["phi"], phi)
    if curves["k1"].notna().any():
        yield drawing("k_identification", **stated)
        if defences(curves):
            yield drawing("defence", **stated)
    if curves["mu_1"].notna().any():
        yield drawing("mu", **stated)
    if curves["bits"].notna().any():
        yield drawing("entropy", **stated)
    if "reliability" in tables and curves["rank1"].notna().any():
        yield drawing("reliability", tables["reliability"])
    for name, picture in OF_TABLES.items():
        if (picture.table or name) in tables:
            yield _drawing(name, picture, tables, whom=whom, **_generic(config))


def _of_measurement(run: RunFolder) -> Iterator[Drawing]:
    measurement = MEASUREMENTS.get(study_of(run.config))
    if measurement is not None:
        picture = picture_of(measurement)
        yield _drawing(measurement.kind, picture, run.tables, **_generic(run.config))


def _of_suite(run: RunFolder) -> Iterator[Drawing]:
    joint = str(run.config.get("joint"))
    if joint in OF_SUITES:
        yield _drawing(joint, OF_SUITES[joint], run.tables, **_generic(run.config))


def _generic(config: Mapping[str, Any]) -> dict[str, Any]:
    return {"numbers": stated_about(config), "settings": settings_of(config)}
