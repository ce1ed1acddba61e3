"""The commands that repeat a plan: the search itself, and what writes the same file again."""

from __future__ import annotations

from collections.abc import Sequence

from sim.assessment.planning import OFFERED
from sim.assessment.planning import TABLE as TRIALS
from sim.config.chains import Chain, chains_tried
from sim.config.own_overrides import own_group
from sim.extend.overrides import command_line
from sim.record.run_folder import RunFolder
from sim.report.words.reproduce import command_of

_OF_DATA = ("data", "seed")


def release_overrides(overrides: Sequence[str], chain: Chain) -> list[str]:
    """Return the overrides that make the release of a chain: data, seed and defences.

    Parameters
    ----------
    overrides : sequence of str
        Of a plan.

    Examples
    --------
    >>> given = ["experiment=plan", "data=synthetic", "seed=3", "plan.max_risk=0.1"]
    >>> release_overrides(given, chains_tried(["drop_time"])[1])
    ['data=synthetic', 'seed=3', 'defence=[drop_time]']
    """
    kept = [one for one in overrides if own_group(one) in _OF_DATA]
    return [*kept, *chain.overrides]


def offered_chains(run: RunFolder) -> list[Chain]:
    """Return the chain that a plan offers; empty: it offers none.

    Raises
    ------
    ConfigError
        Its record has chains that cannot be.
    """
    trials = run.tables[TRIALS]
    offered = set(trials.loc[trials["decision"] == OFFERED, "chain"])
    return [each for each in chains_tried(run.config["plan"]["defences"]) if each.text in offered]


def plan_commands(run: RunFolder) -> list[str]:
    """Return the command of a plan, and the one that writes what it offers, if it offers any.

    Raises
    ------
    ConfigError
        Its record has chains or overrides that cannot be.
    """
    overrides = list(map(str, run.record.get("overrides") or ()))
    return [
        command_of(run.record),
        *(
            command_line(
                ["standout", "publish", *release_overrides(overrides, chain), "out=FILE.csv"]
            )
            for chain in offered_chains(run)
        ),
    ]
