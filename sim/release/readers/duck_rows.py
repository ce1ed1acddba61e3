"""Reads delimited text by DuckDB, in a process of its own, and accounts for every line.

Invariant: each line of a text that is not empty is a row, or one of the lines of a row where cells
may hold line ends, or it is among the rows refused; else reading stops, and names the first line
that is torn.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.readers.quotes import QuoteError
from sim.release.readers.text_layout import TextLayout
from sim.release.readers.textfile import LineBlock, line_feeds

_BATCH_ROWS = 1 << 16


class RefusedRow(NamedTuple):
    """A row that DuckDB refused.

    Parameters
    ----------
    at : int
        Its first byte below the header, or that of an empty line before it.
    kind : str
        Of DuckDB's errors.
    cells : int
        How many it has; or the place, from 1, of one that is not UTF-8.
    lines : int
        How many it has.
    """

    at: int
    kind: str
    cells: int
    lines: int

    @property
    def is_torn(self) -> bool:
        """Whether its quotes cannot be right, as it seems."""
        others = self.lines > 1 and self.kind != "INVALID ENCODING"
        return others or self.kind == "UNQUOTED VALUE"


class DuckRows:
    """The rows of a text below its header.

    Parameters
    ----------
    blocks : callable
        Yields the text from its beginning, each time anew.
    places : sequence of int
        Of the columns to read.
    multiline : bool
        Whether cells may hold line ends.
    lists : str, optional
        Of JSON, the field that may be a list.

    Attributes
    ----------
    refused : list of RefusedRow
    cut_off : bool
        Whether the last line has no line end.
    last_line : int
        Its number. All are complete after `batches`.
    """

    def __init__(
        self,
        label: str,
        layout: TextLayout,
        blocks: Callable[[], Iterator[LineBlock]],
        places: Sequence[int],
        *,
        multiline: bool = False,
        lists: str | None = None,
    ) -> None:
        self.label, self.layout, self._places = label, layout, places
        self._lists = lists
        self._all_blocks, self._multiline = blocks, multiline
        self.columns = [layout.names[place] for place in places]
        self.names, self.delimiter = layout.names, layout.delimiter
        self.refused: list[RefusedRow] = []
        self.cut_off, self.last_line = False, 0
        self._fed = 0
        self._error: BaseException | None = None

    def batches(self) -> Generator[tuple[Any, NDArray[np.int64]], None, None]:
        """Yield columns of text, and for each row the number of lines that rows before it took.

        Raises
        ------
        InputError
            The text cannot be read, or some of its lines are not accounted for.
        """
        ours, theirs = os.pipe(), os.pipe()
        try:
            _ask(self._request(), (ours[0], theirs[1]))
        finally:
            os.close(ours[0])
            os.close(theirs[1])
        feeder = threading.Thread(target=self._feed, args=(ours[1],), daemon=True)
        feeder.start()
        taken, torn = 0, list[int]()
        try:
            with os.fdopen(theirs[0], "rb", buffering=1 << 20) as stream:
                for batch in _batches(stream):
                    lines = np.ones(batch.num_rows, np.int64)
                    if self._multiline:
                        counts = batch.column("lines").to_numpy()
                        lines = np.abs(counts)
                    before = taken + np.cumsum(lines) - lines
                    if self._multiline and not torn:
                        torn = before[counts < 0][:1].tolist()
                    taken += int(lines.sum())
                    yield batch, before
                end = json.loads(stream.read() or b"{}")
        finally:
            feeder.join()
        if self._error is not None:
            raise self._error
        if "refused" not in end or "error" in end:
            raise self._failure(end.get("error", "its process ended"))
        self.refused = [RefusedRow(*row) for row in end["refused"]]
        if self._fed != taken + sum(row.lines if self._multiline else 1 for row in self.refused):
            raise self._swallowing()
        if torn:
            [[line], _] = self.lines_of(torn, self.refused)
            raise QuoteError(
                f"{self.label}:{line}: a quoted cell runs on from this line, and its first and its "
                "last line look like rows of their own; remove the stray quote or close it"
            )

    def _blocks(self) -> Generator[LineBlock, None, None]:
        header = self.layout.header_line
        return _below(header, self._all_blocks(), multiline=self._multiline)

    def _request(self) -> dict[str, Any]:
        return {
            "fields": 1 if self.layout.is_json else len(self.layout.names),
            "columns": [*self._places],
            "pointers": [self.layout.pointers[k] for k in self._places if self.layout.is_json],
            "lists": [at for at, name in enumerate(self.columns) if name == self._lists],
            "delimiter": self.layout.delimiter,
            "quote": '"' if self.layout.quoted else "",
            "multiline": self._multiline,
            "batch_rows": _BATCH_ROWS,
        }

    def _feed(self, pipe: int) -> None:
        """Write the text into a pipe, and count its lines that are not empty."""
        blocks = self._blocks()
        try:
            with os.fdopen(pipe, "wb") as out:
                out.write(b"\n")  # DuckDB drops a mark of byte order that its text begins with
                for block in blocks:
                    out.write(block.data)
                    self.cut_off, self.last_line = block.cut_off, block.last_line
                    self._fed += int(np.count_nonzero(_begins(block.data)))
                if self.cut_off:
                    out.write(b"\n")
        except BrokenPipeError:  # no more is wanted
            pass
        except BaseException as error:  # raised again where the rows are read
            self._error = error
        finally:
            blocks.close()

    def _failure(self, reason: str) -> InputError:
        return InputError(
            f"{self.label}: cannot be read by DuckDB ({reason}); save the table as parquet, or "
            "write it anew with one row a line"
        )

    def _swallowing(self) -> InputError:
        for block in self._blocks():
            for line, text in enumerate(block.data.split(b"\n"), block.first_line):
                if text.count(b'"') % 2:
                    return QuoteError(
                        f"{self.label}:{line}: a quoted cell opens here and does not end on this "
                        "line; remove the stray quote or close it",
                        lines=True,
                    )
        return self._failure("its rows are not the lines of the file")

    def lines_of(
        self, rows: Sequence[int], refused: Sequence[RefusedRow] = ()
    ) -> tuple[list[int], list[int]]:
        """Return the line, from 1, on which each of some rows begins; and the rows refused.

        Parameters
        ----------
        rows : sequence of int
            Lines that other rows took before each, as of `batches`.
        """
        starts, done, lost = list[int](), 0, 0
        shifted = np.array(rows, np.int64)
        for block in self._blocks():  # the rank of each row refused, among lines not empty
            begins = np.flatnonzero(_begins(block.data))
            while len(starts) < len(refused) and refused[len(starts)].at < done + len(block.data):
                at = refused[len(starts)].at - done
                starts.append(lost + int(np.searchsorted(begins, at)))
            lost, done = lost + begins.size, done + len(block.data)
        for start, row in zip(starts, refused, strict=True):
            shifted[shifted >= start] += row.lines
        wanted = np.concatenate([shifted, np.array(starts, np.int64)])
        found, done = np.zeros(wanted.size, np.int64), 0
        for block in self._blocks():
            begins = np.flatnonzero(_begins(block.data))
            here = (wanted >= done) & (wanted < done + begins.size)
            if here.any():
                feeds = np.flatnonzero(line_feeds(block.data))
                found[here] = block.first_line + np.searchsorted(feeds, begins[wanted[here] - done])
            done += begins.size
        return found[: len(rows)].tolist(), found[len(rows) :].tolist()


def _below(
    line: int, blocks: Iterator[LineBlock], *, multiline: bool
) -> Generator[LineBlock, None, None]:
    """Yield what is below a line, with line feeds alone at the ends of lines.

    Raises
    ------
    InputError
        A carriage return stands elsewhere, unless cells may hold line ends.
    """
    for block in blocks:
        body = block.after_line(line)
        data = body.data.replace(b"\r\n", b"\n") if b"\r" in body.data else body.data
        if not multiline and (at := data.find(b"\r")) >= 0:
            number = body.first_line + data.count(b"\n", 0, at)
            raise InputError(
                f"{block.label}:{number}: holds a carriage return within a line; expected lines "
                "that end with a line feed"
            )
        if data:
            yield LineBlock(body.label, body.first_line, data)


def _begins(data: bytes) -> NDArray[np.bool_]:
    """Where a line begins that is not empty; shape (n,)."""
    feeds = line_feeds(data)
    begins = ~feeds
    begins[1:] &= feeds[:-1]
    return begins


def _batches(stream: Any) -> Iterator[Any]:
    """Yield the batches of an Arrow stream, as far as it was written."""
    try:
        yield from pa.ipc.open_stream(pa.PythonFile(stream, "r"))
    except (pa.ArrowInvalid, OSError):  # cut short: no end follows it
        stream.read()


class _Server(NamedTuple):
    owner: int
    process: subprocess.Popen[bytes]
    line: socket.socket


_servers: list[_Server] = []
_one_at_a_time = threading.Lock()


def _ask(request: dict[str, Any], pipes: tuple[int, int]) -> None:
    """Have a new process read from one pipe and write to the other."""
    message = json.dumps(request).encode()
    with _one_at_a_time:
        for _ in range(2):
            if not _servers or _servers[0].owner != os.getpid():
                _servers[:] = [_started()]
            line = _servers[0].line
            try:
                socket.send_fds(line, [message], pipes)
                if line.recv(1):
                    return
            except OSError:
                pass
            _servers.clear()
    raise InputError("DuckDB cannot be started, so that no text can be read; reinstall it")


def _started() -> _Server:
    ours, theirs = socket.socketpair()
    script = Path(__file__).with_name("duck_server.py")
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", str(script)],
            stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    return _Server(os.getpid(), process, ours)
