"""Three rows of a release as they were read, for whoever wants to see whether it was read rightly.

Invariant: of a person only the first letters of the identifier are shown.
"""

from __future__ import annotations

from itertools import islice

from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin

_ROWS, _LETTERS, _LONGEST = 3, 2, 40


def rows_as_read(store: Store) -> list[dict[str, str]]:
    """Return the first entries of three people, by role; what is missing is left empty.

    Returns
    -------
    list of dict
        With ``person`` and ``item``; ``value`` and ``date`` where the release has any.
    """
    manifest, block = store.manifest, store.block(0)
    width, found = TimeBin.parse(manifest.time_bin), []
    starts = block.record_start[:-1].tolist()
    for record, cell in islice(enumerate(starts), _ROWS):
        row = {
            "person": begins_with(str(store.records[block.first + record].as_py())),
            "item": str(store.items[int(block.record_item[cell])].as_py())[:_LONGEST],
        }
        if manifest.has_values:
            level = int(block.record_level[cell])
            known = level < len(manifest.scale)
            row["value"] = f"{manifest.scale[level]:g}" if known else ""
        if manifest.has_days:
            day = int(block.record_day[cell])
            known = day < manifest.n_days
            row["date"] = width.text(manifest.first_day + day) if known else ""
        found.append(row)
    return found


def begins_with(name: str) -> str:
    """Return how an identifier begins.

    Examples
    --------
    >>> begins_with("7"), begins_with("10042"), begins_with("ann@example.org")
    ('7', '10…', 'an…')
    """
    return name if len(name) <= _LETTERS else f"{name[:_LETTERS]}…"
