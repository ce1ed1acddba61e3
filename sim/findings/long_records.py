"""People with far more entries than others, such as staff, whom the chains of a plan leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.config.chains import pieces_but
from sim.defence.drop_long import DropLong


def with_max_length(written: Sequence[str], length: int) -> list[str]:
    """Return chains that leave out long records before anything else.

    A chain that already leaves out shorter ones too is not changed.

    Parameters
    ----------
    written : sequence of str
        As in ``plan.defences``.
    length : int
        Cells that a record may have.

    Examples
    --------
    >>> with_max_length(["unchanged", "drop_time drop_records"], 90)
    ['drop_long.max_length=90', 'drop_long.max_length=90 drop_time drop_records']
    >>> with_max_length(["drop_long.max_length=50 drop_time", "drop_long.max_length=99"], 90)
    ['drop_long.max_length=50 drop_time', 'drop_long.max_length=90']
    """
    return list(dict.fromkeys(_with_max_length(str(text), length) for text in written))


def _with_max_length(text: str, length: int) -> str:
    given = _MAX_LENGTH.search(text)
    if given and max(map(int, given[1].split(","))) <= length:
        return text
    return " ".join([f"{_OPTION}={length}", *pieces_but(text, _OPTION)])


_OPTION = f"{DropLong.name}.max_length"
_MAX_LENGTH = re.compile(rf"\b{_OPTION}=(\d+(?:,\d+)*)")
