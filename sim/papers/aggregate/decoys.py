"""The effect of decoys, by their number and support (F06, Fig. 9).

Invariant: every part has one support of decoys; the people and their other mentions are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.measurements.measurement import FACTS, Tables
from sim.papers.aggregate.attacks import stacked
from sim.papers.aggregate.part import Part


def aggregate(parts: Sequence[Part]) -> Tables:
    """Concatenate the curves of all supports of decoys.

    Parameters
    ----------
    parts : sequence of Part
        Attacks on mentions with ``decoys`` and ``decoy_support`` among their axes.

    Returns
    -------
    Tables
        ``facts``: as in `sim.papers.aggregate.attacks`, ``decoy_support`` as text.
    """
    facts = stacked(parts)
    return {FACTS: facts.assign(decoy_support=facts["decoy_support"].astype("string"))}
