"""The presets of synthetic releases.

``tiny`` and ``default`` are Netflix on a smaller scale; ``netflix`` (Narayanan and Shmatikov 2008)
and ``movielens2006`` (Frankowski et al. 2006) have the papers' size; ``movielens100k`` has that of
a public table that the generator can be checked against. Invariant: facts known of the real tables
appear here as points of quantile functions; all else are habits, tuned until
``python -m benchmarks.facts`` agrees.
"""

from __future__ import annotations

from dataclasses import replace

from sim.release.synthetic.preset import Preset

_STARS = (1.0, 2.0, 3.0, 4.0, 5.0)
_NETFLIX_SHARES = (0.046, 0.101, 0.287, 0.336, 0.230)

NETFLIX = Preset(
    name="netflix",
    records=480_189,
    items=17_770,
    lengths=(
        (0.0, 1),
        (0.012, 5),
        (0.03, 12),
        (0.045, 19),
        (0.05, 20),
        (0.10, 23.5),
        (0.25, 39),
        (0.50, 96),
        (0.75, 259),
        (0.90, 537),
        (0.97, 975),
        (0.99, 1440),
        (0.999, 2900),
        (0.99998, 6900),
        (0.99999, 9900),
        (1.0, 17_653),
    ),
    supports=(
        (0.0, 3),
        (0.005, 20),
        (0.05, 68),
        (0.10, 105),
        (0.25, 192),
        (0.50, 561),
        (0.75, 2667),
        (0.90, 12_300),
        (0.95, 28_000),
        (0.98, 68_800),
        (0.99, 103_000),
        (0.999, 185_000),
        (1.0, 232_944),
    ),
    first_day=10_906,  # 1999-11-11
    days=2_243,
    levels=_STARS,
    shares=_NETFLIX_SHARES,
    joins=(
        (0.0, 0.0),
        (0.00002, 0.022),
        (0.006, 0.185),
        (0.02, 0.348),
        (0.055, 0.511),
        (0.15, 0.673),
        (0.44, 0.837),
        (1.0, 1.0),
    ),
    stay=0.6,
    session=1.6,
    communities=32,
    dimensions=12,
    lift=1.9,
    mainstream=1.0,
    head=3.5,
    settle=16.0,
    shelves=12,
    shelf_items=100,
    shelf_power=0.7,
    shelf_share=0.6,
)

DEFAULT = replace(
    NETFLIX,
    name="default",
    records=20_000,
    items=4_000,
    lengths=(
        (0.0, 2),
        (0.012, 5),
        (0.03, 12),
        (0.045, 19),
        (0.05, 20),
        (0.10, 23.5),
        (0.25, 37),
        (0.50, 84),
        (0.75, 220),
        (0.90, 450),
        (0.97, 800),
        (0.99, 1100),
        (0.999, 1900),
        (1.0, 3900),
    ),
    supports=(
        (0.0, 3),
        (0.05, 12),
        (0.10, 19),
        (0.25, 40),
        (0.50, 145),
        (0.75, 830),
        (0.90, 2950),
        (0.95, 4950),
        (0.98, 7100),
        (0.99, 8150),
        (0.999, 9400),
        (1.0, 9700),
    ),
    shelf_items=60,
)

TINY = replace(
    NETFLIX,
    name="tiny",
    records=600,
    items=300,
    lengths=(
        (0.0, 5),
        (0.03, 12),
        (0.10, 15),
        (0.25, 21),
        (0.50, 36),
        (0.75, 66),
        (0.90, 110),
        (0.97, 165),
        (1.0, 280),
    ),
    supports=(
        (0.0, 3),
        (0.05, 8),
        (0.10, 13),
        (0.25, 28),
        (0.50, 68),
        (0.75, 155),
        (0.90, 270),
        (1.0, 350),
    ),
    communities=12,
    shelves=3,
    shelf_items=25,
)

MOVIELENS_2006 = Preset(
    name="movielens2006",
    records=140_132,
    items=8_957,
    lengths=(
        (0.0, 1),
        (0.05, 9),
        (0.12, 15),
        (0.25, 18),
        (0.50, 33),
        (0.75, 90),
        (0.90, 220),
        (0.97, 477),
        (0.99, 800),
        (0.999, 1780),
        (1.0, 6280),
    ),
    supports=(
        (0.0, 1),
        (0.10, 6),
        (0.25, 38),
        (0.50, 207),
        (0.75, 1000),
        (0.90, 3900),
        (0.95, 7400),
        (0.98, 13_300),
        (0.99, 18_500),
        (0.999, 36_000),
        (1.0, 48_730),
    ),
    first_day=9_524,  # 1996-01-29
    days=3_655,
    levels=(1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0),
    shares=(0.048, 0.012, 0.083, 0.034, 0.245, 0.078, 0.293, 0.052, 0.155),
    joins=((0.0, 0.0), (0.06, 0.1), (0.5, 0.6), (1.0, 1.0)),
    min_support=1,
    stay=0.1,
    one_day=0.45,
    first_batch=0.7,
    session=2.0,
    communities=16,
    dimensions=16,
    lift=2.0,
    mainstream=0.3,
    head=1.5,
    settle=350.0,
    shelves=40,
    shelf_items=40,
    shelf_power=0.45,
    shelf_share=0.6,
)

MOVIELENS_100K = replace(
    MOVIELENS_2006,
    name="movielens100k",
    records=943,
    items=1_682,
    lengths=(
        (0.0, 20),
        (0.10, 23.5),
        (0.25, 33),
        (0.50, 65),
        (0.75, 149),
        (0.90, 250),
        (0.97, 366),
        (0.99, 450),
        (1.0, 737),
    ),
    supports=(
        (0.0, 1),
        (0.10, 2),
        (0.25, 6),
        (0.50, 27),
        (0.75, 80),
        (0.90, 171),
        (0.97, 295),
        (0.99, 375),
        (1.0, 583),
    ),
    first_day=10_124,  # 1997-09-20
    days=215,
    levels=_STARS,
    shares=(0.061, 0.114, 0.271, 0.342, 0.212),
    joins=((0.0, 0.0), (1.0, 1.0)),
    session=8.0,
    catalogue=0.97,
    communities=6,
    lift=2.7,
    shelves=3,
    shelf_items=32,
    shelf_share=1.3,
)

PRESETS: dict[str, Preset] = {
    preset.name: preset for preset in (TINY, DEFAULT, NETFLIX, MOVIELENS_2006, MOVIELENS_100K)
}
