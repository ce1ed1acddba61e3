"""The number of keys, and the lines of their help."""

from __future__ import annotations

import pytest

from sim.cli.help import help_text
from sim.config.key_table import key_table
from sim.config.schema import GROUPS

MOST_KEYS, MOST_LINES = 120, 40
KEYS = sorted({key for keys in key_table().keys.values() for key in keys if "." in key})


def test_there_are_few_keys() -> None:
    assert len(KEYS) <= MOST_KEYS


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_explained(key: str) -> None:
    text = help_text(key)
    assert text.split()[0] == key
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    "group", sorted({*GROUPS} - {"attacker", "experiment"} | {"audit", "plan"})
)
def test_the_help_of_a_group_is_a_screen(group: str) -> None:
    assert len(help_text(group).splitlines()) <= MOST_LINES
