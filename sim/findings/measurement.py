"""What a measurement of a release found, and what a suite concludes from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pandas as pd

from sim.errors import ConfigError
from sim.extend.plugins import foreign_code, qualified_name
from sim.findings.finding import Finding, Kind
from sim.measurements.measurement import FACTS, Measurement, numbers_of
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder, study_of

PLUGIN = "plugin:"
"""What the kind of a plug-in's finding begins with."""

FIRST_MEASURE = Kind("first_measure", "a number of a measurement that states no findings")
_MOST = 4
"""Measures that are found of a measurement that states no findings."""

CLOSEST = Kind("interpretation_closest", "what of a paper's text comes closest to its numbers")
SUREST = Kind("interpretation_surest", "the same, for a figure of which no number is stated")


def measurement_findings(run: RunFolder) -> list[Finding]:
    """Return what a measurement found, the main finding first.

    Raises
    ------
    ConfigError
        The class of a plug-in fails, or returns something else.
    """
    facts = run.tables[FACTS]
    measurement = MEASUREMENTS.get(study_of(run.config))
    found: list[Finding] = []
    if measurement is not None:
        with suppress(KeyError):  # a run of another version, whose facts have other columns
            found = _stated(measurement, facts, run.config["study"])
    return found or [*_first_measures(facts)]


def _stated(
    measurement: type[Measurement], facts: pd.DataFrame, study: Mapping[str, Any]
) -> list[Finding]:
    """Return the findings of a measurement; name the class of another's that fails."""
    if foreign_code(measurement) is None:
        return [*measurement.findings(facts, study)]
    who = f"{qualified_name(measurement)}: findings"
    try:
        found = measurement.findings(facts, study)
        stated = [*found] if isinstance(found, Iterable) else [found]
    except KeyError:
        raise
    except Exception as error:
        raise ConfigError(f"{who}: {type(error).__name__}: {error}") from error
    known = {kind.name for kind in measurement.kinds if kind.name.startswith(PLUGIN)}
    for one in stated:
        if not isinstance(one, Finding):
            raise ConfigError(f"{who}: {one!r}: expected a finding")
        if one.kind not in known:
            raise ConfigError(f"{who}: {one.kind!r}: expected one of its kinds, named {PLUGIN}NAME")
        if not {"label", "value"} <= one.numbers.keys():
            raise ConfigError(f"{who}: {one.kind}: expected a label and a value")
    return stated


def _first_measures(facts: pd.DataFrame) -> Iterator[Finding]:
    row = row_dicts(facts)[0]
    numbers = {
        name: value
        for name, value in row.items()
        if isinstance(value, (int, float))
        and not name.endswith(("_low", "_high"))
        and pd.notna(value)
    }
    for name, value in [*numbers.items()][:_MOST]:
        yield FIRST_MEASURE.found(f"column:{name}", value=value)


def conclusion_findings(run: RunFolder) -> list[Finding]:
    """Return what a suite concludes from all of its parts, the main one first; often nothing."""
    facts = run.tables[FACTS] if FACTS in run.tables else pd.DataFrame()
    if "closest_interpretation" not in facts:
        return []
    *first, last = map(_conclusion, row_dicts(facts))
    return [last, *first]


def _conclusion(row: Mapping[str, Any]) -> Finding:
    kind = SUREST if pd.isna(row["agreeing"]) else CLOSEST
    columns = ("figure", "closest_interpretation", "miss", "interpretations", "agreeing")
    return kind.with_numbers(f"figure:{row['figure']}", numbers_of(row, *columns))
