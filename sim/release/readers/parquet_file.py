"""Opens parquet files and reads their batches, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sim.errors import InputError
from sim.release.readers.textfile import reading


def size_of(path: Path) -> int:
    """Return the bytes of a file.

    Raises
    ------
    InputError
        It cannot be read.
    """
    with reading(str(path)):
        return path.stat().st_size


def open_parquet(path: Path) -> Any:
    """Open a parquet file, to be closed by whoever asks.

    Raises
    ------
    InputError
        It cannot be read.
    """
    with _reading_parquet(path):
        # A buffered read keeps the memory small where a row group is as large as the file.
        return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)


def next_batch(path: Path, batches: Iterator[Any]) -> Any:
    """Return the next batch of a file; None after the last.

    Raises
    ------
    InputError
        It cannot be read.
    """
    with _reading_parquet(path):
        return next(batches, None)


@contextmanager
def _reading_parquet(path: Path) -> Iterator[None]:
    """Turn what pyarrow raises of a file into an error that names it."""
    with reading(str(path)):
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> Exception:
    """Return the message for a file that pyarrow cannot read."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    return InputError(f"{path}: is cut short, damaged or not parquet ({error}); fetch it again")
