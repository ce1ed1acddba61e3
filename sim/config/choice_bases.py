"""What choices alone compose to, kept so that further values can be set on a copy.

Hydra takes a fifth of a second to compose the files of ``conf/``, and a plan composes hundreds of
runs that differ in their defences and a few values. The choices decide which files are read and in
what order; defences, which no file depends on, and values are set on what these make, which takes
hundredths of a second.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.folder import conf
from sim.config.schema import GROUPS, Config, choices

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig

_VALUES = frozenset(field.name for field in dataclasses.fields(Config)) - set(GROUPS)
"""Keys without a point that are no choice."""

_MOST = 32
"""Bases that are kept; each is a configuration."""

_kept: OrderedDict[Any, DictConfig] = OrderedDict()


def parted(overrides: Sequence[str]) -> tuple[list[str], list[Override]] | None:
    """Part overrides into choices, as typed, and the values that are set afterwards.

    Parameters
    ----------
    overrides : sequence of str
        As on the command line.

    Returns
    -------
    tuple or None
        None if one of them is anything else: if it adds or deletes a key, is one of Hydra's own, or
        has several values; or if one is no override at all.

    Examples
    --------
    >>> choices, values = parted(["attack=bayes", "data.preset=tiny", "seed=2"])
    >>> choices, [value.input_line for value in values]
    (['attack=bayes'], ['data.preset=tiny', 'seed=2'])
    >>> parted(["attack=bayes", "+seed=2"]) is None
    True
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import OverrideType
    from hydra.errors import HydraException

    try:
        parsed = OverridesParser.create().parse_overrides(list(overrides))
    except (HydraException, RecursionError):
        return None
    chosen: list[str] = []
    values: list[Override] = []
    for text, one in zip(overrides, parsed, strict=True):
        key = one.key_or_group
        if one.type is not OverrideType.CHANGE or one.package is not None:
            return None
        if one.is_sweep_override() or one.is_hydra_override():
            return None
        if key in GROUPS:
            if "$" in text:  # a choice that depends on the environment
                return None
            chosen.append(text)
        elif "." in key or key in _VALUES:
            values.append(one)
        else:
            return None
    return chosen, values


def composed_on_base(overrides: Sequence[str]) -> DictConfig | None:
    """Set values on a copy of what the choices compose to; call it where Hydra is initialized.

    Parameters
    ----------
    overrides : sequence of str
        As on the command line.

    Returns
    -------
    DictConfig or None
        What Hydra composes; None where it must be asked, or will say what is wrong.
    """
    from hydra import compose
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    parts = parted(overrides)
    if parts is None:
        return None
    whole, values = parts
    chosen, defences = without_defences(whole)
    # The command line of a job may have added folders.
    path = GlobalHydra.instance().config_loader().get_search_path().get_path()
    folders = [(one.provider, one.path) for one in path]
    key = (tuple(chosen), choices(), *folders, *_files(conf()))
    try:
        if key not in _kept:
            _kept[key] = compose("config", overrides=chosen)
        _kept.move_to_end(key)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
        found = copy.deepcopy(_kept[key])
        if defences and not _add(found, defences):
            return None
        for one in values:
            OmegaConf.update(found, one.key_or_group, one.value(), merge=True)
    except (HydraException, OmegaConfBaseException, OverflowError, ValueError):
        return None
    return found


def without_defences(chosen: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return choices with no defence among them, and the names of the defences chosen.

    Choices stay as they are, and no name is returned, where what is chosen is anything but a list
    of known defences, each once.

    Examples
    --------
    >>> without_defences(["attack=bayes", "defence=[drop_time,drop_items]"])
    (['attack=bayes', 'defence=[]'], ['drop_time', 'drop_items'])
    >>> without_defences(["defence=[no_such]"])
    (['defence=[no_such]'], [])
    """
    places = [at for at, one in enumerate(chosen) if one.partition("=")[0] == _DEFENCE]
    if len(places) != 1:
        return list(chosen), []
    written = _LIST.fullmatch(chosen[places[0]].partition("=")[2])
    names = [name.strip() for name in written[1].split(",")] if written else []
    known = {name for group, name, _ in choices() if group == _DEFENCE}
    if not names or len(set(names)) < len(names) or not known.issuperset(names):
        return list(chosen), []
    found = list(chosen)
    found[places[0]] = f"{_DEFENCE}=[]"
    return found, names


_DEFENCE, _LIST = "defence", re.compile(r"\[([\w, ]*)\]", re.ASCII)


def _add(found: DictConfig, defences: Sequence[str]) -> bool:
    """Add defences to a configuration without any; False: it has settings of some, for Hydra."""
    from hydra.core.config_store import ConfigStore
    from omegaconf import open_dict

    if found[_DEFENCE]:
        return False
    with open_dict(found[_DEFENCE]):
        for name in defences:
            stored = ConfigStore.instance().load(f"{_DEFENCE}/{name}.yaml")
            found[_DEFENCE][name] = copy.deepcopy(stored.node)
    return True


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the files of a folder and their times: an edited one is read again."""
    for room, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(room, name)  # noqa: PTH118 (asked for every run of a plan)
            yield path, os.stat(path).st_mtime_ns  # noqa: PTH116
