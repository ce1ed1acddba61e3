"""Chains of defences as people write them: ``drop_items.min_support=2,5 coarsen_time``.

A chain is the defences in the order in which they are applied, each with its options as on the
command line, without ``defence.`` before them. Several values of an option make several chains.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.config.own_overrides import each_value, own_key
from sim.config.schema import package
from sim.errors import ConfigError

UNCHANGED = "unchanged"
"""The chain without a defence, and the name of its part."""

_PIECE = re.compile(r"""(?:[^\s'"\[\]]|'[^']*'|"[^"]*"|\[[^\]]*\])+""")
_NAME = re.compile(r"[\w-]+")
"""Of a defence; one with a hyphen is mistyped, and answered with the one that is like it."""
_NOT_NAMES = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Chain:
    """Defences in the order in which they are applied.

    Parameters
    ----------
    text : str
        As written, with one value of each option; `UNCHANGED`: no defence.
    overrides : tuple of str
        That apply it.
    """

    text: str
    overrides: tuple[str, ...]

    @property
    def name(self) -> str:
        """The text as the name of a folder.

        Examples
        --------
        >>> chains_of(["drop_items.min_support=5"])[0].name
        'drop_items_min_support_5'
        """
        return _NOT_NAMES.sub("_", self.text).strip("_")


NOTHING = Chain(UNCHANGED, ("defence=[]",))


def chains_tried(written: Sequence[str]) -> list[Chain]:
    """Return the chains that a frontier or a plan tries: the release as it is, and those given.

    Raises
    ------
    ConfigError
        See `chains_of`.

    Examples
    --------
    >>> [chain.text for chain in chains_tried(["drop_items", "unchanged"])]
    ['unchanged', 'drop_items']
    """
    return [NOTHING, *(chain for chain in chains_of(written) if chain != NOTHING)]


def chains_of(written: Sequence[str]) -> list[Chain]:
    """Parse chains, each value of an option in a chain of its own.

    Parameters
    ----------
    written : sequence of str
        `UNCHANGED` may be among them.

    Raises
    ------
    ConfigError
        A text is no chain, or two are the same.

    Examples
    --------
    >>> [chain.text for chain in chains_of(["drop_items.min_support=2,5 jitter_time"])]
    ['drop_items.min_support=2 jitter_time', 'drop_items.min_support=5 jitter_time']
    >>> chains_of(["drop_items.min_support=2"])[0].overrides
    ('defence=[drop_items]', 'defence.drop_items.min_support=2')
    """
    found: dict[str, Chain] = {}
    for text in map(str, written):
        try:
            chains = list(_parsed(text))
        except ConfigError as error:
            raise ConfigError(f"plan.defences: {text!r}: {error}") from None
        for chain in chains:
            other = found.setdefault(chain.name, chain)
            if other is not chain:
                same = "is given twice" if other == chain else f"and {other.text!r} look alike"
                raise ConfigError(f"plan.defences: {chain.text!r} {same}; leave one of them out")
    return list(found.values())


def pieces_but(text: str, option: str) -> list[str]:
    """Return the defences of a text but for one that has no other option than this.

    Parameters
    ----------
    option : str
        As in ``drop_records.min_length``.

    Examples
    --------
    >>> pieces_but("drop_records.min_length=3,8 drop_time", "drop_records.min_length")
    ['drop_time']
    >>> pieces_but("unchanged", "drop_records.min_length")
    []
    """
    name, _, key = option.partition(".")
    replaced = re.compile(rf"{name}(\.{key}=\S*)?|{UNCHANGED}")
    return [piece for piece in text.split() if not replaced.fullmatch(piece)]


def _parsed(text: str) -> Iterator[Chain]:
    pieces = _PIECE.findall(text)
    if pieces == [UNCHANGED]:
        yield NOTHING
        return
    if not pieces:
        raise ConfigError("expected defences, as in 'drop_items.min_support=2,5 jitter_time'")
    names = list(dict.fromkeys(re.split(r"[.=]", piece, maxsplit=1)[0] for piece in pieces))
    for name in names:
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"{name}: expected the name of a defence, with blanks between defences, and the "
                "defence before each option, as in 'drop_items.min_support=2,5 jitter_time'"
            )
    chosen = f"defence=[{','.join(names)}]"
    own_key(chosen)  # knows every defence, each once
    bare = [piece for piece in pieces if "=" not in piece]
    for piece in bare:
        if pieces.count(piece) > 1:
            raise ConfigError(f"{piece}: given twice; a chain has each defence once")
        if "." in piece:
            raise ConfigError(f"{piece}: expected a value after it, as in {piece}=2")
    prefix = len(package("defence", ""))
    for options in itertools.product(
        *(each_value(package("defence", piece)) for piece in pieces if "=" in piece)
    ):
        for option in options:
            own_key(option)
        given = iter(options)
        words = [piece if "=" not in piece else next(given)[prefix:] for piece in pieces]
        yield Chain(" ".join(words), (chosen, *options))
