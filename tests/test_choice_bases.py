"""A configuration made of a kept one is what Hydra composes, and so are the errors."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from sim.config import choice_bases
from sim.config.choice_bases import composed_on_base, parted
from sim.config.compose import composed
from sim.config.folder import conf
from sim.config.schema import register
from sim.errors import ConfigError

TABLE = ("data=table", "data.path=x", "data.user=[a,b]", "data.item=c")
ALIKE = [
    (),
    ("seed=7",),
    ("seed=7", "seed=8"),
    ("attack=bayes", "attack.entropy=true", "attack=scoreboard", "attack.phi=2"),
    (*TABLE, "data.value=null", "grid.aux=[2/2,3/4]", "grid.date_noise=[null,36h]"),
    ("defence=[jitter_time,drop_items]", "defence.drop_items.min_support=4"),
    ("defence=[drop_time]",),
    ("experiment=frontier", "defence=[sample_cells, cap_length]", "defence.cap_length.n=3"),
    ("experiment=f06_fig6_7", "defence=[jitter_time,drop_values]", "parts=null"),
    ("defence=[drop_items]", "defence=[drop_time]"),
    ("defence=[]", "experiment=audit"),
    ("utility=[cells,people]", "bayes_targets=9"),
    ("experiment=audit", "attacker=insider", "audit.attackers=[]", "audit.max_risk=0.1"),
    ("experiment=f06_fig9", "parts=null", "parts={a: ['seed=1'], b: ['attack=bayes']}"),
    ("grid.aux=[2/2]", "experiment=ns08_fig4", "data.cache=${oc.env:HOME}/x", "name='a b'"),
    ("study=neighbours", "cluster=inline", "adversary=mentions", "grid=mentions"),
    ("seed=${targets}", "targets=5"),
]
"""Choices and values in any order, which are all that a kept configuration is used for."""

OTHERS = [
    ("+attacker=insider",),
    ("++seed=3",),
    ("~parts",),
    ("seed=1,2",),
    ("hydra.run.dir=x",),
    ("data@adversary=synthetic",),
    ("attack=${oc.env:HOME}",),
    ("sed=1",),
    ("a=[",),
    ("seed",),
]
WRONG = [
    ("attack=guess",),
    ("seed=abc",),
    ("attack=bayes", "attack.lam=1"),
    ("grid.extra=[1]",),
    ("attack=3",),
    ("data={a: 1}",),
]


def whole(overrides: tuple[str, ...]) -> DictConfig:
    """Hydra's own."""
    register()
    with initialize_config_dir(str(conf()), version_base="1.3"):
        return compose("config", overrides=list(overrides))


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_bases, "_kept", type(choice_bases._kept)())


@pytest.mark.parametrize("overrides", ALIKE, ids=" ".join)
def test_it_is_what_hydra_composes(overrides: tuple[str, ...]) -> None:
    wanted = whole(overrides)
    for _ in range(2):  # composed for the first time, then kept
        found = composed(overrides)
        assert found == wanted
        assert OmegaConf.to_yaml(found) == OmegaConf.to_yaml(wanted)
        assert OmegaConf.is_struct(found)
        assert OmegaConf.get_type(found) is OmegaConf.get_type(wanted)
    assert len(choice_bases._kept) == 1


def test_what_is_changed_is_a_copy() -> None:
    first = composed(["seed=7", "grid.aux=[2/2]"])
    first.grid.aux.append("3/3")
    first.attack.phi = 9.0
    again = composed(["grid.date_noise=[3]"])
    assert (again.seed, again.attack.phi) == (1, whole(()).attack.phi)
    assert again.grid.aux == whole(()).grid.aux


@pytest.mark.parametrize("overrides", OTHERS, ids=" ".join)
def test_what_is_neither_a_choice_nor_a_value_is_left_to_hydra(overrides: tuple[str, ...]) -> None:
    assert parted(overrides) is None
    assert parted(("seed=7", *overrides, "attack=bayes")) is None


@pytest.mark.parametrize("overrides", WRONG, ids=" ".join)
def test_what_is_wrong_is_said_by_hydra(overrides: tuple[str, ...]) -> None:
    for _ in range(2):
        with initialize_config_dir(str(conf()), version_base="1.3"):
            assert composed_on_base(overrides) is None
    with pytest.raises(ConfigError):
        composed(overrides)


def test_a_file_that_was_edited_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(conf(), tmp_path / "conf"))
    monkeypatch.setattr("sim.config.compose.conf", lambda: folder)
    monkeypatch.setattr(choice_bases, "conf", lambda: folder)
    assert composed(["targets=5"]).seed == 1
    file = folder / "config.yaml"
    file.write_text(file.read_text().replace("seed: 1 ", "seed: 2 "))
    os.utime(file, ns=(1, 1))
    assert composed(["targets=5"]).seed == 2


def test_not_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_bases, "_MOST", 2)
    for attack in ("bayes", "scoreboard", "bayes", "correlation"):
        composed([f"attack={attack}"])
    kept = [key[0] for key in choice_bases._kept]
    assert kept == [("attack=bayes",), ("attack=correlation",)]


def test_chains_of_defences_share_what_they_are_added_to() -> None:
    for chain in ("drop_time", "drop_items,drop_values", "cap_length,jitter_time"):
        made = composed([f"defence=[{chain}]", "attack=bayes"])
        assert [*made.defence] == chain.split(",")
    assert len(choice_bases._kept) == 1
