"""The presets of synthetic releases of events.

Invariant: what is known of real tables is said in `benchmarks.known`, with its source; all else are
habits, tuned until ``python -m benchmarks.facts`` agrees.
"""

from __future__ import annotations

from dataclasses import replace

from sim.release.synthetic.events.preset import EventPreset, PurchasePreset, VisitPreset

_NEW_YEAR_2024 = 19_723
"""A Monday."""

VISITS = VisitPreset(
    name="visits",
    records=20_000,
    items=1_000,
    lengths=(
        (0.0, 8),
        (0.05, 45),
        (0.25, 130),
        (0.50, 250),
        (0.75, 450),
        (0.95, 780),
        (1.0, 870),
    ),
    first_day=_NEW_YEAR_2024,
    days=91,
    groups=10,
    spread=4.0,
    reach=10.0,
    cities=3,
    new=0.6,
    habit=0.21,
)

TINY_VISITS = replace(
    VISITS,
    name="tiny_visits",
    records=500,
    items=100,
    lengths=((0.0, 8), (0.25, 20), (0.50, 35), (0.75, 60), (1.0, 200)),
    days=28,
    groups=5,
)

PURCHASES = PurchasePreset(
    name="purchases",
    records=20_000,
    items=10_000,
    lengths=(
        (0.0, 4),
        (0.05, 18),
        (0.25, 43),
        (0.50, 91),
        (0.75, 200),
        (0.95, 560),
        (0.999, 1600),
        (1.0, 3000),
    ),
    first_day=_NEW_YEAR_2024 - 364,
    days=364,
    groups=100,
    spread=1.9,
    reach=0.0,
    cities=1,
    new=0.85,
    habit=0.21,
    weekdays=(1.35, 1.0, 0.9, 0.9, 1.0, 1.05, 1.4),
    season=0.25,
    basket=11.5,
    period=12.0,
    anchors=12,
    levels=(1.0, 2.0, 3.0, 4.0, 6.0, 12.0),
    shares=(0.72, 0.16, 0.06, 0.03, 0.02, 0.01),
)

TINY_PURCHASES = replace(
    PURCHASES,
    name="tiny_purchases",
    records=500,
    items=400,
    lengths=((0.0, 4), (0.25, 20), (0.50, 40), (0.75, 80), (1.0, 300)),
    days=91,
    groups=20,
    basket=6.0,
    period=6.0,
)

SHOPPING = PurchasePreset(
    name="shopping",
    records=1_100_000,
    items=10_000,
    lengths=(
        (0.0, 1),
        (0.05, 5),
        (0.25, 14),
        (0.50, 26),
        (0.75, 46),
        (0.95, 100),
        (0.999, 220),
        (1.0, 400),
    ),
    first_day=_NEW_YEAR_2024,
    days=91,
    groups=100,
    spread=1.9,
    reach=15.0,
    cities=20,
    new=0.4,
    habit=0.21,
    basket=1.6,
    basket_spread=0.2,
    period=3.0,
    weekdays=(0.9, 0.9, 0.95, 1.0, 1.2, 1.4, 0.6),
    anchors=2,
    roam=0.1,
    patience=3.0,
    seasonal=0.0,
    levels=(0.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0),
    shares=(0.12, 0.18, 0.24, 0.26, 0.12, 0.05, 0.025, 0.005),
    own_level=0.6,
)

EVENTS: dict[str, EventPreset] = {
    preset.name: preset for preset in (TINY_VISITS, VISITS, TINY_PURCHASES, PURCHASES, SHOPPING)
}
