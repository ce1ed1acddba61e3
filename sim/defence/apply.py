"""Applies defences to a release: the store of the new release, and what attackers know about it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from sim.adversary.knowledge import Knowledge
from sim.adversary.linkage import Linkage, linkage_of, remember
from sim.adversary.original_totals import Drawn
from sim.adversary.publisher import AS_IS, Publisher
from sim.defence.cells import ReleaseStats
from sim.defence.defence import Defence
from sim.defence.external import External, ExternalSource, ReadRelease, accounts
from sim.defence.original_totals import original_totals, windows_of
from sim.defence.source import (
    ADDED,
    LEFT,
    DefendedSource,
    Stage,
    identity,
    release_stats,
)
from sim.defence.surviving_cells import SurvivingCells, linkage_of_surviving
from sim.errors import ConfigError, GridError
from sim.extend.options import as_configured
from sim.release.store.build import Progress, build_store
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store

log = logging.getLogger("standout")


@dataclass(frozen=True, slots=True)
class Defended:
    """A release and the defences that its publisher applies.

    Parameters
    ----------
    stages : tuple of Stage
        The defences that do something, in the order in which they are applied.
    publisher : Publisher
        What an attacker knows of how the release was made: the options, not the draws. The scale of
        the original is public.
    undisclosed : tuple of str
        Defences that do not state what an attacker knows of them.
    read : callable, optional
        Reads the release that another tool has made; only where `External` is the only defence.
    known : Store, optional
        The cells that facts are drawn from, where these are of the file and not of the original.
    """

    original: Store
    stages: tuple[Stage, ...]
    publisher: Publisher
    undisclosed: tuple[str, ...]
    read: ReadRelease | None = None
    known: Store | None = None

    @property
    def truth(self) -> Store | None:
        """The data from which an adversary's facts are drawn; None: the release itself."""
        return self.known or self.original if self.stages else None

    def with_totals(self, released: Store, known: Iterable[Knowledge | None] = ()) -> Publisher:
        """Return what an attacker knows, completed by totals of the original over all people.

        Parameters
        ----------
        released : Store
            As opened.
        known : iterable of Knowledge
            What adversaries know; None where there is no model of it.
        """
        told = self.publisher
        if not self.stages:
            return told
        if self.undisclosed:
            return told
        if told.cut:
            return replace(told, unmodelled="several_records")
        if isinstance(self.stages[0].defence, External):
            return told
        windows = windows_of(self.original, told, released)
        if windows is None:
            return replace(told, unmodelled="times_moved_then_coarsened")
        some = [each for each in known if each is not None]
        drawn = [Drawn(), *(Drawn(each.popularity, each.draw) for each in some)]
        dated = any(each.date_noise is not None for each in some) or not some
        totals = original_totals(self.original, self.stages, windows, released, drawn, dated=dated)
        return replace(told, originals=totals.of_survivors() if self.known else totals)

    @property
    def identity(self) -> tuple[str, ...]:
        """The defences that do something: where they are the same, the same is released."""
        return tuple(json.dumps(identity(stage.defence)) for stage in self.stages)

    def loses_facts(self, released: Store) -> bool:
        """Whether the file lacks cells of people who are in it: facts of the original may differ.

        Raises
        ------
        GridError
            People have several records: nothing models who knows facts of one of them.
        """
        if not self.stages:
            return False
        if linkage_of(self.original, released).several:
            names = " and ".join(stage.defence.name for stage in self.stages)
            raise GridError(f"after {names} people have several records")
        notes = released.manifest.notes
        if LEFT not in notes:  # of the release of another tool it is unknown
            return True
        left = notes[LEFT][-1]
        return bool(left["cells"] - notes[ADDED] < left["theirs"])

    def with_file_facts(self, released: Store, cache: Path) -> Defended:
        """Return the same for facts of the file: cells of the original that survive in it.

        Of the release of another tool it is unknown which survive: facts are its cells as they are.

        Parameters
        ----------
        released : Store
            As opened, where `loses_facts`.
        """
        source = self._source()
        if not isinstance(source, DefendedSource):
            same = Linkage(*map(np.arange, (len(released.records), len(released.items))))
            remember(released, released, same)
            return replace(self, publisher=AS_IS, undisclosed=(), known=released)
        store = open_or_build(
            SurvivingCells(self.original, self.stages),
            cache,
            block_records=self.original.manifest.block_records,
        )
        linkage = linkage_of(self.original, released)
        remember(store, released, linkage_of_surviving(self.original, store, linkage))
        added = bool(released.manifest.notes[ADDED])
        told = self.publisher.of_surviving_cells(store.scale, added=added)
        return replace(self, publisher=told, known=store)

    def open(self, cache: Path, *, progress: Progress | None = None) -> Store:
        """Open the store of the new release, writing it into the cache on first use.

        Raises
        ------
        ConfigError
            A defence returns what it must not.
        GridError
            Nothing is left of the release.
        InputError
            The release of another tool cannot be read.
        StoreError
            The store cannot be written.
        """
        if not self.stages:
            return self.original
        source = self._source()
        store = open_or_build(
            source,
            cache,
            block_records=self.original.manifest.block_records,
            progress=progress,
        )
        return self._linked(source, store)

    def build(self, folder: Path) -> Store:
        """Write the new release into a new store; raises as `open`."""
        source = self._source()
        build_store(source, folder, block_records=self.original.manifest.block_records)
        return self._linked(source, Store(folder))

    def _source(self) -> DefendedSource | ExternalSource:
        defence = self.stages[0].defence if self.stages else None
        if not isinstance(defence, External):
            return DefendedSource(self.original, self.stages)
        if self.read is None:
            raise ConfigError(f"defence=[{defence.name}]: the release has no table to be read like")
        return ExternalSource.of(defence, self.original, self.read)

    def _linked(self, source: DefendedSource | ExternalSource, store: Store) -> Store:
        """Return the store, once its linkage is known where identifiers do not tell it."""
        linkage = source.linkage(store)
        if linkage is not None:
            remember(self.original, store, linkage)
        return store

    def record(self, released: Store | None = None) -> list[dict[str, Any]]:
        """Return the defences in the form of ``run.json``.

        Parameters
        ----------
        released : Store, optional
            What they have made, for what each has left.
        """
        found: list[dict[str, Any]] = [
            {
                "name": stage.defence.name,
                "options": as_configured(stage.defence),
                "known_to_attackers": stage.defence.name not in self.undisclosed,
            }
            for stage in self.stages
        ]
        if released is None or not self.stages:
            return found
        left = released.manifest.notes.get(LEFT)
        if left is None:
            left = [accounts(self.original, released, linkage_of(self.original, released))]
        return [{**each, "left": after} for each, after in zip(found, left, strict=True)]


_TOLD: WeakKeyDictionary[Store, set[str]] = WeakKeyDictionary()


def _tell_of_no_effect(original: Store, name: str, why: str) -> None:
    """Say once of a release that a defence has nothing to change, whatever the chains it is in."""
    told, words = _TOLD.setdefault(original, set()), f"{name}: {why}, so it has no effect"
    if words not in told:
        told.add(words)
        log.info("%s", words)


def defended(
    original: Store, defences: Sequence[Defence], read: ReadRelease | None = None
) -> Defended:
    """Check defences against a release; nothing is written yet.

    Parameters
    ----------
    read : callable, optional
        Reads the release of `External`.

    Raises
    ------
    GridError
        One of them cannot be applied to what those before it leave.
    """
    release = ReleaseStats.of(original)
    publisher = Publisher(scale=tuple(original.scale.tolist()))
    stages: list[Stage] = []
    undisclosed: list[str] = []
    acting = [defence for defence in defences if defence.does_something]
    if len(acting) > 1 and any(isinstance(defence, External) for defence in acting):
        raise GridError(
            f"defence=[{','.join(each.name for each in acting)}]: external is a whole release, and "
            "cannot be chained",
            advice="set 'defence=[external]'",
        )
    for number, defence in enumerate(acting, 1):
        lacking = release.lacks(defence.needs)
        if lacking:
            others = ",".join(each.name for each in defences if each is not defence)
            raise GridError(
                f"defence=[{defence.name}]: needs {lacking}, which the release lacks",
                advice=f"set 'defence=[{others}]'",
            )
        defence.check_release(release)
        skipped = defence.no_effect(release)
        if skipped:
            _tell_of_no_effect(original, defence.name, skipped)
            continue
        last = stages[-1] if stages else None
        stages.append(Stage.of(defence, release, last, original.items))
        known = defence.disclosed(publisher, release)
        if known is None:
            undisclosed.append(defence.name)
            known = replace(publisher, blanks=True)
        publisher = known
        if number < len(acting):
            known_after = None if stages[-1].groups is not None else defence.stats_after(release)
            release = stages[-1].after(known_after or release_stats(original, stages))
    return Defended(original, tuple(stages), publisher, tuple(undisclosed), read)
