"""The lines of a screen that say what was read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report.words.about import roles_line
from sim.report.words.reading_losses import span


def data_lines(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what was read: its name and size, and the roles of its columns.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    """
    release = record["release"]
    sizes = [f"{int(release.get(f'n_{key}') or 0):,} {word}" for key, word in _COUNTED]
    dates = [days] if (days := span(release)) else []
    line = f"{release.get('source', '–')}  {' · '.join([*sizes, *dates])}"
    roles = roles_line(record).removeprefix("Read as: ").rstrip(".")
    return (line, *([roles.replace(", ", " · ")] if roles else []))


_COUNTED = (("records", "people"), ("items", "items"), ("cells", "entries"))
