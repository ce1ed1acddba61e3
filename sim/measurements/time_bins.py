"""Coarser bins of the times of a release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store

NO_TIMES = "none"

_UNIT = {"day": "D", "month": "M", "year": "Y"}


def binned(store: Store, width: str) -> NDArray[np.int64]:
    """Return the bin of each day code of a release, from 0, shape (n_days + 1,).

    Parameters
    ----------
    width : str
        ``day``; ``week``, from Monday; ``month`` or ``year`` of the calendar; ``none``, one bin for
        all cells. Otherwise cells without a day have the last bin to themselves.

    Examples
    --------
    >>> from types import SimpleNamespace as Any
    >>> store = Any(manifest=Any(first_day=0, n_days=5))  # from Thursday, 1 January 1970
    >>> binned(store, "week").tolist(), binned(store, "none").tolist()
    ([0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0])
    """
    m = store.manifest
    if width == NO_TIMES or not m.n_days:
        return np.zeros(m.n_days + 1, np.int64)
    days = np.arange(m.first_day, m.first_day + m.n_days)
    if width == "week":
        number = (days + 3) // 7  # the first of January 1970 was a Thursday
    else:
        number = days.astype("datetime64[D]").astype(f"datetime64[{_UNIT[width]}]").astype(np.int64)
    number = number - number[0]
    return np.append(number, number[-1] + 1)
