"""Compare a made-up release with the facts it should meet.

``python -m benchmarks.calibrate PRESET [--seed SEED]``. Rows are made once to time them, and twice
more to be counted, since ranks must be known before the table of rare items. Each fact comes with
a tolerance; the exit status is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sim.release.cells import SECONDS_PER_DAY
from sim.release.synthetic import PRESETS, Preset, SyntheticSource
from sim.release.synthetic.preset import quantiles

PROBES = 1000
"""Records whose nearest neighbour is looked for: fewer where there are many to compare with."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something known of the real table, and how near the made-up one must come."""

    name: str
    wanted: float
    got: float
    within: float
    relative: bool = True

    @property
    def met(self) -> bool:
        """Whether it comes near enough."""
        slack = self.within * (abs(self.wanted) if self.relative else 1.0)
        return abs(self.got - self.wanted) <= slack


@dataclass(frozen=True, slots=True)
class Profile:
    """What one pass over the rows counts."""

    length: NDArray[np.int64]
    support: NDArray[np.int64]
    level: NDArray[np.int64]
    day: NDArray[np.int64]
    days_per_record: NDArray[np.int64]
    first_day: NDArray[np.int64]
    nearest: NDArray[np.float64]


def profile(source: SyntheticSource) -> Profile:
    """Count lengths, supports, levels, days, sessions, and look for nearest neighbours."""
    preset = source.preset
    length = np.zeros(preset.records, np.int64)
    support = np.zeros(preset.items, np.int64)
    level = np.zeros(len(preset.levels), np.int64)
    day = np.zeros(preset.days, np.int64)
    days_per_record = np.zeros(preset.records, np.int64)
    first_day = np.zeros(preset.records, np.int64)
    probes = PROBES if preset.records <= PROBES else PROBES // 5
    probe = np.unique(np.linspace(0, preset.records - 1, probes).astype(np.int64))
    held = sp.vstack(
        [_table(chunk, r, 1, preset.items) for r in probe for chunk in source.records(r, r + 1)]
    )
    nearest = np.zeros(len(probe))
    for chunk in source.chunks():
        lo, hi = int(chunk.record[0]) - 1, int(chunk.record[-1])
        row = chunk.record - 1 - lo
        date = chunk.time // SECONDS_PER_DAY - preset.first_day
        length[lo:hi] = np.bincount(row, minlength=hi - lo)
        support += np.bincount(chunk.item - 1, minlength=preset.items)
        level += np.bincount(np.searchsorted(preset.levels, chunk.value), minlength=len(level))
        day += np.bincount(date, minlength=preset.days)
        session, size = np.unique(row * preset.days + date, return_counts=True)
        owner, first = np.unique(session // preset.days, return_index=True)
        days_per_record[lo:hi] = np.diff(np.append(first, len(session)))
        first_day[lo + owner] = size[first]
        common = (held @ _table(chunk, lo, hi - lo, preset.items).T).toarray()
        union = held.sum(axis=1).A1[:, None] + length[lo:hi] - common
        here = (probe >= lo) & (probe < hi)
        common[here, probe[here] - lo] = 0.0
        nearest = np.maximum(nearest, (common / union).max(axis=1))
    return Profile(length, support, level, day, days_per_record, first_day, nearest)


def _table(chunk: object, lo: int, rows: int, items: int) -> sp.csr_matrix:
    place = (chunk.record - 1 - lo, chunk.item - 1)
    return sp.csr_matrix((np.ones(len(chunk), np.float32), place), shape=(rows, items))


def rare(source: SyntheticSource, support: NDArray[np.int64]) -> dict[tuple[int, int], float]:
    """Count, in %, records with at least k items outside the X most supported."""
    rank = np.empty(len(support), np.int64)
    rank[np.argsort(-support, kind="stable")] = np.arange(len(support))
    count = {top: np.zeros(source.preset.records + 1, np.int64) for top in (100, 500, 1000)}
    for chunk in source.chunks():
        for top, of in count.items():
            outside = chunk.record[rank[chunk.item - 1] >= top]
            of += np.bincount(outside, minlength=len(of))
    return {(t, k): 100.0 * (of[1:] >= k).mean() for t, of in count.items() for k in (1, 5, 10)}


def facts(preset: Preset, seen: Profile, outside: dict[tuple[int, int], float]) -> list[Fact]:
    """List the facts of spec section 7; for other presets, what their quantiles promise."""
    length, support = seen.length, seen.support
    if preset.name == "netflix":
        wanted = {"rows": 100_480_507, "mean": 209, 25: 39, 50: 96, 75: 259, 100: 17_653}
        items = {"mean": 5_654, 0: 3.5, 50: 561, 100: 232_944}
    elif preset.name == "movielens2006":
        wanted = {"rows": 12_565_530, "mean": 90, 50: 33, 100: 6_280}
        items = {"mean": 1_403, 0: 1, 50: 207, 100: 48_730}
    else:
        lengths = quantiles(preset.lengths, preset.records)
        supports = quantiles(preset.supports, preset.items)
        wanted = {"rows": lengths.sum(), "mean": lengths.mean()}
        wanted |= {q: np.percentile(lengths, q) for q in (25, 50, 75, 100)}
        items = {"mean": lengths.sum() / preset.items}
        items |= {q: np.percentile(supports, q) for q in (25, 50, 75, 100)}
    rows = [Fact("rows", wanted.pop("rows"), length.sum(), 0.01)]
    for name, population, known in (("length", length, wanted), ("support", support, items)):
        for which, value in known.items():
            mean = which == "mean"
            got = population.mean() if mean else np.percentile(population, which)
            label = f"{name}, {'mean' if mean else f'{which}th percentile'}"
            rows.append(Fact(label, value, got, 0.15 if value < 5 else 0.10))
    for level, share, count in zip(preset.levels, preset.shares, seen.level, strict=True):
        got = 100.0 * count / seen.level.sum()
        rows.append(Fact(f"% rated {level:g}", 100.0 * share, got, 1.0, relative=False))
    if preset.name == "netflix":
        table = ((100, (100, 97, 93)), (500, (99, 90, 80)), (1000, (97, 83, 70)))
        for top, values in table:
            for k, value in zip((1, 5, 10), values, strict=True):
                label = f"% with >= {k} outside top {top}"
                rows.append(Fact(label, value, outside[top, k], 3.0, relative=False))
    if preset.name == "movielens100k":
        for q, value in ((25, 0.26), (50, 0.32), (75, 0.376)):
            got = float(np.percentile(seen.nearest, q))
            rows.append(Fact(f"nearest neighbour, {q}th", value, got, 0.05, relative=False))
    return rows


def remarks(preset: Preset, seen: Profile) -> list[tuple[str, str]]:
    """Describe what the papers tell in words only."""
    fifth = np.array_split(np.cumsum(seen.day) / seen.day.sum(), 5)
    volume = np.diff([0.0] + [part[-1] for part in fifth])
    near = np.percentile(seen.nearest, (10, 25, 50, 75, 90))
    return [
        ("% of records below 20 cells", f"{100 * (seen.length < 20).mean():.1f}"),
        ("% of rows by fifth of the span", " ".join(f"{100 * v:.1f}" for v in volume)),
        ("rows per record and day", f"{seen.length.sum() / seen.days_per_record.sum():.1f}"),
        ("days per record, mean", f"{seen.days_per_record.mean():.1f}"),
        (
            "% of rows on the record's first day",
            f"{100 * seen.first_day.sum() / seen.length.sum():.0f}",
        ),
        ("nearest neighbour, 10/25/50/75/90th", " ".join(f"{v:.3f}" for v in near)),
        ("% with a neighbour above 0.5", f"{100 * (seen.nearest > 0.5).mean():.1f}"),
        (
            "least and 25/75/99th support",
            " ".join(f"{v:.0f}" for v in np.percentile(seen.support, (0, 25, 75, 99))),
        ),
        (
            "days",
            f"{np.flatnonzero(seen.day)[0]} to {np.flatnonzero(seen.day)[-1]} of {preset.days}",
        ),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=__doc__)
    parser.add_argument("preset", choices=sorted(PRESETS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    source = SyntheticSource(PRESETS[asked.preset], asked.seed)
    clock = [time.perf_counter()]
    next(source.records(0, 1))
    clock.append(time.perf_counter())
    for _ in source.chunks():
        pass
    clock.append(time.perf_counter())
    seen = profile(source)
    checked = facts(source.preset, seen, rare(source, seen.support))
    print(f"{source.name}\n\n{'fact':40} {'wanted':>12} {'got':>12} {'off':>9}")
    for fact in checked:
        off = fact.got - fact.wanted
        how = f"{100 * off / fact.wanted:+8.1f}%" if fact.relative else f"{off:+9.2f}"
        flag = "" if fact.met else "  MISSED"
        print(f"{fact.name:40} {fact.wanted:12,.6g} {fact.got:12,.6g} {how}{flag}")
    print()
    for name, text in remarks(source.preset, seen):
        print(f"{name:40} {text}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{'seconds to calibrate, to make':40} {clock[1] - clock[0]:.1f} {clock[2] - clock[1]:.1f}"
    )
    print(f"{'peak memory, MiB (this check included)':40} {memory:.0f}")
    return 0 if all(fact.met for fact in checked) else 1


if __name__ == "__main__":
    sys.exit(main())
