"""Aggregate the runs of a suite: one file per comparison, each with a function `aggregate`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from sim.errors import ConfigError
from sim.measurements.measurement import Tables
from sim.numeric.text import expected_among
from sim.papers.aggregate.part import Part

AGGREGATES = ("attacks", "by_mentions", "decoys", "dropped", "interpretations", "theory")
"""Files of this folder."""


def aggregate(name: str, parts: Sequence[Part]) -> Tables:
    """Compute the tables of all parts of a suite together.

    Parameters
    ----------
    name : str
        One of `AGGREGATES`.
    parts : sequence of Part
        The runs that the release allowed, in the order of the suite.

    Raises
    ------
    ConfigError
        There is no such comparison.

    Examples
    --------
    >>> aggregate("sums", [])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sim.errors.ConfigError: aggregate: 'sums': expected one of attacks, ...
    """
    if name not in AGGREGATES:
        raise ConfigError(f"aggregate: {name!r}: {expected_among(name, AGGREGATES)}")
    tables: Tables = importlib.import_module(f"sim.papers.aggregate.{name}").aggregate(parts)
    return tables
