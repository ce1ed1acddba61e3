"""Draw the figures of a run from its files alone.

Invariant: nothing but ``run.json`` and the parquet files is read, so figures can be made again
wherever these are; figures that do not apply to an attack are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.report.beside import settings_of
from sim.report.figure_k import k_pages
from sim.report.figure_mu import mu_pages
from sim.report.figure_phi import phi_pages
from sim.report.figure_reliability import reliability_pages
from sim.report.figures import best_guess_pages, entropy_pages
from sim.report.papers import EXPERIMENTS, PaperNumber, numbers_for
from sim.report.style import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RULES_BY_PHI = ("scoreboard_rh", "tf_idf", "scoring", "scoring_rated", "random", "longest")
"""Attacks that match by eccentricity, so that φ is part of what a match is."""

ANSWERS_WITH_SET = ("scoreboard", "neighbourhood", "set_intersection")
"""Attacks whose answer is a set, so that φ plays no part at all."""


def figures_for(folder: Path) -> dict[str, Figure]:
    """Figures that apply to a run, by name.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    dict of str to Figure
        ``best_guess``, always; ``phi``; ``k_identification``; ``mu``; ``entropy``;
        ``reliability``. Of a grid too large for one page the further pages are ``name_2`` ...
    """
    return dict(_drawn(folder))


def draw_run(folder: Path) -> list[Path]:
    """Draw and save the figures of a run.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    list of Path
        The files written, PNG and SVG; those of the best guess first.
    """
    paths: list[Path] = []
    for name, figure in _drawn(folder):
        paths += save(figure, folder / "figures", name)
    return paths


def stated_about(config: dict[str, Any]) -> tuple[PaperNumber, ...]:
    """What the papers and reproductions state about the experiment and the attack of a run.

    Parameters
    ----------
    config : dict
        As in ``run.json``.

    Returns
    -------
    tuple of PaperNumber
    """
    name, attack = config["name"], config["attack"]["name"]
    if name not in EXPERIMENTS:
        return ()
    return tuple(n for n in numbers_for(name) if n.algorithm in ("", attack))


def _drawn(folder: Path) -> Iterator[tuple[str, Figure]]:
    """Yield figures one by one, so that one at a time is held."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    config = record["config"]
    curves = pd.read_parquet(folder / "curves.parquet")
    attack = config["attack"]["name"]
    phi = config["attack"]["phi"] if attack in RULES_BY_PHI else None
    stated: dict[str, Any] = {"numbers": stated_about(config), "fixed": settings_of(config)}
    yield from _named(
        "best_guess",
        best_guess_pages(
            curves,
            phi,
            baseline=1 / record["release"]["n_records"],
            **stated,
        ),
    )
    if attack not in ANSWERS_WITH_SET:
        over_phi = pd.read_parquet(folder / "phi.parquet")
        yield from _named("phi", phi_pages(curves, over_phi, phi))
    if curves["k1"].notna().any():
        yield from _named("k_identification", k_pages(curves, **stated))
    if curves["mu_1"].notna().any():
        yield from _named("mu", mu_pages(curves, **stated))
    if curves["bits"].notna().any():
        yield from _named("entropy", entropy_pages(curves, **stated))
    reliability = folder / "reliability.parquet"
    if reliability.is_file() and curves["rank1"].notna().any():
        yield from _named("reliability", reliability_pages(curves, pd.read_parquet(reliability)))


def _named(name: str, pages: Iterable[Figure]) -> Iterator[tuple[str, Figure]]:
    for page, figure in enumerate(pages, 1):
        yield name if page == 1 else f"{name}_{page}", figure
