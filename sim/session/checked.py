"""What a check of a run against a bound has found: verdicts, and the numbers they rest on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sim.findings.finding import Finding, each_once
from sim.findings.risk_rows import SINGLING_OUT, RiskRow
from sim.findings.verdicts import NOT_TESTED, WITHIN
from sim.record.run_folder import RunFolder
from sim.report.check_text import check_text, reason_text
from sim.report.json_files import plain_json

FORMAT = 2
"""Version of the layout of the JSON."""


@dataclass(frozen=True, slots=True)
class RunData:
    """The data that a run attacked, so that a verdict cannot be taken for one on others.

    Parameters
    ----------
    source : str
        What they were read from, as the report names it.
    fingerprint : str
        Of the release: equal for the same records, items, values and times.
    """

    source: str
    fingerprint: str


def data_of(run: RunFolder) -> RunData:
    """Return the data of a run, by its record."""
    return RunData(str(run.record["release"]["source"]), str(run.record["release_fingerprint"]))


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one run.

    Parameters
    ----------
    bound, measure
        What was checked.
    rows : tuple of RiskRow
        Those asked for; empty where a plan offers no release.
    data : RunData
        What was attacked.
    findings : tuple of Finding
        On what the verdicts rest, and what they leave open.
    not_judged : tuple of str
        Attackers whom ``attackers=`` leaves out.
    compared_with : str or None
        The file that what was attacked was compared with, as it was given; None: none was.
    """

    folder: Path
    bound: float
    measure: str
    rows: tuple[RiskRow, ...]
    data: RunData
    findings: tuple[Finding, ...] = ()
    not_judged: tuple[str, ...] = ()
    compared_with: str | None = None

    @property
    def passed(self) -> bool:
        """Whether all that was asked for was tested, and is within the bound."""
        return bool(self.rows) and all(row.verdict == WITHIN for row in self.rows)

    def with_findings(self, *findings: Finding) -> Checked:
        """Return it with further findings, each once."""
        return replace(self, findings=tuple(each_once((*self.findings, *findings))))

    def failed_by(self, attacker: str, finding: Finding) -> Checked:
        """Return it with a row for an attacker that audits do not have, so that it fails."""
        row = RiskRow(
            criterion=SINGLING_OUT, attacker=attacker, known={}, measure=self.measure,
            bound=self.bound, verdict=NOT_TESTED, reason=finding,
        )  # fmt: skip
        return replace(self, rows=(*self.rows, row)).with_findings(finding)

    def __str__(self) -> str:
        return check_text(self.rows, self.findings, self.data.source)


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """The outcome of `sim.check`: true if every run is within the bound, else false.

    Parameters
    ----------
    runs : tuple of Checked
        The run; or those of the jobs of a sweep, in their order.
    """

    runs: tuple[Checked, ...]

    @property
    def passed(self) -> bool:
        """Whether all that was asked for was tested, and is within the bound."""
        return all(one.passed for one in self.runs)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """How ``standout check`` ends: 0 if it passed, else 1."""
        return 0 if self.passed else 1

    @property
    def reasons(self) -> list[str]:
        """Why it did not pass, a line for each run and verdict; empty if it did."""
        return [
            line
            for one in self.runs
            if not one.passed
            for line in (
                [reason_text(row) for row in one.rows if row.verdict != WITHIN]
                or str(one).splitlines()[-1:]
            )
        ]

    def to_dict(self) -> Mapping[str, Any]:
        """Return what ``standout check RUN_FOLDER format=json`` prints, as JSON values."""
        runs = [
            {
                "folder": str(one.folder),
                "data": asdict(one.data),
                "compared_with": one.compared_with,
                "passed": one.passed,
                "bound": one.bound,
                "measure": one.measure,
                "rows": [plain_json(row.as_json()) for row in one.rows],
                "findings": [plain_json(each.as_json()) for each in one.findings],
                "not_judged": list(one.not_judged),
            }
            for one in self.runs
        ]
        return {"format": FORMAT, "passed": self.passed, "reasons": self.reasons, "runs": runs}

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        return "\n".join(map(str, self.runs))

    def __repr__(self) -> str:
        return str(self)
