"""What a measurement of a release found, in plain words; measurements name their functions here.

Invariant: a measurement without words of its own is summarised by its first measures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.extend.plugins import named
from sim.measurements.registry import MEASUREMENTS
from sim.record.run_folder import RunFolder, study_of
from sim.report.argmax_row import argmin_row
from sim.report.html_table import measured, number, percent

Summary = tuple[str, tuple[str, ...]]


def summary_of(run: RunFolder) -> Summary:
    """Return what a measurement found: one sentence, and further ones."""
    facts = run.tables["facts"]
    measurement = MEASUREMENTS.get(study_of(run.config))
    if measurement is not None and measurement.sentences:
        try:
            summary: Summary = named(measurement.sentences)(facts, run.config["study"])
            return summary  # noqa: TRY300
        except KeyError:  # a run of another version, whose facts have other columns
            pass
    return _first(facts), ()


def _first(facts: pd.DataFrame) -> str:
    row: Mapping[Any, Any] = facts.to_dict("records")[0]
    ends = ("_low", "_high")
    numbers = {
        str(name): value
        for name, value in row.items()
        if isinstance(value, (int, float)) and not str(name).endswith(ends) and pd.notna(value)
    }
    named = (f"{name.replace('_', ' ')} {number(value).text}" for name, value in numbers.items())
    return "; ".join(list(named)[:4]) + "."


def lengths(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:  # noqa: ARG001
    """Summarise the lengths of records."""
    row = facts.iloc[0]
    return (
        f"A record holds {number(row['length_median']).text} items in the median, "
        f"{number(round(row['length_mean'], 1)).text} on average and "
        f"{number(row['length_max']).text} at most.",
        (
            f"There are {number(row['n_records']).text} records and "
            f"{number(row['n_cells']).text} cells.",
        ),
    )


def rare_items(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:
    """Summarise who holds rare items."""
    few = min(study["at_least"])
    sentences = tuple(
        f"Outside the {number(row['popularity']).text} most popular items, "
        + ", ".join(
            f"{percent(row[f'at_least_{k}']).text} of all records hold at least {k}"
            for k in study["at_least"]
            if pd.notna(row[f"at_least_{k}"])
        )
        + "."
        for row in facts.to_dict("records")
        if pd.notna(row[f"at_least_{few}"])
    )
    return (sentences[0], sentences[1:]) if sentences else ("The release has too few items.", ())


def item_bits(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:  # noqa: ARG001
    """Summarise the bits gained from one item."""
    words = {
        "presence": "that a person holds an item",
        "values": "an item and its value",
        "dates": "an item and its date",
        "values_and_dates": "an item, its value and its date",
    }
    sentences = tuple(
        f"Knowing {words.get(row['known'], row['known'])} gains {number(row['bits']).text} of "
        f"{number(round(row['bits_prior'], 2)).text} bits of uncertainty, on average over the "
        "cells."
        for row in facts.to_dict("records")
        if pd.notna(row["bits"])
    )
    return (sentences[-1], sentences[:-1]) if sentences else ("Nothing could be measured.", ())


def neighbours(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:  # noqa: ARG001
    """Summarise how near the nearest other records are."""
    by = {
        "presence": "by items alone",
        "values": "by items and values",
        "dates": "by items and dates",
        "values_and_dates": "by items, values and dates",
    }
    hamming = "no_neighbour_within_70" in facts
    name = "no_neighbour_within_70" if hamming else "no_neighbour_above_half"
    none = (
        "have no other record within 70% of their own number of items"
        if hamming
        else "have no other record more than half as similar as they could be"
    )
    sentences = tuple(
        f"{_brackets(measured(row, name, share=True).text)} of {_looked_at(row)} {none}, "
        f"{by.get(row['by'], row['by'])}."
        for row in facts.to_dict("records")
        if pd.notna(row[name])
    )
    return (sentences[0], sentences[1:]) if sentences else ("Nothing could be measured.", ())


def kanonymity(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:  # noqa: ARG001
    """Summarise k of the release and of its recodings."""
    release = facts[facts["data"].isna()] if "data" in facts else facts
    if release.empty:
        return _first(facts), ()
    rows = release.to_dict("records")
    # Of the recodings that keep most items, the one that keeps most of values and days is last.
    kept = [math.inf if pd.isna(row.get("items")) else float(row["items"]) for row in rows]
    whole = [row for row, items in zip(rows, kept, strict=True) if items == max(kept)]
    asis, best = whole[-1], argmin_row(release, "unique")
    lead = (
        f"With {asis['recoding']}, k is {number(asis['k']).text}, and "
        f"{percent(asis['unique']).text} of all records are like no other."
    )
    warning = (
        "Records that are alike in what is released may still be distinguished by knowledge from "
        "elsewhere, and those who share all of it share its secrets: k is no bound on the risk."
    )
    if best["recoding"] == asis["recoding"]:
        return lead, (warning,)
    more = (
        f"Of the recodings tried, {best['recoding']} leaves the fewest alone: "
        f"{percent(best['unique']).text} of all records, k = {number(best['k']).text}; all else "
        "would have to be left out of the release."
    )
    return lead, (more, warning)


def recommender(facts: pd.DataFrame, study: Mapping[str, Any]) -> Summary:  # noqa: ARG001
    """Summarise what a recommender gains."""
    found = facts[facts["records_for_1_percent"].notna()]
    if found.empty:
        return _first(facts), ()
    least = argmin_row(found, "records_for_1_percent")
    by = [f"{name}: {least[name]}".replace("_", " ") for name in _READINGS if name in least]
    first = found.to_dict("records")[0]
    return (
        f"A recommender with an RMSE of {number(first['rmse']).text} gains 1% by knowing the truth "
        f"about {percent(first['records_for_1_percent'], digits=3).text} of the records.",
        (
            f"By the reading in which it needs fewest ({'; '.join(by)}), "
            f"{percent(least['records_for_1_percent'], digits=3).text} are enough.",
        ),
    )


_READINGS = ("weighing", "chosen", "law", "percent_of")


def _looked_at(row: Mapping[Any, Any]) -> str:
    """All records, or how many of them were drawn."""
    drawn, of = row.get("records"), row.get("of_records")
    if drawn is None or of is None:
        return "the records"
    sampled = f" ({drawn:,} sampled)" if drawn < of else ""
    return f"all {of:,} records{sampled}"


def _brackets(text: str) -> str:
    return text.replace("[", "[95% interval ")
