"""What answers at once loads nothing that computes, and says what Hydra would say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from sim.cli.completion import known_words
from sim.config.compose import composed
from sim.config.key_table import FILE, key_table, unknown_key
from sim.config.schema import GROUPS, choices
from sim.errors import ConfigError

ROOT = Path(__file__).parents[1]
HEAVY = {
    *("numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "duckdb", "matplotlib"),
    *("hydra", "omegaconf", "antlr4", "jinja2", "ray", "actors"),
}
CALL = (
    "import json, sys\n"
    "from sim.cli.main import main\n"
    "try: main()\n"
    "finally: print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})), flush=True)"
)


def loaded(*words: str, line: str = "") -> tuple[list[str], set[str]]:
    """What a call prints, and the packages that it has loaded at the end."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, *words],
        cwd=ROOT, env={**os.environ, "COMP_LINE": line}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    *printed, modules = done.stdout.splitlines()
    return [*printed, *done.stderr.splitlines()], {*json.loads(modules)}


@pytest.mark.parametrize(
    ("words", "line", "printed"),
    [
        (["--help"], "", "Standout measures how identifiable"),
        (["report", "--help"], "", "Usage: standout report"),
        (["--version"], "", "standout "),
        (["--shell-completion", "query=bash"], "standout expe", "experiment="),
        (["-sc", "query=fish"], "standout seed=1 data=t", "data=table"),
        (["-sc", "query=bash"], "standout defence=drop_l", "defence=drop_long"),
        (["experimnt=audit"], "", "standout: error: experimnt: not a key of the"),
    ],
)  # fmt: skip
def test_what_needs_no_computation_loads_nothing_that_computes(
    words: list[str], line: str, printed: str
) -> None:
    lines, modules = loaded(*words, line=line)
    assert any(one.startswith(printed) for one in lines), lines
    assert not modules & HEAVY


def test_importing_the_package_loads_nothing_that_computes() -> None:
    code = "import sim, sys; print(*{m.partition('.')[0] for m in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {*done.stdout.split()} & HEAVY


def test_the_table_of_keys_is_what_hydra_composes() -> None:
    print_it = "from sim.config.key_table import computed_table; print(computed_table().text())"
    # In a process of its own: other tests register defences of theirs in this one.
    computed = subprocess.run(
        [sys.executable, "-c", print_it], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert FILE.read_text(encoding="utf-8").strip() == computed.stdout.strip(), (
        "write it again: python -c 'from sim.config.key_table import FILE, computed_table; "
        "FILE.write_text(computed_table().text())'"
    )


def keys_of(config: Any, at: str = "") -> set[str]:
    """The keys of a configuration that hold values; a list is a value, and so is nothing."""
    found = set()
    for key, value in config.items():
        inner = isinstance(value, dict) and key != "parts" and (value or key in GROUPS)
        found |= keys_of(value, f"{at}{key}.") if inner else {f"{at}{key}"}
    return found


NAMES = {
    *("adversary.kind=", "attack.name=", "data.kind=", "study.kind=", "utility.ndcg="),
    *("cluster.kind=",),
}
"""What a choice sets, and nobody types."""


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["data=table", "attack=bayes"],
        ["attacker=public_profile"],
        ["attacker=public_profile", "attack=longest"],
        ["experiment=f06_fig4", "defence=[drop_items,cap_length]"],
        ["experiment=ns08_imdb", "adversary=aux", "utility=[ndcg]"],
        ["study=unicity", "cluster=local"],
    ],
)
def test_completion_offers_every_key_of_what_is_chosen(words: list[str]) -> None:
    line = " ".join(["standout", *words, ""])
    tops = [one for one in known_words(line) or [] if not one.endswith("=")]
    offered = {one for one in known_words(line) or [] if one.endswith("=")}
    offered |= {key for top in tops for key in known_words(line + top) or []}
    config = OmegaConf.to_container(composed(words))
    config.pop("hydra", None)
    choose = {f"{group}=" for group in GROUPS}
    known = {key for each in key_table().keys.values() for key in each}
    named_by_choices = {f"{key}=" for key in keys_of(config)} - {f"{key}=" for key in known}
    assert offered - choose == {f"{key}=" for key in keys_of(config)} - named_by_choices
    assert named_by_choices <= NAMES


def test_completion_offers_files_and_leaves_to_hydra_what_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").touch()
    assert known_words("standout data.path=./v") == ["data.path=./visits.csv"]
    assert known_words(f"standout data.path={tmp_path}/") == [f"data.path={tmp_path}/visits.csv"]
    for line in ("seed=", "+gr", "hydra.", "--config-dir mine data=", "attack=mine attack."):
        assert known_words(f"standout {line}") is None
    assert known_words("standout report ", ["report"]) == []


def test_the_table_holds_the_keys_that_are_checked() -> None:
    assert {key for keys in key_table().keys.values() for key in keys} > {"seed", "attack.phi"}
    known = {name for of, name, _ in choices() if of == "attack"}  # and those of other tests
    assert {"bayes", "longest"} <= {*key_table().choices["attack"]} <= known
    assert unknown_key(["seed=1", "+mine=1", "hydra=1", "attack.lam=2", "report"]) is None


@pytest.mark.parametrize(
    "words",
    [
        ["experimnt=audit"],
        ["seed=2", "path=a.csv"],
        ["max_risk=1"],
        ["xyz=1"],
        ["attack.phii=1"],
        ["data=table", "data.pth=a.csv"],
        ["attacker=public_profile", "adversary.precison=1"],
        ["experiment=unicity", "study.nonsense=1"],
        ["audit.maxrisk=1"],
        ["experiment=theory", "attack.phi_=1"],
    ],
)
def test_an_unknown_key_is_refused_as_hydra_would(words: list[str]) -> None:
    with pytest.raises(ConfigError) as error:
        composed(words)
    assert str(error.value) == f"{unknown_key(words)}; see standout --help"
