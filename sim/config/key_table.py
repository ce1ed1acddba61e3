"""The keys and choices of the configuration, kept in a file.

A shell that completes a word, and whoever mistypes a key, is answered from the file: what Hydra
needs to compose the configuration takes seconds to import. `computed_table` makes what the file
holds, and a test holds the file to it. The file has no plug-ins.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sim.numeric.text import did_you_mean

FILE = Path(__file__).with_name("keys.json")


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The keys and choices of the configuration.

    Parameters
    ----------
    choices : dict of str to list of str
        Names, by group.
    keys : dict of str to list of str
        Keys, by the choice that has them, as ``attack=bayes``; "": those of every run.
    chosen : dict of str to dict
        Choices by group: of an experiment or an attacker, as ``attacker=insider``, where they
        differ from the usual ones; "": the usual ones.
    plugins : dict of str to str
        Groups of the entry points of plug-ins, by the group whose choices they are.
    """

    choices: dict[str, list[str]]
    keys: dict[str, list[str]]
    chosen: dict[str, dict[str, str]]
    plugins: dict[str, str]

    def chosen_by(self, words: Iterable[str]) -> dict[str, str]:
        """Return what a command line chooses, by group, whether or not the table has it."""
        choices, typed = self.chosen[""].copy(), dict[str, str]()
        for word in words:
            group, _, name = word.partition("=")
            choices |= self.chosen.get(word, {})
            if group in self.choices:
                typed[group] = name
        return choices | typed

    def text(self) -> str:
        """Return the table as the file holds it."""
        return json.dumps(asdict(self), indent=1) + "\n"


@functools.cache
def key_table() -> KeyTable:
    """Read the file."""
    return KeyTable(**json.loads(FILE.read_text(encoding="utf-8")))


def computed_table() -> KeyTable:
    """Compute the table from what Hydra composes, and from the classes that it checks."""
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    from sim.config.folder import conf
    from sim.config.refusals import types_of_keys
    from sim.config.schema import GROUPS, LISTS, choices, register, registries

    register()
    plugins = {
        group: registry.entry_point for group, registry in registries().items() if group != "grid"
    }
    with initialize_config_dir(str(conf()), version_base="1.3"):
        loader = GlobalHydra.instance().config_loader()
        names = {
            group: [one for one in loader.get_group_options(group) if not one.endswith("_schema")]
            for group in GROUPS
        }
        chosen: dict[str, dict[str, str]] = {}
        for word in ["", *(f"{group}={one}" for group in _SETTERS for one in names[group])]:
            composed = compose("config", overrides=[word] * bool(word), return_hydra_config=True)
            found = composed.hydra.runtime.choices
            usual = chosen.get("", {})
            chosen[word] = {
                group: found[group]
                for group in GROUPS
                if group not in (*LISTS, *_SETTERS) and found[group] != usual.get(group)
            }
    keys: dict[str, list[str]] = {}
    typed = types_of_keys(choices())
    holders = {key.rpartition(".")[0] for key in typed}
    for key, by_choice in typed.items():
        for choice in by_choice:
            if key not in holders:
                keys.setdefault(choice.strip("'").replace("[", "").rstrip("]"), []).append(key)
    return KeyTable(names, keys, {word: of for word, of in chosen.items() if of}, plugins)


_SETTERS = ("attacker", "experiment")
"""Groups whose choices make choices of other groups."""


def unknown_key(words: Sequence[str]) -> str | None:
    """Return the message about a key that is in no choice; None: there is none, or Hydra is to say.

    Examples
    --------
    >>> unknown_key(["seed=1", "experimnt=audit"])
    'experimnt: not a key of the configuration; did you mean experiment?'
    >>> unknown_key(["data=table", "data.pth=a.csv"])
    'data.pth: not an option of data=table; did you mean data.path?'
    >>> unknown_key(["seed=1", "+mine=1", "attack=of_a_plugin", "attack.mine=1"])
    """
    table = key_table()
    every = dict.fromkeys(key for keys in table.keys.values() for key in keys)
    tops = {key.partition(".")[0] for key in every} | table.choices.keys()
    for word in words:
        key, equals, _ = word.partition("=")
        top, point, option = key.partition(".")
        if not equals or not top.isidentifier() or (point and not option.isidentifier()):
            continue
        if top in ("hydra", "grid") or key in every or key in tops:
            continue  # an axis of the grid is one file, which the table need not know
        place = "a key of the configuration"
        if point and top in tops:
            choice = f"{top}={table.chosen_by(words).get(top)}"
            if choice in table.keys:
                place = f"an option of {choice}"
            elif top in table.choices or top in every:
                continue  # a plug-in, one of several, or a value that has no keys
            else:
                place = f"a key of {top}"
        elif point:
            continue
        return f"{key}: not {place}{like_key(key, every, table.choices)}"
    return None


def like_key(key: str, keys: Collection[str], groups: Iterable[str]) -> str:
    """Suggest keys for an unknown one: those that end so, or the one like it; empty: there is none.

    Examples
    --------
    >>> like_key("path", ["data.path", "adversary.path"], ["data"])
    '; did you mean data.path or adversary.path?'
    """
    ends = [known for known in keys if known.rpartition(".")[2] == key]
    if ends:
        return f"; did you mean {' or '.join(ends)}?"
    return did_you_mean(key, sorted({*keys, *groups}), 0.8)
