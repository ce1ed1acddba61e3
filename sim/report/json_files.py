"""What a run found, for programs: ``findings.json`` and ``assessment.json``.

Invariant: each is a function of the tables and the record of a run, without times, machines and
processes, so the same study has the same bytes; the schemas lie beside the guide.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.files.disk import atomic_write
from sim.findings.assessment import Assessment, attacking, conclusion_of, is_plan
from sim.findings.of_run import findings_of
from sim.findings.risk_rows import risk_rows
from sim.numeric.text import visible
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import plan_of
from sim.release.store.accounts import IN_ROWS, Accounts
from sim.report.markdown import chapters_markdown, plain, screen_markdown
from sim.report.screens.assessment import assessment_chapters
from sim.report.screens.data import source_name
from sim.report.screens.of_run import screen_of

FINDINGS, ASSESSMENT, ASSESSMENT_TEXT = "findings.json", "assessment.json", "assessment.md"

FINDINGS_FORMAT, ASSESSMENT_FORMAT = 1, 2
"""Versions of the layouts."""


def write_findings(folder: Path) -> None:
    """Write what a run found, whose tables are written into its folder."""
    write_json(folder / FINDINGS, findings_json(open_folder(folder)))


def write_assessment(folder: Path) -> None:
    """Write the assessment of a finished audit, or of a plan, as JSON and as Markdown."""
    run = open_folder(folder)
    write_json(folder / ASSESSMENT, assessment_json(run))
    text = "\n\n".join(
        [
            f"# Assessment of {plain(source_name(run.record))}",
            screen_markdown(screen_of(run)),
            chapters_markdown(assessment_chapters(run)),
        ]
    )
    _write(folder / ASSESSMENT_TEXT, f"{text}\n")


def findings_json(run: RunFolder) -> dict[str, Any]:
    """Return the findings of a run as JSON values."""
    findings = [plain_json(one.as_json()) for one in findings_of(run)]
    return {"format": FINDINGS_FORMAT, "findings": findings}


def assessment_json(run: RunFolder) -> dict[str, Any]:
    """Return the assessment of an audit, or of what a plan offers, as JSON values.

    Raises
    ------
    InputError
        The run is neither.
    """
    found = conclusion_of(run)
    plan = {"plan": plan_of(run.record)} if is_plan(run) else {}
    values = plain_json(
        {"format": ASSESSMENT_FORMAT, **plan, **({} if found is None else _assessed(found))}
    )
    assert isinstance(values, dict)
    return values


def _assessed(found: Assessment) -> dict[str, Any]:
    record = attacking(found.run).record
    return {
        "context": found.run.config["audit"]["context"],
        "bound": found.bound,
        "measure": found.measure,
        "confidence": found.confidence,
        "data": data_json(record),
        "rows": [row.as_json() for row in risk_rows(found)],
        "facts_until_found": None if found.facts is None else found.facts.to_dict("records"),
        "overrides": list(found.run.record.get("overrides") or ()),
        "seed": record.get("seed"),
        "versions": record.get("versions"),
    }


def data_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sizes of the release that was attacked, and what became of all rows read."""
    release = record["release"]
    rows = Accounts.of(record.get("read") or release)
    return {
        "source": release.get("source"),
        **{key: release.get(f"n_{key}") for key in ("records", "items", "cells", "repeats")},
        "rows": {key: getattr(rows, key) for key in IN_ROWS},
        "fingerprint": record.get("release_fingerprint"),
    }


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write JSON values, in whole or not at all."""
    _write(path, json.dumps(values, indent=1, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    with atomic_write(path, flush=False) as partial:
        partial.write_text(visible(text), encoding="utf-8")


def plain_json(value: Any) -> Any:
    """Return JSON values: null for what is no number, and for what a table lacks.

    Examples
    --------
    >>> plain_json({"a": float("nan"), "b": (1, pd.NA)})
    {'a': None, 'b': [1, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(one) for one in value]
    if hasattr(value, "tolist"):  # of numpy
        return plain_json(value.tolist())
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None if pd.isna(value) else str(value)
