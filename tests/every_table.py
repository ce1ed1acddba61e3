"""Run every attack and every measurement on small synthetic releases, to compare tables.

``python tests/every_table.py FOLDER`` runs all of them in this process.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from unittest import mock

import numpy as np

GRID = (
    "grid.aux=[2/2,3/4]", "grid.date_noise=[3,null]", "grid.value_noise=[0,1]",
    "grid.popularity=[0]", "grid.present=[true,false]", "attack.entropy=true",
)  # fmt: skip
NOISY = (
    "defence=[drop_items,perturb_values,jitter_time]",
    "defence.drop_items.min_support=2",
    "defence.perturb_values.value_noise=1",
    "defence.jitter_time.date_noise=2",
)
MENTIONS = ("adversary=mentions", "grid=mentions", "attack.entropy=true", "targets=20")

RUNS: dict[str, tuple[str, ...]] = {
    "scoreboard_rh": ("attack=scoreboard_rh", *GRID, "bayes_targets=3"),
    "scoreboard_rh_steps": ("attack=scoreboard_rh", "attack.similarity=steps", *GRID),
    "scoreboard_rh_log1p": ("attack=scoreboard_rh", "attack.weight=log1p", *GRID),
    "scoreboard": ("attack=scoreboard", *GRID),
    "correlation": ("attack=correlation", *GRID),
    "neighbourhood": ("attack=neighbourhood", *GRID),
    "set_intersection": ("attack=set_intersection", *GRID),
    "random": ("attack=random", *GRID),
    "longest": ("attack=longest", *GRID),
    "bayes": ("attack=bayes", *GRID),
    "bayes_items": ("attack=bayes", "adversary.wrong=item", *GRID),
    "bayes_independent": ("attack=bayes", "attack.count=independent", *GRID),
    "bayes_noisy": ("attack=bayes", *GRID, *NOISY),
    "bayes_noisy_items": ("attack=bayes", "adversary.wrong=item", *GRID, *NOISY),
    "tf_idf": ("attack=tf_idf", *MENTIONS),
    "scoring": ("attack=scoring", *MENTIONS),
    "scoring_rated": ("attack=scoring_rated", "attack.delta=1", "grid.value_known=[1]", *MENTIONS),
    "elsewhere": ("experiment=ns08_imdb", "attack.entropy=true"),
    "theory": ("experiment=theory", "grid.aux=[2/2,4/4]"),
    "interpretations": ("experiment=interpretations", "grid.aux=[3/4]"),
    "mentions": ("experiment=f06_fig4", "targets=20"),
    "utility": (
        "attack=scoreboard_rh", *GRID, *NOISY,
        "utility=[rmse_bias,rmse_mf,ndcg,popularity,monthly_volume,people,items,cells]",
    ),
    "item_bits": ("study=item_bits",),
    "kanonymity": ("study=kanonymity",),
    "lengths": ("study=lengths",),
    "neighbours": ("study=neighbours", "study.records=100"),
    "rare_items": ("study=rare_items",),
    "recommender": ("study=recommender",),
    "recommender_measured": ("study=recommender", "study.rmse=null"),
}  # fmt: skip
"""What is run, by the name of its folder."""

MACHINE = "machine.json"
"""What functions return that may differ between machines."""


def run_all(folder: Path) -> None:
    """Make every run in a folder of its own, without figures."""
    from studying import configured

    from sim.session.jobs import plan_job
    from sim.session.suite import run_planned

    common = ("data.preset=tiny", "cluster=inline", f"data.cache={folder / 'cache'}")
    for name, overrides in RUNS.items():
        given = {override.partition("=")[0] for override in overrides}
        defaults = [d for d in ("targets=5", "bayes_targets=0") if d.partition("=")[0] not in given]
        asked = (*overrides, *defaults, *common)
        (folder / name).mkdir()
        with (
            mock.patch("sim.session.suite.draw_run", return_value=[]),
            mock.patch("sim.session.suite.write_report"),
        ):
            run_planned(plan_job(configured(*asked), asked), folder / name)


def write_digests(folder: Path) -> None:
    """Write digests of the cells of synthetic releases: all of a preset, or its first records."""
    from sim.release.synthetic import named_source

    lines = []
    some = ("tiny", 1, 600), ("tiny", 2, 600), ("movielens100k", 1, 943)
    events = ("tiny_visits", 1, 500), ("tiny_purchases", 1, 500), ("shopping", 1, 500)
    for name, seed, records in (*some, *events):
        digest = hashlib.sha256()
        for chunk in named_source(name, seed).records(0, records):
            for column in (chunk.record, chunk.item, chunk.value, chunk.time):
                if column is not None:
                    digest.update(np.ascontiguousarray(column).tobytes())
        lines.append(f"{name} {seed} {digest.hexdigest()}\n")
    (folder / "cells.txt").write_text("".join(lines), encoding="utf-8")


def main(folder: Path) -> None:
    """Make all tables in a folder that does not exist yet."""
    from machines import digests_of_the_machine

    folder.mkdir(parents=True)
    (folder / MACHINE).write_text(json.dumps(digests_of_the_machine()), encoding="utf-8")
    write_digests(folder)
    run_all(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
