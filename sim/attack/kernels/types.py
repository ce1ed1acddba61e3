"""Arguments of the kernels: tuples of arrays, which Numba unpacks at no cost.

A kernel that writes to an array of a tuple must unpack it by a statement of its own, as in
``score = tile.score``. Where many are unpacked at once Numba loses track of the array's origin, and
removes the writes as dead code (`numba.core.ir_utils.find_potential_aliases`).

Shapes: A facts of U aux sets, K days of a table, L levels, N records of the release.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.score_spec import Counted

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
T = TypeVar("T")
_NOTHING_NEAR = np.empty(0, np.uint16)
_NO_STARTS = np.empty(0, np.int64)


def read_only(given: T) -> T:
    """Return views that cannot be written of the arrays in a tuple, and in tuples of it.

    Numba compiles a kernel anew for arrays that can be written, as those of a mapped file or from
    another process cannot be, and for columns that lie side by side: arguments that are only read
    always come in this form, rows side by side.

    Examples
    --------
    >>> start, item = read_only(AuxColumns(np.array([0, 1]), np.array([3], np.int32)))
    >>> item.flags.writeable
    False
    >>> (table,) = read_only((np.zeros((2, 3)).T,))
    >>> table.flags.c_contiguous
    True
    """
    return cast("T", _read_only(given))


def _read_only(given: Any) -> Any:
    if isinstance(given, np.ndarray):
        view = np.ascontiguousarray(given).view()
        view.flags.writeable = False
        return view
    if isinstance(given, tuple):
        parts = [_read_only(part) for part in given]
        return type(given)(*parts) if hasattr(given, "_fields") else tuple(parts)
    return given


class Postings(NamedTuple):
    """The cells of a block by item, records ascending; see `sim.release.store.store.Block`.

    The items of facts are places in `item_start`: of all items, or of those of the facts alone
    (`sim.attack.kernels.postings.facts_index`). `item_day` is None where contributions do not
    depend on the day.
    """

    first: int
    n_records: int
    item_start: Ints
    item_row: NDArray[Any]
    item_level: NDArray[Any]
    item_day: NDArray[Any] | None


class Tables(NamedTuple):
    """Smooth contributions, add[a, level] + mul[a, level] · day_table[day_offset[a] + day].

    Parameters
    ----------
    add : float64 array, shape (A, L + 1), or (A, 2, 8) where there are at most 16 levels
    mul : float64 array, shape (A, L + 1), or (A,) where all levels are alike, or None for all 0
    day_table : float64 array, shape (K,)
    day_offset : int64 array, shape (A,)
    """

    add: Floats
    mul: Floats | None
    day_table: Floats
    day_offset: Ints


class AuxColumns(NamedTuple):
    """Aux set u consists of the facts start[u] to start[u + 1]; item −1 is not in the release."""

    start: Ints
    item: NDArray[np.int32]


class RowFilter(NamedTuple):
    """The candidates: records of these lengths, except the removed ones.

    Parameters
    ----------
    length : integer array, shape (N,)
    shortest, longest : int32 arrays, shape (U,)
    removed_start : int64 array, shape (U + 1,)
    removed : int64 array
        The records taken out of the release for aux set u are
        ``removed[removed_start[u] : removed_start[u + 1]]``, ascending.
    """

    length: NDArray[Any]
    shortest: NDArray[np.int32]
    longest: NDArray[np.int32]
    removed_start: Ints
    removed: Ints


class TargetCells(NamedTuple):
    """The target of each aux set, −1 where it is not in the release, and its cells of each fact.

    Those of fact a are [start[a], start[a + 1]) of `level`, `day` and `near`, the item's cells near
    it (`sim.attack.kernels.near_cells`).
    """

    record: Ints
    start: Ints
    level: NDArray[np.int32]
    day: NDArray[np.int32]
    near: NDArray[np.uint32]


class Prefixes(NamedTuple):
    """Scan s serves the prefixes of size[start[s] : start[s + 1]] facts, ascending."""

    start: Ints
    size: Ints


class AllTables(NamedTuple):
    """Contributions of any kind; see `sim.attack.kernels.score_spec`.

    Parameters
    ----------
    near : unsigned array
        Cells near each posting of the block, for one noise and another; see
        `sim.attack.kernels.near_cells`. Empty where no chances depend on them.
    near_start : int64 array, shape (G,)
        Where those for each noise begin in `near`.
    """

    smooth: Tables
    choice: Floats
    day_class: NDArray[Any]
    counted: Counted
    near: NDArray[np.uint16] | NDArray[np.uint32] = _NOTHING_NEAR
    near_start: Ints = _NO_STARTS


class Form(NamedTuple):
    """The form of the scores; see `sim.attack.kernels.score_spec.ScoreSpec`."""

    kind: int
    base: Floats
    feature: Floats
    group: Ints
    need: Floats
    required: NDArray[np.bool_]


class HolderBits(NamedTuple):
    """The records of a block that hold an item, a bit each; see `sim.attack.kernels.holders`.

    Parameters
    ----------
    place : int32 array
        Row in `bits` by an item's place in the index; −1 for an item without bits.
    bits : uint64 array, shape (P, n_records // 64 + 1)
    before : uint16 array, shape (P, n_records // 64 + 1)
        Records that hold the item before those of each word: where the postings of these begin in
        the item's. Empty where a record may have several postings.
    """

    place: NDArray[np.int32]
    bits: NDArray[np.uint64]
    before: NDArray[np.uint16]


class Tile(NamedTuple):
    """Scores of the records from `first` of the block on.

    Parameters
    ----------
    score : float64 array
        −0.0 for a record that has been given no contribution yet.
    cursors : uint64 array, shape (3, facts)
        For each fact of the aux set, the next posting, the one to stop at (the removed record's,
        or the end), and the end.
    """

    score: Floats
    first: Any
    cursors: NDArray[np.uint64]


class Pruning(NamedTuple):
    """State of a scan while it adds contributions.

    Parameters
    ----------
    sums : float64 array, shape (facts · 16,)
        Lane sums of each fact: eight of contributions, eight of what they add to squared scores.
    survivors : uint16 array
        Records of the tile whose scores have passed the pruning threshold.
    top : `TOP` array
        What is known at each prefix.
    """

    sums: Floats
    survivors: NDArray[np.uint16]
    top: NDArray[Any]


class Weighing(NamedTuple):
    """State of the sums of exponentials, at each prefix c and for each of C sigmas.

    Parameters
    ----------
    sigma : float64 array, shape (prefixes, C)
    lane_sums : float64 array, shape (prefixes, 1 + 2·C, 8)
        Pending scores, then for each sigma the lane sums of exp(g) and of g·exp(g).
    pending : int64 array, shape (prefixes,)
        Scores that wait until there are eight.
    nonzero : int64 array, shape (prefixes,)
        Scores taken that are not 0.
    buffer : float64 array
        Of the scores of a tile, those that are not 0.
    scratch : float64 array, shape (2, tile)
    """

    sigma: Floats
    lane_sums: Floats
    pending: Ints
    nonzero: Ints
    buffer: Floats
    scratch: Floats
