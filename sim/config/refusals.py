"""Formats Hydra's errors in one line, with a remedy that works on the command line.

Hydra's own advice is for its config files, or leaves out that a shell takes quotes away.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import re
from typing import TYPE_CHECKING, Any

from sim.config.key_table import like_key
from sim.config.schema import (
    LISTS,
    NAMES,
    Choice,
    Config,
    choices,
    chosen,
    package,
    registries,
)
from sim.config.wrong_values import wrong_value
from sim.extend.overrides import command_line, override
from sim.extend.plugins import none_called
from sim.numeric.text import did_you_mean, expected_among

if TYPE_CHECKING:
    from omegaconf.errors import OmegaConfBaseException

_HELP = "; see standout --help"

_HIDDEN = (
    *("full_key:", "object_type=", "reference_type=", "Config search", "provider=", "See "),
    "To append to your",  # configuration or defaults, which take no others
)
"""Beginnings of lines that only developers need, or that do not help here."""


def one_line(error: Exception) -> str:
    r"""Format what Hydra or OmegaConf raised.

    Examples
    --------
    >>> one_line(ValueError("Could not override 'target'.\nTo append to your config use +target=1"))
    'target: not a key of the configuration; did you mean targets?; see standout --help'
    """
    if isinstance(error, OverflowError):
        key = re.search(r"full_key: (\S+)", str(error))
        return f"{key[1] if key else 'a number'}: too large; expected a smaller number"
    texts = [str(error), *([str(error.__cause__)] if error.__cause__ else [])]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    kept = [x for x in lines if x and not x.startswith(_HIDDEN) and not x.endswith("_schema")]
    given = getattr(error, "override", None)
    if given is not None:
        return _unparsed(str(given), kept) + _HELP
    ambiguous = re.fullmatch(r"Ambiguous value for argument '(.*)'", kept[0]) if kept else None
    if ambiguous:
        return _ambiguous(ambiguous[1]) + _HELP
    said = "; ".join(dict.fromkeys(kept)).replace(":;", ":").replace(".;", ";").removesuffix(".")
    twice = re.match(r"Multiple values for (\w+)\. To override.*'override \w+: (.*)'", str(error))
    if twice:
        return f"{twice[1]}: has a choice already; replace it with {twice[1]}={twice[2]}{_HELP}"
    missing = re.search(r"Could not (?:find|load) '((?:hydra/)?\w+)/([^']+)'", str(error))
    reason = missing and _unusable(missing[1], missing[2])
    if missing and reason:
        return f"{chosen(missing[1], missing[2])}: the plug-in cannot be used: {reason}"
    if missing:
        said = _expected(error, *missing.groups())
        return f"{missing[1]}: {missing[2]!r}: {said}{_help_of(missing[1])}"
    unchosen = re.match(r"Error merging override \+*utility\.(\w+).*UtilityConfig", said)
    if unchosen:
        return not_chosen("utility", unchosen[1])
    unknown = re.match(r"Could not override '([^']+)'", str(error))
    cause = _cause(error)
    if unknown:
        return _unknown(unknown[1], cause)
    wrong = None if cause is None else wrong_value(cause)
    return said + _HELP if wrong is None else wrong


def _unknown(given: str, cause: OmegaConfBaseException | None) -> str:
    """Return the message about an override of a key that is not there, or holds one that is not."""
    full = "" if cause is None else str(cause.full_key)
    key = full if full.startswith(f"{given}.") else given
    group, _, name = key.partition(".")
    if reason := _unusable(group, name):
        return f"{key}: the plug-in cannot be used: {reason}"
    parts = None if cause is None else cause.parent_node
    if group == "parts" and name and parts is not None:
        there = ", ".join(map(str, parts))
        return f"{group}: {name!r}: not a part of this experiment, whose parts are {there}{_HELP}"
    return f"{key}: not {_place(key, cause)}{meant(key)}{_HELP}"


def not_chosen(group: str, name: str) -> str:
    """Return the message that options are given of something that was not chosen.

    Examples
    --------
    >>> not_chosen("defence", "drop_time")
    "defence.drop_time: not chosen; set 'defence=[drop_time]'; see standout --help"
    """
    known = _names(group)
    if name not in known:
        return f"{group}: {name!r}: {none_called(name, known, 'some')}{_help_of(group)}"
    return f"{group}.{name}: not chosen; set {chosen(group, name)}{_HELP}"


def _help_of(group: str) -> str:
    """Name the help that lists all choices of a group, plug-ins among them."""
    return f"; see standout help {group}" if group in LISTS else _HELP


def _cause(error: Exception) -> OmegaConfBaseException | None:
    from omegaconf.errors import OmegaConfBaseException

    both = (error, error.__cause__)
    return next((one for one in both if isinstance(one, OmegaConfBaseException)), None)


def _place(key: str, cause: OmegaConfBaseException | None) -> str:
    """What an unknown key is not: an option of the choice that was made, or a key."""
    for group, name, node in choices():
        if cause is not None and cause.object_type is node:
            return f"an option of {chosen(group, name)}"
    holder = key.rpartition(".")[0]
    group, _, name = holder.partition(".")
    if group in LISTS and name in _names(group):
        return "an option of what was chosen"
    return f"a key of {holder or 'the configuration'}"


def _expected(error: Exception, group: str, given: str) -> str:
    """Return what was expected instead of a choice that Hydra cannot find."""
    if group in LISTS:
        return none_called(given, _names(group), "some")
    _, _, listed = str(error).partition("Available options in")
    names = re.findall(r"^\t(\w+)$", listed, re.MULTILINE)
    kept = [name for name in names if not name.endswith("_schema")]
    places = [name for name in kept if group == "experiment" and name.endswith(f"_{given}")]
    if places:  # a figure or a table without the paper
        return f"did you mean {' or '.join(places)}?"
    said = (none_called if group in registries() else expected_among)(given, kept)
    file = f"; a file of yours is data=table data.path={given}"
    return said + (file if group == "data" and "." in given else "")


def _names(group: str) -> list[str]:
    return [name for of, name, _ in choices() if of == group]


def _unparsed(given: str, lines: list[str]) -> str:
    key, equals, value = given.partition("=")
    if not equals:
        return f"{given}: expected key=value"
    open_ = [one for one in ("[]", "{}", "()") if value.count(one[0]) > value.count(one[1])]
    if open_ and not {"'", '"'}.intersection(value):
        return f"{given}: expected a {open_[0][1]} for every {open_[0][0]}"
    reason = next((x for x in lines if given not in x and x != "^"), "cannot be parsed")
    # Without the parser's names for what may stand here.
    reason = re.sub(
        r"^(?:extraneous|mismatched) input (.*?) expecting .*", r"unexpected \1", reason
    )
    if value.startswith(("[", "{")):
        return f"{given}: {reason}; quote each text in it that holds one of = : , ( ) [ ] {{ }}"
    return f"{given}: {reason}; to use it as text: {command_line([override(key, value)])}"


_OF_COLUMNS = {"data.user": "people who", "data.item": "items that", "data.date": "dates that"}
"""Keys of which a value may be several columns, and what these are together."""


def _ambiguous(given: str) -> str:
    key, _, value = given.partition("=")
    types = types_of_keys(choices()).get(key, {}).values()
    ways = ["add --multirun to run each"]
    if key in LISTS or any(kind.startswith("list") for kind in types):
        ways.insert(0, f"to use it as a list: {command_line([f'{key}=[{value}]'])}")
    elif any("str" in kind for kind in types):
        ways.insert(0, f"to use it as text: {command_line([override(key, value)])}")
    if who := _OF_COLUMNS.get(key):
        together = command_line([f"{key}=[{value}]"])
        ways.insert(0, f"{who} are several columns together are {together}")
    if re.fullmatch(r"\d+,\d+", value):
        if any("float" in kind for kind in types):
            ways.insert(0, f"a number has a point, {key}={value.replace(',', '.')}")
        elif any("int" in kind for kind in types):
            ways.insert(0, f"a decimal number has a point, and {key} takes a whole one")
    return f"{given}: holds a comma; {'; or '.join(ways)}"


def _unusable(group: str, name: str) -> str | None:
    registry = registries().get(group)
    return None if registry is None else registry.why_not(name)


def meant(key: str) -> str:
    """Suggest known keys for an unknown one, as the end of a sentence.

    Returns
    -------
    str
        Empty if it is like no other.

    Examples
    --------
    >>> meant("targts"), meant("attack.lam"), meant("xyz")
    ('; did you mean targets?', '; leave attack.lam out, or set what it is a key of: \
attack=correlation', '')
    """
    keys = types_of_keys(choices())
    if key in keys:
        chosen_by = " or ".join(filter(None, keys[key]))
        return f"; leave {key} out, or set what it is a key of: {chosen_by}" if chosen_by else ""
    holder, _, option = key.rpartition(".")
    if holder in {package(group, name) for group, name, _ in choices() if group in LISTS}:
        own = [known.rpartition(".")[2] for known in keys if known.startswith(f"{holder}.")]
        nearest = did_you_mean(option, own).replace("mean ", f"mean {holder}.")
        return nearest or (f"; it has {', '.join(own)}" if own else "; it has no options")
    return like_key(key, keys, (group for group, _, _ in choices()))


def meant_among(key: str, beginnings: tuple[str, ...]) -> str:
    """Suggest keys with some beginnings for an unknown one, as the end of a sentence.

    Returns
    -------
    str
        Empty if it is like no other.

    Examples
    --------
    >>> meant_among("date_format", ("data.",)), meant_among("data.date_fromat", ("data.",))
    ('; did you mean data.date_format?', '; did you mean data.date_format?')
    >>> meant_among("targets", ("data.",)), meant_among("itm", ("data.",))
    ('', '; did you mean data.item?')
    """
    ends: dict[str, list[str]] = {}
    for known in types_of_keys(choices()):
        if known.startswith(beginnings):
            ends.setdefault(known.rpartition(".")[2], []).append(known)
    like = difflib.get_close_matches(key.rpartition(".")[2], ends, n=1, cutoff=0.8)
    return f"; did you mean {' or '.join(ends[like[0]])}?" if like else ""


@functools.cache
def types_of_keys(choosable: tuple[Choice, ...]) -> dict[str, dict[str, str]]:
    """Return the type of every key, by the choice that has it."""
    found: dict[str, dict[str, str]] = {"attacker": {}, "experiment": {}}
    groups = {group for group, _, _ in choosable}
    nodes: list[tuple[str, str, Any]] = [
        ("", "", Config),
        *(
            ("", f"{field.name}.", field.default_factory)
            for field in dataclasses.fields(Config)
            if dataclasses.is_dataclass(field.default_factory) and field.name not in groups
        ),
        *(
            (chosen(group, name), f"{package(group, name)}.", node)
            for group, name, node in choosable
        ),
    ]
    for choice, at, node in nodes:
        for field in dataclasses.fields(node):
            found.setdefault(f"{at}{field.name}", {})[choice] = str(field.type)
    for key in (*groups, *NAMES):
        found.pop(key, None)
    return found
