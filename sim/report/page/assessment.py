"""Writes the assessment of an audit: ``assessment.json`` and ``assessment.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim.assessment.assessment import CRITERIA, Assessment, conclusion_of, is_plan
from sim.assessment.names import row_name
from sim.assessment.rows import Row
from sim.assessment.verdicts import NOT_TESTED, Verdict
from sim.files.disk import atomic_write
from sim.numeric.text import visible
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import plan_of
from sim.release.store.accounts import IN_ROWS, Accounts
from sim.report.html_table import HtmlTable
from sim.report.words.assessment import (
    MEASURED,
    Chapter,
    attacked,
    data_sentences,
    knows,
    lead_sentences,
    left_out,
    not_tested,
)
from sim.report.words.certificate import certificate
from sim.report.words.defences import changed_first
from sim.report.words.left_out import adapted
from sim.report.words.plain.data import remarks_of
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import ANSWER
from sim.report.words.plan import plan_sentences
from sim.report.words.reading_losses import as_read
from sim.report.words.reproduce import command_of

JSON, MARKDOWN = "assessment.json", "assessment.md"

FORMAT = 1
"""Version of the layout of `JSON`."""


def write_assessment(folder: Path) -> None:
    """Write both files of a finished audit, or of a plan, into its folder."""
    run = open_folder(folder)
    found = conclusion_of(run)
    text = json.dumps(_described(run, found), indent=1, ensure_ascii=False) + "\n"
    for name, content in ((JSON, text), (MARKDOWN, markdown(run, found))):
        with atomic_write(folder / name, flush=False) as partial:
            partial.write_text(visible(content), encoding="utf-8")


def assessment_of(run: RunFolder) -> dict[str, Any]:
    """Return the assessment of an audit, or of a plan and what it offers, as JSON values.

    Raises
    ------
    InputError
        The run is neither.
    """
    return _described(run, conclusion_of(run))


def _described(run: RunFolder, found: Assessment | None) -> dict[str, Any]:
    values = {} if found is None else described(found)
    if not is_plan(run):
        return values
    plan = {"summary": list(plan_sentences(run)), **plan_of(run.record)}
    return {"format": FORMAT, "plan": plan, **values}


def described(found: Assessment) -> dict[str, Any]:
    """Return an assessment as JSON values; probabilities are from 0 to 1.

    Returns
    -------
    dict
        As ``sim/guide/files.md`` describes it.
    """
    record = attacked(found)
    release, rows = record["release"], Accounts.of(as_read(record))
    verdicts = zip(found.rows, found.verdicts, strict=True)
    gone = [one for one in found.missing if one.name in found.attackers]
    return {
        "format": FORMAT,
        "summary": list(lead_sentences(found)),
        "context": found.run.config["audit"]["context"],
        "bound": {
            "max_risk": found.bound,
            "measure": found.measure,
            "meaning": MEASURED[found.measure],
        },
        "confidence": found.confidence,
        "data": {
            "source": release.get("source"),
            **{key: release.get(f"n_{key}") for key in ("records", "items", "cells", "repeats")},
            "rows": {key: getattr(rows, key) for key in IN_ROWS},
            "sentences": list(data_sentences(record)),
        },
        "criteria": {
            "singling_out": [
                *(_row(found, row, verdict) for row, verdict in verdicts),
                *(
                    {"attacker": one.name, "verdict": NOT_TESTED, "reason": one.reason}
                    for one in gone
                ),
            ],
            **dict.fromkeys(CRITERIA[1:], NOT_TESTED),
        },
        "facts_until_found": _facts(found),
        "not_tested": list(not_tested(found)),
        "left_out": list(left_out(found)),
        "repeat": command_of(found.run.record),
        "seed": record.get("seed"),
        "release_fingerprint": record.get("release_fingerprint"),
        "versions": record.get("versions"),
    }


def _row(found: Assessment, row: Row, verdict: Verdict) -> dict[str, Any]:
    plain = {key: value for key, value in asdict(row).items() if key != "cell"}
    return {
        **plain,
        "name": row_name(row),
        "knows": knows(found, row),
        "bound": found.bound,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
    }


def _facts(found: Assessment) -> list[Mapping[str, Any]] | None:
    if found.facts is None:
        return None
    text: str = found.facts.to_json(orient="records", double_precision=15)
    rows: list[Mapping[str, Any]] = json.loads(text)
    return rows


def markdown(run: RunFolder, found: Assessment | None) -> str:
    """Return the assessment of an audit or a plan as Markdown.

    Parameters
    ----------
    found : Assessment or None
        From `sim.assessment.assessment.conclusion_of`.
    """
    source = str(run.record["release"].get("source", ""))
    blocks = [f"# Assessment of {_plain(source)}"]
    first = first_page(run)
    if first is not None:
        read = remarks_of(run.record)
        kept = (*changed_first(run.record), *adapted(run.record))
        answer = [*first.answer, first.data, *read, *kept]
        for chapter in (Chapter(ANSWER, answer), *first.chapters):
            blocks += _chapter(chapter)
        blocks.append("# In detail")
    for chapter in certificate(run, found):
        blocks += _chapter(chapter)
    return "\n\n".join(blocks) + "\n"


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {chapter.title}"
    yield from (f"{'> ' * chapter.is_quote}{_plain(one)}" for one in chapter.sentences)
    if chapter.items:
        yield "\n".join(f"- {_plain(item)}" for item in chapter.items)
    if chapter.table is not None:
        yield _table(chapter.table)
    for command in chapter.commands:
        yield f"```sh\n{command}\n```"


def _table(given: HtmlTable) -> str:
    heads = [column.head for column in given.columns]
    lines = [heads, ["---"] * len(heads), *([cell.text for cell in row] for row in given.rows)]
    table = "\n".join(f"| {' | '.join(_plain(cell) for cell in line)} |" for line in lines)
    return f"{table}\n\n{given.note}" if given.note else table


_OURS = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "\\<", "`": "\\`", "\n": " "})


def _plain(text: str) -> str:
    """Escape what would be markup: names of files and identifiers may hold anything."""
    return text.translate(_OURS)
