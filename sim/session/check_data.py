"""The data that a check compares with those that a run attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.errors import InputError
from sim.files.digest import sha256
from sim.record.run_record import NAME, read_record

_CHOICE, _CACHE = "data", "data.cache"


def read_as(folder: Path, given: Sequence[str]) -> list[str]:
    """Return the keys of the data, with those by which a run read its own and that are not given.

    Parameters
    ----------
    folder : Path
        Of the run; of a sweep, whose first run then stands for all.
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
    if _CHOICE in keys or not isinstance(data, dict) or "path" not in data:
        return list(given)
    overrides = record.get("overrides") or []
    own = [override for override in overrides if _is_data(_key(override))]
    return [*(override for override in own if _key(override) not in {*keys, _CACHE}), *given]


def is_written(folder: Path, file: Path) -> bool:
    """Whether a run is a plan that wrote a release, and a file is this, wherever it is now.

    Raises
    ------
    InputError
        The record of the run cannot be read; or the plan wrote another file. As it gave new
        identifiers to people, no other one has the fingerprint of what was attacked.
    """
    record = _record(folder)
    written = _written(record) if (folder / NAME).is_file() else None
    if written is None or not file.is_file():
        return False
    if sha256(file) == written:
        return True
    data = record["config"].get("data")
    path = data.get("path") if isinstance(data, dict) else None
    start = record.get("working_directory")
    is_original = isinstance(path, str) and Path(str(start), path).resolve() == file.resolve()
    what = (
        "the data that the plan began with, and not what it wrote"
        if is_original
        else ("not the file that the plan wrote, by its SHA-256")
    )
    raise InputError(
        f"{file}: is {what}, so it is not what was attacked: publish the file that the plan wrote, "
        f"whose SHA-256 is {written}; a copy in another format, or one that was edited, needs an "
        "audit of its own"
    )


def _written(record: Mapping[str, Any]) -> str | None:
    """Return the SHA-256 of the release that a plan wrote, by a record that may be anything."""
    plan = record.get("plan")
    written = plan.get("written") if isinstance(plan, dict) else None
    return str(written.get("sha256")) if isinstance(written, dict) else None


def _record(folder: Path) -> Mapping[str, Any]:
    # The jobs of a sweep are as a rule about the same data.
    jobs = [] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    return read_record(jobs[0].parent if jobs else folder)


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]


def _is_data(key: str) -> bool:
    return key == _CHOICE or key.startswith(f"{_CHOICE}.")
