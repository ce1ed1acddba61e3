"""From overrides to a configuration, inside a Hydra job or without one."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.config.choice_bases import composed_on_base
from sim.config.folder import conf
from sim.config.own_overrides import key_to_settle
from sim.config.refusals import meant, not_chosen, one_line
from sim.config.schema import LISTS, Config, register
from sim.errors import ConfigError
from sim.extend.overrides import override

if TYPE_CHECKING:
    from omegaconf import DictConfig


def composed(overrides: Sequence[str]) -> DictConfig:
    """Compose the files of ``conf/``.

    Parameters
    ----------
    overrides : sequence of str
        As on the command line.

    Raises
    ------
    ConfigError
        An override is wrong.

    Examples
    --------
    >>> composed(["seed=7"]).seed
    7
    """
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    register()
    inside_a_job = GlobalHydra.instance().is_initialized()
    try:
        with (
            contextlib.nullcontext()
            if inside_a_job
            else initialize_config_dir(str(conf()), version_base="1.3")
        ):
            found = composed_on_base(overrides)
            return compose("config", overrides=list(overrides)) if found is None else found
    except (HydraException, OmegaConfBaseException, OverflowError, ValueError) as error:
        raise ConfigError(one_line(error)) from None


def configured(given: DictConfig) -> Config:
    """Turn a composed configuration into its dataclasses, and check its names.

    Raises
    ------
    ConfigError
        A key is unknown, not given, or of the wrong type.

    Examples
    --------
    >>> configured(composed(["attack=bayes"])).attack.name
    'bayes'
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        missing = sorted(OmegaConf.missing_keys(given))
        if missing:
            raise _not_given(*missing)
        config: Any = OmegaConf.to_object(given)
    except OmegaConfBaseException as error:
        raise ConfigError(one_line(error)) from None
    _check_keys(config)
    for group in LISTS:
        for name, each in getattr(config, group).items():
            if not dataclasses.is_dataclass(each):  # added with "+"
                raise ConfigError(not_chosen(group, name))
            _check_keys(each, f"{group}.{name}.")
    made: Config = config
    return made


def settled(given: DictConfig, overrides: Sequence[str]) -> list[str]:
    """Return overrides with ``${…}`` replaced by its value.

    The record of a run must not depend on the environment in which it is read.

    Parameters
    ----------
    given : DictConfig
        What they made.
    overrides : sequence of str
        As on the command line.

    Examples
    --------
    >>> typed = ["seed=7", "data.seed=${seed}"]
    >>> settled(composed(typed), typed)
    ['seed=7', 'data.seed=7']
    """
    from omegaconf import OmegaConf

    written = []
    for text in overrides:
        key = key_to_settle(text)
        if key is None:
            written.append(text)
            continue
        value = OmegaConf.select(given, key.lstrip("+~"))
        if OmegaConf.is_config(value):
            value = OmegaConf.to_container(value, resolve=True)
        written.append(override(key, value))
    return written


def _not_given(*keys: str) -> ConfigError:
    group, point, _ = keys[0].partition(".")
    topic = group if point else "study"
    return ConfigError(f"{', '.join(keys)}: not given; standout help {topic} says what it may be")


def _check_keys(config: Any, prefix: str = "") -> None:
    """Refuse what Hydra lets through: keys added with ``+`` or taken away with ``~``."""
    known = {field.name for field in dataclasses.fields(config)}
    for key, value in vars(config).items():
        if key not in known:
            where = f"{prefix}{key}"
            raise ConfigError(f"{where}: unknown key{meant(where)}; see standout --help")
        if isinstance(value, str) and value == "???":
            raise _not_given(f"{prefix}{key}")
        if dataclasses.is_dataclass(value):
            _check_keys(value, f"{prefix}{key}.")
