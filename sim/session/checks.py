"""From a configuration to what it means: checks that types cannot make, one clear line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict, cast

from sim.adversary.elsewhere import Elsewhere
from sim.adversary.knowledge import Knowledge, Wrong
from sim.adversary.mentions import Mentions
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.bayes import Bayes, Count
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm, Missing
from sim.attack.engine.decisions import SigmaOver
from sim.attack.engine.similarity import Base2, Exponential, Presence, Similarity, Steps, Threshold
from sim.attack.engine.weights import WeightForm
from sim.config.schema import (
    CHOICES,
    AttackConfig,
    AuxConfig,
    BayesConfig,
    Config,
    CorrelationConfig,
    ElsewhereConfig,
    ExternalConfig,
    GridConfig,
    MentionsConfig,
    MentionsGridConfig,
    NeighbourhoodConfig,
    PeopleConfig,
    ScoreboardConfig,
    ScoreboardRHConfig,
    ScoringConfig,
    ScoringRatedConfig,
    SimilarityConfig,
    SweepConfig,
    TableConfig,
)
from sim.errors import ConfigError, GridError
from sim.release.readers.date_units import DATE_UNITS
from sim.release.readers.empty_ids import EMPTY
from sim.release.store.manifest import Manifest
from sim.session.runners import kinds
from sim.study.grid import GridCell, expand, expand_mentions, expand_people


def cells_of(config: Config) -> list[GridCell]:
    """Grid cells of a configuration, for adversaries that need no other data.

    Raises
    ------
    ConfigError
    """
    axes = {axis: list(values) for axis, values in vars(config.grid).items()}
    match config.adversary:
        case AuxConfig(wrong=given):
            _need_grid(config, SweepConfig, "sweep")
            wrong = one_of("adversary.wrong", given, ("value", "item"))
            return expand(axes, cast("Wrong", wrong))
        case MentionsConfig() as said:
            _need_grid(config, MentionsGridConfig, "mentions")
            base = {key: value for key, value in vars(said).items() if key != "kind"}
            return expand_mentions(axes, Mentions(**base))
        case ElsewhereConfig() as given:
            if type(config.grid) is not GridConfig:
                raise _other_grid(given.kind, "people")
            keys = {key: value for key, value in vars(given).items() if key != "kind"}
            return expand_people(axes, Elsewhere(**keys))
        case _:
            raise ConfigError(
                "adversary: choose one of aux, mentions, mentions_file, external, elsewhere"
            )


def _need_grid(config: Config, kind: type[GridConfig], name: str) -> None:
    if not isinstance(config.grid, kind):
        raise _other_grid(config.adversary.kind, name)


def _other_grid(adversary: str, name: str) -> ConfigError:
    return ConfigError(f"grid: adversary={adversary} needs another; set grid={name}")


def attack_of(
    config: AttackConfig, cells: Sequence[GridCell], publisher: Publisher = AS_IS
) -> Algorithm:
    """The attack a configuration describes, on the adversaries of a grid and what was published.

    Raises
    ------
    ConfigError
    """
    at_least("attack.phi", config.phi, 0)
    common = Common(
        phi=config.phi,
        sigma=cast("SigmaOver", one_of("attack.sigma", config.sigma, ("all", "nonzero"))),
        missing=cast("Missing", one_of("attack.missing", config.missing, ("drop", "mean"))),
        entropy=config.entropy,
    )
    match config:
        case ScoreboardRHConfig():
            weight = one_of("attack.weight", config.weight, ("log", "log1p", "none"))
            similarity = similarity_of(config)
            return ScoreboardRH(similarity=similarity, weight=cast("WeightForm", weight), **common)
        case ScoreboardConfig():
            at_least("attack.alpha", config.alpha, 0)
            return Scoreboard(similarity=similarity_of(config), alpha=config.alpha, **common)
        case NeighbourhoodConfig():
            limits = {key: getattr(config, key) for key in _LIMITS}
            for key, limit in limits.items():
                if limit is not None:
                    at_least(f"attack.{key}", limit, 0)
            understood = tuple(cell.adversary.knowledge for cell in cells)
            left = [f"attack.{key}" for key, limit in limits.items() if limit is None]
            if not left:
                return Neighbourhood(**limits, **common)
            if not cells or not all(understood):
                raise ConfigError(
                    f"attack=neighbourhood: {left[0]}: null takes it from what the adversary "
                    f"knows, which only adversary=aux says; give {_listed(left)} as numbers"
                )
            noise = cast("tuple[Knowledge, ...]", understood)
            return Neighbourhood(**limits, knowledge=noise, **common)
        case CorrelationConfig():
            above("attack.r0", config.r0, 0)
            above("attack.d0", config.d0, 0)
            for key in ("alpha", "beta", "gamma", "lam"):
                at_least(f"attack.{key}", getattr(config, key), 0)
            base2 = Base2(config.alpha, config.beta, config.gamma, config.r0, config.d0)
            return Correlation(similarity=base2, lam=config.lam, **common)
        case ScoringConfig():
            if config.longest_share is not None:
                above("attack.longest_share", config.longest_share, 0)
            if isinstance(config, ScoringRatedConfig):
                at_least("attack.delta", config.delta, 0)
                return ScoringRated(
                    longest_share=config.longest_share, delta=config.delta, **common
                )
            return Scoring(longest_share=config.longest_share, **common)
        case BayesConfig():
            at_least("attack.confidence", config.confidence, 0)
            known = tuple(cell.adversary.knowledge for cell in cells)
            if not all(known):
                raise ConfigError(_UNKNOWN_NOISE)
            knowledge = cast("tuple[Knowledge, ...]", known)
            if any(each.first is not None for each in known if each):
                raise ConfigError(
                    "attack=bayes: needs to know how many facts are wrong, which grid.first leaves "
                    "open; give grid.aux what is known, and set 'grid.first=[null]'"
                )
            count = one_of("attack.count", config.count, ("independent", "exact"))
            return Bayes(
                knowledge=knowledge,
                publisher=publisher,
                confidence=config.confidence,
                count=cast("Count", count),
                **common,
            )
        case _:
            plain = one_of("attack.name", config.name, tuple(_PLAIN))
            return _PLAIN[plain](**common)


class Common(TypedDict):
    """What every attack takes."""

    phi: float
    sigma: SigmaOver
    missing: Missing
    entropy: bool


_UNKNOWN_NOISE = (
    "attack=bayes: needs an adversary whose noise is known, who samples the targets' own records; "
    "set adversary=aux grid=sweep"
)

_LIMITS = ("eps_value", "eps_day", "delta_value", "delta_day")

_PLAIN: dict[str, type[Algorithm]] = {
    a.name: a for a in (SetIntersection, TfIdf, RandomGuess, LongestRecord)
}


def similarity_of(config: SimilarityConfig) -> Similarity:
    """The attribute similarity of an attack.

    Raises
    ------
    ConfigError
    """
    kinds = ("exponential", "threshold", "steps", "presence")
    kind = one_of("attack.similarity", config.similarity, kinds)
    if kind == "exponential":
        above("attack.rho0", config.rho0, 0)
        above("attack.d0", config.d0, 0)
        return Exponential(config.rho0, config.d0)
    if kind == "presence":
        return Presence()
    at_least("attack.eps_value", config.eps_value, 0)
    at_least("attack.eps_day", config.eps_day, 0)
    made = Steps if kind == "steps" else Threshold
    return made(config.eps_value, config.eps_day)


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
    _check_kinds(config)
    for group in ("data", "adversary"):
        table = getattr(config, group)
        if isinstance(table, (TableConfig, PeopleConfig)):
            one_of(f"{group}.empty", table.empty, EMPTY)
        if isinstance(table, (TableConfig, ExternalConfig)):
            one_of(f"{group}.date_unit", table.date_unit, DATE_UNITS)
    if isinstance(config.adversary, PeopleConfig):
        if type(config.grid) is not GridConfig:
            raise _other_grid(config.adversary.kind, "people")
        if config.attack.name == Bayes.name:
            raise ConfigError(_UNKNOWN_NOISE)
        attack_of(config.attack, [])
    else:
        attack_of(config.attack, cells_of(config))
    at_least("perturb.value_noise", config.perturb.value_noise, 0)
    at_least("perturb.date_noise", config.perturb.date_noise, 0)
    if not 0 <= config.perturb.seed < 2**64:
        raise ConfigError(f"perturb.seed: {config.perturb.seed}: expected 0 or more, below 2**64")
    targets_of(config)
    at_least("strongest", config.strongest, 0)
    if not 0 <= config.seed < 2**64:
        raise ConfigError(f"seed: {config.seed}: expected 0 or more, below 2**64")
    at_least("cluster.workers", config.cluster.workers, 1)
    above("cluster.timeout", config.cluster.timeout, 0)
    one_of("cluster.copy", config.cluster.copy, ("missing", "always"))
    one_of("cluster.kind", config.cluster.kind, kinds())


def _check_kinds(config: Config) -> None:
    """See that no group says it is of another kind than was chosen."""
    for group, key in (
        ("study", "kind"),
        ("data", "kind"),
        ("adversary", "kind"),
        ("attack", "name"),
    ):
        chosen = getattr(config, group)
        names = [n for g, n, node in CHOICES if g == group and node is type(chosen)]
        given = getattr(chosen, key)
        if given not in names:
            others = [n for g, n, _ in CHOICES if g == group]
            choose = (
                f"set {group}={given}" if given in others else f"choose from {', '.join(others)}"
            )
            raise ConfigError(
                f"{group}.{key}: {given!r}: contradicts {group}={names[0]}; "
                f"leave {group}.{key} out, and {choose}"
            )


def check_release(attack: Algorithm, cells: Sequence[GridCell], release: Manifest) -> None:
    """See that the release holds what the attack needs and the grid's adversaries know.

    Raises
    ------
    GridError
        The attack or a cell asks for values or dates the release lacks.
    """
    lacking = attack.lacks(release)
    if lacking:
        raise GridError(f"attack={attack.name}: needs {lacking}, which the release lacks")
    similarity = getattr(attack, "similarity", None)
    heeding = ""  # the key by which the attack heeds mere presence, if it does not
    if isinstance(similarity, (Exponential, Steps)):
        heeding = "attack.similarity=presence"
    elif isinstance(similarity, Base2) and similarity.alpha == 0:
        heeding = "attack.alpha=1"
    for cell in cells:
        known = cell.adversary.knowledge
        if known is None:
            continue
        if known.date_noise is not None and not release.has_days:
            raise GridError(f"{cell}: the release has no dates; set 'grid.date_noise=[null]'")
        if known.value_noise is not None and not release.has_values:
            raise GridError(f"{cell}: the release has no values; set 'grid.value_noise=[null]'")
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
        if heeding and known.value_noise is None and known.date_noise is None:
            raise GridError(
                f"{cell}: attack={attack.name} compares values and dates, and the adversary knows "
                f"neither; choose another attack, or set {heeding}"
            )


def _listed(names: Sequence[str]) -> str:
    """Names as in a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
