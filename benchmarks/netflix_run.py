"""Records the guide's results of a run at the size of the Netflix data from its folder.

The run takes minutes and is not repeated by the tests. The record keeps a digest of what the same
attacks decide on the smallest preset: if that digest changes, the recorded numbers are stale.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sim
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.shared_targets import on_shared_targets
from sim.papers.papers import numbers_for
from sim.record.run_folder import RunFolder, open_folder
from sim.release.synthetic import PRESETS, SyntheticSource

EXPERIMENT, PRESET = "ns08_fig4", "netflix"
RECORD = Path(__file__).parent / "recorded" / "netflix_run.json"
COMMANDS = (
    "standout experiment=ns08_fig4 data.preset=netflix attack.entropy=true hydra.run.dir=FOLDER",
    "python -m benchmarks.readme --record FOLDER",
)
"""Command that makes the record."""

_AXES = ("aux", "date_noise")
_OF_ALL = ("rank1", "rank1_low", "rank1_high", "matched_right", "bits")
_OF_SHARED = ("rank1", "rank1_low", "rank1_high")
_OF_BEST = (*(f"best_{name}" for name in _OF_SHARED), "best_claimed")
_DECIDED = (
    *("cell", "target", "best", "best_score", "second_score", "sigma", "eccentricity"),
    *("matched", "correct", "target_score", "true_rank", "ties", "entropy_bits"),
)
_TARGETS = 20


def record_run(folder: Path) -> None:
    """Record the curves of a run with the Bayes-optimal attacker.

    Raises
    ------
    ValueError
        It is not a run of the experiment with entropies on preset netflix.
    """
    run = open_folder(folder)
    theirs = run.bayes
    if theirs is None:
        raise ValueError(f"{folder}: without the Bayes-optimal attacker; run: {COMMANDS[0]}")
    asked = run.config
    if (asked["name"], asked["data"].get("preset")) != (EXPERIMENT, PRESET):
        raise ValueError(f"{folder}: expected a run of: {COMMANDS[0]}")
    curves = run.tables["curves"]
    if curves["bits"].isna().any():
        raise ValueError(f"{folder}: without attack.entropy=true; run: {COMMANDS[0]}")
    both = _shared(run, theirs).set_index("cell")
    record = {
        "commands": COMMANDS,
        "generator": SyntheticSource.generator[1],
        "seed": asked["data"]["seed"],
        "release": _release(asked["data"]["seed"]),
        "versions": run.record["versions"],
        "canary": canary(),
        "targets": int(curves["n_targets"].max()),
        "shared": int(both["n_shared"].max()),
        "cells": [
            {axis: row[axis] for axis in _AXES}
            | {name: _round(name, row[name]) for name in _OF_ALL}
            | {
                f"shared_{name}": _round(name, both.at[row["cell"], name])
                for name in (*_OF_SHARED, *_OF_BEST)
            }
            for row in curves.to_dict("records")
        ],
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def is_stale(record: dict[str, Any]) -> str:
    """Return why the record no longer shows what a run would; empty if it does."""
    if record["release"] != _release(record["seed"]):
        return f"preset {PRESET}, or the generator, has changed"
    if record["canary"] != canary():
        return "the attacks decide differently on preset tiny"
    return ""


def canary() -> str:
    """Return a digest of what both attacks decide on preset tiny."""
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as cache:
        result = sim.run(
            sim.synthetic("tiny", cache=cache),
            "scoreboard_rh",
            grid={"aux": ["2/2", "6/8"], "date_noise": [3, 14]},
            targets=_TARGETS,
            options={"bayes_targets": _TARGETS, "attack.entropy": True},
            folder=Path(cache) / "run",
        )
        assert result.bayes is not None
        for decisions in (result.decisions, result.bayes.decisions):
            digest.update(_digest(decisions).encode())
    return digest.hexdigest()


def of_all_targets(record: dict[str, Any]) -> list[str]:
    """Return the table of the published attack with what the paper and a reproduction state."""
    lines = [
        "| facts right, dates | best guess right | paper | right at φ = 1.5 | reproduction "
        "| bits left |",
        "|---|---|---|---|---|---|",
    ]
    for cell in record["cells"]:
        paper = _stated(cell, "rank1", reproduction=False, places=0)
        again = _stated(cell, "matched_right", reproduction=True, places=1)
        lines.append(
            f"| {_knows(cell)} | {_interval(cell, 'rank1')} | {paper} "
            f"| {_percent(cell['matched_right'])}% | {again} | {cell['bits']:.1f} |"
        )
    return lines


def of_shared_targets(record: dict[str, Any]) -> list[str]:
    """Return the table of both attacks on the targets that both attacked."""
    return [
        "| facts right, dates | `scoreboard_rh` | `bayes` | posterior claimed |",
        "|---|---|---|---|",
        *(
            f"| {_knows(cell)} | {_interval(cell, 'shared_rank1')} "
            f"| {_interval(cell, 'shared_best_rank1')} | {_percent(cell['shared_best_claimed'])}% |"
            for cell in record["cells"]
        ),
    ]


def _release(seed: int) -> str:
    return SyntheticSource(PRESETS[PRESET], seed).fingerprint()


def _shared(run: RunFolder, theirs: RunFolder) -> pd.DataFrame:
    cells = run.tables["curves"][["cell", *_AXES]].merge(
        theirs.tables["curves"][["cell", *_AXES]], on=list(_AXES), suffixes=("", "_theirs")
    )
    properties = AttackProperties(
        n_records=run.record["release"]["n_records"],
        phi=run.config["attack"]["phi"],
        log_scores=True,
    )
    pairs = zip(cells["cell"].tolist(), cells["cell_theirs"].tolist(), strict=True)
    return on_shared_targets(run.decisions, theirs.decisions, pairs, properties)


def _digest(decisions: pd.DataFrame) -> str:
    digest = hashlib.sha256()
    ordered = decisions.sort_values(["cell", "target"], kind="stable")
    for name in _DECIDED:
        column = ordered[name].to_numpy(np.float64, na_value=np.nan)
        digest.update(name.encode() + np.where(np.isnan(column), np.nan, column).tobytes())
    return digest.hexdigest()


def _stated(cell: dict[str, Any], measure: str, *, reproduction: bool, places: int) -> str:
    found = [
        number.value
        for number in numbers_for(EXPERIMENT)
        if number.measure == measure
        and (number.paper == "reproduction") == reproduction
        and all(number.conditions.get(axis) == cell[axis] for axis in _AXES)
    ]
    return f"{100 * found[0]:.{places}f}%" if found and found[0] is not None else ""


def _knows(cell: dict[str, Any]) -> str:
    right, size = cell["aux"].split("/")
    return f"{right} of {size}, ±{cell['date_noise']} days"


def _interval(cell: dict[str, Any], name: str) -> str:
    low, high = (_percent(cell[f"{name}_{end}"]) for end in ("low", "high"))
    return f"{_percent(cell[name])}% [{low}–{high}]"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".replace("100.0", "100")


def _round(name: str, value: float) -> float:
    return round(float(value), 1 if name == "bits" else 3)
