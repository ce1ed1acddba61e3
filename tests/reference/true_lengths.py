"""How many cells records had before some were left out, by expectation and maximisation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

STEPS = 100
LEARNT_FROM = 1024


def true_lengths(released: Sequence[int], kept: float) -> dict[int, float]:
    """Weight of each true length, of people whether they were released or not.

    The shares of the lengths under which those released are likeliest, approached in so many steps
    from all lengths as likely; of released ones alone, divided by the probability of being one.

    Parameters
    ----------
    released : sequence of int
        Cells of each released record.
    kept : float
        Probability that a cell is released.

    Examples
    --------
    Half of the cells are kept, and some of 40 people with one cell each are left.

    >>> weight = true_lengths([1] * 20, 0.5)
    >>> max(weight, key=weight.__getitem__)
    1
    """
    number = {n: count for n, count in Counter(released).items() if n <= LEARNT_FROM}
    width = _lengths(kept)
    if not number:
        return width
    least, total = min(number), sum(number.values())
    seen = {length: float(binom.sf(least - 1, length, kept)) for length in width if length >= least}
    whole = sum(width[length] for length in seen)
    flat = {length: width[length] / whole for length in seen}
    lengths, sure = np.array(list(seen)), np.array(list(seen.values()))
    likely = {n: binom.pmf(n, lengths, kept) / sure for n in number}
    share = np.array(list(flat.values()))
    for _ in range(STEPS):
        share = sum(
            count * share * likely[n] / (share * likely[n]).sum() for n, count in number.items()
        ) / np.float64(total)
    share = (total * share + np.array(list(flat.values()))) / (total + 1)
    return {length: float(share[at]) / seen[length] for at, length in enumerate(seen)}


def _lengths(kept: float) -> dict[int, float]:
    """Lengths that are told apart, and how many each stands for.

    Examples
    --------
    >>> list(_lengths(0.9).values())[:3]
    [1.0, 1.0, 1.0]
    """
    width, at = dict[int, float](), 0
    while at <= (LEARNT_FROM + 8 * math.sqrt(LEARNT_FROM)) / kept:
        width[at] = float(max(int(math.sqrt(at * (1 - kept) / kept) / 4), 1))
        at += int(width[at])
    return width
