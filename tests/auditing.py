"""Audits for tests: small tables, run without pictures unless these are tested."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sim
from sim.findings.assessment import assess, audit_of
from sim.findings.verdicts import NOT_TESTED
from sim.record.run_folder import open_folder
from sim.session import suite
from sim.session.result import Result

Audit = Callable[..., Result]

RECORDS = [
    *((1, 2, 3), (1, 2, 3), (1, 2, 4), (1, 2, 4, 5), (2, 3), (2, 3)),
    *((6, 7), (6, 7, 8), (1, 6, 7), (9,), (1, 2), (1, 2, 3, 4)),
]
CONFIDENCE = 0.4

TESTED = "attackers=insider"
"""Those of an audit of `run` of whom the Bayes-optimal attacker has a model."""


def table_of(records: Sequence[Sequence[int]], **columns: Any) -> pd.DataFrame:
    """A row per item of each record; further columns by a function of record and item."""
    rows = [
        {"who": who, "what": item, **{name: of(who, item) for name, of in columns.items()}}
        for who, items in enumerate(records)
        for item in items
    ]
    return pd.DataFrame(rows)


def in_memory(frame: pd.DataFrame, folder: Path) -> sim.Release:
    """The release of a table in memory, for a run in a folder."""
    columns = {name: name for name in ("value", "date") if name in frame}
    if "date" in frame:
        columns["date_unit"] = "days"
    cache = str(folder.parent / "cache")
    return sim.table(frame, user="who", item="what", cache=cache, **columns)


def audited(frame: pd.DataFrame, folder: Path, **given: Any) -> Result:
    """Audit a table in memory."""
    return sim.audit(in_memory(frame, folder), folder=folder, **given)


@contextlib.contextmanager
def without_pictures() -> Iterator[None]:
    """Leave out figures and pages, which take most of the time of a small run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "draw_run", lambda folder: [])
        patch.setattr(suite, "write_report", lambda folder: folder)
        yield


def judged(result: Result) -> list[dict[str, Any]]:
    """The rows of an audit in full, with their verdicts; attackers that were not run last."""
    audit = audit_of(open_folder(Path(result.folder)))
    assert audit is not None
    found = assess(audit)
    return [
        *(
            {**asdict(row), "bound": found.bound, **asdict(verdict)}
            for row, verdict in zip(found.rows, found.verdicts, strict=True)
        ),
        *(
            {"attacker": name, "verdict": NOT_TESTED, "reason": asdict(reason)}
            for name, reason in found.missing.items()
        ),
    ]


def posteriors(facts: dict[int, set[int]], absent: bool) -> dict[int, dict[int, float]]:
    """Of each target, every record's posterior: 1 / C(length, 2) if it holds both facts."""
    found = {}
    for target, items in facts.items():
        weights = {
            who: 1 / math.comb(len(record), 2)
            for who, record in enumerate(RECORDS)
            if items <= set(record) and not (absent and who == target)
        }
        whole = math.fsum(weights.values())
        found[target] = {who: weight / whole for who, weight in weights.items()}
    return found


def named(posterior: dict[int, float]) -> int | None:
    """The one record with the highest posterior, if that is enough."""
    top = max(posterior.values(), default=0.0)
    best = [who for who, p in posterior.items() if math.isclose(p, top)]
    return best[0] if len(best) == 1 and top >= CONFIDENCE else None
