"""Small attacks on public mentions for tests: run folders as parts of a suite."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from defending import publish
from making import Row, RowSource
from studying import configured, study

from sim.adversary.mentions import Mentions
from sim.defence.drop_items import DropItems
from sim.metrics.by_mentions import by_mentions
from sim.papers.aggregate.part import Part
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.session.checks import attack_of
from sim.session.open_release import described
from sim.study.grid import expand
from sim.study.plan import make_plan

_configured = functools.cache(configured)
SAID = Mentions(max_length=100, activity_exponent=0)


def mention_rows(seed: int = 1, records: int = 400, items: int = 250) -> list[Row]:
    """Records of 5 to 120 items with values, popular items more often."""
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1, items + 1)
    rows: list[Row] = []
    for record in range(records):
        chosen = rng.choice(items, int(rng.integers(5, 121)), False, popular / popular.sum())
        rows += [
            (record, item, float(rng.integers(1, 6)), None) for item in sorted(chosen.tolist())
        ]
    return rows


def mention_part(
    folder: Path,
    attack: Sequence[str] = ("attack=scoring",),
    said: Mentions = SAID,
    min_support: int = 1,
    rows: Sequence[Row] | None = None,
    targets: int | None = 80,
    **axes: list[Any],
) -> Part:
    """Attack a small release, whose rarest items may be dropped, and make its further tables."""
    whole = folder.with_name(f"{folder.name}-truth")
    build_store(RowSource(mention_rows() if rows is None else rows), whole)
    truth = Store(whole)
    release, drawn_from = truth, None
    if min_support > 1:
        place = folder.with_name(f"{folder.name}-release")
        release, drawn_from = publish(truth, place, DropItems(min_support=min_support)), truth
    config = _configured(*attack, "adversary=mentions", "grid=mentions")
    cells = expand("mentions", axes, said)
    made = attack_of(config.attack, cells)
    plan = make_plan(release, cells, made, targets, 1, drawn_from)
    study(release, plan, folder, attack=made)
    record = _record(config.attack, release, min_support)
    for name, table in by_mentions(folder, record).items():
        table.to_parquet(folder / f"{name}.parquet", index=False)
    return Part(folder.name, folder, record)


def _record(attack: Any, release: Store, min_support: int) -> dict[str, Any]:
    defence = {"drop_items": {"min_support": min_support}}
    whole = {"attack": dataclasses.asdict(attack), "defence": defence}
    return {"config": whole, "release": described(release)}
