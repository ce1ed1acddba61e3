"""The data that a check compares with those that a run attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.config.own_overrides import own_group, own_key
from sim.errors import InputError
from sim.files.digest import sha256
from sim.record.run_record import NAME, plan_of, read_record

_CHOICE, _CACHE = "data", "data.cache"


def record_of(folder: Path) -> Mapping[str, Any]:
    """Return the record of a run; of a sweep, that of its first, which stands for all.

    Raises
    ------
    InputError
        It cannot be read, or sets what no record may.
    """
    jobs = [] if (folder / NAME).is_file() else sorted(folder.glob(f"*/{NAME}"))
    return read_record(jobs[0].parent if jobs else folder)


def read_as(record: Mapping[str, Any], given: Sequence[str]) -> list[str]:
    """Return the keys of the data, with those by which a run read its own and that are not given.

    Parameters
    ----------
    given : sequence of str
        Overrides of ``data``. A choice among these stands by itself.

    Examples
    --------
    >>> own = ["data=table", "data.path=a.csv", "data.user=who", "seed=2"]
    >>> read_as({"config": {"data": {"path": "a.csv"}}, "overrides": own}, ["data.path=b.csv"])
    ['data=table', 'data.user=who', 'data.path=b.csv']
    """
    keys = {override.lstrip("+~").partition("=")[0] for override in given}
    data = record["config"].get(_CHOICE)
    if _CHOICE in keys or not isinstance(data, dict) or "path" not in data:
        return list(given)
    own = [one for one in record.get("overrides") or [] if own_group(one) == _CHOICE]
    return [*(one for one in own if own_key(one) not in {*keys, _CACHE}), *given]


def is_written(record: Mapping[str, Any], file: Path) -> bool:
    """Whether a run is a plan that wrote a release, and a file is this, wherever it is now.

    Parameters
    ----------
    record : dict
        Of the run. It may be anything: its digests are compared later.

    Raises
    ------
    InputError
        The plan wrote another file. As it gave new identifiers to people, no other one has the
        fingerprint of what was attacked.
    """
    written = plan_of(record).get("written")
    if not isinstance(written, dict) or not file.is_file():
        return False
    if sha256(file) == written.get("sha256"):
        return True
    what = "not the file that the plan wrote, by its SHA-256"
    if _is_original(record, file):
        what = "the data that the plan began with, and not what it wrote"
    raise InputError(
        f"{file}: is {what}, so it is not what was attacked: publish the file that the plan wrote, "
        f"whose SHA-256 is {written.get('sha256')}; a copy in another format, or one that was "
        "edited, needs an audit of its own"
    )


def offers_nothing(record: Mapping[str, Any]) -> bool:
    """Whether a run is a plan that ended without an offer.

    Parameters
    ----------
    record : dict
        Of the run. It may be anything: its digests are compared later.

    Examples
    --------
    >>> offers_nothing({"plan": {"offered": None}}), offers_nothing({"status": "complete"})
    (True, False)
    """
    plan = plan_of(record)
    return "offered" in plan and not plan["offered"]


def _is_original(record: Mapping[str, Any], file: Path) -> bool:
    data = record["config"].get(_CHOICE)
    path = data.get("path") if isinstance(data, dict) else None
    place = Path(str(record.get("working_directory")), str(path))
    return path is not None and place.resolve() == file.resolve()
