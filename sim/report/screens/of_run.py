"""Which screen a run has, and which chapters stand below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.findings.assessment import attacking, is_audit, is_plan
from sim.findings.chains import is_frontier
from sim.record.run_folder import RunFolder
from sim.report.screen import Screen
from sim.report.screens.audit import audit_details, audit_screen
from sim.report.screens.change_details import change_details
from sim.report.screens.frontier import frontier_details, frontier_screen
from sim.report.screens.grid import grid_details, grid_screen
from sim.report.screens.measurement import measurement_details, measurement_screen
from sim.report.screens.plan import plan_details, plan_screen
from sim.report.screens.reading_details import reading_details
from sim.report.screens.suite import suite_details, suite_screen
from sim.report.table import Chapter

ToScreen = Callable[[RunFolder], Screen]
ToDetails = Callable[[RunFolder], Iterator[Chapter]]


def screen_of(run: RunFolder) -> Screen:
    """Return the first screen of a run, made once."""
    key = screen_of
    if key not in run.worked_out:
        run.worked_out[key] = _of(run)[0](run)
    found: Screen = run.worked_out[key]
    return found


def details_of(run: RunFolder) -> list[Chapter]:
    """Return the chapters below it: of its kind, on how the data were changed and read."""
    minds, record = screen_of(run).minds, (attacking(run) if is_audit(run) else run).record
    return [
        *_of(run)[1](run),
        *change_details(record, run.tables, minds),
        *reading_details(record, minds),
    ]


def _of(run: RunFolder) -> tuple[ToScreen, ToDetails]:
    if is_audit(run):
        return audit_screen, audit_details
    if is_plan(run):
        return plan_screen, plan_details
    if is_frontier(run):
        return frontier_screen, frontier_details
    if run.kind == "attack":
        return grid_screen, grid_details
    if run.kind == "measurement":
        return measurement_screen, measurement_details
    return (lambda one: suite_screen(one, screen_of)), suite_details
