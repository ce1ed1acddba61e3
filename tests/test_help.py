"""The help: one screen, topics for the rest, and a suggestion for what is misspelt."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from sim.attack.algorithms.registry import ATTACKS
from sim.cli import check
from sim.cli.help import help_command, help_text
from sim.cli.main import _COMMANDS, _RESUME, _main
from sim.config.refusals import meant
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError
from sim.measurements.registry import MEASUREMENTS
from sim.papers.experiments import TITLES, title_of
from sim.utility.registry import UTILITIES

OVERVIEW = help_text()
TOPICS = [*re.findall(r"^  (\w+) {2,}\S", OVERVIEW.partition("Topics")[2], re.MULTILINE)]


def test_the_help_is_one_screen() -> None:
    lines = OVERVIEW.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


def test_it_lists_all_topics_and_each_has_lines_of_its_own() -> None:
    assert TOPICS[-1] == "all"
    whole = help_text("all")
    found = [help_text(topic) for topic in TOPICS[:-1]]
    assert len(set(found)) == len(found) > 10
    assert "\n".join([OVERVIEW, *found]) == whole
    assert not re.search(r"^\s*<[a-z ]+>$", whole, re.MULTILINE)
    assert max(map(len, whole.splitlines())) <= 100


def test_an_experiment_is_listed_with_its_figure_and_what_it_shows() -> None:
    words = " ".join(help_text("experiments").split())
    for name in TITLES:
        title, _, place = title_of(name).removesuffix(")").rpartition(" (")
        assert f"{name} {place}: {title[0].lower()}{title[1:]}" in words, name


@pytest.mark.parametrize(
    ("topic", "registry"),
    [("attack", ATTACKS), ("defence", DEFENCES), ("study", MEASUREMENTS), ("utility", UTILITIES)],
)
def test_a_class_is_listed_whether_it_has_options_or_not(topic: str, registry: Any) -> None:
    words = " ".join(help_text("choices").split())
    for name, cls in registry.all().items():
        assert f" {name} {' '.join(cls.described().split())}" in words, (topic, name)


def test_a_topic_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    help_command(["data"])
    assert capsys.readouterr().out == help_text("data")
    help_command([])
    assert capsys.readouterr().out == OVERVIEW
    with pytest.raises(ConfigError, match=r"^help: expected at most one topic"):
        help_command(["data", "grid"])


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("target", "targets"),
        ("plan.max_rsk", "plan.max_risk"),
        ("plan.defence", "plan.defences"),
        ("audit.atackers", "audit.attackers"),
        ("data.usr", "data.user"),
        ("cluster.wokers", "cluster.workers"),
        ("grid.date_nois", "grid.date_noise"),
        ("defence.drop_items.min_suport", "defence.drop_items.min_support"),
        ("max_risk", "audit.max_risk or plan.max_risk"),
    ],
)
def test_a_misspelt_key_suggests_the_right_one(key: str, right: str) -> None:
    assert meant(key) == f"; did you mean {right}?"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("defence.drop_items.min", "; it has min_support"),
        ("defence.jitter_time.date_nois", "; did you mean defence.jitter_time.date_noise?"),
        ("defence.drop_time.bin", "; it has no options"),
        ("utility.ndcg.minimum", "; it has no options"),
    ],
)
def test_an_option_of_a_defence_is_answered_with_its_own(key: str, said: str) -> None:
    """Not with what another defence has."""
    assert meant(key) == said


COMMANDS = (*_COMMANDS, _RESUME)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_explained(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Usage, arguments, an example and exit codes; the same by help and by --help."""
    help_command([name])
    text = capsys.readouterr().out
    assert [f"Usage: standout {name}" in text, "\nExample\n  standout " in text] == [True, True]
    assert "\nExit codes: 0 " in text
    assert max(map(len, text.splitlines())) <= 100
    for flag in ("--help", "-h"):
        monkeypatch.setattr("sys.argv", ["standout", name, flag])
        _main()
        assert capsys.readouterr().out == text


def test_a_command_is_used_as_its_errors_say() -> None:
    for name in _COMMANDS:
        usage = getattr(importlib.import_module(f"sim.cli.{name}"), "USAGE", "")
        assert usage in help_text(name)


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"did you mean compare\?"):
        help_text("comprae")


def test_the_keys_of_check_are_explained() -> None:
    for key in check._KEYS[1:]:
        assert re.search(rf"^  {key} ", help_text("check"), re.MULTILINE), key
