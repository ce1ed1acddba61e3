"""The best guess in Polars expressions, on all its threads; the frame is sorted by item."""

from __future__ import annotations

import polars as pl

from benchmarks.peers.question import D0, RHO0, Answers, Formulations, Question


def formulations(question: Question) -> Formulations:
    """Return the query plans to compare."""
    cells = pl.DataFrame(question.cells).with_columns(pl.col("item").set_sorted())
    facts = pl.DataFrame(question.facts)
    columns = ["unit", "best", "second", "record", "sum", "squares"]

    def answers(frame: pl.DataFrame) -> Answers:
        return Answers.of(frame.sort("unit").select(columns[1:]).rows(), question.n_records)

    def one_join() -> Answers:
        score = _score(pl.col("value_right"), pl.col("day_right"), pl.col("weight")).sum()
        scored = (
            cells.lazy().join(facts.lazy(), on="item").group_by("unit", "record").agg(score=score)
        )
        return answers(scored.group_by("unit").agg(**_summed_up()).collect())

    def plan(unit: int) -> pl.LazyFrame:
        """Stretches of the sorted frame, one for each item: no search, no join."""
        known = question.of_unit(unit)
        parts = []
        for nth, item in enumerate(known["item"].tolist()):
            begin, end = question.start[item], question.start[item + 1]
            value, day = float(known["value"][nth]), int(known["day"][nth])
            score = _score(pl.lit(value), pl.lit(day), pl.lit(float(known["weight"][nth])))
            here = cells.slice(int(begin), int(end - begin)).lazy()
            parts.append(here.select("record", score=score))
        scored = pl.concat(parts).group_by("record").agg(pl.col("score").sum())
        return scored.select(pl.lit(unit).alias("unit"), **_summed_up())

    def one_by_one() -> Answers:
        return answers(pl.concat([plan(unit).collect() for unit in range(question.n_units)]))

    def together() -> Answers:
        return answers(pl.concat(pl.collect_all([plan(u) for u in range(question.n_units)])))

    return {
        "one join of all targets": one_join,
        "stretches of the frame, a target at a time": one_by_one,
        "stretches of the frame, all targets at once": together,
    }


def _score(value: pl.Expr, day: pl.Expr, weight: pl.Expr) -> pl.Expr:
    by_value = (-(pl.col("value").cast(pl.Float64) - value).abs() / RHO0).exp()
    by_day = (-(pl.col("day").cast(pl.Int32) - day).abs() / D0).exp()
    return weight * (by_value + by_day)


def _summed_up() -> dict[str, pl.Expr]:
    score = pl.col("score")
    top = score.top_k(2)  # in no order
    return {
        "best": top.max(),
        "second": top.min(),
        "record": pl.col("record").get(score.arg_max()),
        "sum": score.sum(),
        "squares": (score * score).sum(),
    }
