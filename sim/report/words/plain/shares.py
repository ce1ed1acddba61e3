"""Shares of people as counts with their percentages; follows a verb such as "finds"."""

from __future__ import annotations

from sim.assessment.rows import Estimate
from sim.numeric.text import format_count, format_estimate, format_percent


def people_found(given: Estimate, of: int, who: str = "people", which: str = "") -> str:
    """Format a share of people as a count, its whole, the percentage and the interval.

    Parameters
    ----------
    of : int
        The denominator.
    which : str
        What the people of the denominator are, to follow `who`.

    Examples
    --------
    >>> people_found(Estimate(0.25, 0.2, 0.31, 0.31), 400, which="attacked")
    '100 of the 400 people attacked (25.0%; 95% interval 20.0%–31.0%)'
    """
    row = {"x": given.estimate, "x_low": given.low, "x_high": given.high}
    text = format_estimate(row, "x", share=True)
    share, _, interval = text.partition(" [")
    whole = " ".join(word for word in (f"{of:,}", who, which) if word)
    ends = f"; 95% interval {interval[:-1]}" if interval else ""
    return f"{format_count(given.estimate * of, of)} of the {whole} ({share}{ends})"


def brief_count(given: Estimate, of: int) -> str:
    """Format the same without the interval.

    Examples
    --------
    >>> brief_count(Estimate(0.25, 0.2, 0.31, 0.31), 400)
    '100 of 400 (25.0%)'
    """
    count = format_count(given.estimate * of, of)
    return f"{count} of {of:,} ({format_percent(given.estimate)})"
