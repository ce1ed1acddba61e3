"""The papers' statements, read from ``statements.toml``.

Invariant: every statement is in the text of a paper or in a reproduction's stored results, has been
checked, and has a unique name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib.resources import files
from typing import Any, Literal, get_args

from sim.errors import InputError

Relation = Literal["=", "about", "<", "<=", ">"]

_NAME = "statements.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperNumber:
    """One statement of a paper.

    Examples
    --------
    >>> number = next(n for n in NUMBERS if n.id == "ns08_fig4_2of2_3d")
    >>> number.value, number.measure, number.conditions["date_noise"]
    (0.68, 'rank1', 3)
    """

    id: str
    experiment: str
    """The experiment it belongs to."""
    paper: str
    """``NS08``, ``NS07``, ``F06``, ``slides``, or ``reproduction``."""
    section: str
    figure: str
    """Where it is stated; empty where the text names none."""
    what: str
    """What was measured, in words."""
    value: float | None = None
    """None where the paper gives words only."""
    unit: str = "share"
    """``share`` (a proportion, 0 to 1), ``bits``, ``records`` ..."""
    measure: str
    """The column of results that it compares with."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """The grid axes that the statement fixes; None is null. It leaves all other axes open."""
    relation: Relation = "="
    """The truth is the value, about it, or on one side of it."""
    data: str = "netflix_prize"
    """The release it was measured on: ``netflix_prize``, ``movielens_2006``, ``ten_patients``."""
    algorithm: str = ""
    """The attack; empty where there is none."""
    phi: float | None = None
    """The φ of the match; None where φ does not matter."""
    targets: int | None = None
    """Size of the sample, where it is stated."""
    note: str = ""
    """What a reader of a comparison should know."""


def parse_statements(text: str, name: str = _NAME) -> tuple[PaperNumber, ...]:
    """Read and check statements, in the order of the text.

    Parameters
    ----------
    text : str
        TOML, as in ``statements.toml``.
    name : str
        Of the file, for errors.

    Raises
    ------
    InputError
        It is not TOML, a field is missing or of another type, or two statements share a name.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: {error}") from None
    numbers: dict[str, PaperNumber] = {}
    for place, table in tables.items():
        for number in _of_table(place, table, f"{name}: [{place}]"):
            if number.id in numbers:
                raise InputError(f"{name}: [{place}]: id: {number.id} is used twice; rename one")
            numbers[number.id] = number
    return tuple(numbers.values())


def _of_table(place: str, table: Any, where: str) -> Iterator[PaperNumber]:
    source, each = (
        (table.get("source"), table.get("numbers")) if isinstance(table, dict) else (None, None)
    )
    if not isinstance(source, dict) or not isinstance(each, list) or not each:
        raise InputError(f"{where}: expected a table `source` and a list `numbers`")
    shared = {key: value for key, value in table.items() if key not in ("source", "numbers")}
    for own in each:
        given = {"experiment": place, **source, **shared, **own}
        given["id"] = "_".join(part for part in (place, own.get("id")) if part)
        stated = {key: given.pop(key) for key in _TYPES if key in given}
        _check(stated, f"{where}: {stated['id']}")
        conditions = {key: None if value == "none" else value for key, value in given.items()}
        yield PaperNumber(**stated, conditions=conditions)


def _check(stated: Mapping[str, Any], where: str) -> None:
    for key in _REQUIRED:
        if key not in stated:
            raise InputError(f"{where}: {key}: is missing; add it")
    for key, value in stated.items():
        if isinstance(value, bool) or not isinstance(value, _TYPES[key]):
            kind = "text" if _TYPES[key] == (str,) else "a number"
            raise InputError(f"{where}: {key}: {value!r}: expected {kind}")
    relation = stated.get("relation", "=")
    if relation not in get_args(Relation):
        raise InputError(
            f"{where}: relation: {relation!r}: expected one of {', '.join(get_args(Relation))}"
        )


_NUMBER = (int, float)
_FIELDS = [entry for entry in fields(PaperNumber) if entry.name != "conditions"]
_TYPES: Mapping[str, tuple[type, ...]] = {
    **{entry.name: (str,) for entry in _FIELDS},
    "value": _NUMBER,
    "phi": _NUMBER,
    "targets": (int,),
}
_REQUIRED = [entry.name for entry in _FIELDS if entry.default is MISSING]

NUMBERS = parse_statements((files("sim.papers") / _NAME).read_text(encoding="utf-8"))
"""All statements, paper by paper."""
