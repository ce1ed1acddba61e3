"""The first screen of a single run: what it found, its table, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence

from sim.findings.of_run import findings_of
from sim.record.run_folder import RunFolder
from sim.report.commands import again
from sim.report.page.verdicts import stated_lines
from sim.report.screen import LINES_OF_ONE, Screen, minds_of
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence
from sim.report.table import Table


def single_screen(run: RunFolder, table: Table, pictures: Sequence[tuple[str, str]] = ()) -> Screen:
    """Return the screen of an attack or a measurement around its table.

    Parameters
    ----------
    pictures : sequence of (str, str)
        What stands below the commands: a word, and a path.
    """
    findings = findings_of(run)
    minds, others = minds_of(findings)
    return Screen(
        verdict=sentence(findings[0]),
        data=data_lines(run.record),
        table=table,
        more=[*stated_lines(run)],
        minds=minds,
        n_others=others,
        commands=[*again(), *pictures],
        lines=LINES_OF_ONE,
    )
