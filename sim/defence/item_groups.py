"""Items that become one: what stands for each, by the names that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def first_of_name(names: Any) -> NDArray[np.int64]:
    """Find the first item with the name of each.

    Parameters
    ----------
    names : pyarrow array, shape (n,)

    Returns
    -------
    int64 array, shape (n,)

    Examples
    --------
    >>> first_of_name(pa.array(["film", "book", "film"])).tolist()
    [0, 1, 0]
    """
    codes = np.asarray(pc.dictionary_encode(names).indices)
    _, first = np.unique(codes, return_index=True)
    return np.asarray(first[codes], np.int64)


def like(names: Any, original: Any) -> Any:
    """Return names as integers where the original's are, and all of them are written like some.

    Examples
    --------
    >>> like(pa.array(["7", "12"]), pa.array([7, 8])).type, like(pa.array(["07"]), pa.array([7]))[0]
    (DataType(int64), <pyarrow.StringScalar: '07'>)
    """
    if not pa.types.is_integer(original.type) or pa.types.is_integer(names.type):
        return names
    try:
        numbers = names.cast(pa.int64())
    except pa.ArrowInvalid:
        return names
    return numbers if numbers.cast(names.type).equals(names) else names
