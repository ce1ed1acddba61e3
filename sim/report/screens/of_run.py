"""Which screen a run has, and which chapters stand below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.assessment.assessment import is_audit, is_plan
from sim.assessment.frontier import is_frontier
from sim.record.run_folder import RunFolder
from sim.report.chapter import Chapter
from sim.report.screen import Screen
from sim.report.screens.audit import audit_details, audit_screen
from sim.report.screens.frontier import frontier_details, frontier_screen
from sim.report.screens.grid import grid_details, grid_screen
from sim.report.screens.measurement import measurement_details, measurement_screen
from sim.report.screens.plan import plan_details, plan_screen
from sim.report.screens.suite import suite_details, suite_screen

ToScreen = Callable[[RunFolder], Screen]
ToDetails = Callable[[RunFolder], Iterator[Chapter]]


def screen_of(run: RunFolder) -> Screen:
    """Return the first screen of a run."""
    try:
        return _of(run)[0](run)
    except NotImplementedError:
        return Screen("")


def details_of(run: RunFolder) -> list[Chapter]:
    """Return the chapters below it."""
    return [*_of(run)[1](run)]


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
    return (lambda one: suite_screen(one, screen_of)), (lambda one: suite_details(one, details_of))
