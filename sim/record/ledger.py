"""The ledger of a run: append-only JSON lines, each on the disk before the next unit starts.

The first line identifies the run; then comes one line per finished batch. A last line torn by a
crash is cut off and its batch repeated. A ledger without any batch may become another run's, as
nothing is lost by it. One process at a time is at work in the folder of a run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from sim.errors import ResumeError
from sim.files.disk import atomic_write

NAME = "ledger.jsonl"

_FEW = 4  # members of a list that are named, whatever changed


class Ledger:
    """An open ledger.

    Parameters
    ----------
    path : Path
        Made if missing.
    header : dict
        What the run is: JSON values only. A ledger that exists must have the same, unless the run
        has no batch, nor any run in a folder below.

    Raises
    ------
    ResumeError
        The ledger is of another run, and the message names what differs; or the file is no ledger.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / NAME
    >>> with Ledger(path, {"seed": 1}) as ledger:
    ...     ledger.add(0, {"rows": 5})
    >>> with Ledger(path, {"seed": 1}) as ledger:
    ...     ledger.done
    {0: {'rows': 5}}
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.done: dict[int, dict[str, Any]] = {}
        self.finished: dict[str, Any] | None = None
        self._file = path.open("ab")
        try:
            length, entries = _whole_lines(path)
            if _only_begun(path, entries) and not _is_of(header, entries[0]["header"]):
                length, entries = 0, []
            self._take(path, entries, header)
            self._file.truncate(length)
            if not entries:
                self._write({"header": header})
        except BaseException:
            self._close()
            raise

    def _take(self, path: Path, entries: list[Any], header: Mapping[str, Any]) -> None:
        if not entries:
            return
        finished = any(isinstance(entry.get("finished"), dict) for entry in entries)
        _check_header(path, entries[0]["header"], header, finished=finished)
        for entry in entries[1:]:
            if isinstance(entry.get("finished"), dict):
                self.finished = entry["finished"]
            elif "batch" in entry:
                self.done[entry.pop("batch")] = entry

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        self._file.close()

    def add(self, batch: int, entry: Mapping[str, Any]) -> None:
        """Record that a batch is finished.

        Parameters
        ----------
        entry : dict
            JSON values only.
        """
        self.done[batch] = dict(entry)
        self._write({"batch": batch, **entry})

    def finish(self, entry: Mapping[str, Any]) -> None:
        """Record that the result files are whole.

        Parameters
        ----------
        entry : dict
            JSON values only.
        """
        self.finished = dict(entry)
        self._write({"finished": dict(entry)})

    def _write(self, entry: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(entry, sort_keys=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def finished_entry(path: Path) -> dict[str, Any] | None:
    """Return what a ledger says of the results of its run; None if the run is not finished.

    Nothing is written and no lock is taken.

    Raises
    ------
    ResumeError
        The file is no ledger.
    """
    if not path.is_file():
        return None
    found = [entry.get("finished") for entry in _whole_lines(path)[1]]
    return next((entry for entry in reversed(found) if isinstance(entry, dict)), None)


def line_after(path: Path, key: str) -> int | None:
    """Return the number of the first line after the one that finishes a run; None: it is the last.

    Parameters
    ----------
    key : str
        What the line that finishes the run says of its results. A run that is not finished by it
        may go on, and end in a torn line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / NAME
    >>> with Ledger(path, {"seed": 1}) as ledger:
    ...     ledger.finish({"files": {}})
    >>> with path.open("a") as file:
    ...     file.write("more")
    4
    >>> line_after(path, "files")
    3
    """
    lines = path.read_bytes().splitlines(keepends=True)
    for number, entry in enumerate(_whole_lines(path)[1], start=1):
        finished = entry.get("finished")
        if isinstance(finished, dict) and key in finished:
            return number + 1 if number < len(lines) else None
    return None


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from a folder; the system lets go of it if this process dies.

    Raises
    ------
    ResumeError
        Another process is at work in it.
    """
    lock = FileLock(folder / ".lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise ResumeError(
            f"{folder}: another process is at work in this folder; wait until it ends, or stop it"
        ) from None
    try:
        yield
    finally:
        lock.release()


def header_of_run(path: Path) -> dict[str, Any]:
    """Return what a run is, by its ledger.

    Raises
    ------
    ResumeError
        The file is no ledger.
    """
    header: dict[str, Any] = _whole_lines(path)[1][0]["header"]
    return header


def check_same_run(path: Path, header: Mapping[str, Any]) -> None:
    """Check that the ledger of a finished run is of the run that is asked for.

    Raises
    ------
    ResumeError
        It is of another; the message names what differs.
    """
    _check_header(path, header_of_run(path), header, finished=True)


def write_finished(path: Path, header: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    """Write the ledger of a finished run: what it is, and the entry that finishes it."""
    with atomic_write(path) as partial:
        lines = ({"header": dict(header)}, {"finished": dict(entry)})
        partial.write_text("".join(f"{json.dumps(one, sort_keys=True)}\n" for one in lines))


def _whole_lines(path: Path) -> tuple[int, list[Any]]:
    """Return the lines before the first torn or foreign one: length in bytes, and contents."""
    content = path.read_bytes()
    length, entries = 0, []
    for line in content.splitlines(keepends=True):
        entry = _said(line)
        if not _is_ours(entry):
            break
        length += len(line)
        entries.append(entry)
    if entries and isinstance(entries[0].get("header"), dict):
        return length, entries
    if b"\n" in content:
        raise ResumeError(
            f"{path}:1: not the first line of a ledger; start in a new folder, or delete the file "
            "to do the run again"
        )
    return 0, []  # new, or torn while its first line was written


def _said(line: bytes) -> Any:
    """Parse a line; None if it is torn."""
    if not line.endswith(b"\n"):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_ours(entry: Any) -> bool:
    """Whether a line is of one of the three kinds."""
    if not isinstance(entry, dict):
        return False
    batch = entry.get("batch")
    return (isinstance(batch, int) and not isinstance(batch, bool)) or any(
        isinstance(entry.get(key), dict) for key in ("header", "finished")
    )


def _only_begun(path: Path, entries: list[Any]) -> bool:
    """Whether nothing was computed: no batch here, and no ledger of a part in a folder below."""
    return len(entries) == 1 and all(other == path for other in path.parent.rglob(NAME))


def _is_of(header: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    return bool(json.loads(json.dumps(header)) == old)


def _change(was: Any, now: Any) -> str:
    """Say how a value changed; of long lists, what was left out of them and what was put in.

    Examples
    --------
    >>> _change(1, 2)
    'was 1 and is 2'
    >>> _change(["a=1", "b=2", "c=3", "d=4", "e=5"], ["a=1", "c=3", "d=4", "e=5", "b=3"])
    "had 'b=2', which is left out now, and has 'b=3' now"
    """
    if isinstance(was, list) and isinstance(now, list) and max(len(was), len(now)) > _FEW:
        gone, come = [x for x in was if x not in now], [x for x in now if x not in was]
        pieces = [f"had {', '.join(map(repr, gone))}, which is left out now"] if gone else []
        pieces += [f"has {', '.join(map(repr, come))} now"] if come else []
        if pieces:
            return ", and ".join(pieces)
    return f"was {was!r} and is {now!r}"


def _check_header(
    path: Path, old: Mapping[str, Any], new: Mapping[str, Any], *, finished: bool
) -> None:
    was, now = _flat(old), _flat(json.loads(json.dumps(new)))

    def what_tells_most(key: str) -> tuple[bool, bool, str]:
        """A name first, and last what only one of both has: it comes with another choice."""
        return not key.endswith("name"), (key in was) != (key in now), key

    for key in sorted(was.keys() | now.keys(), key=what_tells_most):
        if key in was and key in now and was[key] == now[key]:
            continue
        change = _change(was.get(key), now.get(key))
        if key not in was:
            change = f"is new since this run, and is {now[key]!r}"
        elif key not in now:
            change = f"was {was[key]!r} and is no more"
        complete = "; the run is complete" if finished else ""
        raise ResumeError(
            f"{path}: cannot be resumed: {key.removeprefix('asked.')} {change}; "
            f"run it as it was, or start in a new folder{complete}"
        )


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
