"""Looks at the first rows of a table, for a user who has not chosen its columns yet.

Invariant: only the first file's first rows are read, whatever the size of the table.
"""

from __future__ import annotations

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from sim.errors import InputError
from sim.release.readers.archives import TextInput
from sim.release.readers.delimited_table import text_input
from sim.release.readers.encodings import GUESSED
from sim.release.readers.json_rows import JsonSample, json_head
from sim.release.readers.locate import first_block, first_lines
from sim.release.readers.parquet_file import open_parquet
from sim.release.readers.table_files import TableFile, table_files
from sim.release.readers.table_options import TableOptions
from sim.release.readers.text_layout import (
    COMMON,
    delimiters,
    header,
    is_quoted,
    rows_in,
)
from sim.release.readers.textfile import LineBlock, line_blocks
from sim.release.shape.table_shape import TableSample

_ROWS = 2000
_SAMPLE_ROWS, _SAMPLE_BYTES = 10_000, 1 << 19
"""What the shape of a table is told by."""


def table_sample(path: Path, options: TableOptions) -> TableSample:
    """Return the names of a table and its first rows, those of the first file.

    Raises
    ------
    InputError
        There is no table.
    """
    found = table_files(path)
    first, alone = found.files[0], len(found.files) == 1
    if found.kind == "parquet":
        names, rows = _of_parquet(first)
        whole = alone and len(rows) < _SAMPLE_ROWS
        return TableSample(tuple(names), rows, whole, has_header=False, keys=first.keys)
    text = text_input(first.path, options.decoding())
    if (beginning := json_head(text, options)) is not None:
        sample = JsonSample(beginning)
        objects = sample.rows()[:_SAMPLE_ROWS]
        return TableSample((*sample.pointers,), objects, has_header=False, keys=first.keys)
    head, whole = _head_of(text)
    names, rows = _of_text(head, options)
    whole = whole and len(rows) < _SAMPLE_ROWS
    if not (whole and head.data.endswith(b"\n")) and len(rows) < _SAMPLE_ROWS:
        rows = rows[:-1] if rows and len(rows[-1]) != len(names) else rows  # it may be cut off
    asked = options.header is None
    return TableSample(tuple(names), rows, alone and whole, asked, first.keys)


def _head_of(text: TextInput) -> tuple[LineBlock, bool]:
    """Return the first lines of a text, and whether there are no others."""
    first_block(text, "a header and rows")  # an error where there are none
    for opened in text.texts():
        blocks = line_blocks(opened, _SAMPLE_BYTES)
        return next(blocks), next(blocks, None) is None
    raise AssertionError("an input has at least one text")


def guessed_text(path: Path, options: TableOptions) -> str:
    """Return the first lines of a table whose encoding was taken for Windows-1252; else nothing.

    Raises
    ------
    InputError
        There is no table.
    """
    found = table_files(path)
    if found.kind == "parquet":
        return ""
    text = text_input(found.files[0].path, options.decoding())
    if json_head(text, options) is not None:
        return ""
    head, encoding = first_lines(text, "a header and rows")
    return head.data.decode() if encoding.words == GUESSED else ""


def _of_parquet(part: TableFile) -> tuple[list[str], list[list[str]]]:
    with open_parquet(part.path) as file:
        batch = next(file.iter_batches(batch_size=_SAMPLE_ROWS), None)
        names = file.schema_arrow.names
    columns = [] if batch is None else [column.to_pylist() for column in batch.columns]
    rows = zip(*columns, strict=True)
    return names, [["" if cell is None else str(cell) for cell in row] for row in rows]


def _of_text(head: LineBlock, options: TableOptions) -> tuple[list[str], list[list[str]]]:
    """The header and the first rows under the delimiter that splits them alike into most cells."""
    asked = options.delimiter
    best: tuple[tuple[bool, bool, int], list[str], list[list[str]]] | None = None
    for delimiter in [asked] if asked else delimiters(head):
        try:
            names, line = header(head, delimiter, options)
        except InputError:
            if asked:
                raise
            continue
        text = io.StringIO(head.after_line(line).data.decode("utf-8", "replace"), newline="\n")
        read = rows_in(text, delimiter, quoted=is_quoted(head, delimiter, options))
        rows: list[list[str]] = []
        with contextlib.suppress(csv.Error):  # what was read before will do
            rows.extend(row for row in islice(read, _SAMPLE_ROWS) if row)
        whole = rows[:-1] if len(rows) > 1 else rows  # the last may be cut off
        alike = len(names) > 1 and all(len(row) == len(names) for row in whole)
        rank = (alike, delimiter in COMMON, len(names))
        if best is None or rank > best[0]:
            best = rank, names, rows
    if best is None:
        raise InputError(f"{head.label}:1: expected a header with the columns' names")
    if not best[0][0] or 2 * sum(map(_is_blank, best[1])) > len(best[1]):
        _refuse_title(head, [asked] if asked else [*COMMON])
    return best[1], best[2]


def _is_blank(cell: str) -> bool:
    return not cell.strip()


def _refuse_title(head: LineBlock, candidates: Iterable[str]) -> None:
    """Refuse a table whose first line has far fewer cells than most others have."""
    text = head.data.decode("utf-8", "replace")
    for delimiter in candidates:
        rows = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter)
        lines: list[tuple[int, int]] = []
        with contextlib.suppress(csv.Error):
            # Spreadsheets fill the line of a title up with empty cells.
            some = (row for row in islice(rows, _ROWS) if row)
            lines.extend((rows.line_num, sum(not _is_blank(one) for one in row)) for row in some)
        sizes = Counter(size for _, size in lines)
        cells, often = max(sizes.items(), key=lambda one: one[1], default=(0, 0))
        if cells > 2 and 2 * often > len(lines) and 2 * lines[0][1] <= cells:
            line = next(line for line, size in lines if size == cells)
            raise InputError(
                f"{head.label}:1: seems to be a title, as most rows have {cells} cells; delete the "
                f"lines above the header, which seems to be line {line}"
            )
