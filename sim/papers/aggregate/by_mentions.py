"""Several attacks by the number of mentions (F06, Figs. 3 and 5).

Invariant: every bin of every part is one row of ``by_mentions``, as the part has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sim.errors import GridError
from sim.measurements.measurement import FACTS, Tables
from sim.papers.aggregate.attacks import attack_words, stacked
from sim.papers.aggregate.part import Part

TABLE = "by_mentions"


def aggregate(parts: Sequence[Part]) -> Tables:
    """Concatenate the bins of all parts.

    Parameters
    ----------
    parts : sequence of Part
        Attacks on mentions, at least one.

    Returns
    -------
    Tables
        ``by_mentions``: those of the parts, with ``part`` and what tells attacks apart, and cells
        numbered as in ``facts``, which is as in `sim.papers.aggregate.attacks`.

    Raises
    ------
    GridError
        A part has no mentions.
    """
    facts = stacked(parts)
    frames = []
    for part in parts:
        if not (part.folder / f"{TABLE}.parquet").is_file():
            raise GridError(
                f"{part.name}: aggregate=by_mentions needs parts about mentions; "
                "set adversary=mentions grid=mentions"
            )
        frame = part.table(TABLE)
        ours = facts.loc[facts["part"] == part.name, "cell"].to_numpy()
        # The cells of a part are numbered from 0 in its own tables.
        frame["cell"] = ours[frame["cell"].to_numpy()]
        columns = {"part": part.name, **attack_words(part.record["config"]["attack"])}
        for place, (name, value) in enumerate(columns.items(), 1):
            frame.insert(place, name, value)
        frames.append(frame)
    return {TABLE: pd.concat(frames, ignore_index=True), FACTS: facts}
