"""Releases that their publisher changed, for tests."""

from __future__ import annotations

from pathlib import Path

from sim.defence.apply import defended
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.release.store.store import Store


def all_three(
    store: Store, value_noise: float, date_noise: int, seed: int = 1, min_support: int = 1
) -> list[Defence]:
    """Items dropped, and noise on what there is to have any."""
    found: list[Defence] = [DropItems(min_support=min_support)]
    if store.manifest.has_values:
        found.append(PerturbValues(value_noise=value_noise, seed=seed))
    if store.manifest.has_days:
        found.append(JitterTime(date_noise=date_noise, seed=seed))
    return found


def publish(store: Store, folder: Path, *defences: Defence) -> Store:
    """The release after some defences, in a folder of its own."""
    return defended(store, defences).build(folder)
