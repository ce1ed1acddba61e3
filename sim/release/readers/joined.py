"""Joins the cells of several columns: into one identifier, or into the text of one date.

Invariant: different tuples of cells give different identifiers; the functions on arrays give what
those on single cells give.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sim.release.readers.strict_parser import MISSING

BETWEEN = " | "
"""What stands between the parts of an identifier; a bar or a backslash within one is escaped."""

_MISSING = pa.array(MISSING)


def joined_id(cells: Sequence[str]) -> str:
    r"""Return one identifier for a tuple of cells; of a single cell, the cell itself.

    Examples
    --------
    >>> joined_id(["zoo", "14"]), joined_id(["a|b", "c"]), joined_id(["a|b"])
    ('zoo | 14', 'a\\|b | c', 'a|b')
    """
    if len(cells) == 1:
        return cells[0]
    return BETWEEN.join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)


def joined_ids(parts: Sequence[pa.Array]) -> pa.Array:
    """Return identifiers as `joined_id` does; null where a part is null.

    Parameters
    ----------
    parts : sequence of pyarrow arrays, each shape (n,)
        Text or whole numbers.
    """
    if len(parts) == 1:
        return parts[0]
    escaped = []
    for part in parts:
        text = part.cast(pa.string())
        for letter in ("\\", "|"):
            if pc.any(pc.match_substring(text, letter)).as_py():
                text = pc.replace_substring(text, letter, f"\\{letter}")
        escaped.append(text)
    return pc.binary_join_element_wise(*escaped, BETWEEN)


def joined_date(cells: Sequence[str]) -> str:
    """Return the text of a date whose parts stand in several cells; nothing where one is missing.

    Examples
    --------
    >>> joined_date(["2015", " July", "3"]), joined_date(["2015", "", "3"])
    ('2015 July 3', '')
    """
    if len(cells) == 1:
        return cells[0]
    bare = [cell.strip(" ") for cell in cells]
    return "" if any(cell in MISSING for cell in bare) else " ".join(bare)


def joined_dates(parts: Sequence[pa.Array]) -> pa.Array:
    """Return texts of dates as `joined_date` does; null counts as missing.

    Parameters
    ----------
    parts : sequence of pyarrow string arrays, each shape (n,)
    """
    if len(parts) == 1:
        return parts[0]
    bare = [pc.utf8_trim(part, characters=" ") for part in parts]
    missing = [pc.or_kleene(pc.is_null(part), pc.is_in(part, value_set=_MISSING)) for part in bare]
    whole = pc.binary_join_element_wise(*bare, " ")
    some = missing[0]
    for one in missing[1:]:
        some = pc.or_(some, one)
    return pc.if_else(some, "", whole)
