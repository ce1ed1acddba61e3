"""The data that a check compares with those that a run attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.errors import InputError
from sim.files.digest import sha256
from sim.record.run_record import NAME, read_record

_CHOICE, _PATH, _CACHE = "data", "data.path", "data.cache"


def read_as(folder: Path, given: Sequence[str]) -> list[str]:
    """Return the keys of the data, with those by which a run read its own and that are not given.

    Parameters
    ----------
    folder : Path
        Of the run. That of a sweep has no record of its own, and adds none. Nor does that of a plan
        which wrote a file, since this has other columns than what it was made of.
    given : sequence of str
        Overrides of ``data``. A choice among these stands by itself.

    Raises
    ------
    InputError
        The record of the run cannot be read, or sets what no record may.
    """
    keys = {_key(override) for override in given}
    record = _record(folder)
    data = record["config"].get("data")
    if _CHOICE in keys or not isinstance(data, dict) or "path" not in data or _written(record):
        return list(given)
    overrides = record.get("overrides") or []
    own = [override for override in overrides if _is_data(_key(override))]
    return [*(override for override in own if _key(override) not in {*keys, _CACHE}), *given]


def is_written(folder: Path, file: Path, given: Sequence[str]) -> bool:
    """Whether a file is the release that a plan wrote, wherever it is now.

    Parameters
    ----------
    given : sequence of str
        As for `read_as`.

    Raises
    ------
    InputError
        The record of the run cannot be read; or the plan wrote another file, and nothing says how
        to read this one.
    """
    written = _written(_record(folder))
    if written is None or not file.is_file():
        return False
    if sha256(file) == written:
        return True
    if {_key(override) for override in given} <= {_PATH, _CACHE}:
        raise InputError(
            f"{file}: is not the file that the plan wrote, by its SHA-256, so it was not attacked; "
            "publish that one; if this is another form of it, add the keys by which it is read: "
            "data.user=COLUMN data.item=COLUMN"
        )
    return False


def _written(record: Mapping[str, Any]) -> str | None:
    """Return the SHA-256 of the release that a plan wrote, by a record that may be anything."""
    plan = record.get("plan")
    written = plan.get("written") if isinstance(plan, dict) else None
    return str(written.get("sha256")) if isinstance(written, dict) else None


def _record(folder: Path) -> Mapping[str, Any]:
    return read_record(folder) if (folder / NAME).is_file() else {"config": {}}


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]


def _is_data(key: str) -> bool:
    return key == _CHOICE or key.startswith(f"{_CHOICE}.")
