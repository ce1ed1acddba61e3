"""What a release is good for, before and after its defences, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

_TABLE = "utility"


def utility_kept(tables: Mapping[str, pd.DataFrame], record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the utility of a release, before and after its defences; nothing if not measured.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Of the run.
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> columns = ["label", "higher_is_better", "before", "after", "note"]
    >>> rows = [("nDCG@10", True, 0.2, 0.15, ""), ("RMSE", False, None, None, "no values")]
    >>> tables = {"utility": pd.DataFrame(rows, columns=columns)}
    >>> for sentence in utility_kept(tables, {"defences": [{"name": "jitter_time"}]}):
    ...     print(sentence)
    Utility before and after the defences: nDCG@10 0.200, then 0.150.
    Utility is not measured by RMSE: no values.
    """
    frame = tables.get(_TABLE)
    if frame is None:
        return
    known = frame["before"].notna() & frame["after"].notna()
    both = bool(record.get("defences"))
    found = [_in_words(row, both=both) for row in frame[known].to_dict("records")]
    if found:
        when = " before and after the defences" if both else " of the release"
        yield f"Utility{when}: {'; '.join(found)}."
    for row in frame[~known].to_dict("records"):
        yield f"Utility is not measured by {row['label']}: {row['note']}."


def _in_words(row: Mapping[Any, Any], *, both: bool) -> str:
    after = f", then {row['after']:.3f}" if both else ""
    lower = "" if row["higher_is_better"] else " (lower is better)"
    return f"{row['label']} {row['before']:.3f}{after}{lower}"
