"""What is made of several runs together: one file per comparison, each with a function `join`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from sim.errors import ConfigError
from sim.measurements.measurement import Tables
from sim.papers.joint.part import Part

JOINTS = ("attacks", "by_mentions", "decoys", "dropped", "readings", "theory")
"""Files of this folder."""


def joined(name: str, parts: Sequence[Part]) -> Tables:
    """Make the tables of several runs together.

    Parameters
    ----------
    name : str
        One of `JOINTS`.
    parts : sequence of Part
        The runs that the release allowed, in the order of the suite.

    Raises
    ------
    ConfigError
        There is no such comparison.

    Examples
    --------
    >>> joined("sums", [])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sim.errors.ConfigError: joint: 'sums': expected one of attacks, ...
    """
    if name not in JOINTS:
        raise ConfigError(f"joint: {name!r}: expected one of {', '.join(JOINTS)}")
    tables: Tables = importlib.import_module(f"sim.papers.joint.{name}").join(parts)
    return tables
