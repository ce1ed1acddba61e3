"""The choice of columns that hold the people, the items, the values and the dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.errors import InputError

_LISTED = 40


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The names of the columns to read; a value and a date may be absent."""

    user: str
    item: str
    value: str | None = None
    date: str | None = None

    def chosen(self) -> dict[str, str]:
        """Return the name of each column chosen, by what it holds.

        Examples
        --------
        >>> ColumnChoice("who", "what", date="when").chosen()
        {'user': 'who', 'item': 'what', 'date': 'when'}
        """
        names = {"user": self.user, "item": self.item, "value": self.value, "date": self.date}
        return {role: name for role, name in names.items() if name is not None}

    def refuse_duplicates(self, label: str) -> None:
        """Raise an error if one column is chosen twice.

        Raises
        ------
        InputError
            The two roles and the column.
        """
        roles: dict[str, str] = {}
        for role, name in self.chosen().items():
            other = roles.setdefault(name, role)
            if other != role:
                raise InputError(
                    f"{label}: column {name!r} is chosen both as {other} and as {role}; "
                    "expected a column of its own for each"
                )

    def check(self, label: str, names: Sequence[str]) -> None:
        """Raise an error if a table with columns `names` lacks a chosen one or has it twice.

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
        for role, name in self.chosen().items():
            count = list(names).count(name)
            if count == 0:
                listed = ", ".join(repr(have) for have in names[:_LISTED])
                more = ", ..." if len(names) > _LISTED else ""
                raise InputError(
                    f"{label}: no column {name!r} (chosen as {role}); the file has {listed}{more}"
                )
            if count > 1:
                raise InputError(
                    f"{label}: column {name!r} (chosen as {role}) is there {count} times; "
                    "expected it once"
                )
