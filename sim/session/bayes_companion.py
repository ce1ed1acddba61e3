"""The Bayes-optimal attacker (spec §4.1) as a companion to a study's attack."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from sim.attack.algorithms.bayes import Bayes
from sim.axes.registry import unmodelled
from sim.config.compose import composed, configured
from sim.config.own_overrides import own_group
from sim.config.schema import ATTACK, AUDIT, BOTH, ORIGINAL, AuxConfig, Config, SweepConfig
from sim.errors import ConfigError
from sim.session.checks import AUTO, bayes_targets_of, cells_of, targets_of
from sim.session.file_facts import knowing_facts, known_facts_of, with_known_facts

WHERE_ALL_ARE_POSSIBLE = 200
"""Most targets of a grid cell, where some facts rule nobody out and no other number is asked for.

Every record is then scored: on a release of Netflix's size 5.9 ms a target, against 0.25 ms for the
candidates that 6 right facts of 8 leave, and 0.5 ms for Scoreboard-RH (one core).
"""

_SET_ANEW = ("attack", "targets", "bayes_targets", "utility")


def companion_of(config: Config) -> Config | None:
    """Return the configuration of the Bayes-optimal attacker's run next to a study.

    Returns
    -------
    Config or None
        The same grid, with the same targets or fewer. None if the study has no attack, its attack
        is the Bayes-optimal attacker, ``bayes_targets`` is 0, or the adversary is not modelled.

    Examples
    --------
    >>> found = companion_of(configured(composed(["targets=all"])))
    >>> found.attack.name, found.targets, companion_of(found)
    ('bayes', 'all', None)
    >>> companion_of(configured(composed(["bayes_targets=50"]))).targets
    50
    """
    modelled = (
        isinstance(config.adversary, AuxConfig)
        and isinstance(config.grid, SweepConfig)
        and not unmodelled(vars(config.grid))
    )
    own = config.study.kind != ATTACK or config.attack.name == Bayes.name
    if own or not modelled or config.bayes_targets == 0:
        return None
    targets, most = targets_of(config), most_targets(config)
    same = most is None or (targets is not None and targets <= most)
    fewer: Any = config.targets if same else most
    attack = dataclasses.replace(
        _plain(),
        entropy=vars(config.attack)["entropy"],
        confidence=config.audit.confidence,
    )
    same_facts = config if known_facts_of(config) != BOTH else knowing_facts(config, ORIGINAL)
    return dataclasses.replace(
        same_facts, attack=attack, targets=fewer, bayes_targets=0, utility={}
    )


@functools.cache
def _plain() -> Any:
    """The configuration of the Bayes-optimal attacker with the defaults of its options."""
    return configured(composed([f"attack={Bayes.name}"])).attack


def most_targets(config: Config) -> int | None:
    """Return the most targets of a grid cell that the companion attacks; None for all.

    Examples
    --------
    >>> wrong = ["adversary.wrong=item", "grid.aux=[2/4]", "grid.first=[2]"]
    >>> [most_targets(configured(composed(given))) for given in ([], wrong)]
    [None, 200]
    """
    if config.bayes_targets != AUTO:
        return bayes_targets_of(config)
    known = [cell.adversary.knowledge for cell in cells_of(config, None)]
    if any(each is not None and each.all_may_be_wrong_items for each in known):
        return WHERE_ALL_ARE_POSSIBLE
    return None


def overrides_of(bayes: Config, study: Sequence[str]) -> list[str]:
    """Return the overrides that run the Bayes-optimal attacker alone, as on the command line.

    Parameters
    ----------
    bayes : Config
        From `companion_of`.
    study : sequence of str
        Overrides of the study.

    Returns
    -------
    list of str
        The overrides of the study, which includes it, if it cannot be run alone: if an experiment
        sets keys of its own attack.
    """
    kept = [o for o in study if own_group(o) not in _SET_ANEW]
    if bayes.aggregate == AUDIT and bayes.audit.known_facts == ORIGINAL:
        kept = with_known_facts(kept, ORIGINAL)
    alone = [
        *(*kept, f"attack={bayes.attack.name}", f"targets={bayes.targets}", "bayes_targets=0"),
        *(["attack.entropy=true"] if vars(bayes.attack)["entropy"] else []),
        *_confidence(bayes),
    ]
    try:
        made = configured(composed(alone))
    except ConfigError:
        return list(study)
    # The data may be those of a release that is already open.
    return alone if dataclasses.replace(made, data=bayes.data) == bayes else list(study)


def _confidence(bayes: Config) -> list[str]:
    given, default = vars(bayes.attack)["confidence"], Bayes().confidence
    return [] if given == default else [f"attack.confidence={given}"]
