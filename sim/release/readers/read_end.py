"""What is known of a table, or of a part of one, once its rows were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sim.release.readers.cell_forms import CellForms
from sim.release.readers.textfile import ASCII, Encoding
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
    lines : dict of str to int
        Lines read of each text.
    unnamed_holds : bool
        Whether some row may have something in a last column without a name.
    forms : CellForms
        How the cells and the lines are written.
    rounded : int
        Values that have more digits than a float holds.

    Examples
    --------
    >>> ends = [ReadEnd(UnreadableRows("drop")) for _ in range(2)]
    >>> ends[0].read_text("a.csv", Encoding("UTF-8"), 7)
    >>> ends[1].read_text("a.csv", Encoding("Windows-1252", 2), 5)
    >>> ends[1].unreadable.leave_out(Place("a.csv", 3), "2 cells")
    >>> whole = put_together(ends)
    >>> whole.lines, whole.encodings["a.csv"].words, whole.unreadable.first.number
    ({'a.csv': 12}, 'Windows-1252', 10)
    """

    unreadable: UnreadableRows
    dropped: int = 0
    cut_off: bool = False
    encodings: dict[str, Encoding] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    unnamed_holds: bool = False
    forms: CellForms = field(default_factory=CellForms)
    rounded: int = 0

    def read_text(self, label: str, encoding: Encoding, lines: int) -> None:
        """Note that a text, or the next part of one, was read.

        What is ASCII so far may be any encoding, so that of a later part counts.
        """
        if self.encodings.get(label, Encoding()).words == ASCII:
            self.encodings[label] = encoding
        self.lines[label] = self.lines.get(label, 0) + lines

    def not_utf8(self) -> Place | None:
        """Return where the first letter stands that made a text another than UTF-8."""
        found = (Place(label, one.line) for label, one in self.encodings.items() if one.line)
        return next(found, None)


def put_together(ends: Sequence[ReadEnd]) -> ReadEnd:
    """Return the end of a table from those of all its parts, in order."""
    first, *others = ends
    whole = replace(first, encodings=dict(first.encodings), lines=dict(first.lines))
    for end in others:
        place = end.unreadable.first
        if place is not None and place.is_line:
            place = replace(place, number=place.number + whole.lines.get(place.label, 0))
        whole.unreadable = whole.unreadable.with_later(end.unreadable, place)
        whole.dropped += end.dropped
        whole.cut_off |= end.cut_off
        whole.unnamed_holds |= end.unnamed_holds
        whole.forms = whole.forms + end.forms
        whole.rounded += end.rounded
        for label, encoding in end.encodings.items():
            whole.read_text(label, encoding, end.lines[label])
    return whole
