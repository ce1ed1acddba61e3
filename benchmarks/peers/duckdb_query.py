"""The best guess in SQL, on DuckDB and all its threads; the table is in memory, sorted by item."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from benchmarks.peers.question import D0, RHO0, Answers, Formulations, Question

_SCORE = (
    f"sum(f.weight * (exp(-abs(c.value - f.value) / {RHO0}) + exp(-abs(c.day - f.day) / {D0})))"
)
_SUMMED_UP = "max(score, 2), arg_max(record, score), sum(score), sum(score * score)"

ONE_JOIN = f"""
    SELECT unit, {_SUMMED_UP} FROM (
        SELECT f.unit AS unit, c.record AS record, {_SCORE} AS score
        FROM cells c JOIN facts f USING (item) GROUP BY f.unit, c.record
    ) GROUP BY unit ORDER BY unit"""

ONE_KEY = f"""
    SELECT key // {{n}} AS unit, max(score, 2), arg_max(key % {{n}}, score), sum(score),
        sum(score * score)
    FROM (
        SELECT f.unit::BIGINT * {{n}} + c.record AS key, {_SCORE} AS score
        FROM cells c JOIN facts f USING (item) GROUP BY key
    ) GROUP BY unit ORDER BY unit"""

A_TARGET = f"""
    SELECT {{unit}}, {_SUMMED_UP} FROM (
        SELECT c.record AS record, {_SCORE} AS score
        FROM cells c JOIN (SELECT * FROM facts WHERE unit = {{unit}}) f USING (item)
        WHERE c.item IN ({{items}}) GROUP BY c.record
    )"""


def formulations(question: Question) -> Formulations:
    """Load the table; the queries that are worth a try."""
    base = duckdb.connect()
    for name, columns in (("cells", question.cells), ("facts", question.facts)):
        base.register("given", pa.table(columns))
        base.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        base.unregister("given")
    n = question.n_records

    def answers(rows: list[Any]) -> Answers:
        return Answers.of([(*best, record, s, ss) for _, best, record, s, ss in rows], n)

    def a_target() -> Answers:
        rows = []
        for unit in range(question.n_units):
            items = ", ".join(str(i) for i in question.of_unit(unit)["item"].tolist())
            rows += base.execute(A_TARGET.format(unit=unit, items=items)).fetchall()
        return answers(rows)

    return {
        "one join of all targets": lambda: answers(base.execute(ONE_JOIN).fetchall()),
        "one join, target and record in one key": lambda: answers(
            base.execute(ONE_KEY.format(n=n)).fetchall()
        ),
        "a query a target": a_target,
    }
