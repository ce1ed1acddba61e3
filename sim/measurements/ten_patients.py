"""The worked table of the slides: ten patients, made 2-anonymous by hand.

Invariant: the rows are the slides' own (their "Wikipedia example"); their measures are
computed by `sim.measurements.kanonymity`, never written down.
"""

from __future__ import annotations

import pandas as pd

from sim.measurements.kanonymity import suppress, to_intervals

QUASI = ("age", "gender", "state")
"""The attributes that the slides assume the adversary to know."""

NAME = "ten_patients"
"""Of the data, in tables and in `sim.papers.statements`."""

AS_RECORDED = "as recorded"
RECODED = "suppressed and generalised"

_COLUMNS = ("name", "age", "gender", "state", "religion", "disease")
_ROWS = (
    ("Ramsha", 30, "Female", "Tamil Nadu", "Hindu", "Cancer"),
    ("Yadu", 24, "Female", "Kerala", "Hindu", "Viral infection"),
    ("Salima", 28, "Female", "Tamil Nadu", "Muslim", "TB"),
    ("Sunny", 27, "Male", "Karnataka", "Parsi", "No illness"),
    ("Joan", 24, "Female", "Kerala", "Christian", "Heart-related"),
    ("Bahuksana", 23, "Male", "Karnataka", "Buddhist", "TB"),
    ("Rambha", 19, "Male", "Kerala", "Hindu", "Cancer"),
    ("Kishor", 29, "Male", "Karnataka", "Hindu", "Heart-related"),
    ("Johnson", 17, "Male", "Kerala", "Christian", "Heart-related"),
    ("John", 19, "Male", "Kerala", "Christian", "Viral infection"),
)


def ten_patients() -> dict[str, pd.DataFrame]:
    """The table before and after the slides' recoding.

    Returns
    -------
    dict of str to DataFrame
        Under `AS_RECORDED` and `RECODED`: name and religion hidden, ages in classes up to 20, up
        to 30 and above.

    Examples
    --------
    >>> from sim.measurements.kanonymity import k_anonymity
    >>> [k_anonymity(table, QUASI) for table in ten_patients().values()]
    [1, 2]
    """
    table = pd.DataFrame(_ROWS, columns=list(_COLUMNS))
    recoded = to_intervals(suppress(table, ["name", "religion"]), "age", [20, 30])
    return {AS_RECORDED: table, RECODED: recoded}
