"""The first screen of a measurement of a release, and the chapters below it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from sim.findings.measurement import measurement_findings
from sim.measurements.measurement import FACTS, Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.record.run_folder import RunFolder, study_of
from sim.report.frame_tables import frame_table
from sim.report.page.verdicts import comparison_chapters
from sim.report.screen import Screen
from sim.report.screens.first_screen import single_screen
from sim.report.sentences import sentences
from sim.report.table import Chapter, Table

_MOST_ROWS = 12


def measurement_screen(run: RunFolder) -> Screen:
    """Return the first screen of a measurement: its main facts, and what they come to."""
    return single_screen(run, _main_table(run))


def _measurement(run: RunFolder) -> type[Measurement] | None:
    return MEASUREMENTS.get(study_of(run.config))


def _main_table(run: RunFolder) -> Table:
    """Return the facts of a measurement that matter most."""
    cls, facts = _measurement(run), run.tables[FACTS]
    what = cls.described() if cls else study_of(run.config).replace("_", " ")
    try:
        main = facts if cls is None else cls.main_table(facts)
    except KeyError:  # a run of another version, whose facts have other columns
        main = facts
    table = frame_table(main, f"{what[:1].upper()}{what[1:]}", cls.heads if cls else None)
    rows = table.rows[:_MOST_ROWS]
    return dataclasses.replace(table, rows=rows, n_others=len(table.rows) - len(rows))


def measurement_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below the first screen: other findings, all facts, the papers."""
    below = sentences(measurement_findings(run)[1:])
    if below:
        yield Chapter("What was found", items=below)
    cls, facts = _measurement(run), run.tables[FACTS]
    table = frame_table(facts, cls.facts if cls else "", cls.heads if cls else None)
    yield Chapter("All facts", table=table)
    yield from comparison_chapters(run)
