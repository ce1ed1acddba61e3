"""The command that reproduces a run, and the run's provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.extend.overrides import command_line
from sim.numeric.text import format_setting
from sim.record.run_record import FRAME


def command_of(record: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """Return the command line that reproduces a run.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    more : sequence of str
        Overrides that replace those of the run with the same keys.

    Returns
    -------
    str
        Quoted for a POSIX shell.

    Examples
    --------
    >>> record = {"overrides": ["attack=scoreboard", "attack.phi=2", "grid.aux=[2/2]"]}
    >>> command_of(record)
    "standout attack=scoreboard attack.phi=2 'grid.aux=[2/2]'"
    >>> command_of(record, ["attack=bayes"])
    "standout 'grid.aux=[2/2]' attack=bayes"
    >>> command_of({"overrides": ["data.path=a.csv", "seed=2", "data.path=b.csv"]})
    'standout seed=2 data.path=b.csv'
    """
    new = {override.split("=", 1)[0] for override in more}
    last: dict[str, str] = {}
    for override in map(str, record.get("overrides") or ()):
        key = override.split("=", 1)[0].lstrip("+~")
        last.pop(key, None)  # of two values for one key, the later one holds
        last[key] = override
    kept = [override for key, override in last.items() if not _replaced(key, new)]
    return command_line(["standout", *kept, *more])


def provenance_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the provenance of a run, as names and values.

    Parameters
    ----------
    record : dict
        As ``run.json``.

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


def _replaced(key: str, new: set[str]) -> bool:
    """Whether a key is overridden, directly or through its group."""
    return any(key == other or key.startswith(f"{other}.") for other in new)
