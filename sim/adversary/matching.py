"""Matches the identifiers of two data sets: from identifiers to the numbers of a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def match(ids: Any, known: Any) -> NDArray[np.int64]:
    """Find identifiers among those of a release.

    Identifiers of one type are compared as they are; a number and a text are alike if the number
    is written like the text: 7 is "7" and not "007".

    Parameters
    ----------
    ids, known : pyarrow arrays
        Of int64 or text; `known` without repetition.

    Returns
    -------
    int64 array, shape (len(ids),)
        Place in `known`; −1 where it is not there.

    Examples
    --------
    >>> match(pa.array(["7", "007"]), pa.array([5, 7])).tolist()
    [1, -1]
    """
    if not (pa.types.is_integer(ids.type) and pa.types.is_integer(known.type)):
        ids, known = ids.cast(pa.large_string()), known.cast(pa.large_string())
    found = pc.index_in(ids, value_set=known).fill_null(-1)
    places: NDArray[np.int64] = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return places
