"""Whether a file is the one that a run attacked, by the digests in the run's own folder."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.config.compose import composed, configured
from sim.config.own_overrides import own_group, own_key
from sim.errors import InputError
from sim.extend.overrides import override
from sim.files.digest import sha256
from sim.record.run_record import plan_of
from sim.session.open_release import source_of

_CHOICE, _PATH, _CACHE = "data", "data.path", "data.cache"


def is_attacked(record: Mapping[str, Any], file: Path) -> bool:
    """Return whether a file is what a plan wrote; of any other run, whether it is what it read.

    Its bytes decide: of a copy in another format or order, nothing is known. Where defences changed
    what was read, no file is what was attacked.

    Raises
    ------
    InputError
        The file is missing, or cannot be read.
    """
    if not file.exists():
        raise InputError(f"{file}: no such file; name the one that is to be released")
    written = plan_of(record).get("written")
    if written:
        return file.is_file() and bool(_digest(file) == written["sha256"])
    if record.get("defences"):
        return False
    read = record["release"]
    if "path" not in record["config"][_CHOICE]:
        raise InputError(f"{file}: the run attacked {read['source']}, not a file; leave it out")
    try:
        source = source_of(configured(composed(_read_as(record, file))).data)
    except InputError:  # not even its columns are those of the run
        return False
    return bool(source.fingerprint() == read["input_fingerprint"])


def audit_command(record: Mapping[str, Any], file: Path) -> str:
    """Return the command that audits a file as a run read its own."""
    keys = [one for one in _read_as(record, file) if own_key(one) != _PATH]
    return shlex.join(["standout", "audit", str(file), *keys])


def _digest(file: Path) -> str:
    try:
        return sha256(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None


def _read_as(record: Mapping[str, Any], file: Path) -> list[str]:
    """Return the overrides that read a file as a run read its own."""
    own = [one for one in record.get("overrides") or [] if own_group(one) == _CHOICE]
    kept = [one for one in own if own_key(one) not in (_PATH, _CACHE)]
    chosen = any(own_key(one) == _CHOICE for one in kept)
    return [*([] if chosen else ["data=table"]), *kept, override(_PATH, str(file))]
