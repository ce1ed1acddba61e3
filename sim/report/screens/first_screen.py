"""What the first screens of all kinds of runs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sim.findings.of_run import findings_of
from sim.record.run_folder import RunFolder
from sim.report.commands import again
from sim.report.page.verdicts import stated_lines
from sim.report.screen import LINES_OF_ONE, Screen, minds_of
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence
from sim.report.table import Table


def first_screen(
    run: RunFolder,
    table: Table,
    more: Sequence[str] = (),
    commands: Sequence[tuple[str, str]] = (),
    record: Mapping[str, Any] | None = None,
) -> Screen:
    """Return the first finding of a run, its table, the warnings among the others, and commands.

    Parameters
    ----------
    record : dict, optional
        Of the run that attacked the release, if it is another.
    """
    first, *others = findings_of(run)
    minds, n_others = minds_of(others)
    data = data_lines(run.record if record is None else record)
    return Screen(sentence(first), data, table, more, minds, n_others, commands)


def single_screen(run: RunFolder, table: Table, pictures: Sequence[tuple[str, str]] = ()) -> Screen:
    """Return the screen of an attack or a measurement; pictures stand below the commands."""
    screen = first_screen(run, table, [*stated_lines(run)], [*again(), *pictures])
    return replace(screen, lines=LINES_OF_ONE)
