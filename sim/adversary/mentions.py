"""Public mentions as auxiliary information (F06; spec §6 end): simulated, or read from a file.

A person's mentions are items without dates, most of them held by the person's record. A mention
carries the item and, with some probability, its value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux, Candidates, Drawn, FactKind, GroundTruth
from sim.adversary.decoys import MentionLists, check_decoys, with_decoys, without_rarest
from sim.adversary.external import External
from sim.adversary.fact_draws import seed_of_facts
from sim.adversary.linkage_table import AS_WRITTEN
from sim.adversary.list_lengths import LONGEST, length_shares, list_lengths
from sim.adversary.mentioned import mentioned
from sim.adversary.target_cells import own_cells
from sim.adversary.targets import check_removal
from sim.errors import ConfigError, GridError
from sim.numeric import beta_quantile, power
from sim.numeric.random import Purpose, unit, words
from sim.release.readers.column_choice import ColumnChoice, Names
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions
from sim.release.store.cache import open_or_build
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.value_bins import UNBINNED

_MOST_POWER = 5


@dataclass(frozen=True, slots=True)
class Mentions:
    """The adversary who reads what the targets mention in public; see `Adversary`.

    Parameters
    ----------
    precision : float
        Mean fraction of the mentioned items that the person's record holds (F06 §4: 82%).
    popularity_exponent : float
        Held items are mentioned with probability proportional to their support to this power.
    value_known : float
        Probability that a mention of a held item carries its exact value: 1 for F06 §4.4, whose
        ExactRating and FuzzyRating differ in what the attack tolerates.
    max_length : int
        Longest list.
    hide_rarest : float
        Each person leaves out this share of the mentions they hold, rounded down, the least
        supported first (F06 §6.1).
    decoys : int
        Each person also mentions this many items that they do not hold (F06 §6.2).
    decoy_support : int or "top"
        Decoys have at least this support and are taken by increasing support; or by decreasing
        support from the top.
    present : bool
        Whether the target's record is in the release.
    other_popularity_exponent : float
        As `popularity_exponent`, for items that the person does not hold.
    overdispersion : float
        Variance of the fraction held between people, relative to its maximum (all or nothing),
        from 0 to 1.
    activity_exponent : float
        Longer records are likelier to mention anything; see `list_lengths`.
    fact_draw : int
        Number of the draw of what is mentioned, from 0; the lists are as long in all of them.

    Raises
    ------
    ConfigError
        A parameter is out of range.

    Notes
    -----
    F06 states the lengths of the lists and that 82% of the mentioned items are held, but neither
    who writes lists nor how popular the mentioned items are. `overdispersion` follows from Fig. 3:
    20% + 31% of the lists mention an item that the person does not hold; with the same 82% for
    everyone it would be 66%. The three exponents are fitted so that, on a release with MovieLens
    2006's counts, Set Intersection identifies as many people as in §4.1 (7%, 12%, 14% and 23% at
    k = 1, 5, 10, 100), and as many lists match no record (31%) or only other records (20%).
    Nothing is fitted to any other attack. Drawn independently, 133 lists mention about 2,000
    different items, where F06's mention 1,685: people who talk to each other mention the same
    items.
    """

    precision: float = 0.82
    popularity_exponent: float = -0.25
    value_known: float = 0.0
    max_length: int = LONGEST
    hide_rarest: float = 0.0
    decoys: int = 0
    decoy_support: int | Literal["top"] = "top"
    present: bool = True
    # Without keys, as `popularity_exponent`: calibrated together (Notes); no figure varies them.
    other_popularity_exponent: float = 0.25
    overdispersion: float = 0.26
    activity_exponent: float = 1.0
    fact_draw: int = 0

    def __post_init__(self) -> None:
        for key in (
            *("adversary.precision", "adversary.overdispersion"),
            *("grid.value_known", "grid.hide_rarest"),
        ):
            given = getattr(self, key.partition(".")[2])
            if not 0 <= given <= 1:
                raise ConfigError(f"{key}: {given}: expected a share from 0 to 1")
        for key in ("popularity_exponent", "other_popularity_exponent"):
            if not abs(getattr(self, key)) <= _MOST_POWER:
                raise ConfigError(
                    f"adversary.{key}: {getattr(self, key)}: expected a power from "
                    f"-{_MOST_POWER} to {_MOST_POWER}"
                )
        if not (math.isfinite(self.activity_exponent) and self.activity_exponent >= 0):
            raise ConfigError(
                f"adversary.activity_exponent: {self.activity_exponent}: expected 0 or more"
            )
        if self.max_length < 1:
            raise ConfigError(f"adversary.max_length: {self.max_length}: expected 1 or more")
        if self.decoys < 0:
            raise ConfigError(f"grid.decoys: {self.decoys}: expected 0 or more")
        support = self.decoy_support
        if support != "top" and (isinstance(support, (str, bool)) or support < 1):
            raise ConfigError(
                f"grid.decoy_support: {support!r}: expected a support of 1 or more, or top"
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
    def typical_facts(self) -> float:
        """See `Adversary.typical_facts`; at least one, for the size of batches."""
        n_mentions = float(
            (length_shares(self.max_length) * np.arange(1, self.max_length + 1)).sum()
        )
        return max(1.0, n_mentions * (1 - self.hide_rarest * self.precision) + self.decoys)

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:
        """Records that are given a list; see `sim.adversary.list_lengths`."""
        check_removal(store, self.present)
        check_decoys(store, self.decoys, self.decoy_support)
        return list_lengths(store, self.max_length, seed, self.activity_exponent) > 0

    def notes(self, store: Store) -> Mapping[str, int]:  # noqa: ARG002
        """See `Adversary.notes`; nothing can fail to match."""
        return {}

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:
        """See `Adversary.draw`."""
        size = list_lengths(store, self.max_length, seed, self.activity_exponent)[subjects].astype(
            np.int64
        )
        if not size.all():
            raise GridError("adversary=mentions: a target has no list of mentions")
        seed = seed_of_facts(seed, self.fact_draw)
        support = store.support.astype(np.float64)
        weight, other = (
            power(support, self.popularity_exponent),
            power(support, self.other_popularity_exponent),
        )
        share = _shares_held(self.precision, self.overdispersion, subjects, seed)
        item, held = mentioned(store, subjects, size, share, weight, seed, other)
        kind = np.where(held, FactKind.TRUE, FactKind.MENTION).astype(np.uint8)
        value_known = _values_known(self.value_known, subjects, size, seed)
        lists = MentionLists(np.repeat(np.arange(subjects.size), size), item, kind, value_known)
        lists = without_rarest(store, lists, self.hide_rarest)
        if self.decoys:
            lists = with_decoys(store, subjects, lists, self.decoys, self.decoy_support)
        own_held, level, day = own_cells(store, subjects[lists.whose], lists.item)
        value = np.append(store.scale, np.nan)[level]
        aux = Aux(
            cell=np.full(subjects.size, cell, np.int32),
            start=np.searchsorted(lists.whose, np.arange(subjects.size + 1)),
            item=lists.item,
            value=np.where(own_held & lists.value_known, value, np.nan),
            day=np.full(lists.item.size, NO_DAY, np.int32),
        )
        truth = GroundTruth(
            target=subjects,
            absent=np.full(subjects.size, not self.present),
            kind=lists.kind,
            own_held=own_held,
            own_level=level,
            own_day=day,
        )
        return Drawn(aux, Candidates.every(subjects.size), truth)


def _shares_held(
    mean: float, overdispersion: float, subjects: NDArray[np.int64], seed: int
) -> NDArray[np.float64]:
    """Each person's fraction: Beta with this mean and this share of the maximum variance."""
    place = unit(words(seed, Purpose.MENTION_SHARE, subjects))
    if overdispersion == 0 or mean in (0, 1):
        return np.full(subjects.size, mean)
    if overdispersion == 1:
        return np.where(place < mean, 1.0, 0.0)
    weight = 1 / overdispersion - 1
    return beta_quantile(mean * weight, (1 - mean) * weight, place)


def _values_known(
    share: float, targets: NDArray[np.int64], size: NDArray[np.int64], seed: int
) -> NDArray[np.bool_]:
    position = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    word = words(seed, Purpose.MISSING_VALUE, np.repeat(targets, size), position)
    return np.asarray(unit(word) < share)


def open_mentions(
    path: Path,
    cache: Path,
    person: Names,
    item: Names,
    value: str | None = None,
    truth: Mapping[str, str] | None = None,
    options: TableOptions = AS_WRITTEN,
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
        Record of each person; see `sim.adversary.linkage_table.read_linkage_table`.
    options : TableOptions
        How its cells are written, and what is done with rows without a person or an item.

    Returns
    -------
    External
        Everyone with a mention is attacked, even if the release holds none of their items; with
        a truth table, everyone whose record is in the release.

    Raises
    ------
    ConfigError, InputError, StoreError
    """
    choice = ColumnChoice(person, item, value, group="adversary")
    source = TableSource(path, choice, options, repeats=Repeats.LATEST, value_bins=UNBINNED)
    return External(open_or_build(source, cache), truth, dates=False, min_items=0)
