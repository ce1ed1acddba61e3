"""The main results of a measurement, in sentences.

Invariant: a measurement without sentences of its own is summarised by its first measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pandas as pd

from sim.errors import ConfigError
from sim.extend.plugins import foreign_code, qualified_name
from sim.measurements.measurement import FACTS, Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_number
from sim.record.run_folder import RunFolder, study_of


def summary_of(run: RunFolder) -> tuple[str, tuple[str, ...]]:
    """Return the main result of a measurement in a sentence, and further sentences."""
    facts = run.tables[FACTS]
    measurement = MEASUREMENTS.get(study_of(run.config))
    sentences: Sequence[str] = ()
    if measurement is not None:
        with suppress(KeyError):  # a run of another version, whose facts have other columns
            sentences = _said(measurement, facts, run.config["study"])
    lead, *more = sentences or [_first_measures(facts)]
    return lead, tuple(more)


def _said(
    measurement: type[Measurement], facts: pd.DataFrame, study: Mapping[str, Any]
) -> Sequence[str]:
    """Return the sentences of a measurement; name the class of another's that fails."""
    who = f"{qualified_name(measurement)}: summarise"
    try:
        said = measurement.summarise(facts, study)
    except KeyError:
        raise
    except Exception as error:
        if foreign_code(measurement) is None:
            raise
        raise ConfigError(f"{who}: {type(error).__name__}: {error}") from error
    if isinstance(said, str) or not all(isinstance(one, str) for one in said):
        raise ConfigError(f"{who}: {said!r}: expected a list of sentences")
    return said


def _first_measures(facts: pd.DataFrame) -> str:
    row: Mapping[Any, Any] = row_dicts(facts)[0]
    ends = ("_low", "_high")
    numbers = {
        str(name): value
        for name, value in row.items()
        if isinstance(value, (int, float)) and not str(name).endswith(ends) and pd.notna(value)
    }
    measures = [f"{k.replace('_', ' ')} {format_number(v)}" for k, v in numbers.items()]
    return "; ".join(measures[:4]) + "."
