"""Parts of captions."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sim.numeric.text import format_percent

TIES = "ties count against the attacker"


def captioned(*parts: str) -> str:
    """Join the parts of a caption; an empty one is left out."""
    return "; ".join(filter(None, parts))


def per_point(counts: Sequence[int], what: str = "point") -> str:
    """Format the number of people that each point represents.

    Examples
    --------
    >>> per_point([1000, 1000]), per_point([90, 1200], "bar")
    ('1,000 people per point', '90 to 1,200 people per bar')
    """
    least, most = min(counts), max(counts)
    return f"{least:,}{'' if least == most else f' to {most:,}'} people per {what}"


def populations_text(curves: pd.DataFrame) -> str:
    """Return the population of the percentages of all grid cells, in words; follows "of".

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": ["2/2", "6/8"], "eligible": [1.0, 0.5],
    ...     "n_eligible": [600, 300], "n_targets": 100})
    >>> populations_text(frame[:1])
    'all 600 records (100 sampled)'
    >>> populations_text(frame[1:])
    'the 300 records with enough facts (50.0% of 600; 100 sampled)'
    >>> populations_text(frame)
    'the 300 to 600 records with enough facts (50.0% to 100.0% of 600; 100 sampled)'
    """
    who = "records" if "aux" in curves else "people"
    first = curves.iloc[0]
    n_all = round(float(first["n_eligible"]) / float(first["eligible"]))
    eligible, targets = (sorted(curves[name]) for name in ("n_eligible", "n_targets"))
    is_sampled = bool((curves["n_targets"] < curves["n_eligible"]).any())
    sampled = f"{_span(targets)} sampled" if is_sampled else ""
    if eligible[0] == n_all:
        return f"all {n_all:,} {who}{f' ({sampled})' if sampled else ''}"
    shares = [format_percent(n / n_all) for n in (eligible[0], eligible[-1])]
    share = f"{' to '.join(dict.fromkeys(shares))} of {n_all:,}"
    of_them = "; ".join(filter(None, [share, sampled]))
    return f"the {_span(eligible)} {who} with enough facts ({of_them})"


def _span(counts: list[int]) -> str:
    return " to ".join(dict.fromkeys(f"{int(n):,}" for n in (counts[0], counts[-1])))
