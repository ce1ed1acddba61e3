"""``standout describe data=…``: what was read, in numbers, and what looks suspicious about it."""

from __future__ import annotations

from collections.abc import Sequence

from sim.cli.arguments import data_of_arguments
from sim.cli.verbs import with_file
from sim.errors import ConfigError
from sim.numeric.text import visible
from sim.session.check_values import one_of
from sim.session.description import describe
from sim.session.open_release import open_release

FORMATS = ("text", "json")
"""What ``format`` of a command may be; the first is the default."""

USAGE = "standout describe FILE"


def describe_command(arguments: Sequence[str]) -> None:
    """Open the release that the arguments name, and print its description.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout describe``: the choice and the keys of ``data``, or a table; and
        ``format=json``.

    Raises
    ------
    ConfigError
        Something else is set, or a key or a value is wrong.
    StandoutError
        The data cannot be read.
    """
    style, arguments = _format_of(arguments)
    if not arguments:
        raise ConfigError(f"describe: expected the data: {USAGE}")
    config = data_of_arguments("describe", with_file("describe", arguments), USAGE)
    found = describe(open_release(config, verb="describe"), config)
    print(visible(found.to_json() if style == "json" else str(found)))


def _format_of(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the format to print in, and the other arguments."""
    keys = [argument.partition("=") for argument in arguments]
    formats = [value for key, equals, value in keys if key == "format" and equals]
    if len(formats) > 1:
        raise ConfigError(f"describe: format={formats[1]}: format is given twice")
    others = [word for word, (key, _, _) in zip(arguments, keys, strict=True) if key != "format"]
    return one_of("format", formats[0] if formats else FORMATS[0], FORMATS), others
