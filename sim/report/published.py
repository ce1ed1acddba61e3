"""How a table that was published is read again: the names of its columns, and the overrides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.extend.overrides import override
from sim.release.store.export import Columns
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY

_AS_BEFORE = {"empty": "error", "zeros": None, "shape": None, "value_bins": "auto", "cache": None}
"""What a table is read by again where it was set, and what it is otherwise."""


def columns_published(data: Mapping[str, Any]) -> Columns:
    """Return the names of the columns that are written: the data's where each is one column.

    Parameters
    ----------
    data : dict
        The configuration of the data that were read.

    Examples
    --------
    >>> table = {"kind": "table", "user": "who", "item": ["shop", "till"], "value": None}
    >>> columns_published(table)
    Columns(user='who', item='item', value='value', time='time')
    """
    usual = Columns()
    if data["kind"] != "table":
        return usual
    given = {role: data.get(key) for role, key in _KEYS.items()}
    found = {
        role: name if isinstance(name, str) else getattr(usual, role)
        for role, name in given.items()
    }
    return Columns(**found) if len(set(found.values())) == len(found) else usual


_KEYS = {"user": "user", "item": "item", "value": "value", "time": "date"}
"""Keys of the configuration, by the role of the column."""


def rule_of_published(rule: Repeats) -> Repeats:
    """Return what is done with rows of the same person and item to read what was published.

    Parameters
    ----------
    rule : Repeats
        By which the data were read that were published.

    Examples
    --------
    >>> str(rule_of_published(Repeats.COUNT)), str(rule_of_published(Repeats.ALL))
    ('sum', 'cells')
    """
    return Repeats.CELLS if rule.keeps_all else Repeats.SUM if rule.adds_up else Repeats.LATEST


def reads_published(
    data: Mapping[str, Any], release: Mapping[str, Any], path: str, repeats: str
) -> tuple[str, ...]:
    """Return the overrides of ``data`` that read what was published.

    Parameters
    ----------
    data : dict
        The configuration of the data that it was made of.
    release : dict
        The facts of what was published, as of its manifest.
    path : str
        Of the file.
    repeats : str
        What becomes of its rows with the same person and item.

    Examples
    --------
    >>> release = {"scale": [], "n_days": 9, "time_bin": "hour"}
    >>> reads_published({"kind": "synthetic"}, release, "out.csv", "all")[-3:]
    ('data.date=time', 'data.time_bin=hour', 'data.repeats=all')
    """
    columns = columns_published(data)
    keys: dict[str, Any] = {"path": path, "user": columns.user, "item": columns.item}
    if release["scale"]:
        keys["value"] = columns.value
    if release["n_days"]:
        keys["date"] = columns.time
        if release["time_bin"] != str(DAY):
            keys["time_bin"] = release["time_bin"]
    keys["repeats"] = repeats
    if data["kind"] == "table":
        before = {key: data.get(key, usual) for key, usual in _AS_BEFORE.items()}
        if any(isinstance(data[role], list) for role in ("user", "item")):
            before["shape"] = "rows"  # several columns are written as a list in a cell
        set_before = {key: before[key] for key, usual in _AS_BEFORE.items() if before[key] != usual}
        keys |= {key: value for key, value in set_before.items() if value != "drop"}
    return ("data=table", *(override(f"data.{key}", value) for key, value in keys.items()))
