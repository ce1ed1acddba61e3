"""Ranges of the symbols of the theorems. Invariant: a value out of range is refused by name."""

from __future__ import annotations


def open_unit(**values: float) -> None:
    """Refuse a value that is not strictly between 0 and 1.

    Parameters
    ----------
    **values : float
        By name.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> open_unit(epsilon=1.0)
    Traceback (most recent call last):
    ValueError: epsilon is 1.0; it must lie strictly between 0 and 1
    """
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value}; it must lie strictly between 0 and 1")


def records(n_records: float) -> None:
    """Refuse a release without records.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> records(0)
    Traceback (most recent call last):
    ValueError: 0 records; at least one is needed
    """
    if not n_records >= 1:
        raise ValueError(f"{n_records} records; at least one is needed")
