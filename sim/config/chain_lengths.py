"""Chains of defences that leave out people with few entries, or with far more than others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sim.config.chains import Chain, chains_of, pieces_but
from sim.defence.drop_long import DropLong
from sim.defence.drop_records import DropRecords

_SHORTEST = f"{DropRecords.name}.min_length"
_LONGEST = f"{DropLong.name}.max_length"


def min_lengths(chains: Iterable[Chain]) -> list[int]:
    """Return the length below which each chain drops records; 1: it drops none for that.

    Examples
    --------
    >>> min_lengths(chains_of(["drop_time", "drop_records.min_length=3,8", "drop_records"]))
    [1, 3, 8, 2]
    """
    found = []
    for chain in chains:
        names = {piece.partition(".")[0] for piece in chain.text.split()}
        default = DropRecords().min_length if DropRecords.name in names else 1
        found.append(max(_values(chain.text, _SHORTEST), default=default))
    return found


def with_min_length(written: Sequence[str], length: int) -> list[str]:
    """Return chains that leave out short records at their end; none if all do so already.

    A chain that already leaves out records of this length and longer ones is not changed.

    Parameters
    ----------
    written : sequence of str
        As in ``plan.defences``.
    length : int
        Cells that a record must have.

    Examples
    --------
    >>> with_min_length(["drop_time", "drop_records cap_length.n=9"], 8)
    ['drop_time drop_records.min_length=8', 'cap_length.n=9 drop_records.min_length=8']
    >>> with_min_length(["drop_records.min_length=8 cap_length.n=5"], 8)
    []
    >>> with_min_length(["unchanged", "drop_records.min_length=9"], 8)
    ['drop_records.min_length=8', 'drop_records.min_length=9']
    """
    texts = [*map(str, written)]
    changed = [
        text
        if min(min_lengths(chains_of([text]))) >= length
        else " ".join([*pieces_but(text, _SHORTEST), f"{_SHORTEST}={length}"])
        for text in texts
    ]
    return [] if changed == texts else list(dict.fromkeys(changed))


def with_max_length(written: Sequence[str], length: int) -> list[str]:
    """Return chains that leave out long records before anything else.

    A chain that already leaves out shorter ones too is not changed.

    Parameters
    ----------
    written : sequence of str
        As in ``plan.defences``.
    length : int
        Cells that a record may have.

    Examples
    --------
    >>> with_max_length(["unchanged", "drop_time drop_records"], 90)
    ['drop_long.max_length=90', 'drop_long.max_length=90 drop_time drop_records']
    >>> with_max_length(["drop_long.max_length=50 drop_time", "drop_long.max_length=99"], 90)
    ['drop_long.max_length=50 drop_time', 'drop_long.max_length=90']
    """
    changed = (
        text
        if max(_values(text, _LONGEST), default=length + 1) <= length
        else " ".join([f"{_LONGEST}={length}", *pieces_but(text, _LONGEST)])
        for text in map(str, written)
    )
    return list(dict.fromkeys(changed))


def _values(text: str, option: str) -> list[int]:
    """Return the values of an option in a chain; none: it is not given."""
    given = re.search(rf"\b{option}=(\d+(?:,\d+)*)", text)
    return [*map(int, given[1].split(","))] if given else []
