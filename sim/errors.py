"""Errors that a user can correct: one line, sometimes a table below it; exit code 2.

Every error that a user can cause is a `StandoutError`. Its text names the file, line, column or
configuration key, what was expected, and what to do. Any other exception is a bug.
"""

import re
from collections.abc import Sequence

EXIT_CODE = 2


class StandoutError(Exception):
    r"""An error that the user can correct.

    Parameters
    ----------
    message : str
        One line: what is wrong, where, what was expected, what to do.
    table : sequence of str
        Lines to show below it, to choose from.

    Examples
    --------
    >>> str(StandoutError("ratings.csv:\n  no such file"))
    'ratings.csv: no such file'
    """

    def __init__(self, message: str, table: Sequence[str] = ()) -> None:
        # Spaces are kept, since they may be part of a path in a command to be copied. Unprintable
        # characters are escaped: messages quote files, whose content must not control the terminal.
        super().__init__(_printable(re.sub(r"\s*[\r\n]\s*", " ", message.strip())))
        self.table = tuple(map(_printable, table))

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *self.table])


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


class ConfigError(StandoutError):
    """A configuration key is unknown, has the wrong type, or contradicts another."""


class InputError(StandoutError):
    """A file of ratings is missing, unreadable, truncated, or not what it should be."""


class StoreError(StandoutError):
    """A store is damaged, of another version, or cannot be written."""


class GridError(StandoutError):
    """A grid cell cannot be run on this release."""


class ClusterError(StandoutError):
    """The cluster does not answer or cannot hold the job."""


class ResumeError(StandoutError):
    """A run cannot be resumed as it was."""
