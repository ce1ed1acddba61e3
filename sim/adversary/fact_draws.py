"""Repeated draws of the facts about the same people, each under independent randomness."""

from __future__ import annotations

from sim.numeric.random import Purpose, words


def seed_of_facts(seed: int, fact_draw: int) -> int:
    """Return the seed of a draw of facts; the first draw has that of the run.

    Parameters
    ----------
    fact_draw : int
        Number of the draw, from 0.

    Examples
    --------
    >>> seed_of_facts(7, 0), seed_of_facts(7, 1) == seed_of_facts(7, 2)
    (7, False)
    """
    return int(words(seed, Purpose.FACT_DRAW, fact_draw)) if fact_draw else seed
