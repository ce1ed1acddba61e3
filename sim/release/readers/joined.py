"""Joins the cells of several columns: into one identifier, or into the text of one date.

Invariant: different tuples of cells give different identifiers.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sim.release.readers.strict_parser import MISSING

BETWEEN = " | "
"""What stands between the parts of an identifier; a bar or a backslash within one is escaped."""

_MISSING = pa.array(MISSING)


def joined_ids(parts: Sequence[pa.Array]) -> pa.Array:
    r"""Return one identifier for each tuple of cells; null where a part is null.

    Parameters
    ----------
    parts : sequence of pyarrow arrays, each shape (n,)
        Text or whole numbers.

    Examples
    --------
    >>> joined_ids([pa.array(["zoo", "a|b"]), pa.array(["14", "c"])]).to_pylist()
    ['zoo | 14', 'a\\|b | c']
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


def joined_dates(parts: Sequence[pa.Array]) -> pa.Array:
    """Return the texts of dates whose parts stand in several columns; nothing where one is missing.

    Parameters
    ----------
    parts : sequence of pyarrow string arrays, each shape (n,)

    Examples
    --------
    >>> joined_dates([pa.array(["2015", "2015"]), pa.array([" July", None])]).to_pylist()
    ['2015 July', '']
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
