"""Public mentions as auxiliary information (F06; spec §6 end): simulated, or read from a file.

A person's mentions are items without dates. Most are of items the person's record holds; none
tells more than the item, unless its value is known too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux, Candidates, Drawn, GroundTruth, Kind
from sim.adversary.external import External
from sim.adversary.list_lengths import LONGEST, length_shares, list_lengths
from sim.adversary.mentioned import mentioned
from sim.adversary.misdirect import Said, check_decoys, with_decoys, without_rarest
from sim.adversary.own import own_cells
from sim.adversary.targets import check_removal
from sim.errors import ConfigError, GridError
from sim.numeric import beta_quantile, power
from sim.numeric.random import Purpose, unit, words
from sim.release.readers.table import TableSource
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store

_MOST_POWER = 5


@dataclass(frozen=True, slots=True)
class Mentions:
    """The adversary who reads what the targets say in public; see `Adversary`.

    Parameters
    ----------
    held : float
        Share of the mentions that are of items the person's record holds, on average (F06 §4: 82%).
    popularity : float
        Of what they hold, people mention items by their support to this power, once they are held.
    value_known : float
        Probability that a mention of a held item tells its value exactly: 1 for F06 §4.4, whose
        ExactRating and FuzzyRating differ in what the attack tolerates.
    longest : int
        Longest list.
    hide_rarest : float
        Each person leaves out this share of the mentions they hold, rounded down, the least
        supported first (F06 §6.1).
    decoys : int
        Each person mentions this many items more that they neither hold nor mention (F06 §6.2).
    decoy_support : int or "top"
        Decoys have at least this support and are taken by increasing support; or by decreasing
        support from the top.
    present : bool
        Whether the target's record is in the release.
    other_popularity : float
        Of what they do not hold, people mention items by their support to this power.
    spread : float
        How much the share held differs between people: its variance over that of all or nothing,
        from 0 to 1.
    activity : float
        Who holds more is likelier to say anything in public; see `list_lengths`.

    Raises
    ------
    ConfigError
        A parameter is out of range.

    Notes
    -----
    F06 states how long the lists are and that 82% of a list is held, but not who writes them, nor
    how popular what they name is. `spread` follows from Fig. 3: 20% and 31% of the lists name
    something that their person does not hold; an equal share of 82% for all would make it 66%.
    `activity`, `popularity` and `other_popularity` are set so that on a release with MovieLens
    2006's counts Set Intersection finds as many as in §4.1 (7%, 12%, 14% and 23% at k = 1, 5, 10,
    100), and as many lists fit nobody (31%), or only others (20%). Nothing is fitted to any other
    attack. Drawn independently, 133 lists name some 2,000 different items, where F06's name 1,685:
    people who talk to each other name the same ones.
    """

    held: float = 0.82
    popularity: float = -0.25
    value_known: float = 0.0
    longest: int = LONGEST
    hide_rarest: float = 0.0
    decoys: int = 0
    decoy_support: int | Literal["top"] = "top"
    present: bool = True
    other_popularity: float = 0.25
    spread: float = 0.26
    activity: float = 1.0

    def __post_init__(self) -> None:
        for key in ("held", "value_known", "hide_rarest", "spread"):
            given = getattr(self, key)
            if not 0 <= given <= 1:
                raise ConfigError(f"adversary.{key}: {given}: expected a share from 0 to 1")
        for key in ("popularity", "other_popularity"):
            if not abs(getattr(self, key)) <= _MOST_POWER:
                raise ConfigError(
                    f"adversary.{key}: {getattr(self, key)}: expected a power from "
                    f"-{_MOST_POWER} to {_MOST_POWER}"
                )
        if not (math.isfinite(self.activity) and self.activity >= 0):
            raise ConfigError(f"adversary.activity: {self.activity}: expected 0 or more")
        if self.longest < 1:
            raise ConfigError(f"adversary.longest: {self.longest}: expected 1 or more")
        if self.decoys < 0:
            raise ConfigError(f"adversary.decoys: {self.decoys}: expected 0 or more")
        support = self.decoy_support
        if support != "top" and (isinstance(support, (str, bool)) or support < 1):
            raise ConfigError(
                f"adversary.decoy_support: {support!r}: expected a support of 1 or more, or top"
            )

    @property
    def knowledge(self) -> None:
        """See `Adversary.knowledge`: mentions are no sample of the record."""
        return

    @property
    def people(self) -> None:
        """See `Adversary.people`."""
        return

    @property
    def facts(self) -> float:
        """See `Adversary.facts`; at least one, for the size of batches."""
        said = float((length_shares(self.longest) * np.arange(1, self.longest + 1)).sum())
        return max(1.0, said * (1 - self.hide_rarest * self.held) + self.decoys)

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:
        """Records that are given a list; see `sim.adversary.list_lengths`."""
        check_removal(store, self.present)
        check_decoys(store, self.decoys, self.decoy_support)
        return list_lengths(store, self.longest, seed, self.activity) > 0

    def notes(self, store: Store) -> Mapping[str, int]:  # noqa: ARG002
        """See `Adversary.notes`; nothing can fail to match."""
        return {}

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:
        """See `Adversary.draw`."""
        size = list_lengths(store, self.longest, seed, self.activity)[subjects].astype(np.int64)
        if not size.all():
            raise GridError("adversary=mentions: a target has no list of mentions")
        support = store.support.astype(np.float64)
        weight, other = power(support, self.popularity), power(support, self.other_popularity)
        share = _shares_held(self.held, self.spread, subjects, seed)
        item, held = mentioned(store, subjects, size, share, weight, seed, other)
        kind = np.where(held, Kind.TRUE, Kind.MENTION).astype(np.uint8)
        told = _values_told(self.value_known, subjects, size, seed)
        said = Said(np.repeat(np.arange(subjects.size), size), item, kind, told)
        said = without_rarest(store, said, self.hide_rarest)
        if self.decoys:
            said = with_decoys(store, subjects, said, self.decoys, self.decoy_support)
        own_held, level, day = own_cells(store, subjects[said.whose], said.item)
        value = np.append(store.scale, np.nan)[level]
        aux = Aux(
            cell=np.full(subjects.size, cell, np.int32),
            start=np.searchsorted(said.whose, np.arange(subjects.size + 1)),
            item=said.item,
            value=np.where(own_held & said.told, value, np.nan),
            day=np.full(said.item.size, NO_DAY, np.int32),
        )
        truth = GroundTruth(
            target=subjects,
            absent=np.full(subjects.size, not self.present),
            kind=said.kind,
            own_held=own_held,
            own_level=level,
            own_day=day,
        )
        return Drawn(aux, Candidates.every(subjects.size), truth)


def _shares_held(
    mean: float, spread: float, subjects: NDArray[np.int64], seed: int
) -> NDArray[np.float64]:
    """Each person's own share: Beta with this mean, and this part of the greatest variance."""
    place = unit(words(seed, Purpose.MENTION_SHARE, subjects))
    if spread == 0 or mean in (0, 1):
        return np.full(subjects.size, mean)
    if spread == 1:
        return np.where(place < mean, 1.0, 0.0)
    weight = 1 / spread - 1
    return beta_quantile(mean * weight, (1 - mean) * weight, place)


def _values_told(
    share: float, targets: NDArray[np.int64], size: NDArray[np.int64], seed: int
) -> NDArray[np.bool_]:
    position = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    word = words(seed, Purpose.MISSING_VALUE, np.repeat(targets, size), position)
    return np.asarray(unit(word) < share)


def open_mentions(
    path: Path,
    cache: Path,
    person: str,
    item: str,
    value: str | None = None,
    delimiter: str | None = None,
    truth: Mapping[str, str] | None = None,
    empty: str = "error",
) -> External:
    """Read real mentions from a table: one row for each item a person mentions.

    Parameters
    ----------
    path : Path
        Delimited text or parquet; see `sim.release.readers.table.TableSource`.
    cache : Path
        Folder that holds stores; the table is kept there as one.
    person, item : str
        Columns of the person and of the item.
    value : str, optional
        Column of the value, where it is known.
    truth : mapping of str to str, optional
        Record of each person; see `sim.adversary.truth.read_truth`.
    empty : str
        What is done with rows without a person or an item; see
        `sim.release.readers.empty_ids.EmptyIds`.

    Returns
    -------
    External
        Everybody with a mention is attacked, even if the release holds none of their items; with
        a truth, everybody whose record it holds.

    Raises
    ------
    ConfigError, InputError, StoreError
    """
    source = TableSource(
        path, person, item, value, delimiter=delimiter, empty=empty, group="adversary"
    )
    return External(open_or_build(source, cache), truth, dates=False, least=0)
