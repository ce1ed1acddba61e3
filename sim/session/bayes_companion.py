"""The Bayes-optimal attacker (spec §4.1) as a companion to a study's attack."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from sim.attack.algorithms.bayes import Bayes
from sim.axes.registry import unmodelled
from sim.config.compose import composed, configured
from sim.config.own_overrides import own_key
from sim.config.schema import ATTACK, AuxConfig, Config, SweepConfig
from sim.errors import ConfigError
from sim.session.checks import bayes_targets_of, targets_of

_SET_ANEW = ("attack", "targets", "bayes_targets")


def companion_of(config: Config) -> Config | None:
    """Return the configuration of the Bayes-optimal attacker's run next to a study.

    Returns
    -------
    Config or None
        The same grid, with fewer targets. None if the study has no attack, its attack is the
        Bayes-optimal attacker, ``bayes_targets`` is 0, or the adversary is not modelled.

    Examples
    --------
    >>> study = configured(composed(["bayes_targets=50"]))
    >>> found = companion_of(study)
    >>> found.attack.name, found.targets, companion_of(found)
    ('bayes', 50, None)
    """
    modelled = (
        isinstance(config.adversary, AuxConfig)
        and isinstance(config.grid, SweepConfig)
        and not unmodelled(vars(config.grid))
    )
    own = config.study.kind != ATTACK or config.attack.name == Bayes.name
    if own or not modelled or config.bayes_targets == 0:
        return None
    numbers = [n for n in (targets_of(config), bayes_targets_of(config)) if n is not None]
    fewer = min(numbers) if numbers else "all"
    plain: Any = configured(composed([f"attack={Bayes.name}"]))
    attack = dataclasses.replace(
        plain.attack,
        entropy=vars(config.attack)["entropy"],
        confidence=config.audit.confidence,
    )
    return dataclasses.replace(config, attack=attack, targets=fewer, bayes_targets=0)


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
    kept = [o for o in study if own_key(o).partition(".")[0] not in _SET_ANEW]
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
