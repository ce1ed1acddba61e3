"""The first screen of a measurement of a release, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator

from sim.findings.measurement import measurement_findings
from sim.findings.of_run import findings_of
from sim.measurements.measurement import FACTS, Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.record.run_folder import RunFolder, study_of
from sim.report.chapter import Chapter
from sim.report.html_table import HtmlTable, frame_table
from sim.report.page.verdicts import comparison_chapters, stated_lines
from sim.report.screen import RUN, Screen, ScreenTable, minds_of
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence, sentences
from sim.report.terminal import WIDTH, screen_text
from sim.report.text_table import aligned

LINES, _MOST_ROWS = 20, 12
"""Lines of the screen, and rows of its table, at most."""


def measurement_screen(run: RunFolder) -> Screen:
    """Return the first screen of a measurement: its main facts, and what they come to."""
    findings = findings_of(run)
    minds, others = minds_of(findings)
    table = _main_table(run)
    n_rows, screen = len(table.rows), Screen("")
    for most in range(min(n_rows, _MOST_ROWS), 0, -1):
        screen = Screen(
            verdict=sentence(findings[0]),
            data=data_lines(run.record),
            heading=_heading(run, n_rows - most),
            table=_fitting(table, most),
            more=[*stated_lines(run)],
            minds=minds,
            n_others=others,
            commands=[("report", f"{RUN}/report.html"), ("repeat", f"standout repeat {RUN}")],
        )
        if len(screen_text(screen).splitlines()) <= LINES:
            break
    return screen


def _measurement(run: RunFolder) -> type[Measurement] | None:
    return MEASUREMENTS.get(study_of(run.config))


def _heading(run: RunFolder, left_out: int) -> str:
    cls = _measurement(run)
    what = cls.described() if cls else study_of(run.config).replace("_", " ")
    more = f" ({left_out:,} more rows in the report)" if left_out else ""
    return f"{what[:1].upper()}{what[1:]}{more}"


def _main_table(run: RunFolder) -> HtmlTable:
    """Return the facts of a measurement that matter most."""
    cls, facts = _measurement(run), run.tables[FACTS]
    if cls is None:
        return frame_table(facts, "")
    try:
        facts = cls.main_table(facts)
    except KeyError:  # a run of another version, whose facts have other columns
        return frame_table(facts, "")
    return frame_table(facts, "", heads=cls.heads)


def _fitting(table: HtmlTable, most: int) -> ScreenTable:
    """Return the first rows of a table, and as many columns from the left as fit."""
    heads = [column.head for column in table.columns]
    rows = [[cell.text for cell in row] for row in table.rows[:most]]
    numeric = [column.numeric for column in table.columns]
    left = numeric.index(True) if True in numeric else len(numeric)
    for n in range(len(heads), 1, -1):
        lines = aligned([heads[:n], *(row[:n] for row in rows)], left=min(left, n))
        if max(map(len, lines)) <= WIDTH:
            return ScreenTable(heads[:n], [row[:n] for row in rows], left=min(left, n))
    return ScreenTable(heads[:1], [row[:1] for row in rows])


def measurement_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below the first screen: other findings, all facts, the papers."""
    below = sentences(measurement_findings(run)[1:])
    if below:
        yield Chapter("What was found", items=below)
    cls, facts = _measurement(run), run.tables[FACTS]
    table = frame_table(facts, cls.facts if cls else "", heads=cls.heads if cls else None)
    yield Chapter("All facts", table=table)
    yield from comparison_chapters(run)
