"""Grid cells by identity: what an attacker knows there, as settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.axes.aux import AuxAxis
from sim.axes.axis import config_text, tidy
from sim.axes.present import PresentAxis
from sim.axes.registry import words_of
from sim.metrics.curves import axis_columns
from sim.numeric.text import is_null
from sim.record.run_folder import RunFolder
from sim.study.labels import has_effect, is_informative, level_phrase, level_text

Row = Mapping[Any, Any]


def is_read(axis: str, attack: str) -> bool:
    """Whether an attack reads the part of a fact that an axis is about.

    Examples
    --------
    >>> is_read("date_noise", "tf_idf"), is_read("date_noise", "bayes"), is_read("aux", "tf_idf")
    (False, True, True)
    """
    part = words_of(axis).part
    return not part or part in attack_class(attack).reads


def read_axes(run: RunFolder) -> list[str]:
    """Return the axes of a run's grid that its attack reads and that vary; the facts always."""
    attack, curves = str(run.config["attack"]["name"]), run.tables["curves"]
    varying = {*varying_axes(curves), AuxAxis.name}
    return [a for a in axis_columns(curves) if a in varying and is_read(a, attack)]


def varying_axes(curves: pd.DataFrame) -> list[str]:
    """Return the axes with more than one level."""
    return [a for a in axis_columns(curves) if curves[a].map(level_text).nunique() > 1]


def levels_text(cell: Row, axes: Iterable[str]) -> str:
    """Return the levels of a cell that have an effect, as settings.

    Examples
    --------
    >>> cell = {"aux": "6/8", "date_noise": None, "decoys": 0}
    >>> levels_text(cell, cell)
    'aux=6/8; date_noise=null'
    """
    return "; ".join(
        f"{axis}={config_text(None if is_null(cell[axis]) else tidy(cell[axis]))}"
        for axis in axes
        if is_mentioned(axis, cell)
    )


def is_mentioned(axis: str, cell: Row) -> bool:
    """Whether the level of an axis has an effect in a cell and limits what is known there."""
    level = cell[axis]
    limits = axis == PresentAxis.name or bool(level_phrase(axis, level))
    return is_informative(axis, level) and has_effect(axis, cell) and limits


def levels_of(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the axes and levels of `levels_text`.

    Examples
    --------
    >>> [*levels_of("aux=6/8; date_noise=null")]
    [('aux', '6/8'), ('date_noise', None)]
    """
    for one in filter(None, text.split("; ")):
        axis, _, level = one.partition("=")
        yield axis, None if level == "null" else level
