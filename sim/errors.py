"""Errors that a user can correct: one line, sometimes a table below it; an exit code.

Every error that a user can cause is a `StandoutError`. Its text names the file, line, column or
configuration key, what was expected, and what to do. Any other exception is a bug.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

EXIT_CODE = 2

_ENDLESS = re.compile(r"[^\s/]{256,}")
"""Longer than any name of a file: content of a cell or of a setting, whose beginning will do."""

_SHOWN = 60


class StandoutError(Exception):
    r"""An error that the user can correct.

    Parameters
    ----------
    message : str
        One line: what is wrong, where, what was expected, what to do.
    table : sequence of str
        Lines to show below it, to choose from.
    advice : str
        What to do, after the message and a semicolon, where others may advise something else.

    Attributes
    ----------
    reason : str
        The message without the advice.
    exit_code : int
        How the command line ends.

    Examples
    --------
    >>> str(StandoutError("ratings.csv:\n  no such file"))
    'ratings.csv: no such file'
    """

    exit_code: ClassVar[int] = EXIT_CODE

    def __init__(self, message: str, table: Sequence[str] = (), *, advice: str = "") -> None:
        # Spaces are kept, since they may be part of a path in a command to be copied. Unprintable
        # characters are escaped: messages quote files, whose content must not control the terminal.
        self.reason = _in_one_line(message)
        super().__init__(f"{self.reason}; {_in_one_line(advice)}" if advice else self.reason)
        self.table = tuple(map(_printable, table))

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *self.table])


def _in_one_line(text: str) -> str:
    line = re.sub(r"\s*[\r\n]\s*", " ", text.strip())
    return _printable(_ENDLESS.sub(_shortened, line))


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:_SHOWN]}… ({len(word[0]):,} characters)"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


class ConfigError(StandoutError):
    """A configuration key is unknown, has the wrong type, or contradicts another."""


class InputError(StandoutError):
    """A file of ratings is missing, unreadable, truncated, or not what it should be."""


class MissingResultError(InputError, AttributeError):
    """A run has no such table or assessment; for `hasattr` and `getattr`, no such attribute."""


class StoreError(StandoutError):
    """A store is damaged, of another version, or cannot be written."""


class GridError(StandoutError):
    """A grid cell cannot be run on this release."""


class NothingLeftError(GridError):
    """Nobody, or nothing, is left of a release after a defence."""


class TooShortError(NothingLeftError):
    """Nobody has as many entries as a defence asks for."""


class ClusterError(StandoutError):
    """The cluster does not answer or cannot hold the job."""


class ClusterLostError(ClusterError):
    """A part of the cluster ended or hung in the middle of a run, through no fault of the user."""

    exit_code = 1


class ResumeError(StandoutError):
    """A run cannot be resumed as it was."""
