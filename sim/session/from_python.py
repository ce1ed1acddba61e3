"""From what a Python caller asks for to the same run as on the command line."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim.attack.algorithms.registry import ATTACKS
from sim.attack.engine.algorithm import Algorithm
from sim.config.compose import composed, configured, settled
from sim.config.schema import GROUPS, registries
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError, ResumeError
from sim.extend.options import Options, changed_from_default
from sim.extend.overrides import override
from sim.extend.plugins import Registry, qualified_name
from sim.files.private import private
from sim.session.jobs import plan_job, without_pictures
from sim.session.keywords import settings_of_keywords
from sim.session.release import Release
from sim.session.result import Result
from sim.session.suite import key_of, run_planned
from sim.utility.registry import UTILITIES


def listed(
    group: str,
    registry: Registry[Any],
    chosen: Mapping[str, str],
    given: Sequence[str | Options | Mapping[str, Any]],
    settings: Mapping[str, Any],
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the overrides of the choices and options, including a group that has several.

    Raises
    ------
    ConfigError
        One is neither a name, an instance nor a dict, or there twice, or its options are.
    """
    if isinstance(given, (str, Options)):
        one = repr(given) if isinstance(given, str) else "…"
        raise ConfigError(f"{group}: {given!r}: expected a list: {group}=[{one}]")
    more = dict(settings)
    names = []
    for each in given:
        if isinstance(each, Options):
            registry.add(type(each))
            more |= options_of(each, settings)
            names.append(each.name_of())
        elif isinstance(each, Mapping):
            name, own = named(group, each, settings, prefix=True)
            more |= own
            names.append(name)
        elif isinstance(each, str):
            names.append(name_of(group, each))
        else:
            raise _no_choice(group, registry, each)
    if len(set(names)) < len(names):
        raise ConfigError(f"{group}: {', '.join(names)}: expected each {group} once")
    return {**chosen, **({group: f"[{','.join(names)}]"} if names else {})}, more


def with_own(
    chosen: Mapping[str, str], settings: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the choices and settings with an attack, defences and measures of utility among them.

    Parameters
    ----------
    given : dict of str to object
        Of `OWN`, those that are given, by name, as instances, or by name and options.

    Raises
    ------
    ConfigError
        One is none of these, or its options are set elsewhere too.

    Examples
    --------
    >>> with_own({}, {}, {"attack": {"name": "bayes", "keep": 3}, "defence": ["drop_time"]})
    ({'attack': 'bayes', 'defence': '[drop_time]'}, {'attack.keep': 3})
    """
    choices, more = dict(chosen), dict(settings)
    attack = given.get("attack")
    if isinstance(attack, Algorithm):
        ATTACKS.add(type(attack))
        choices["attack"], more = attack.name, options_of(attack, more)
    elif isinstance(attack, Mapping):
        choices["attack"], more = named("attack", attack, more)
    elif isinstance(attack, str):
        choices["attack"] = name_of("attack", attack)
    elif attack is not None:
        raise _no_choice("attack", ATTACKS, attack)
    for group, registry in _LISTED.items():
        choices, more = listed(group, registry, choices, given.get(group) or (), more)
    return choices, more


_LISTED: dict[str, Registry[Any]] = {"defence": DEFENCES, "utility": UTILITIES}
OWN = ("attack", *_LISTED)
"""Groups of which a class of one's own can be given."""


def chain_text(chain: str | Sequence[str | Options | Mapping[str, Any]]) -> str:
    """Return a chain of defences as it is written on the command line.

    Parameters
    ----------
    chain : str or sequence
        Written already; or defences in their order, as `listed` takes them.

    Raises
    ------
    ConfigError
        It is none, or an option has a value that no chain can hold.

    Examples
    --------
    >>> chain_text([{"name": "drop_items", "min_support": 5}, "drop_time"])
    'drop_items.min_support=5 drop_time'
    """
    if isinstance(chain, str):
        for piece in chain.split():
            _refuse_own("defence", piece.partition(".")[0])
        return chain
    if isinstance(chain, (Options, Mapping)) or not isinstance(chain, Sequence):
        raise ConfigError(f"defences: {chain!r}: expected text, or a list of defences")
    pieces = list[str]()
    for one in chain:
        chosen, options = listed("defence", DEFENCES, {}, [one], {})
        name = chosen["defence"].strip("[]")
        written = [override(key, value) for key, value in options.items()]
        pieces += [each.removeprefix("defence.") for each in written] or [name]
    return " ".join(pieces)


def name_of(group: str, given: str) -> str:
    """Return a name, which is not an override nor a call.

    Raises
    ------
    ConfigError
        It is one.

    Examples
    --------
    >>> name_of("attack", "bayes(phi=2)")
    Traceback (most recent call last):
    sim.errors.ConfigError: attack: 'bayes(phi=2)': expected a name; options go with it into a \
dict: {"name": "bayes", …}
    """
    name = _NAME.match(given)
    if name is None or name[0] == given:
        _refuse_own(group, given)
        return given  # what is none is refused with those that there are
    raise ConfigError(
        f"{group}: {given!r}: expected a name; options go with it into a dict: "
        f'{{"name": "{name[0]}", …}}'
    )


def _refuse_own(group: str, name: str) -> None:
    """Refuse the name of a class that is not installed, whether or not it was given before."""
    cls = registries()[group].not_installed(name)
    if cls is not None:
        raise ConfigError(
            f"{group}: {name!r}: {qualified_name(cls)} is not installed as a plug-in, so its name "
            f"is not known; expected an instance of it: {cls.__name__}()"
        )


_NAME = re.compile(r"\w+(?=[^\w-]|\Z)")
"""With what may be an option behind it; a hyphen may be a part of a name that was mistyped."""


def _no_choice(group: str, registry: Registry[Any], given: object) -> ConfigError:
    if isinstance(given, type):
        return ConfigError(
            f"{group}: {given.__name__}: a class; expected an instance of it: {given.__name__}()"
        )
    return ConfigError(
        f"{group}: {given!r}: expected text, an instance of {registry.base.__name__} or a dict"
    )


def named(
    group: str, given: Mapping[str, Any], settings: Mapping[str, Any], *, prefix: bool = False
) -> tuple[str, dict[str, Any]]:
    """Return the name in a dict of a name and options, and these options as settings.

    Parameters
    ----------
    prefix : bool
        Whether the name is a part of its options' keys: ``defence.drop_items.min_support``.

    Raises
    ------
    ConfigError
        It has no name, or an option is set elsewhere too.
    """
    name = given.get("name")
    if not isinstance(name, str):
        raise ConfigError(
            f'{group}: {dict(given)!r}: expected a name in it: {{"name": "{_EXAMPLES[group]}"}}'
        )
    _refuse_own(group, name)
    whose = f"{group}.{name}" if prefix else group
    own = {f"{whose}.{key}": value for key, value in given.items() if key != "name"}
    twice = sorted(own.keys() & settings.keys())
    if twice:
        raise given_twice(twice[0], group, "options")
    return name, {**own, **settings}


_EXAMPLES = {"attack": "bayes", "defence": "drop_items", "utility": "ndcg"}
"""A name of each group."""


def options_of(made: Options, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an instance as settings; it may not be that others set them as well."""
    own = {f"{made.group}.{name}": value for name, value in changed_from_default(made).items()}
    twice = [key for key in settings if key.startswith(f"{made.group}.")]
    if twice:
        raise ConfigError(f"{twice[0]}: set it on the {type(made).__name__} that is given")
    return {**own, **settings}


def checked_options(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options; refuse those that have another place, or no whole key such as ``attack.phi``.

    Raises
    ------
    ConfigError
        There are some.

    Examples
    --------
    >>> checked_options({"attack": {"phi": 2}})
    Traceback (most recent call last):
    sim.errors.ConfigError: attack: {'phi': 2}: expected whole keys: options={'attack.phi': 2}
    >>> checked_options({"grid": {"missing": 0.5}})
    Traceback (most recent call last):
    sim.errors.ConfigError: grid: {'missing': 0.5}: expected whole keys: \
options={'grid.missing': [0.5]}
    """
    for key in settings:
        group = key.partition(".")[0]
        if group in _ELSEWHERE:
            raise ConfigError(f"options: {key}: {_ELSEWHERE[group]}")
    return whole_keys(settings)


def whole_keys(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return settings; refuse a group of which the keys are in a dict.

    Raises
    ------
    ConfigError
        There is one.
    """
    for group, given in settings.items():
        if group in GROUPS and isinstance(given, Mapping):
            lists = group == "grid"  # whose axes take one, even of one value
            keys = {
                f"{group}.{key}": [value]
                if lists and not isinstance(value, (list, tuple))
                else value
                for key, value in given.items()
            }
            raise ConfigError(f"{group}: {dict(given)!r}: expected whole keys: options={keys!r}")
    return settings


_ELSEWHERE = {
    "data": "the data are those of the release; set it where that is opened, as in sim.table",
    "seed": "an argument of its own: seed=",
    "targets": "an argument of its own: targets=",
}
"""What is set otherwise, by the first part of its key."""


def given_twice(key: str, one: str, other: str) -> ConfigError:
    """Say that two arguments set the same key.

    Examples
    --------
    >>> print(given_twice("grid.aux", "aux", "grid"))
    grid.aux: given twice, by aux= and by grid=; leave it out of one
    """
    return ConfigError(f"{key}: given twice, by {one}= and by {other}=; leave it out of one")


def run_asked(
    release: Release,
    chosen: Mapping[str, str],
    settings: Mapping[str, Any],
    targets: int | str | None,
    seed: int,
    workers: int | None,
    folder: str | Path | None,
    keywords: Mapping[str, Any],
    ways: Mapping[str, str] | None = None,
) -> Result:
    """Run a study or a suite on an open release; see `sim.api.run`.

    Parameters
    ----------
    chosen : dict of str to str
        Choices by group.
    settings : dict of str to object
        By key.
    keywords : dict of str to object
        See `settings_of_keywords`.
    ways : dict of str to str, optional
        The argument that each setting was given by, where it is not options.

    Raises
    ------
    ConfigError
        A key or a value is wrong, or given twice.
    GridError
        It cannot be run on the release.
    """
    if folder is not None and Path(folder).is_file():
        raise ConfigError(f"folder: {folder}: a file, not a folder; choose another")
    own = {group: one for group, one in keywords.items() if group in OWN}
    chosen, settings = with_own(chosen, settings, own)
    keywords = {word: one for word, one in keywords.items() if word not in OWN}
    more = settings_of_keywords(chosen, keywords)
    twice = sorted(more.keys() & settings.keys())
    if twice:
        # The keyword is named as it was typed: what sets a key is its last part, or all of it.
        word = next(word for word in keywords if f".{twice[0]}".endswith(f".{word}"))
        raise given_twice(twice[0], word, (ways or {}).get(twice[0], "options"))
    asked: dict[str, Any] = {"seed": seed, **checked_options(settings), **whole_keys(more)}
    if targets is not None:
        asked = {"targets": targets, **asked}
    if workers is not None:
        asked["cluster.workers"] = workers
    overrides = [f"{group}={choice}" for group, choice in chosen.items()]
    overrides.append(f"cluster={'inline' if workers is None else 'local'}")
    # So that the commands in the record open the same data; a data frame's file is gone by then.
    overrides += release.overrides()
    overrides += [override(key, value) for key, value in asked.items()]
    given = composed(overrides)
    job = plan_job(configured(given), settled(given, overrides), data=release.config)
    opened = {key_of(release.config): release.store}
    if folder is not None:
        with private():
            Path(folder).mkdir(parents=True, exist_ok=True)
        try:
            return run_planned(job, Path(folder).absolute(), opened)
        except ResumeError as error:
            raise ResumeError(
                f"{error}; the run that is there is kept: choose another folder=, or leave it out, "
                f"or read this run by sim.load({str(folder)!r})"
            ) from None
    where = Path(tempfile.mkdtemp(prefix="standout-"))
    # Nobody looks at a folder that is removed soon; a result draws what it is asked to show.
    job = replace(without_pictures(job), pictures=False)
    try:
        return Result(run_planned(job, where, opened).folder, temporary=True)
    except BaseException:
        shutil.rmtree(where, ignore_errors=True)
        raise
