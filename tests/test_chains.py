"""Chains of defences as they are written."""

from __future__ import annotations

import pytest
from printed import NONE_CALLED

from sim.config.chains import NOTHING, UNCHANGED, chains_of
from sim.errors import ConfigError


def test_several_values_make_several_chains_in_their_order() -> None:
    found = chains_of(["drop_items.min_support=2,5 jitter_time.date_noise=3,2h", UNCHANGED])
    assert [chain.text for chain in found] == [
        "drop_items.min_support=2 jitter_time.date_noise=3",
        "drop_items.min_support=2 jitter_time.date_noise=2h",
        "drop_items.min_support=5 jitter_time.date_noise=3",
        "drop_items.min_support=5 jitter_time.date_noise=2h",
        UNCHANGED,
    ]
    assert found[0].overrides == (
        "defence=[drop_items,jitter_time]",
        "defence.drop_items.min_support=2",
        "defence.jitter_time.date_noise=3",
    )
    assert found[-1] == NOTHING


def test_the_order_of_the_defences_is_that_of_the_text() -> None:
    one, other = chains_of(["jitter_time drop_items", "drop_items jitter_time"])
    assert one.overrides == ("defence=[jitter_time,drop_items]",)
    assert other.overrides == ("defence=[drop_items,jitter_time]",)


def test_two_options_of_a_defence_stand_in_one_chain() -> None:
    (chain,) = chains_of(["drop_records.min_length=3 drop_records.max_length=7"])
    assert chain.overrides[0] == "defence=[drop_records]"
    assert chain.name == "drop_records_min_length_3_drop_records_max_length_7"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "expected defences, as in 'drop_items.min_support=2,5 jitter_time'"),
        ("drop_itms", f"defence: 'drop_itms': {NONE_CALLED}did you mean drop_items?"),
        ("drop_items.min_support", "expected a value after it"),
        ("drop_items.least=3", "defence.drop_items.least: not a key"),
        ("drop_time, drop_values", "drop_time,: expected the name of a defence, with blanks"),
        ("drop_time,drop_values", "drop_time,drop_values: expected the name of a defence, w"),
        ("drop_items(min_support=2)", "drop_items(min_support: expected the name of a defence"),
        ("drop_items drop_items", "drop_items: given twice"),
        ("drop_items.min_support=${seed}", "is not filled in here"),
        ("seed=7", "defence: 'seed'"),
        ("hydra.run.dir=/tmp", "defence: 'hydra'"),
    ],
)
def test_what_is_no_chain_is_refused_by_its_text(written: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        chains_of([written])
    assert str(error.value).startswith(f"plan.defences: {written!r}: ")
    assert said in str(error.value)


def test_a_chain_given_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="'drop_items' is given twice"):
        chains_of(["drop_items", "drop_items"])
    with pytest.raises(ConfigError, match="look alike"):
        chains_of(["jitter_time.date_noise=1", "jitter_time.date_noise='1'"])
