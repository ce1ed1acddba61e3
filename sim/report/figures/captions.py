"""Parts of captions."""

from __future__ import annotations

from collections.abc import Sequence

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
