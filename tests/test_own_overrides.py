"""What may be written down and read again: own keys with plain values, however it is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studying import configured

from sim.config.compose import composed, settled
from sim.config.own_overrides import own_key, settings_of
from sim.errors import ConfigError
from sim.extend.overrides import override
from sim.session.jobs import plan_job

FOREIGN = [
    "hydra.run.dir=/tmp/x",
    "+hydra.callbacks.e={_target_:pandas.read_pickle,filepath_or_buffer:/tmp/x}",
    "++hydra.callbacks.e._target_=os.system",
    "~hydra.callbacks",
    "hydra={callbacks:{e:{_target_:os.system}}}",
    "+hydra@hydra.callbacks=x",
    "hydra/launcher=joblib",
    "+hydra/launcher=joblib",
    "hydra/job_logging@hydra.job_logging=x",
    "hydra.searchpath=[file:///tmp/x]",
    "hydra.job.env_set.LD_PRELOAD=/tmp/x",
    "hydra.output_subdir=/tmp/x",
    "data@hydra=movielens",
    "+data@hydra.callbacks=movielens",
    "@hydra=x",
    "_global_.seed=1",
    "$seed=1",
    "=3",
    "sed=1",
    "data._target_=os.system",
    "data/../../x=1",
    "defence={_target_: os.system}",
    "defence.drop_items={_target_: os.system}",
    "defence.drop_items._target_=os.system",
    "defence.nobodys.min_support=2",
    "defence@hydra=drop_items",
    "defence/../../x=1",
    "seed.x=1",
    "oc.env=1",
]
ILL = [
    *("--multirun", "-m", "-cd=/tmp", "--config-dir=/tmp", "--config-path=/tmp", "-cn=x", "--"),
    *("", "seed", "seed 1", "a b=1", "seed=[", "seed=1\nhydra.run.dir=/tmp", "[" * 10_000),
]
FILLED_IN = [
    "data.path=${oc.env:HOME}",
    "data.path='${oc.env:HOME}'",
    'data.path="a${seed}"',
    "data.path=$\\{oc.env:HOME\\}",
    "data.path=${",
    "grid.aux=[2/2,'${oc.decode:x}']",
    "name=${hydra:runtime.cwd}",
    "experiment=${oc.env:HOME}",
]
SPREAD = ["seed=1,2", "seed=range(1,3)", "seed=choice(1,2)", "experiment=glob(*)", "~seed=1,2"]
ELSEWHERE = [
    *(
        "experiment=../../x",
        "data=/etc/passwd",
        "data=a/b",
        "attack=a.b",
        "data=''",
        "grid=[a,b/c]",
    ),
    *("data={path:x}", "grid.popularity=[{a:1}]"),
    *("defence=nobodys", "defence=[drop_items,nobodys]", "defence=[drop_items,drop_items]"),
    *("defence=null", "defence=[]x", "defence=[../drop_items]"),
]
PARTS = [
    *(
        "parts={../../evil: []}",
        "parts={/etc: []}",
        "parts={a.b: []}",
        "+parts.a.b=[]",
        "parts={a: [1]}",
    ),
    "parts={a: {b: c}}",
]
OURS = [
    *("seed=1", "+seed=1", "++seed=1", "~seed", "grid.aux.0=6/8", "data.path='a, b=c.csv'"),
    *("experiment=all", "experiment=null", "experiment=[ns08_fig4,mine]", "attack.phi=int(2)"),
    *("defence=[]", "defence=jitter_time", "defence=[perturb_values,drop_items]"),
    *(
        "parts=null",
        "~parts.a",
        "parts.a.0='seed=1'",
        "defence.jitter_time={date_noise: 1}",
        "cluster.address=auto",
    ),
    *("+parts.a=['seed=1','attack.phi=2']", "targets=all", r"data.path='costs \${5}.csv'"),
    *("adversary.truth=who.csv", "name=x", "~grid", r"data.path=\\${here}"),
]


@pytest.mark.parametrize("text", [*FOREIGN, *ILL, *FILLED_IN, *SPREAD, *ELSEWHERE, *PARTS])
def test_what_is_not_ours_is_refused(text: str) -> None:
    """By itself, within a part, and within a part of a part."""
    with pytest.raises(ConfigError):
        own_key(text)
    for _ in range(2):
        text = override("parts", {"a": ["seed=1", text]})
        with pytest.raises(ConfigError, match=r"^parts\.a: "):
            own_key(text)


@pytest.mark.parametrize("text", FOREIGN[:-1])
def test_the_key_is_named(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        own_key(text)
    key = text.partition("=")[0]
    assert str(caught.value).startswith((f"{key}: ", f"{key}._target_: ", f"'{key}"))


@pytest.mark.parametrize("text", OURS)
def test_what_is_ours_is_not(text: str) -> None:
    assert own_key(text) == text.lstrip("+~").partition("=")[0]
    assert own_key(override("parts", {"a": [text]})) == "parts"


def test_every_key_of_every_choice_is_ours() -> None:
    import dataclasses

    from sim.config.schema import LISTS, NAMES, Config, choices, package

    for field in dataclasses.fields(Config):
        if field.name not in LISTS:
            assert own_key(f"{field.name}=x") == field.name
    for group, name, node in choices():
        assert own_key(f"{group}={name}") == group
        for field in dataclasses.fields(node):
            key = f"{package(group, name)}.{field.name}"
            if key not in NAMES:
                assert own_key(f"{key}=x") == key


@given(st.text(), st.lists(st.none() | st.booleans() | st.integers() | st.text(), max_size=4))
def test_any_value_can_be_written_and_read(text: str, values: list[object]) -> None:
    """A path may have any characters; none of them is taken for anything else."""
    for key, value in (("data.path", text), ("grid.popularity", values)):
        written = override(key, value)
        assert list(settings_of(written)) == [(key, value)]
        assert list(settings_of(override("parts", {"a": [written]}))) == [(key, value)]


@pytest.mark.parametrize(
    "name", ["${oc.env:HOME}", "\\${x}", "a'b\\", "\\'", "${", "a$b{c}", "\\\\${"]
)
def test_text_stays_text(name: str) -> None:
    asked = ["data=movielens", override("data.path", name)]
    config = configured(*asked)
    assert config.data.path == name  # type: ignore[attr-defined]
    assert plan_job(config, settled(composed(asked), asked)).config is config


def test_what_is_filled_in_is_written_down_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "it's ${here}")
    typed = [
        "data=movielens",
        "data.path=${oc.env:WHERE}/ml.zip",
        "data.cache=${seed}",
        "+parts={a: ['data.path=\"${data.path}\"']}",
        "seed=3",
    ]
    found = settled(composed(typed), typed)
    monkeypatch.delenv("WHERE")
    assert configured(*found).data.path == "it's ${here}/ml.zip"  # type: ignore[attr-defined]
    assert found[2] == "data.cache='3'"
    assert [typed[0], typed[-1]] == [found[0], found[-1]]
    with pytest.raises(ConfigError, match=r"parts\.a: data\.path: .* is not filled in here"):
        plan_job(configured(*found), found)  # within the part, ${here} would be filled in


@pytest.mark.parametrize("text", ["hydra.run.dir=/x", "data@hydra=movielens", "seed=1,2"])
def test_neither_does_a_run_begin_with_it(text: str) -> None:
    """It could not be taken up, nor reported."""
    with pytest.raises(ConfigError):
        plan_job(configured(), ["seed=1", text])
