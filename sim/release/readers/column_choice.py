"""The choice of columns that hold the people, the items, the values and the dates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sim.errors import ConfigError, InputError
from sim.numeric.text import did_you_mean
from sim.release.store.repeats import Repeats

Names = str | Sequence[str]
"""A column, or several that are one together."""

_LISTED = 40
_MOST_SHOWN = 10
"""Columns that are one together, at most; of more values, none is shown."""
_MOST_DATE_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The names of the columns to read; a value and a date may be absent.

    Parameters
    ----------
    user, item : str or sequence of str
        Of several columns, the identifier is the tuple of their cells; see
        `sim.release.readers.joined`.
    value : str, optional
    date : str or sequence of str, optional
        Several columns are year, month, day, hour, minute, second as far as there are, or a date
        and a time, or what a format of dates says.
    group : str
        What the settings belong to, as messages call it.

    Raises
    ------
    ConfigError
        A list of columns is empty or too long, or holds something else.
    """

    user: Names
    item: Names
    value: str | None = None
    date: Names | None = None
    group: str = "data"

    def __post_init__(self) -> None:
        for role in ("user", "item", "value", "date"):
            given = getattr(self, role)
            if given is None and role in ("value", "date"):
                continue
            listed = [given] if isinstance(given, str) else given
            good = isinstance(listed, Sequence) and 0 < len(listed) <= _MOST_SHOWN
            if not good or not all(isinstance(name, str) for name in listed):
                several = "" if role == "value" else ", or a list of them"
                # A whole column, given in place of its name, would print everybody's identifier.
                is_column = isinstance(listed, Sequence) and len(listed) > _MOST_SHOWN
                shown = f"{len(listed):,} values" if is_column else repr(given)
                raise ConfigError(
                    f"{self.group}.{role}: {shown}: expected the name of a column{several}"
                )
            if role == "value" and not isinstance(given, str):
                raise ConfigError(f"{self.group}.value: {given!r}: expected a single column")
            if role == "date" and len(listed) > _MOST_DATE_COLUMNS:
                raise ConfigError(
                    f"{self.group}.date: {len(listed)} columns; expected at most year, month, day, "
                    "hour, minute, second"
                )

    @property
    def identifying(self) -> tuple[str, ...]:
        """The columns of people and of items."""
        chosen = self.chosen()
        return *chosen["user"], *chosen["item"]

    @property
    def usual_repeats(self) -> Repeats:
        """The rule for rows of one user and item where none is asked for (spec §8).

        Visits are kept one by one, rows without times are counted, and ratings replace each other.
        """
        if self.value is not None:
            return Repeats.LATEST
        return Repeats.COUNT if self.date is None else Repeats.ALL

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the columns chosen, by what they hold.

        Examples
        --------
        >>> ColumnChoice("who", "what", date=["day", "hour"]).chosen()
        {'user': ('who',), 'item': ('what',), 'date': ('day', 'hour')}
        """
        names = {"user": self.user, "item": self.item, "value": self.value, "date": self.date}
        return {
            role: (given,) if isinstance(given, str) else tuple(given)
            for role, given in names.items()
            if given is not None
        }

    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns chosen, each once."""
        return tuple(dict.fromkeys(name for names in self.chosen().values() for name in names))

    def unread(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of the columns of a table that are not chosen, each once.

        Examples
        --------
        >>> ColumnChoice("who", "what").unread(["who", "where", "what", "name"])
        ('where', 'name')
        """
        chosen = self.columns()
        return tuple(dict.fromkeys(name for name in names if name not in chosen))

    def refuse_duplicates(self, label: str) -> None:
        """Raise an error if one column is chosen twice; a part of several may be, but no value.

        Raises
        ------
        InputError
            The two roles and the column.
        """
        roles: dict[str, str] = {}
        for role, names in self.chosen().items():
            if len(set(names)) < len(names):
                raise InputError(f"{label}: {role}: a column is listed twice; expected each once")
            for name in names:
                alone = len(names) == 1 or name == self.value
                other = roles.setdefault(name, role) if alone else role
                if other != role:
                    raise InputError(
                        f"{label}: column {name!r} is chosen both as {other} and as {role}; "
                        "expected a column of its own for each"
                    )

    def check(
        self, label: str, names: Sequence[str], within: Mapping[str, str] | None = None
    ) -> None:
        """Raise an error if a table with columns `names` lacks a chosen one or has it twice.

        Parameters
        ----------
        within : dict of str to str, optional
            What is said where a name is that of a part of a column.

        Raises
        ------
        InputError
            The column, and the columns there are.

        Examples
        --------
        >>> ColumnChoice("who", "what").check("a.csv:1", ["who", "it"])
        Traceback (most recent call last):
        sim.errors.InputError: a.csv:1: no column 'what' (chosen as item); the file has 'who', 'it'
        """
        for role, chosen in self.chosen().items():
            for name in chosen:
                count = list(names).count(name)
                if count == 0:
                    listed = ", ".join(repr(have) for have in names[:_LISTED])
                    more = ", ..." if len(names) > _LISTED else ""
                    where = (within or {}).get(name) or did_you_mean(name, names)
                    raise InputError(
                        f"{label}: no column {name!r} (chosen as {role}); the file has "
                        f"{listed or 'none'}{more}{where}"
                    )
                if count > 1:
                    raise InputError(
                        f"{label}: column {name!r} (chosen as {role}) is there {count} times; "
                        "expected it once"
                    )
