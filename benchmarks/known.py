"""Known facts about the real tables that presets stand for.

Invariant: published numbers only, or numbers measured on a public table.
"""

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
