"""Known facts about the real tables that presets stand for.

Invariant: published numbers only, or numbers measured on a public table.
"""

from typing import NamedTuple

KNOWN: dict[str, dict[str, float]] = {
    "netflix": {
        "n_records": 480_189,
        "n_items": 17_770,
        "n_cells": 100_480_507,
        "length_mean": 209,
        "length_lower_quartile": 39,
        "length_median": 96,
        "length_upper_quartile": 259,
        "length_max": 17_653,
        "support_mean": 5_654,
        "support_min": 3.5,
        "support_median": 561,
        "support_max": 232_944,
    },
    "movielens2006": {
        "n_records": 140_132,
        "n_items": 8_957,
        "n_cells": 12_565_530,
        "length_mean": 90,
        "length_median": 33,
        "length_max": 6_280,
        "support_mean": 1_403,
        "support_median": 207,
        "support_max": 48_730,
    },
}
"""Counts of the real tables (NS08, section 5; F06, section 3; the Netflix data themselves)."""

RARE = {
    "netflix": {100: (100.0, 97.0, 93.0), 500: (99.0, 90.0, 80.0), 1000: (97.0, 83.0, 70.0)},
}
"""% of records with at least 1, 5 and 10 items outside the X most supported (NS08, section 5)."""

NEAREST = {"movielens100k": {"lower_quartile": 0.26, "median": 0.32, "upper_quartile": 0.376}}
"""Similarity to the nearest other record by items alone, measured on the real table."""


class Published(NamedTuple):
    """A number that is published about real events.

    Parameters
    ----------
    name, source : str
    measure : str
        What gives the generated number; see `benchmarks.event_facts`.
    within : float
        A part of `wanted`, or percentage points.
    points : bool
        Whether both are percentages.
    """

    name: str
    source: str
    measure: str
    wanted: float
    within: float
    points: bool = False


EVENTS: dict[str, tuple[Published, ...]] = {
    "visits": (
        Published(
            "% of records that 4 points (place, hour) single out", "M13", "unique", 95.0, 3.0, True
        ),
        Published(
            "exponent of the visits to a record's 1st to 10th place", "Song 2010", "zipf", 1.2, 0.15
        ),
    ),
    "purchases": (
        Published("% of cells that repeat an item", "Instacart 2017", "again", 59.0, 3.0, True),
        Published("items of a basket, mean", "Instacart 2017", "basket", 10.1, 0.1),
        Published("baskets of a record, mean", "Instacart 2017", "baskets", 17.1, 0.1),
    ),
    "shopping": (
        Published("records", "M15", "records", 1_100_000, 0.01),
        Published("items", "M15", "items", 10_000, 0.01),
        Published("days (three months)", "M15", "days", 91, 0.01),
        Published(
            "% of records that 4 points (shop, day) single out", "M15", "unique", 90.0, 3.0, True
        ),
    ),
}
"""Numbers published about events: M13 and M15, de Montjoye et al. (2013, 2015); Song et al. (2010);
the online grocery shopping data of Instacart (2017): 59% of the items ordered are reorders;
32,434,489 items in the 3,421,083 orders of somewhat more than 200,000 people, but for the last
order of each."""
