"""Where a run comes from: seeds, digests, versions, machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim.numeric.text import format_setting
from sim.record.run_record import FRAME


def provenance_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the provenance of a run, as names and values.

    Examples
    --------
    >>> list(provenance_of({"seed": 3, "versions": {"numpy": "2.0"}}))
    [('seed', '3'), ('versions', 'numpy 2.0')]
    """
    named = {
        "seed": "seed",
        "release_fingerprint": "fingerprint of the release (SHA-256 of its cells)",
        "store_identity": "identity of the store (SHA-256 of its manifest, which covers its files)",
        "code": "digest of the program's source (SHA-256)",
        "git_revision": "revision of the program",
        "begun": "started (UTC)",
    }
    path = ((record.get("config") or {}).get("data") or {}).get("path")
    if path not in (None, FRAME):
        yield "data read from", str(path)
    for key, name in named.items():
        if record.get(key) is not None:
            yield name, str(record[key])
    for key in ("versions", "machine", "cluster"):
        if record.get(key):
            yield key, ", ".join(f"{name} {value}" for name, value in record[key].items())
    if record.get("seconds"):
        stages = ", ".join(
            f"{stage} {format_setting(seconds)}" for stage, seconds in record["seconds"].items()
        )
        yield "seconds by stage", stages
    if path == FRAME:
        yield FRAME, f"the data frame that was studied, saved by to_parquet('{FRAME}', index=False)"
    if record.get("working_directory"):
        yield "paths are relative to", Path(str(record["working_directory"])).as_posix()
