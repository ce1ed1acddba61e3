"""The names of the figures, in the order of a report.

Invariant: a figure's module, `sim.report.figures.NAME`, is imported only when it may be drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.extend.plugins import named

if TYPE_CHECKING:
    from sim.plot.spec import FigureSpec

OF_ATTACKS = ("best_guess", "phi", "k_identification", "defence", "mu", "entropy", "reliability")
"""Figures of an attack's curves."""

OF_TABLES = ("by_mentions", "people", "risk")
"""Figures of tables that only some attacks have."""

OF_SUITES = (
    *("attacks", "by_mentions", "decoys", "dropped", "frontier", "interpretations", "theory"),
)
"""Figures of all parts of a suite together, by the name of its aggregate."""

OF_AUDIT = "found_by_facts"
"""The figure of an audit."""


def figure_spec(name: str) -> FigureSpec:
    """Import a figure of this package."""
    found: FigureSpec = named(f"sim.report.figures.{name}:SPEC")
    return found
