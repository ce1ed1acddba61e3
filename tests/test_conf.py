"""The configuration: every choice composes and is right, every key is explained, none is code."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from omegaconf import MISSING, OmegaConf
from studying import configured

from sim.cli.help import help_text
from sim.config.compose import composed
from sim.config.folder import check_own
from sim.config.key_table import key_table
from sim.config.schema import GROUPS as CHOSEN_BY_NAME
from sim.config.schema import Config, choices
from sim.errors import ConfigError
from sim.session.checks import check_config
from sim.session.jobs import plan_job

CONF = Path(__file__).parents[1] / "conf"
FILES = sorted(CONF.rglob("*.yaml"))
GROUPS = sorted(
    folder.name for folder in CONF.iterdir() if folder.is_dir() and any(folder.glob("*.yaml"))
)
CHOICES = [
    *((group, path.stem) for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))),
    *(
        (group, name)
        for group, name, _ in choices()
        if group in ("attack", "study", "defence", "utility", "grid")
    ),
]
HELP = help_text("all")
# What a user must say has no default; any text will do here.
NEEDED = {
    "data=movielens": ["data.path=x"],
    "data=netflix": ["data.path=x"],
    "data=table": ["data.path=x"],
    "cluster=address": ["cluster.address=host:1"],
    "adversary=mentions_file": ["adversary.path=x", "adversary.user=a", "adversary.item=b"],
    "adversary=external": ["adversary.path=x", "adversary.user=a", "adversary.item=b"],
}
# Choices and keys that go together.
TOGETHER = {
    "experiment=plan": ["plan.max_risk=0.1"],
    "adversary=mentions": ["grid=mentions"],
    "adversary=mentions_file": ["grid=people"],
    "adversary=external": ["grid=people"],
    "adversary=elsewhere": ["grid=people"],
    "grid=mentions": ["adversary=mentions"],
    "grid=people": [
        *("adversary=external", "adversary.path=x", "adversary.user=a", "adversary.item=b"),
    ],
}


made = functools.cache(configured)  # each takes a tenth of a second


def overrides(group: str, name: str) -> list[str]:
    choice = f"{group}={name}"
    return [choice, *NEEDED.get(choice, []), *TOGETHER.get(choice, [])]


def keys(tree: Any, prefix: str = "") -> set[str]:
    """Dotted names of the leaves."""
    if not isinstance(tree, dict) or prefix == "parts.":  # whose names are the user's
        return {prefix.rstrip(".")}
    return set().union(*(keys(value, f"{prefix}{key}.") for key, value in tree.items()))


@functools.cache
def all_keys() -> set[str]:
    return set().union(*(keys(dataclasses.asdict(made(*overrides(*choice)))) for choice in CHOICES))


@pytest.mark.parametrize(("group", "name"), CHOICES, ids=lambda part: str(part))
def test_every_choice_composes(group: str, name: str) -> None:
    """What has no default is asked for in the words `NEEDED` gives, and nothing else is."""
    alone = f"{group}={name}"
    missing = OmegaConf.missing_keys(composed([alone]))
    assert missing == {need.partition("=")[0] for need in NEEDED.get(alone, [])}
    config = made(*overrides(group, name))
    assert MISSING not in yaml.dump(dataclasses.asdict(config))
    check_config(config)


@pytest.mark.parametrize("experiment", [name for group, name in CHOICES if group == "experiment"])
def test_every_experiment_goes_with_other_data(experiment: str) -> None:
    """An experiment is named as its file, and leaves data and cluster to the user."""
    chosen = ["data=movielens", "data.path=x", "cluster=inline", "seed=7"]
    if experiment in ("frontier", "plan"):
        chosen.append("plan.defences=[drop_time]")  # each of the 40 takes a second to compose
    asked = (*overrides("experiment", experiment), *chosen)
    config = configured(*asked)
    assert plan_job(config, asked).n_runs >= 1  # composes and checks every part
    assert config.name == experiment
    assert (config.data.kind, config.cluster.kind, config.seed) == ("movielens", "inline", 7)


def test_every_key_is_explained() -> None:
    """By the help of its group, or by itself."""
    known = {key for each in key_table().keys.values() for key in each}
    assert known
    for key in sorted(known):
        assert key in help_text(key), key


def test_groups_are_the_folders() -> None:
    assert sorted(CHOSEN_BY_NAME) == sorted(
        [*GROUPS, "attack", "study", "defence", "utility", "grid"]
    )


def test_every_choice_is_named_in_the_help() -> None:
    for group, name in CHOICES:
        assert re.search(rf"\b{group}=", HELP), group
        assert re.search(rf"\b{name}\b", HELP), f"{group}={name}"


def test_every_key_has_a_type() -> None:
    """The classes and the files name the same keys: none is checked by nobody."""
    typed = {f.name for f in dataclasses.fields(Config)}
    assert {key.partition(".")[0] for key in all_keys()} | {"utility"} == typed


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return list(itertools.chain.from_iterable(leaves(v) for v in tree.values()))
    if isinstance(tree, list):
        return list(itertools.chain.from_iterable(map(leaves, tree)))
    return [tree]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(CONF)))
def test_files_hold_values_only(path: Path) -> None:
    """No object to be made, no resolver of ours; what is filled in is Hydra's and the name."""
    text = path.read_text(encoding="utf-8")
    tree = yaml.safe_load(text)
    assert "_target_" not in text
    allowed = r"\$\{(name|now:[^}]*|hydra\.[a-z_.]+)\}"
    for leaf in leaves(tree):
        assert "${" not in re.sub(allowed, "", str(leaf))


def test_the_package_holds_no_code() -> None:
    """No module either: a folder that is installed within ``sim``."""
    assert list(CONF.rglob("*.py")) == []


def test_no_file_is_outside_a_group() -> None:
    assert {path.parent.name for path in FILES} - {"conf", *GROUPS} <= {
        "help",
        "job_logging",
        "hydra_logging",
    }


def test_a_choice_of_ones_own_takes_no_name_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "attacker").mkdir()
    (tmp_path / "attacker/mine.yaml").touch()
    check_own(str(tmp_path))
    check_own(None)
    (tmp_path / "attacker/insider.yaml").touch()
    with pytest.raises(ConfigError, match=r"insider\.yaml: there is attacker=insider already"):
        check_own(str(tmp_path))
