"""What is known of a table once its rows were read."""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.release.readers.textfile import Encoding
from sim.release.readers.unreadable_rows import Place, UnreadableRows


@dataclass(slots=True)
class ReadEnd:
    """What was left out of a table, and found out of its texts.

    Parameters
    ----------
    unreadable : UnreadableRows
        Rows left out as they cannot be read.
    dropped : int
        Rows left out for an empty user or item.
    cut_off : bool
        Whether the last line of a text has no line end.
    encodings : dict of str to Encoding
        Of each text, by what messages call it.
    unnamed_holds : bool
        Whether some row may have something in a last column without a name.
    rounded : int
        Values that have more digits than a float holds.
    split_rows : int
        Rows whose entries were counted as rows, where a row may be several.
    """

    unreadable: UnreadableRows
    dropped: int = 0
    cut_off: bool = False
    encodings: dict[str, Encoding] = field(default_factory=dict)
    unnamed_holds: bool = False
    rounded: int = 0
    split_rows: int = 0

    def not_utf8(self) -> Place | None:
        """Return where the first letter stands that made a text another than UTF-8."""
        found = (Place(label, one.line) for label, one in self.encodings.items() if one.line)
        return next(found, None)
