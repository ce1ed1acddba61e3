"""Audits for tests: small tables, run without pictures unless these are tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import sim
from sim.session.result import Result

Audit = Callable[..., Result]


def table_of(records: Sequence[Sequence[int]], **columns: Any) -> pd.DataFrame:
    """A row per item of each record; further columns by a function of record and item."""
    rows = [
        {"who": who, "what": item, **{name: of(who, item) for name, of in columns.items()}}
        for who, items in enumerate(records)
        for item in items
    ]
    return pd.DataFrame(rows)


def audited(frame: pd.DataFrame, folder: Path, **given: Any) -> Result:
    """Audit a table in memory."""
    columns = {name: name for name in ("value", "date") if name in frame}
    if "date" in frame:
        columns["date_unit"] = "days"
    cache = str(folder.parent / "cache")
    release = sim.table(frame, user="who", item="what", cache=cache, **columns)
    return sim.audit(release, folder=folder, **given)
