"""``standout cache``: what is stored where, how large and how old it is; and removing it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time

from platformdirs import user_cache_path

from sim.config.paths import absolute
from sim.errors import ConfigError
from sim.numeric.text import did_you_mean, quantity, visible
from sim.release.store.kept import Kept, kept_in, remove

USAGE = "standout cache list"

_CLEAR = "standout cache clear NAME, or older_than=30d, or all"
_KEY, _OLDER, _ALL = "data.cache=", "older_than=", "all"
_AGE = re.compile(r"(\d+)([hdw])")
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_LEAST = 4
"""Letters of a name that are enough."""

_SHOWN = 12
"""Letters of a name that are shown."""

_LAST = 6
"""Of its end, where others begin alike."""

_UNITS = ("B", "kB", "MB", "GB", "TB")
_THOUSAND = 1000

IN_USE = 1
"""Exit code where something that was asked for was not removed, as a process uses it."""

_WHAT = {"remains": "remains of a build that was killed", "loops": "compiled loops"}


def cache_command(arguments: Sequence[str]) -> int:
    """List what the cache keeps, or remove some of it.

    Parameters
    ----------
    arguments : sequence of str
        ``list``, or ``clear`` and what; ``data.cache=FOLDER`` for another folder than the user's.

    Returns
    -------
    int
        0, or `IN_USE`.

    Raises
    ------
    ConfigError
        Something else is asked, or no store has a name.
    StoreError
        The cache cannot be read, or a store not be removed.
    """
    folders = [word.removeprefix(_KEY) for word in arguments if word.startswith(_KEY)]
    words = [word for word in arguments if not word.startswith(_KEY)]
    if len(folders) > 1 or "" in folders:
        raise ConfigError(f"cache: expected one folder: {USAGE} data.cache=FOLDER")
    cache = absolute(folders[0]) if folders else user_cache_path("standout")
    if words and words[0] == "clear":
        return _clear(cache, words[1:])
    if words != ["list"]:
        given = words[0] if words else ""
        meant = did_you_mean(given, ("list", "clear")) if given else ""
        raise ConfigError(f"cache: expected {USAGE}, or {_CLEAR}{meant}")
    _list(cache)
    return 0


def _list(cache: Path) -> None:
    print(visible(str(cache)))
    found = kept_in(cache)
    if not found:
        print("nothing is kept here")
        return
    shown = _shown(found)
    wide = max(map(len, shown.values()))
    print(f"{'name':<{wide}}  {'size':>7}  {'last used':<20}  release")
    for one in found:
        counts = ""
        if one.records is not None and one.cells is not None:
            counts = f": {quantity(one.records, 'record')}, {quantity(one.cells, 'cell')}"
        print(
            f"{shown[one.path]:<{wide}}  {size(one.size):>7}  {_when(one.used):<20}  "
            f"{visible(_what(one), keep='')}{counts}"
        )
    print(f"{quantity(len(found), 'folder')}, {size(sum(one.size for one in found))}; {_CLEAR}")


def _clear(cache: Path, words: Sequence[str]) -> int:
    if not words:
        raise ConfigError(f"cache: clear: expected what to remove: {_CLEAR}")
    found = kept_in(cache)
    ages = [word for word in words if word.startswith(_OLDER)]
    names = [word for word in words if word not in ages] or [_ALL]
    old = [{one.path for one in _chosen(found, age)} for age in ages]
    chosen = dict.fromkeys(
        one
        for name in names
        for one in _chosen(found, name)
        if all(one.path in paths for paths in old)
    )
    code, freed = 0, 0
    for one in chosen:
        if remove(one):
            freed += one.size
            print(visible(f"removed  {one.path} ({_what(one)}, {size(one.size)})"))
        else:
            code = IN_USE
            print(visible(f"kept     {one.path} ({_what(one)}): a process uses it"))
    print(f"{size(freed)} freed; whatever is needed again is made again")
    return code


def _chosen(found: Sequence[Kept], word: str) -> list[Kept]:
    if word == _ALL:
        return [*found]
    if word.startswith(_OLDER):
        since = time() - _seconds(word.removeprefix(_OLDER))
        return [one for one in found if one.used < since]
    shown = _shown(found)
    whole = [one for one in found if word in (one.name, shown[one.path])]
    named = whole or [
        one
        for one in found
        if any(name.startswith(word) for name in (one.name.lstrip("."), shown[one.path]))
    ]
    if len(word) < _LEAST or not named:
        raise ConfigError(
            f"cache: {word}: not the name of a folder here, or its first {_LEAST} letters or more; "
            f"{USAGE} shows the names"
        )
    if len(named) > 1:
        raise ConfigError(
            f"cache: {word}: begins the names of {len(named)} folders; expected more letters: "
            f"{', '.join(shown[one.path] for one in named)}"
        )
    return named


def _seconds(text: str) -> float:
    age = _AGE.fullmatch(text)
    if age is None:
        raise ConfigError(
            f"{_OLDER}{text}: expected hours, days or weeks: older_than=12h, 30d or 4w"
        )
    return int(age[1]) * _SECONDS[age[2]]


def _shown(found: Sequence[Kept]) -> dict[Path, str]:
    """Name each folder by its first letters; those that share them by their last ones as well.

    Stores of one file that has changed share the first letters, as do the remains of their builds.
    """
    first = {one.path: one.name.lstrip(".")[:_SHOWN] for one in found}
    both = {one.path: f"{first[one.path]}-{one.name[-_LAST:]}" for one in found}
    alike, twice = Counter(first.values()), Counter(both.values())
    return {
        one.path: first[one.path]
        if alike[first[one.path]] == 1
        else both[one.path]
        if twice[both[one.path]] == 1
        else one.name
        for one in found
    }


def _what(one: Kept) -> str:
    return one.source or _WHAT.get(one.kind, "a release that is not known")


def _when(used: float) -> str:
    return datetime.fromtimestamp(used, UTC).strftime("%Y-%m-%d %H:%M UTC")


def size(count: float) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> size(0), size(999), size(1_234), size(56_700_000)
    ('0 B', '999 B', '1.2 kB', '57 MB')
    """
    unit = 0
    while count >= _THOUSAND and unit + 1 < len(_UNITS):
        count, unit = count / _THOUSAND, unit + 1
    return f"{count:.1f} {_UNITS[unit]}" if unit and count < 10 else f"{count:.0f} {_UNITS[unit]}"
