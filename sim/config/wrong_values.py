"""Says what a key expects that was given a value of the wrong type, from what its class states."""

from __future__ import annotations

import dataclasses
import re
import typing
from typing import TYPE_CHECKING, Any

from sim.extend.options import Option, option_of
from sim.extend.overrides import command_line, override

if TYPE_CHECKING:
    from omegaconf.errors import OmegaConfBaseException

_BARE = re.compile(r"[\w./+-]+")
"""Text that needs no quotes in an override."""


def wrong_value(error: OmegaConfBaseException) -> str | None:
    """Format an error about a value of the wrong type; None for any other.

    Parameters
    ----------
    error : OmegaConfBaseException
        As raised where a value is set: it knows the key, the value and what holds the key.
    """
    from omegaconf import ListConfig, OmegaConf
    from omegaconf.errors import ValidationError

    if not isinstance(error, ValidationError) or not error.full_key:
        return None
    node = error.parent_node
    in_list = isinstance(node, ListConfig)
    holder: Any = OmegaConf.get_type(node._get_parent() if in_list else node)
    if not dataclasses.is_dataclass(holder):
        return None
    key = re.sub(r"(\[\d+\])+$", "", error.full_key)
    found = [f for f in dataclasses.fields(holder) if f.name == key.rpartition(".")[2]]
    if not found:
        return None
    (field,), value = found, _plain(error.value)
    stated = option_of(typing.cast("type[Any]", holder), field, key, many_type=list)
    if typing.get_origin(field.type) is list and not in_list:
        example = _listed(key, value, stated, field)
        return f"{key}: {_shown(value)}: expected a list, such as {example}"
    return None if stated is None else f"{key}: {_shown(value)}: expected {stated.expected(value)}"


def _plain(value: Any) -> Any:
    from omegaconf import Container, Node, OmegaConf

    if isinstance(value, Container):
        return OmegaConf.to_container(value, resolve=False)
    return value._value() if isinstance(value, Node) else value


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def _listed(key: str, value: Any, stated: Option | None, field: dataclasses.Field[Any]) -> str:
    """Return an override with the value as a list; with the defaults where it has another type."""
    kind = object if stated is None else stated.type
    if value is None or isinstance(value, (dict, bool)) or not isinstance(value, kind):
        default = [] if field.default_factory is dataclasses.MISSING else field.default_factory()
        return command_line([override(key, default)])
    bare = isinstance(value, str) and _BARE.fullmatch(value)
    return command_line([f"{key}=[{value}]" if bare else override(key, [value])])
