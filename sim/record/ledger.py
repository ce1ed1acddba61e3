"""The ledger of a run: append-only JSON lines, each on the disk before the next unit is begun.

The first line says what the run is; then comes one line per finished batch. A last line torn by a
crash is cut off and its batch done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.errors import ResumeError

NAME = "ledger.jsonl"


class Ledger:
    """An open ledger.

    Parameters
    ----------
    path : Path
        Made if missing.
    header : dict
        What the run is: JSON values only. A ledger that exists must have the same.

    Raises
    ------
    ResumeError
        The ledger is of another run; the message names what differs.

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
        self.finished = False
        lines = _whole_lines(path)
        if lines:
            _check_header(path, json.loads(lines[0])["header"], header)
            for line in lines[1:]:
                entry = json.loads(line)
                if "finished" in entry:
                    self.finished = True
                    continue
                self.done[entry.pop("batch")] = entry
        self._file = path.open("ab")
        self._file.truncate(sum(len(line) for line in lines))
        if not lines:
            self._write({"header": header})

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, batch: int, entry: Mapping[str, Any]) -> None:
        """Record that a batch is finished.

        Parameters
        ----------
        batch : int
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
        self.finished = True
        self._write({"finished": dict(entry)})

    def _write(self, entry: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(entry, sort_keys=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _whole_lines(path: Path) -> list[bytes]:
    """Lines up to the first that is torn or no JSON."""
    if not path.exists():
        return []
    lines = []
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            json.loads(line)
        except ValueError:
            break
        if not line.endswith(b"\n"):
            break
        lines.append(line)
    return lines


def _check_header(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    was, now = _flat(old), _flat(json.loads(json.dumps(new)))
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            raise ResumeError(
                f"{path}: cannot be resumed: {key} was {was.get(key)!r} and is {now.get(key)!r}; "
                "run it as it was, or start in a new folder"
            )


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
