"""Which picture is drawn by what, and what it shows in words.

Invariant: a figure's module is imported only when the figure is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.extend.plugins import named
from sim.measurements.measurement import Measurement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pages = Callable[..., "Iterator[Figure]"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure.

    Parameters
    ----------
    draws : str
        ``module:function``, see `named`; the function yields its pages.
    caption : str
        What it shows, in a sentence or two.
    table : str
        The table without which it is not drawn, if that is not named like the figure.
    """

    draws: str
    caption: str
    table: str = ""

    def pages(self) -> Pages:
        """Import the function that draws it."""
        pages: Pages = named(self.draws)
        return pages


def picture_of(measurement: type[Measurement]) -> Picture:
    """Return the figure that a measurement asks for."""
    words = measurement.caption or f"{measurement.described()}."
    return Picture(measurement.figure, words[:1].upper() + words[1:])


OF_ATTACKS: Mapping[str, Picture] = {
    "best_guess": Picture(
        "sim.report.figures.figures:best_guess_pages",
        "How often the attacker's best guess is the right record, and how often a match is "
        "declared and right, next to a random guess and to guessing the longest record.",
    ),
    "phi": Picture(
        "sim.report.figures.phi:phi_pages",
        "Matches and errors by how far a guess must stand out from the second best to be declared.",
    ),
    "k_identification": Picture(
        "sim.report.figures.k:k_pages",
        "How often the right record is among the k most likely, and why people are not found.",
    ),
    "defence": Picture(
        "sim.report.figures.defence:defence_pages",
        "People identified, by how much of their mentions they hide, or add to mislead.",
    ),
    "mu": Picture("sim.report.figures.mu:mu_pages", "For how many targets at most n records fit."),
    "entropy": Picture(
        "sim.report.figures.figures:entropy_pages",
        "Bits that are left to be learnt about a target, of log2 N.",
    ),
    "reliability": Picture(
        "sim.report.figures.reliability:reliability_pages",
        "Whether guesses made with a stated probability are right as often as they claim.",
    ),
}
"""Figures of an attack's curves, in the order of a report."""

OF_TABLES: Mapping[str, Picture] = {
    "by_mentions": Picture(
        "sim.report.figures.by_mentions:by_mentions_pages",
        "People identified, and why others are not, by how many items they mention.",
    ),
    "people": Picture(
        "sim.report.figures.eccentricity:eccentricity_pages",
        "How far the best guess about each person stands out from the second best.",
    ),
    "risk": Picture(
        "sim.report.figures.risk:risk_pages",
        "The best guess by how long a record is, and by its rarest item; records that cannot be a "
        "target are in no bin.",
        table="risk_by_length",
    ),
}
"""Figures of a table that some attacks have."""

OF_SUITES: Mapping[str, Picture] = {
    "attacks": Picture(
        "sim.report.figures.attacks:attacks_pages",
        "The attacks side by side: people found among k.",
    ),
    "by_mentions": OF_TABLES["by_mentions"],
    "decoys": Picture(
        "sim.report.figures.defence:decoys_pages",
        "People identified, by how many items they mention to mislead, and how popular these are.",
    ),
    "dropped": Picture(
        "sim.report.figures.dropped:dropped_pages",
        "People identified, by the share of the items and of the cells that are left out.",
    ),
    "readings": Picture(
        "sim.report.figures.readings:readings_pages",
        "The readings that the paper leaves open, side by side.",
    ),
    "theory": Picture(
        "sim.report.figures.theory:theory_pages",
        "What the theorems promise, beside what was measured.",
    ),
}
"""Figures of all parts of a suite together, by the name of what joins them."""


def call(picture: Picture, *given: Any, **options: Any) -> Iterator[Figure]:
    """Draw a picture's pages.

    Parameters
    ----------
    picture : Picture
    *given, **options
        For its function.

    Yields
    ------
    Figure
    """
    yield from picture.pages()(*given, **options)
