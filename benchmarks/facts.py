"""Compares a synthetic release with the facts known about real ones.

``python -m benchmarks.facts --preset netflix [--seed SEED] [--cache FOLDER] [--record]`` prints a
Markdown table. Each fact comes with a tolerance; the exit status is 1 if one is missed. Facts that
the papers tell in words only, and what follows from the generator's habits, are listed below it.
``--record`` keeps both tables in ``benchmarks/recorded/``; `benchmarks.readme` counts them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sim
from benchmarks import event_facts
from benchmarks.fact import Fact, Remark
from benchmarks.known import KNOWN, NEAREST, RARE
from benchmarks.sessions import Sessions, sessions
from sim.measurements.lengths import release_facts
from sim.measurements.nearest import Neighbours
from sim.measurements.rare_items import RareItems
from sim.release.store.store import Store
from sim.release.synthetic import EVENTS, PRESETS, Preset, named_source
from sim.release.synthetic.preset import quantiles

Rows = list[list[str]]
"""Cells of a table."""

_AT_LEAST = (1, 5, 10)
_RECORDED = Path(__file__).parent / "recorded"
_FACTS = ("| fact | target | generated | error | tolerance | |", "|---|---:|---:|---:|---:|---|")
_REMARKS = ("| in words | paper | generated | |", "|---|---|---:|---|")
_VERDICT = {True: "met", False: "missed", None: ""}
_PROBES = 1000
_PARTS = 5
_LABELS = {
    "n_records": "records",
    "n_items": "items",
    "n_cells": "cells",
    "length": "items of a record,",
    "support": "records with an item,",
}


def facts(preset: Preset, store: Store, seen: Sessions) -> Iterator[Fact]:
    """Yield the facts that a preset must meet; where none are published, what it promises."""
    counts = release_facts(store)
    for name, wanted in KNOWN.get(preset.name, _promised(preset)).items():
        label = _LABELS.get(name) or " ".join(
            [_LABELS[name.partition("_")[0]], name.partition("_")[2].replace("_", " ")]
        )
        # According to the paper, the minimum support is 3 or 4.
        within = 0.01 if name in _LABELS else 0.15 if wanted < 5 else 0.10
        yield Fact(label, wanted, float(counts[name]), within)
    for popularity, wanted_shares in RARE.get(preset.name, {}).items():
        table = RareItems((popularity,), _AT_LEAST).measure(store, 0)["facts"].iloc[0]
        for k, wanted in zip(_AT_LEAST, wanted_shares, strict=True):
            label = f"% of records with at least {k} outside the top {popularity:,}"
            yield Fact(label, wanted, 100 * float(table[f"at_least_{k}"]), 3.0, points=True)
    for value, share, count in zip(preset.levels, preset.shares, seen.level, strict=True):
        got = 100.0 * count / seen.level.sum()
        yield Fact(f"% of cells rated {value:g}", 100.0 * share, got, 1.0, points=True)
    if preset.name == "netflix":
        yield Fact("days from the first to the last", preset.days, store.manifest.n_days, 0.01)
    if preset.name in NEAREST:
        alike = _nearest(store, None)
        for which, wanted in NEAREST[preset.name].items():
            got = 100 * float(alike[f"similarity_{which}"])
            label = f"similarity to the nearest record, %, {which.replace('_', ' ')}"
            yield Fact(label, 100 * wanted, got, 5.0, points=True)


def remarks(preset: Preset, store: Store, seen: Sessions) -> Iterator[Remark]:
    """Yield what the papers state in words only; met or not for their own preset."""
    volume = np.array([part.sum() for part in np.array_split(seen.day, _PARTS)]) / seen.day.sum()
    alike = _nearest(store, _PROBES)
    near = [alike[f"similarity_{w}"] for w in ("lower_quartile", "median", "upper_quartile")]
    short = float(np.mean(store.length < 20))
    step = int(np.sum(store.length == 20)), int(np.sum(store.length == 19))
    alone = float(alike["no_neighbour_above_half"])
    a_day = seen.dated.sum() / seen.days.sum()
    later = (seen.dated - seen.first).sum() / max((seen.days - 1).sum(), 1)
    noted = [
        Remark("records below 20 cells", "few", f"{short:.1%}", short < 0.1),
        Remark(
            "records of 20 and of 19 cells",
            "a step",
            f"{step[0]:,}, {step[1]:,}",
            2 * step[1] < step[0],
        ),
        Remark(
            f"cells by {_PARTS} equal parts of the span",
            "growing steeply to the end",
            ", ".join(f"{share:.1%}" for share in volume),
            bool((np.diff(volume) > 0).all() and volume[-1] > 2 / _PARTS),
        ),
        Remark("cells a record has on one of its days", "many", f"{a_day:.1f}", bool(a_day > 2)),
        Remark(
            "the same, its first day and any later",
            "above all the first",
            f"{seen.first.mean():.1f}, {later:.1f}",
            bool(seen.first.mean() > 2 * later),
        ),
        Remark("no neighbour above 0.5", "the vast majority", f"{alone:.1%}", alone > 0.9),
    ]
    for remark in noted:
        yield remark if preset.name == "netflix" else replace(remark, said="", met=None)
    days = f"{seen.days.mean():.1f}, {np.median(seen.days):g}"
    yield Remark("days of a record, mean and median", "", days)
    yield Remark("records of a single day", "", f"{np.mean(seen.days == 1):.1%}")
    for name, cells in (("first", seen.first), ("busiest", seen.busiest)):
        share = f"{cells.sum() / seen.dated.sum():.1%}"
        yield Remark(f"cells on their record's {name} day", "", share)
    quartiles = ", ".join(f"{value:.3f}" for value in near)
    yield Remark("similarity to the nearest record, quartiles", "", quartiles)


def rows_of_facts(found: list[Fact]) -> Rows:
    """Return the cells of the table of facts."""
    return [
        [
            fact.name,
            *(f"{round(number, 1):,.10g}" for number in (fact.wanted, fact.got)),
            fact.off,
            fact.allowed,
            _VERDICT[fact.met],
        ]
        for fact in found
    ]


def rows_of_remarks(noted: list[Remark]) -> Rows:
    """Return the cells of the table of what is known in words only."""
    return [[word.name, word.said, word.got, _VERDICT[word.met]] for word in noted]


def markdown(found: Rows, noted: Rows) -> list[str]:
    r"""Format facts and remarks as two Markdown tables; an empty table is omitted.

    Examples
    --------
    >>> found = rows_of_facts([Fact("cells", 100, 90, 0.05)])
    >>> noted = rows_of_remarks([Remark("days", "many", "7", True)])
    >>> print("\n".join(markdown(found, noted)))
    | fact | target | generated | error | tolerance | |
    |---|---:|---:|---:|---:|---|
    | cells | 100 | 90 | -10.0% | ±5% | missed |
    <BLANKLINE>
    | in words | paper | generated | |
    |---|---|---:|---|
    | days | many | 7 | met |
    """
    lines = []
    for head, rows in ((_FACTS, found), (_REMARKS, noted)):
        if rows:
            lines += ["", *head, *(f"| {' | '.join(row)} |" for row in rows)]
    return lines[1:]


def recorded() -> list[str]:
    """Return the presets whose facts are recorded."""
    return sorted(path.stem.removeprefix("facts_") for path in _RECORDED.glob("facts_*.json"))


def record_of(preset: str) -> dict[str, Any]:
    """Return what is recorded of a preset."""
    found: dict[str, Any] = json.loads(_record_path(preset).read_text(encoding="utf-8"))
    return found


def recorded_table() -> list[str]:
    """Return a table of how many recorded facts each preset meets, and of those that it misses."""
    lines = ["| preset | facts | met | missed |", "|---|---:|---:|---|"]
    for preset in recorded():
        record = record_of(preset)
        judged = [row for row in (*record["facts"], *record["remarks"]) if row[-1]]
        missed = [row for row in judged if row[-1] != _VERDICT[True]]
        names = "; ".join(f"{name}: {wanted}, generated {got}" for name, wanted, got, *_ in missed)
        lines.append(f"| `{preset}` | {len(judged)} | {len(judged) - len(missed)} | {names} |")
    return lines


def is_stale(record: dict[str, Any]) -> bool:
    """Whether the preset or the generator is no longer the one whose facts were recorded."""
    release = named_source(record["preset"], record["seed"])
    return bool(record["release"] != release.fingerprint())


def _record(preset: str, seed: int, found: Rows, noted: Rows) -> None:
    release = named_source(preset, seed)
    record = {
        "command": f"python -m benchmarks.facts --preset {preset} --seed {seed} --record",
        "preset": preset,
        "seed": seed,
        "generator": release.notes()["generator"],
        "release": release.fingerprint(),
        "facts": found,
        "remarks": noted,
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    _record_path(preset).write_text(text + "\n", encoding="utf-8")


def _record_path(preset: str) -> Path:
    return _RECORDED / f"facts_{preset}.json"


def _promised(preset: Preset) -> dict[str, float]:
    """Return the quantiles that a preset's quantile functions give."""
    lengths, supports = (
        quantiles(preset.lengths, preset.records),
        quantiles(preset.supports, preset.items),
    )
    wanted = {
        "n_records": float(preset.records),
        "n_items": float(preset.items),
        "n_cells": float(lengths.sum()),
    }
    for name, population in (("length", lengths), ("support", supports)):
        wanted[f"{name}_mean"] = float(lengths.sum() / population.size)
        for which, q in (("lower_quartile", 25), ("median", 50), ("upper_quartile", 75)):
            wanted[f"{name}_{which}"] = float(np.percentile(population, q))
        wanted[f"{name}_max"] = float(population.max())
    return wanted


def _nearest(store: Store, records: int | None) -> pd.Series[Any]:
    """Return the similarity of the nearest records, comparing items only."""
    return Neighbours(records=records, attributes=("presence",)).measure(store, 1)["facts"].iloc[0]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.facts", description=__doc__)
    parser.add_argument("--preset", choices=sorted([*PRESETS, *EVENTS]), required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="where the built store is kept"
    )
    parser.add_argument("--record", action="store_true", help="keep the tables for the guide")
    asked = parser.parse_args(arguments)
    with ExitStack() as stack:
        cache = asked.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = sim.synthetic(asked.preset, seed=asked.seed, cache=str(cache)).store
        if asked.preset in EVENTS:
            found: list[Fact] = list(event_facts.facts(EVENTS[asked.preset], store))
            noted: list[Remark] = list(event_facts.remarks(EVENTS[asked.preset], store))
        else:
            seen, preset = sessions(store), PRESETS[asked.preset]
            found, noted = list(facts(preset, store, seen)), list(remarks(preset, store, seen))
        rows = rows_of_facts(found), rows_of_remarks(noted)
        print(f"{store.manifest.source}\n")
        print("\n".join(markdown(*rows)))
        if asked.record:
            _record(asked.preset, asked.seed, *rows)
    return 1 if False in [*(fact.met for fact in found), *(word.met for word in noted)] else 0


if __name__ == "__main__":
    sys.exit(main())
