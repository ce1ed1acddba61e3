"""From the configuration of a study to the measurement it asks for."""

from __future__ import annotations

from typing import Any

from sim.config.schema import (
    ItemBitsConfig,
    KAnonymityConfig,
    LengthsConfig,
    NeighboursConfig,
    RareItemsConfig,
    RecommenderConfig,
    StudyConfig,
)
from sim.errors import ConfigError
from sim.measure.measurement import Measurement
from sim.session.checks import at_least


def measurement_of(config: StudyConfig) -> Measurement:
    """The measurement of a release that a configuration asks for.

    Parameters
    ----------
    config : StudyConfig

    Returns
    -------
    Measurement

    Raises
    ------
    ConfigError
        A number is out of range, or nothing of this kind is known.
    """
    match config:
        case LengthsConfig(ranges=ranges):
            from sim.measure.lengths import Lengths

            return Lengths(ranges=_counts("study.ranges", ranges))
        case RareItemsConfig():
            from sim.measure.rare_items import RareItems

            return RareItems(
                outside=_counts("study.outside", config.outside, least=0),
                at_least=_counts("study.at_least", config.at_least),
            )
        case ItemBitsConfig():
            from sim.measure.item_bits import ItemBits

            at_least("study.eps_value", config.eps_value, 0)
            at_least("study.eps_day", config.eps_day, 0)
            return ItemBits(eps_value=config.eps_value, eps_day=config.eps_day)
        case NeighboursConfig():
            return _neighbours(config)
        case RecommenderConfig():
            from sim.measure.recommender import Recommender

            return Recommender(
                rmse=config.rmse,
                folds=config.folds,
                shrink_items=config.shrink_items,
                shrink_records=config.shrink_records,
            )
        case KAnonymityConfig(k=k, items=items):
            from sim.measure.k_of_release import KAnonymity

            return KAnonymity(k=_counts("study.k", k, least=2), items=tuple(items))
        case _:
            raise ConfigError(f"study.kind: {config.kind!r}: choose a study, such as study=attack")


def _neighbours(config: NeighboursConfig) -> Measurement:
    from sim.measure.nearest import Neighbours

    records: Any = config.records
    whole = isinstance(records, int) and not isinstance(records, bool) and records >= 1
    if records != "all" and not whole:
        raise ConfigError(f"study.records: {records!r}: expected a number of at least 1, or all")
    return Neighbours(
        records=None if records == "all" else records,
        by=tuple(config.by),
        nearness=config.nearness,
        eps_value=config.eps_value,
        eps_day=config.eps_day,
    )


def _counts(key: str, given: list[int], least: int = 1) -> tuple[int, ...]:
    if not given:
        raise ConfigError(f"{key}: empty; expected at least one number")
    for number in given:
        at_least(key, number, least)
    return tuple(sorted(set(given)))
