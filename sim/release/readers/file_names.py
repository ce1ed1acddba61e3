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
_HAS_PARTS = re.compile(rf"(?i){_PART}|data|files?")
"""A word after which the number of a file is no date."""
_HAS_MEANING = re.compile(
    "(?i)y|yr|year|yearly|fy|h|half|semester|term|season|q|qtr|quarter|quarterly|m|mo|mon|month|"
    "monthly|w|wk|week|weekly|kw|cw|d|day|daily|date|hr|hour|hourly|period|wave|round|visit|"
    "country|state|region|area|zone|district|ward|city|town|place|location|site|station|address|"
    "store|shop|branch|restaurant|hotel|hospital|clinic|school|class|room|floor|route|line|"
    "user|person|customer|client|patient|member|guest|employee|group|cohort|arm|team|household|"
    "family|device|sensor|card|account"
)
"""A word for a time, a place or people, of which a number next to it is one.

The plural, as in visits_1.csv, is a word for the rows.
"""
_BETWEEN = re.compile("(?i)no|nr|num|number|id")
"""A word that may stand between it and its number."""

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
    >>> names_that_tell(["a-0.csv", "a-1.csv"], ["a-0.csv", "a-1.csv"])
    ''
    """
    if all(map(only_count, compared)):
        return ""
    return f"{len(names):,} files, such as {names[0]} and {names[-1]}"


def only_count(names: Sequence[str]) -> bool:
    """Return whether the names of files tell nothing of their rows, but for their order.

    They differ in a number of the last part that counts from 0 or 1 without gaps, or in what is
    drawn at random. A number does not count that may be one of a time, a place or people: next to
    another number, next to a word for them, or of two digits from 01 on, unless it follows a word
    such as part. Folders differ in such words with a number alone.

    Examples
    --------
    >>> only_count(["part-0.parquet", "part-1.parquet"]), only_count(["north.csv", "south.csv"])
    (True, False)
    >>> only_count(["part-0/data_1.csv", "part-1/data_2.csv"]), only_count(["1/a.csv", "2/a.csv"])
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
    varying = [chain for chain in chains if any(one.varies for one in chain)]
    return all(_chain_counts(chain, alone=len(varying) == 1) for chain in varying)


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
    def may_be_months(self) -> bool:
        """Whether the numbers have two digits and begin with 01, as months, days and weeks do."""
        return min(self.values) == "01" and all(len(value) == 2 for value in self.values)

    @property
    def is_of_parts(self) -> bool:
        """Whether it is in the name of a file, or in that of a folder that is a part."""
        if "/" not in self.after:
            return True
        word = self.before.rpartition("/")[2].rstrip("-_. ")
        return self.after.startswith("/") and _IS_PART.fullmatch(word) is not None


def _chain_counts(chain: Sequence[_Number], *, alone: bool) -> bool:
    """Whether numbers without letters between them count.

    Parameters
    ----------
    alone : bool
        Whether the other numbers of the names do not vary.
    """
    varying = [one for one in chain if one.varies]
    if not all(one.counts and one.is_of_parts for one in varying):
        return False
    if all(one.is_long for one in varying):
        return True
    own = _WORD.findall(chain[0].before.rpartition("/")[2])[-1:]
    after_part = any(_HAS_PARTS.fullmatch(word) for word in own)
    if len(chain) > 1:  # as in data_0_1_0.csv
        return after_part and all(one.varies or one.values <= {"0", "1"} for one in chain)
    if after_part:
        return True
    before = [word for word in _WORD.findall(chain[0].before) if not _BETWEEN.fullmatch(word)]
    beside = [*before[-1:], *_WORD.findall(chain[0].after)[:1]]
    has_meaning = any(_HAS_MEANING.fullmatch(word) for word in beside)
    return alone and not has_meaning and not chain[0].may_be_months
