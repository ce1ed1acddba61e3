"""Every key of the configuration refuses every kind of nonsense, in one line that names it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from making import DEEP
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from test_conf import CHOICES, keys
from test_conf import overrides as chosen

from sim.attack.engine.algorithm import Algorithm
from sim.config.compose import composed, configured
from sim.config.refusals import one_line
from sim.config.schema import Config
from sim.errors import ConfigError, StandoutError
from sim.extend.options import settings_of
from sim.session.checks import check_config
from sim.session.jobs import plan_job

OPTIONS = [
    (group, name) for group, name in CHOICES if group not in ("experiment", "attacker", "grid")
]
PARSER = OverridesParser.create()
GOOGOLS = "1" + "0" * 400
NONSENSE = {
    **{text: text for text in ("-1", "nan", "inf", "-inf", "1e308", "true", "[]", "[[1]]")},
    "2**64": str(2**64),
    "many digits": GOOGOLS,
    "empty": "''",
    "blank": "' '",
    "a path": "'../x'",
    "a word": "nonsense",
    "a mapping": "{a: 1}",
    "a control character": "'a\x1b[31mb'",
    "a reversed word": "'a\u202eb'",
    "no end": f"'{'x' * 5000}'",
}
FILES = {
    *("data.path", "data.cache", "adversary.path", "adversary.truth"),
    *("defence.external.path", "defence.external.truth", "defence.external.items"),
    *("defence.group_items.mapping",),
}
"""Files that are looked for when they are read; empty text would be the working directory."""
COLUMNS = {
    *(f"data.{role}" for role in ("user", "item", "value", "date")),
    *(f"adversary.{role}" for role in ("user", "item", "value", "date")),
}
"""Names of columns, which may be anything that stands in a file."""
TEXT = {"a word", "a path", "empty", "blank", "a control character", "a reversed word", "no end"}
OF_FILES = (set(NONSENSE) | TEXT) - {"empty", "blank", "[]", "[[1]]", "a mapping"}


def fine(key: str, what: str, default: Any, group: str) -> bool:
    """Whether a value is nonsense for other keys only."""
    if key in FILES:
        return what in OF_FILES
    if key in COLUMNS:
        # Without both columns of a table, an error lists what the file has.
        return what in set(NONSENSE) - {"a mapping"} if group == "data" else what in OF_COLUMNS
    if key == "name":
        return what in {"-1", "nan", "inf", "-inf", "2**64", "1e308", "true", "a word"}
    if isinstance(default, bool) or key == "data.header":
        return what == "true"
    if isinstance(default, list) and not default:
        return what == "[]"
    if what == "-1":
        return False
    if what == "2**64":
        return isinstance(default, float) or key in REAL
    if what == "blank":
        return key.endswith("delimiter")
    return False


OF_COLUMNS = set(NONSENSE) - {"[]", "[[1]]", "a mapping"}
REAL = {
    *("adversary.value_noise", "attack.delta", "attack.eps_value", "attack.eps_day"),
    *("defence.external.value_noise", "study.rmse", "attack.delta_value", "attack.delta_day"),
}
"""Numbers with a fraction whose default is a whole one, or null."""


def settings(base: DictConfig, group: str, name: str) -> Iterator[tuple[str, Any]]:
    """The keys that a choice has, and their defaults; those of all attacks are the first one's."""
    common = {f"attack.{each.name}" for each, _ in settings_of(Algorithm)}
    for key in sorted(keys(OmegaConf.to_container(base))):
        own = key.startswith(f"{group}.") if group else True
        if own and (name == "scoreboard_rh" or key not in common):
            default = OmegaConf.select(base, key)
            yield key, OmegaConf.to_container(default) if OmegaConf.is_config(default) else default


def given(base: DictConfig, override: str, default: Any) -> Config:
    """What Hydra makes of one more override."""
    try:
        parsed = PARSER.parse_override(override)
        ConfigLoaderImpl._apply_overrides_to_config([parsed], base)
        return configured(base)
    except (HydraException, OmegaConfBaseException, OverflowError, ValueError) as error:
        raise ConfigError(one_line(error)) from None
    finally:  # as it was: a copy would take longer than everything else
        OmegaConf.update(base, override.partition("=")[0], default, merge=False)


@pytest.mark.parametrize(("group", "name"), [("", ""), *OPTIONS], ids=str)
def test_nonsense_is_refused(group: str, name: str) -> None:
    listed = group in ("defence", "utility")
    own = [f"{group}=[{name}]"] if listed else chosen(group, name) if group else []
    base = composed(own)
    accepted = []
    for nth, (key, default) in enumerate(settings(base, group, name)):
        # Every other kind, and of the next key the others, unless every example is tried.
        kinds = list(NONSENSE.items())
        for what, text in kinds if DEEP else kinds[nth % 2 :: 2]:
            override = f"{key}={text}"
            try:
                plan_job(given(base, override, default), [*own, override])
            except StandoutError as error:
                said = str(error)
                assert key in said, said
                assert said.isprintable()
                assert len(said) < 600, said
            else:
                accepted += [] if fine(key, what, default, group) else [(key, what)]
    assert accepted == []


@pytest.mark.parametrize("axis", sorted(vars(configured(composed([])).grid)))
@pytest.mark.parametrize("value", [str(2**64), GOOGOLS, f"{GOOGOLS}/{GOOGOLS}", "1e308", "nan"])
def test_no_axis_takes_what_is_no_number(axis: str, value: str) -> None:
    override = f"grid.{axis}=[{value}]"
    with pytest.raises(ConfigError, match=rf"^grid\.{axis}(\[0\])?: ") as caught:
        plan_job(configured(composed([override])), [override])
    assert len(str(caught.value)) < 600


def test_a_grid_of_which_nobody_sees_the_end() -> None:
    """It is refused before its cells are made, and before any data are read."""
    config = configured(composed(["data=table", "data.path=none", "data.user=a", "data.item=b"]))
    axes = {"date_noise": list(range(1000)), "value_noise": list(range(900))}
    config.grid = dataclasses.replace(config.grid, **axes)
    with pytest.raises(ConfigError) as caught:
        check_config(config)
    assert str(caught.value) == (
        "grid: 2,700,000 cells (aux 3 × date_noise 1,000 × value_noise 900): expected at most "
        "100,000; give fewer values of grid.date_noise"
    )


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["dry_run=7"], "dry_run: 7: expected true or false"),
        (["attack.entropy=-1"], "attack.entropy: -1: expected true or false"),
        (["attack.eps_day=-1"], "attack.eps_day: -1.0: expected a number of at least 0"),
        (
            ["aggregate=attack"],
            "aggregate: 'attack': did you mean attacks?; expected one of attacks, a",
        ),
        (["cluster.address=here:1"], "cluster.address: 'here:1': cluster=auto has none; leave"),
        (["cluster.workers=0"], "cluster.workers: 0: expected a whole number from 1 to 10000"),
        (["data.seed=18446744073709551616"], "data.seed: 18446744073709551616: expected a whole"),
        (["attack.phi=" + GOOGOLS], "attack.phi: too large; expected a smaller number"),
        (["experiment=audit", "audit.attackers=[[1]]"], "audit.attackers: [1]: expected names of"),
        (["experiment=audit", "audit.draws=9999999"], "audit.draws: 9999999: expected a whole"),
        (["experiment=frontier", "plan.defences=[[1]]"], "plan.defences: '[1]': "),
    ],
)
def test_what_was_taken_for_something_else(overrides: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_job(configured(composed(overrides)), overrides)
    assert str(caught.value).startswith(said)
