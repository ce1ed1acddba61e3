"""Which picture is drawn by what, and what it shows in words.

Invariant: a figure's module is imported only when the figure is drawn.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pages = Callable[..., "Iterator[Figure]"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure.

    Parameters
    ----------
    draws : str
        ``module:function`` below ``sim.report.figures``; the function yields its pages.
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
        module, function = self.draws.split(":")
        found: Pages = getattr(importlib.import_module(f"sim.report.figures.{module}"), function)
        return found


OF_ATTACKS: Mapping[str, Picture] = {
    "best_guess": Picture(
        "figures:best_guess_pages",
        "How often the attacker's best guess is the right record, and how often a match is "
        "declared and right, next to a random guess and to guessing the longest record.",
    ),
    "phi": Picture(
        "phi:phi_pages",
        "Matches and errors by how far a guess must stand out from the second best to be declared.",
    ),
    "k_identification": Picture(
        "k:k_pages",
        "How often the right record is among the k most likely, and why people are not found.",
    ),
    "defence": Picture(
        "defence:defence_pages",
        "People identified, by how much of their mentions they hide, or add to mislead.",
    ),
    "mu": Picture("mu:mu_pages", "For how many targets at most n records fit."),
    "entropy": Picture(
        "figures:entropy_pages", "Bits that are left to be learnt about a target, of log2 N."
    ),
    "reliability": Picture(
        "reliability:reliability_pages",
        "Whether guesses made with a stated probability are right as often as they claim.",
    ),
}
"""Figures of an attack's curves, in the order of a report."""

OF_TABLES: Mapping[str, Picture] = {
    "by_mentions": Picture(
        "by_mentions:by_mentions_pages",
        "People identified, and why others are not, by how many items they mention.",
    ),
    "people": Picture(
        "eccentricity:eccentricity_pages",
        "How far the best guess about each person stands out from the second best.",
    ),
    "risk": Picture(
        "risk:risk_pages",
        "The best guess by how long a record is, and by its rarest item; records that cannot be a "
        "target are in no bin.",
        table="risk_by_length",
    ),
}
"""Figures of a table that some attacks have."""

OF_MEASUREMENTS: Mapping[str, Picture] = {
    "lengths": Picture("lengths:lengths_pages", "How many records hold so many items."),
    "rare_items": Picture(
        "rare_items:rare_items_pages",
        "Share of the records that hold items outside the most popular ones.",
    ),
    "item_bits": Picture(
        "item_bits:item_bits_pages",
        "Bits learnt about a person from knowing one of their items, by the item's rank.",
    ),
    "neighbours": Picture(
        "neighbours:neighbours_pages",
        "How similar the most similar other record is, as a share of the records.",
    ),
    "recommender": Picture(
        "recommender:recommender_pages",
        "What a recommender gains by knowing the truth about a share of the records.",
    ),
    "kanonymity": Picture(
        "kanonymity:kanonymity_pages",
        "What must be left out or made coarse for every record to be like k − 1 others.",
    ),
}
"""Figures of a measurement of the release, by its kind."""

OF_SUITES: Mapping[str, Picture] = {
    "attacks": Picture("attacks:attacks_pages", "The attacks side by side: people found among k."),
    "by_mentions": OF_TABLES["by_mentions"],
    "decoys": Picture(
        "defence:decoys_pages",
        "People identified, by how many items they mention to mislead, and how popular these are.",
    ),
    "dropped": Picture(
        "dropped:dropped_pages",
        "People identified, by the share of the items and of the cells that are left out.",
    ),
    "readings": Picture(
        "readings:readings_pages", "The readings that the paper leaves open, side by side."
    ),
    "theory": Picture(
        "theory:theory_pages",
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
