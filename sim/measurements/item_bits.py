"""Measures the bits that one known item reveals about its holder (NS08, Fig. 7).

A holder of an item agrees with the holders whose cell looks the same to the adversary, itself
included; knowing the cell gives log2(N / holders that agree) bits. Invariant: counts are whole
numbers, and an item's cells are summed by day, then record, so no bit depends on blocks or threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.extend.options import constant
from sim.findings.finding import Finding, Kind
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.measurements.neighbours import RecordSimilarity
from sim.measurements.neighbours.block_index import by_day
from sim.measurements.neighbours.metric import MatchRule, match_rule
from sim.numeric import log2
from sim.numeric.compiled import njit
from sim.numeric.rows import row_dicts
from sim.release.store.store import Block, Store
from sim.release.store.threads import in_order, threads_for

KNOWN = ("presence", "values", "dates", "values_and_dates")
"""The attributes of a cell that the adversary may know."""

CELLS_AT_ONCE = 1 << 22
"""Cells of consecutive items that are sorted by day in one batch; an item may have more."""

_Span = tuple[int, int]


BITS_OF_ITEM = Kind("bits_of_item", "the bits that one known item tells about its holder")


@dataclass(frozen=True)
class ItemBits(Measurement):
    """Measures the bits that an adversary gains from one item, by its rank.

    A cell without a value, or a day, agrees with all.

    Examples
    --------
    >>> ItemBits(eps_value=1, eps_day=14).kind
    'item_bits'
    """

    kind: ClassVar[str] = "item_bits"
    summary: ClassVar[str] = "bits gained from one item"
    facts: ClassVar[str] = "per `known`: bits gained from an item"
    tables: ClassVar[Mapping[str, str]] = {
        "item_bits": "per item: `item_rank`, `item`, `support`, mean bits over its holders by "
        "`presence`, `values`, `dates`, `values_and_dates`"
    }
    heads: ClassVar[Mapping[str, str]] = {
        "bits": "bits gained, mean over cells",
        "bits_item_mean": "mean over items",
        "bits_item_lower_quartile": "lower quartile of items",
        "bits_item_median": "median item",
        "bits_item_upper_quartile": "upper quartile of items",
        "bits_most_supported": "most supported item",
    }
    figure: ClassVar[str] = "item_bits"
    kinds: ClassVar[tuple[Kind, ...]] = (BITS_OF_ITEM,)

    # Values and days at most this far apart agree: those of NS08 Figures 1 and 7.
    eps_value: float = constant(1.0, minimum=0)
    eps_day: int = constant(14, minimum=0)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        *less, most = row_dicts(facts[facts["bits"].notna()])
        for row in (most, *less):
            yield BITS_OF_ITEM.with_numbers(
                "measurement:item_bits", numbers_of(row, "known", "bits", "bits_prior")
            )

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the facts without what is the same in every row."""
        return facts.drop(columns=["eps_value", "eps_day", "bits_prior"])

    def measure(self, store: Store, seed: int) -> Tables:  # noqa: ARG002
        """Measure.

        Parameters
        ----------
        seed : int
            Unused: nothing is drawn.

        Returns
        -------
        Tables
            ``item_bits``: a row per item, by ``item_rank`` from 1; ``item`` (the user's
            identifier), ``support``, and the mean bits over its holders for each of `KNOWN`.
            ``facts``: a row per ``known``, with the thresholds, the mean over all cells, ``bits``,
            the mean and quartiles over items, and ``bits_prior`` = log2 N. Null where the release
            has no values, or no days.
        """
        order = np.argsort(store.rank)
        bits = item_bits(store, self.eps_value, self.eps_day)[order]
        support = store.support[order]
        table = pd.DataFrame(
            {
                "item_rank": np.arange(1, order.size + 1),
                "item": store.items.take(order).to_pandas(),
                "support": support,
                **dict(zip(KNOWN, bits.T, strict=True)),
            }
        )
        prior = float(log2(store.manifest.n_records))
        within = {"eps_value": self.eps_value, "eps_day": self.eps_day}
        facts = [
            {"known": known, **within, **_summary(table[known], support), "bits_prior": prior}
            for known in KNOWN
        ]
        return {FACTS: pd.DataFrame(facts), "item_bits": table}


def item_bits(store: Store, eps_value: float, eps_day: int) -> NDArray[np.float64]:
    """Mean over an item's holders of log2(N / holders that agree).

    Parameters
    ----------
    eps_value : float
        In value units.
    eps_day : int
        In days.

    Returns
    -------
    float64 array, shape (n_items, 4)
        For each of `KNOWN`; NaN where the release has no values, or no days.
    """
    rule = match_rule(RecordSimilarity(eps_value, eps_day), store)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    held = np.arange(1, store.manifest.n_records + 1)
    gain = log2(store.manifest.n_records / held)
    threads = threads_for(store.manifest.n_cells)
    parts = in_order(
        lambda span: _of_span(blocks, span, rule, gain), _spans(store.support), threads
    )
    bits = np.concatenate([part for _, part in parts])
    if not store.manifest.has_values:
        bits[:, [1, 3]] = np.nan
    if not store.manifest.has_days:
        bits[:, [2, 3]] = np.nan
    return bits


def _spans(support: NDArray[np.int64]) -> Iterator[_Span]:
    """Cut the items into runs of about `CELLS_AT_ONCE` cells."""
    run = (np.cumsum(support) - support) // CELLS_AT_ONCE
    cuts = np.flatnonzero(np.diff(run)) + 1
    return zip([0, *cuts.tolist()], [*cuts.tolist(), support.size], strict=True)


def _of_span(
    blocks: list[Block], span: _Span, rule: MatchRule, gain: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Bits of the items of a span."""
    items = np.arange(*span)
    start = np.zeros(items.size + 1, np.int64)
    for block in blocks:
        begin, end = block.postings_of(items)
        start[1:] += end - begin
    start = np.cumsum(start)
    level = np.empty(start[-1], blocks[0].item_level.dtype)
    day = np.empty(start[-1], np.uint16)
    at = start[:-1].copy()
    for block in blocks:
        _gather(*block.postings_of(items), block.item_level, block.item_day, at, level, day)
    order = by_day(start, day, rule.no_day)
    bits = np.empty((start.size - 1, len(KNOWN)))
    _add_up(start, level[order], day[order], rule, gain, bits)
    return bits


@njit
def _gather(begin, end, level, day, at, all_levels, all_days):  # type: ignore[no-untyped-def]
    """Append a block's cells to those of the previous blocks, item by item."""
    for i in range(at.size):
        for q in range(begin[i], end[i]):
            all_levels[at[i]] = level[q]
            all_days[at[i]] = day[q]
            at[i] += 1


@njit
def _add_up(start, level, day, rule, gain, bits):  # type: ignore[no-untyped-def]
    """Mean bits of each item, its cells in order of day, those without one last.

    `near` counts levels among the cells within reach of a day, the undated ones included; a cell
    without a value agrees with all of them.
    """
    n_levels = rule.no_value + 1
    held, near = np.empty(n_levels, np.int64), np.empty(n_levels, np.int64)
    agree, agree_near = np.empty(n_levels, np.int64), np.empty(n_levels, np.int64)
    prefix = np.zeros(n_levels, np.int64)
    for i in range(start.size - 1):
        begin, end = start[i], start[i + 1]
        if begin == end:
            bits[i, :] = np.nan
            continue
        held[:], near[:] = 0, 0
        dated = end
        for q in range(begin, end):
            held[level[q]] += 1
            if day[q] == rule.no_day:
                near[level[q]] += 1
                dated = min(dated, q)
        _agreeing(held, rule, prefix, agree)
        by_value = by_date = by_both = 0.0
        for q in range(begin, end):
            by_value += gain[agree[level[q]] - 1]
        low = high = q = begin
        while q < dated:
            today = np.int64(day[q])
            while high < dated and day[high] <= today + rule.reach:
                near[level[high]] += 1
                high += 1
            while day[low] < today - rule.reach:
                near[level[low]] -= 1
                low += 1
            _agreeing(near, rule, prefix, agree_near)
            of_date = gain[agree_near[rule.no_value] - 1]
            while q < dated and day[q] == today:
                by_date += of_date
                by_both += gain[agree_near[level[q]] - 1]
                q += 1
        for q in range(dated, end):
            by_date += gain[end - begin - 1]
            by_both += gain[agree[level[q]] - 1]
        bits[i, 0] = gain[end - begin - 1]
        bits[i, 1] = by_value / (end - begin)
        bits[i, 2] = by_date / (end - begin)
        bits[i, 3] = by_both / (end - begin)


@njit
def _agreeing(count, rule, prefix, agree):  # type: ignore[no-untyped-def]
    """Count the cells that agree with each level, from counts by level."""
    total = 0
    for level in range(rule.no_value):
        total += count[level]
        prefix[level + 1] = total
    for level in range(count.size):
        last = min(rule.high[level] + 1, rule.no_value)
        agree[level] = prefix[last] - prefix[rule.low[level]] + count[rule.no_value]


def _summary(bits: pd.Series, support: NDArray[np.int64]) -> dict[str, Any]:
    """Summarise over cells and over items."""
    values = bits.to_numpy(np.float64)
    low, median, high = np.percentile(values, [25, 50, 75]).tolist()
    return {
        "bits": float(np.average(values, weights=support)),
        "bits_item_mean": float(values.mean()),
        "bits_item_lower_quartile": low,
        "bits_item_median": median,
        "bits_item_upper_quartile": high,
        "bits_most_supported": float(values[0]),
    }
