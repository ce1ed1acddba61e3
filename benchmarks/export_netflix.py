"""Any release as Netflix Prize text: ``combined_data_*.txt``, or one ``mv_*.txt`` for each film.

Invariant: the text holds every cell of the release once, and reading it gives the same records,
items, values and days. Rows of a film come in a random order, as they did in the original.
"""

from __future__ import annotations

import argparse
import io
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, get_args

import numba
import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store

Layout = Literal["combined", "training_set", "tar"]
FILES = 4
"""Parts of the combined text, as it was published."""

_ROW_BYTES = 34  # 19 digits, a comma, a digit, a comma, ten of the date, a line feed, and one over


def export(
    store: Store, folder: Path, layout: Layout = "combined", plain: Path | None = None
) -> int:
    """Write a release as Netflix text.

    Parameters
    ----------
    store : Store
        Records and items are identified by whole numbers, none negative; every cell has a day and
        one to five whole stars.
    folder : Path
        Gets `FILES` files, a folder `training_set`, or `training_set.tar`.
    plain : Path, optional
        Gets the same rows as plain columns without a header: item, record, value, date.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ValueError
        The release is not of this kind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        put = _writer(layout, folder, store.manifest.n_items, stack)
        columns = None if plain is None else stack.enter_context(plain.open("wb"))
        for nth, (item, rows, whole) in enumerate(_films(store, plain is not None)):
            put(nth, item, rows)
            if columns is not None:
                columns.write(whole)
    return store.manifest.n_cells


def _writer(
    layout: Layout, folder: Path, n_items: int, stack: ExitStack
) -> Callable[[int, int, bytes], object]:
    """Return what writes the rows of the nth film."""
    if layout == "combined":
        parts = [
            stack.enter_context((folder / f"combined_data_{n}.txt").open("wb", 1 << 20))
            for n in range(1, FILES + 1)
        ]
        return lambda nth, item, rows: parts[nth * FILES // n_items].write(b"%d:\n" % item + rows)
    if layout == "training_set":
        (folder / "training_set").mkdir()
        return lambda _, item, rows: (folder / f"training_set/mv_{item:07d}.txt").write_bytes(
            b"%d:\n" % item + rows
        )
    tar = stack.enter_context(tarfile.TarFile(folder / "training_set.tar", "w"))

    def add(_: int, item: int, rows: bytes) -> None:
        info = tarfile.TarInfo(f"training_set/mv_{item:07d}.txt")
        text = b"%d:\n" % item + rows
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))

    return add


def _films(store: Store, plain: bool) -> Iterator[tuple[int, bytes, bytes]]:
    """Every item, its rows, and its rows with the item in front (empty if not `plain`)."""
    m = store.manifest
    stars = np.append(store.scale, np.nan)
    if m.missing_values or m.missing_days or not set(m.scale) <= {1.0, 2.0, 3.0, 4.0, 5.0}:
        raise ValueError("the Netflix text knows one to five whole stars and a day for every row")
    record_ids, item_ids = (
        ids.to_numpy(zero_copy_only=False) for ids in (store.records, store.items)
    )
    if any(ids.dtype.kind != "i" or ids.min() < 0 for ids in (record_ids, item_ids)):
        raise ValueError("the Netflix text knows records and items by whole numbers only")
    dates = np.datetime_as_string(np.arange(m.first_day, m.first_day + m.n_days, dtype="M8[D]"))
    date_text = dates.astype("S10").view(np.uint8).reshape(-1, 10)
    digits = (stars[:-1].astype(np.uint8) + ord("0")).astype(np.uint8)
    for item in range(m.n_items):
        parts = []
        for index in range(m.n_blocks):
            block = store.block(index)
            here = slice(block.item_start[item], block.item_start[item + 1])
            row = block.item_row[here].astype(np.int64) + block.first
            parts.append((record_ids[row], block.item_level[here], block.item_day[here]))
        record, level, day = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.random.default_rng(item).permutation(record.size)
        number = int(item_ids[item])
        cells = (record[order], level[order], day[order])
        before = np.frombuffer(b"%d," % number, np.uint8)
        yield (
            number,
            _text(*cells, digits, date_text, before[:0]).tobytes(),
            _text(*cells, digits, date_text, before).tobytes() if plain else b"",
        )


def _text(
    record: NDArray[np.int64],
    level: NDArray[np.uint8],
    day: NDArray[np.uint16],
    digits: NDArray[np.uint8],
    dates: NDArray[np.uint8],
    before: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    out = np.empty(record.size * (_ROW_BYTES + before.size), np.uint8)
    return out[: _write(record, level, day, digits, dates, before, out)]


@numba.njit(cache=True)
def _write(record, level, day, digits, dates, before, out):  # type: ignore[no-untyped-def]
    end = 0
    for k in range(record.size):
        for letter in before:
            out[end] = letter
            end += 1
        width, rest = 1, record[k]
        while rest >= 10:
            rest //= 10
            width += 1
        rest = record[k]
        for place in range(end + width - 1, end - 1, -1):
            out[place] = ord("0") + rest % 10
            rest //= 10
        end += width
        out[end], out[end + 1], out[end + 2] = ord(","), digits[level[k]], ord(",")
        end += 3
        for letter in dates[day[k]]:
            out[end] = letter
            end += 1
        out[end] = ord("\n")
        end += 1
    return end


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.export_netflix")
    parser.add_argument("store", type=Path, help="folder of a built store")
    parser.add_argument("folder", type=Path, help="where the text goes")
    parser.add_argument("--layout", choices=get_args(Layout), default="combined")
    given = parser.parse_args()
    print(export(Store(given.store), given.folder, given.layout), "rows")


if __name__ == "__main__":
    main()
