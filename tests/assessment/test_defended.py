"""Audits of releases that were changed first: what attackers do not know is not tested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from auditing import audited, table_of

RECORDS = [[(r * 7 + k * k) % 23 for k in range(6)] for r in range(40)]


@pytest.mark.parametrize(
    ("chain", "verdict"),
    [
        ({"defence": ["cut_pseudonyms"], "defence.cut_pseudonyms.window": "30d"}, "not tested"),
        ({"defence": ["hide_items"]}, None),
    ],
)
def test_what_attackers_do_not_know_is_not_tested(
    tmp_path: Path, chain: dict[str, Any], verdict: str | None
) -> None:
    frame = table_of(RECORDS, date=lambda who, item: 18_000 + 3 * who + item)
    result = audited(
        frame, tmp_path / "audit", attackers=["acquaintance"], max_risk=1.0, options=chain
    )
    assert result.assessment is not None
    rows = result.assessment["criteria"]["singling_out"]
    assert rows
    for row in rows:
        if verdict is not None:
            assert row["verdict"] == verdict
            assert "does not know what cut_pseudonyms changed" in json.dumps(row)
        else:
            assert "does not know" not in json.dumps(row)
