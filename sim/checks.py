"""From a configuration to what it means: checks that types cannot make, one clear line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from sim.adversary.knowledge import Wrong
from sim.attack.decisions import SigmaOver
from sim.attack.scoreboard_rh import ScoreboardRH
from sim.attack.similarity import Exponential, Similarity, Threshold
from sim.attack.weights import WeightForm
from sim.config import AttackConfig, Config
from sim.errors import ConfigError, GridError
from sim.release.manifest import Manifest
from sim.study.grid import AXES, GridCell, expand


def cells_of(config: Config) -> list[GridCell]:
    """Grid cells of a configuration.

    Raises
    ------
    ConfigError
    """
    wrong = one_of("adversary.wrong", config.adversary.wrong, ("value", "item"))
    axes = {axis: list(getattr(config.grid, axis)) for axis in AXES}
    return expand(axes, cast("Wrong", wrong))


def attack_of(config: AttackConfig) -> ScoreboardRH:
    """The attack a configuration describes.

    Raises
    ------
    ConfigError
    """
    at_least("attack.phi", config.phi, 0)
    at_least("attack.eps_value", config.eps_value, 0)
    at_least("attack.eps_day", config.eps_day, 0)
    above("attack.rho0", config.rho0, 0)
    above("attack.d0", config.d0, 0)
    kind = one_of("attack.similarity", config.similarity, ("exponential", "threshold"))
    similarity: Similarity
    if kind == "exponential":
        similarity = Exponential(config.rho0, config.d0)
    else:
        similarity = Threshold(config.eps_value, config.eps_day)
    sigma = one_of("attack.sigma", config.sigma, ("all", "nonzero"))
    weight = one_of("attack.weight", config.weight, ("log", "log1p"))
    return ScoreboardRH(
        similarity=similarity,
        phi=config.phi,
        sigma=cast("SigmaOver", sigma),
        weight=cast("WeightForm", weight),
    )


def targets_of(config: Config) -> int | None:
    """Targets per cell; None is all.

    Raises
    ------
    ConfigError
    """
    given: Any = config.targets
    if given == "all":
        return None
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    raise ConfigError(f"targets: {given!r}: expected a number of at least 1, or all")


def check_config(config: Config) -> None:
    """Check what can be checked before any file is read.

    Raises
    ------
    ConfigError
    """
    cells_of(config)
    attack_of(config.attack)
    targets_of(config)
    if not 0 <= config.seed < 2**64:
        raise ConfigError(f"seed: {config.seed}: expected 0 or more, below 2**64")
    at_least("cluster.workers", config.cluster.workers, 1)
    above("cluster.patience", config.cluster.patience, 0)
    one_of("cluster.kind", config.cluster.kind, ("local", "inline", "address"))


def check_release(cells: Sequence[GridCell], release: Manifest) -> None:
    """See that the release holds what the grid's adversaries know.

    Raises
    ------
    GridError
        A cell asks for values or dates the release lacks.
    """
    for cell in cells:
        known = cell.adversary.knowledge
        if known is None:
            continue
        if known.date_noise is not None and not release.has_days:
            raise GridError(f"{cell}: the release has no dates; set grid.date_noise=[null]")
        if known.value_noise is not None and not release.has_values:
            raise GridError(f"{cell}: the release has no values; set grid.value_noise=[null]")
        if (
            known.wrong == "value"
            and known.correct < known.size
            and known.value_noise is None
            and known.date_noise is None
        ):
            raise GridError(
                f"{cell}: with neither values nor dates nothing about an item can be wrong; "
                "set adversary.wrong=item"
            )


def one_of(key: str, given: str, allowed: Sequence[str]) -> str:
    """Check a name."""
    if given not in allowed:
        raise ConfigError(f"{key}: {given!r}: expected one of {', '.join(allowed)}")
    return given


def at_least(key: str, given: float, least: float) -> None:
    """Check a number's lower bound."""
    if not (math.isfinite(given) and given >= least):
        raise ConfigError(f"{key}: {given}: expected a number of at least {least}")


def above(key: str, given: float, bound: float) -> None:
    """Check a number's strict lower bound."""
    if not (math.isfinite(given) and given > bound):
        raise ConfigError(f"{key}: {given}: expected a number above {bound}")
