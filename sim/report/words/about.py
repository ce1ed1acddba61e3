"""The configuration of a run and its dataset, as names and values.

Invariant: everything that was dropped or defaulted in reading the data is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.attack.algorithms.registry import ATTACKS
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.text import format_number, format_percent, format_setting, quantity
from sim.record.run_folder import RunFolder, study_of
from sim.record.run_record import ROWS_AS_READ
from sim.report.words.defences import applied
from sim.report.words.reading_losses import as_read, span, time_bin_of
from sim.study.labels import axis_title, level_words

_ADVERSARIES = {
    "aux": "facts sampled from each target's own record",
    "mentions": "what people mention in public, simulated",
    "mentions_file": "what people mention in public, from a file",
    "external": "people known from another table",
    "elsewhere": "people of another site, simulated",
}
_UNNAMED = "study"
"""Name of a run without an experiment, as in ``conf/config.yaml``."""

Pairs = Iterator[tuple[str, str]]


def subject_of(run: RunFolder) -> str:
    """Return the name of a run's experiment, or else of its attack or measurement."""
    name = str(run.config["name"])
    if name != _UNNAMED or run.kind == "suite":
        return name
    return str(run.config["attack"]["name"]) if run.kind == "attack" else study_of(run.config)


def asked(run: RunFolder) -> Pairs:
    """Yield the configuration of a run, as names and values."""
    config = run.config
    if run.kind == "suite":
        yield "parts", f"{len(run.parts)}"
        yield "seed", str(config["seed"])
        return
    study = study_of(config)
    if study != "attack":
        measurement = MEASUREMENTS.get(study)
        yield "measured", measurement.described() if measurement else study
        yield from ((f"study.{k}", _given(v)) for k, v in config["study"].items() if k != "kind")
        yield "seed", str(config.get("seed", "–"))
        return
    attack = config["attack"]
    yield "attack", _attack_words(attack["name"])
    yield "settings of the attack", _settings(attack, without=("name",))
    adversary = config.get("adversary") or {"kind": "aux"}
    yield "attacker knows", _ADVERSARIES.get(adversary["kind"], adversary["kind"])
    more = _settings(adversary, without=("kind",))
    if more:
        yield "settings of the attacker", more
    for axis, levels in (config.get("grid") or {}).items():
        yield axis_title(axis), "; ".join(level_words(axis, level) for level in levels)
    yield "targets per grid cell", _given(config.get("targets"))
    yield "seed", str(config.get("seed", "–"))
    yield from _notes(run.record.get("adversary_notes") or {})


def _attack_words(name: str) -> str:
    cls = ATTACKS.get(name)
    return cls.described() if cls else name


def release_facts(record: Mapping[str, Any]) -> Pairs:
    """Yield the size, values and dates of the release, as names and values.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> release = {"source": "a table", "n_records": 2000, "n_items": 3, "n_cells": 5,
    ...     "scale": [1.0, 2.0], "first_day": 0, "n_days": 31}
    >>> for pair in release_facts({"release": release}):
    ...     print(*pair)
    source a table
    records 2,000
    items 3
    cells 5
    filled 0.083%
    values 2 levels: 1, 2
    dates 31 days, 1970-01-01 to 1970-01-31
    """
    release = record["release"]
    yield "source", str(release.get("source", "–"))
    for name in ("records", "items", "cells"):
        yield name, format_number(release.get(f"n_{name}"))
    repeats = release.get("n_repeats") or 0
    if repeats:
        yield "cells that repeat a record's item", format_number(repeats)
    for row in record.get(ROWS_AS_READ) or ():
        yield "a row as read", row_words(row)
    whole = (release.get("n_records") or 0) * (release.get("n_items") or 0)
    if whole and release.get("n_cells"):
        yield "filled", format_percent((release["n_cells"] - repeats) / whole, digits=2)
    yield "values", _scale(release.get("scale") or ())
    dates = span(release)
    if dates:
        yield "dates", f"{quantity(release['n_days'], time_bin_of(release).words)}, {dates}"
    else:
        yield "dates", "none: the release has no dates"


def row_words(row: Mapping[str, str]) -> str:
    """Return a row, by the roles of its columns.

    Examples
    --------
    >>> row_words({"person": "10…", "item": "zoo", "date": ""})
    'person 10…, item zoo, date –'
    """
    return ", ".join(f"{role} {cell or '–'}" for role, cell in row.items())


def roles_line(record: Mapping[str, Any]) -> str:
    """Return what the columns of a table were taken for; empty for other data.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> data = {"kind": "table", "user": "who", "item": ["shop", "till"], "date": "day"}
    >>> notes = {"dates": "ISO dates"}
    >>> roles_line({"config": {"data": data}, "release": {"notes": notes}})
    'Read as: person = who, item = shop+till, date = day (ISO dates).'
    """
    data = record["config"].get("data") or {}
    if data.get("kind") != "table":
        return ""
    form = (as_read(record).get("notes") or {}).get("dates")
    parts = []
    for role, key in (("person", "user"), ("item", "item"), ("date", "date"), ("value", "value")):
        names = data.get(key)
        if names is None:
            continue
        listed = "+".join(map(str, names)) if isinstance(names, list) else str(names)
        parts.append(f"{role} = {listed}{f' ({form})' if key == 'date' and form else ''}")
    return f"Read as: {', '.join(parts)}."


def release_line(record: Mapping[str, Any]) -> str:
    """Return one line about the release: source, size and dates.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> release = {"source": "a table", "n_records": 2000, "n_items": 3, "n_cells": 5}
    >>> release_line({"release": release | {"first_day": 0, "n_days": 2}})
    'The release: a table, 2,000 records × 3 items, 5 cells, dates from 1970-01-01 to 1970-01-02.'
    """
    release = record["release"]
    records, items, cells = (
        format_number(release.get(f"n_{name}")) for name in ("records", "items", "cells")
    )
    source = release.get("source", "–")
    dates = f", dates from {days}" if (days := span(release)) else ""
    return f"The release: {source}, {records} records × {items} items, {cells} cells{dates}."


def reading_notes(record: Mapping[str, Any]) -> Pairs:
    """Yield what was dropped, defaulted or changed between the original data and the release.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Yields
    ------
    tuple of str
        Zero counts are included: they show that nothing was dropped. Of values and of dates
        nothing is said where the release has none.
    """
    release = as_read(record)
    for key, name, needed in (
        ("n_duplicates", "rows that became no cell of their own", "n_cells"),
        ("missing_values", "cells without a value", "scale"),
        ("missing_days", "cells without a date", "n_days"),
    ):
        if key in release and release.get(needed):
            yield name, format_number(release[key])
    read = release.get("notes") or {}
    after = (record["release"].get("notes") or {}) if "read" in record else {}
    yield from _notes({f"{k}, as read" if k in after else k: v for k, v in read.items()})
    yield from _notes({f"{k}, after the defences" if k in read else k: v for k, v in after.items()})
    yield from applied(record)


def is_synthetic(record: Mapping[str, Any]) -> bool:
    """Whether the data were made by the generator.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> is_synthetic({"config": {"data": {"kind": "synthetic"}}})
    True
    """
    return str(record["config"]["data"]["kind"]) == "synthetic"


def _scale(levels: Any) -> str:
    known = list(levels)
    if not known:
        return "none: the release has no values"
    texts = [format_setting(level) for level in known]
    if len(texts) > 12:
        texts = [*texts[:5], "…", *texts[-2:]]
    return f"{len(known):,} {'level' if len(known) == 1 else 'levels'}: {', '.join(texts)}"


def _notes(notes: Mapping[str, Any]) -> Pairs:
    for name, value in notes.items():
        if isinstance(value, (list, dict)):
            continue  # tables are told in sentences of their own
        whole = isinstance(value, (int, float)) and not isinstance(value, bool)
        yield str(name).replace("_", " "), format_number(value) if whole else str(value)


def _settings(given: Mapping[str, Any], without: tuple[str, ...]) -> str:
    return ", ".join(f"{k} = {_given(v)}" for k, v in given.items() if k not in without)


def _given(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_given, value))
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format_setting(value) if isinstance(value, float) else str(value)
