"""Finds out whether the names of a table's files tell something, or only count the files.

Invariant: names tell something unless they differ in a count or in what is drawn at random alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sim.release.readers.table_files import key_of

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_LONG_HEX = r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{16,}"
_RANDOM = re.compile(rf"(?i)(?<![0-9a-z])(?:{_UUID}|{_LONG_HEX})(?![0-9a-z])")
"""What is drawn at random for a name; a number without a letter may be a time."""

_OF_SPARK = re.compile(
    rf"(?i)part-[0-9]{{5,}}(?:-tid-[0-9]+)?-{_UUID}(?:-[0-9]+-[0-9]+)?[-.]c[0-9]{{3,}}(?=\.|$)"
)
"""The name that Spark, also that of Databricks, gives a part: it leaves numbers out."""

_PART = r"(?:part|partition|chunk|piece|shard|slice|split|fragment)s?"
_IS_PART = re.compile(rf"(?i){_PART}")
"""A word for a part of a table, which a folder may be as well as a file."""
_COUNTS = re.compile(rf"(?i){_PART}|data|files?|exports?|dumps?|batch(?:es)?|blocks?|tables?|\0")
"""A word after which the number of a file is no date or place; or what is drawn at random."""

_NUMBER = re.compile("([0-9]+)")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\0")
_ZERO, _DRAWN = "0", "\0"
"""Stand for a number and for what is drawn at random; no name has the second."""
_NEVER_A_DATE = 5
"""Digits of a number with zeros in front, from which on it is no year, month, day or hour."""


def beyond_keys(name: str, keys: Mapping[str, str | None], columns: Collection[str]) -> str:
    """Return the name of a file without the folders that give columns.

    Parameters
    ----------
    name : str
        Its path below the folder that was asked for.
    keys : dict of str to str or None
        The columns that these folders give.
    columns : collection of str
        The columns that the file has by itself, and which are not read of a folder.

    Examples
    --------
    >>> beyond_keys("year=2009/north/part-0.csv", {"year": "2009"}, ["who", "what"])
    'north/part-0.csv'
    """
    *folders, file = name.split("/")
    given = {key: value for key, value in keys.items() if key not in columns}
    beyond = (one for one in folders if not (key := key_of(one)) or key.items() - given.items())
    return "/".join([*beyond, file])


def names_that_tell(names: Sequence[str], *compared: Sequence[str]) -> str:
    """Return how many names there are and two of them, if they tell something; empty: they do not.

    Parameters
    ----------
    names : sequence of str
        Of all files, in the order of their rows.
    compared : sequences of str
        What is looked at: the names beyond what is read of them, and those within archives.

    Examples
    --------
    >>> names = ["2025-01.csv", "2025-02.csv", "2025-03.csv"]
    >>> names_that_tell(names, names)
    '3 files, such as 2025-01.csv and 2025-03.csv'
    >>> names_that_tell(["data0.csv", "data1.csv"], ["data0.csv", "data1.csv"])
    ''
    """
    if all(map(only_count, compared)):
        return ""
    return f"{len(names):,} files, such as {names[0]} and {names[-1]}"


def only_count(names: Sequence[str]) -> bool:
    """Return whether the names of files tell nothing of their rows, but for their order.

    They differ in a number of the last part that counts from 0 or 1 without gaps, after a word such
    as part or after what is drawn at random, or in a long number; or in what is drawn at random.
    After any other word, in whatever language, the number may be one of a time, a place or people.
    Folders differ in a word such as part with a number alone.

    Examples
    --------
    >>> only_count(["part-0.parquet", "part-1.parquet"]), only_count(["north.csv", "south.csv"])
    (True, False)
    >>> only_count(["part-0/data_1.csv", "part-1/data_2.csv"]), only_count(["s1.csv", "s2.csv"])
    (True, False)
    """
    different = sorted(set(names))
    if len(different) < 2:
        return True
    split = [_NUMBER.split(_without_random(name)) for name in different]
    words = split[0][::2]
    if any(pieces[::2] != words for pieces in split):
        return False
    chains = list[list[_Number]]()
    for place, values in enumerate(zip(*(pieces[1::2] for pieces in split), strict=True)):
        before, after = _ZERO.join(words[: place + 1]), _ZERO.join(words[place + 1 :])
        if not chains or _WORD.search(words[place]):
            chains.append([])
        chains[-1].append(_Number(before, frozenset(values), after))
    return all(_chain_counts(chain) for chain in chains if any(one.varies for one in chain))


def _without_random(name: str) -> str:
    """Return a name with a sign in place of what is drawn at random in its last part."""
    folders, slash, file = name.rpartition("/")
    return folders + slash + _RANDOM.sub(_DRAWN, _OF_SPARK.sub(_DRAWN, file))


class _Number(NamedTuple):
    """A number in the names of files: what stands before it, what it is, what stands after it."""

    before: str
    values: frozenset[str]
    after: str

    @property
    def varies(self) -> bool:
        return len(self.values) > 1

    @property
    def counts(self) -> bool:
        """Whether the numbers are all from 0 or 1 on, with as many digits or no zeros in front."""
        found = sorted(map(int, self.values))
        if found != [*range(found[0], found[0] + len(self.values))] or found[0] > 1:
            return False
        alike = len(set(map(len, self.values))) == 1
        return alike or all(str(int(value)) == value for value in self.values)

    @property
    def is_long(self) -> bool:
        return all(len(value) >= _NEVER_A_DATE for value in self.values)

    @property
    def is_of_parts(self) -> bool:
        """Whether it is in the name of a file, or in that of a folder that is a part."""
        if "/" not in self.after:
            return True
        word = self.before.rpartition("/")[2].rstrip("-_. ")
        return self.after.startswith("/") and _IS_PART.fullmatch(word) is not None


def _chain_counts(chain: Sequence[_Number]) -> bool:
    """Whether numbers without letters between them count."""
    varying = [one for one in chain if one.varies]
    if not all(one.counts and one.is_of_parts for one in varying):
        return False
    if all(one.is_long for one in varying):
        return True
    word = _WORD.findall(chain[0].before.rpartition("/")[2])[-1:]
    if not any(_COUNTS.fullmatch(one) for one in word):
        return False
    # As in data_0_1_0.csv.
    return len(chain) == 1 or all(one.varies or one.values <= {"0", "1"} for one in chain)
