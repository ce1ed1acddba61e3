"""The API: small, and the same study as the command line's."""

from __future__ import annotations

import gc
import os
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import reference

import sim
from sim.config.compose import composed, configured
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.errors import ConfigError, GridError, InputError, ResumeError
from sim.extend.options import option
from sim.extend.overrides import override
from sim.record.sweep_record import write_sweep
from sim.report.figures.draw import drawings_of

pytestmark = pytest.mark.usefixtures("no_drawings")


@pytest.fixture(scope="module")
def visits() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"who": rng.integers(1, 61, 900), "where": rng.integers(1, 41, 900)})
    frame["stars"] = rng.integers(1, 6, 900) * 1.0
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, 900), "D")
    return frame


@pytest.fixture(scope="module")
def release(visits: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> sim.Release:
    cache = str(tmp_path_factory.mktemp("cache"))
    return sim.table(visits, user="who", item="where", value="stars", date="when", cache=cache)


GRID = {"aux": ["2/2", "3/4"], "date_noise": [3, None]}


def test_describes_itself(release: sim.Release, visits: pd.DataFrame) -> None:
    facts = release.describe()
    distinct = len(visits.drop_duplicates(["who", "where"]))
    assert (facts.cells, facts.merged) == (distinct, 900 - distinct)
    assert facts.lengths["mean"] == pytest.approx(distinct / visits["who"].nunique())
    assert "60 people · 40 items" in repr(release)


def test_a_study_is_read_back(release: sim.Release, tmp_path: Path) -> None:
    result = sim.run(release, grid=GRID, targets=20, seed=3, folder=tmp_path)
    assert len(result.curves) == 4
    assert len(result.decisions) == 80
    assert set(result.aux["kind"]) == {"true", "wrong_value"}
    assert str(result.findings[0].numbers["n"])
    assert "best_guess" in result.figures()
    assert sim.Result(tmp_path).curves.equals(result.curves)


def test_ray_makes_no_difference(release: sim.Release, ray_cluster: None, tmp_path: Path) -> None:
    one = sim.run(release, grid=GRID, targets=20, folder=tmp_path / "inline")
    two = sim.run(release, grid=GRID, targets=20, workers=2, folder=tmp_path / "ray")
    assert two.decisions.equals(one.decisions)
    assert two.record["cluster"]["workers"] == 2


@pytest.mark.parametrize(
    ("attack", "options"),
    [("bayes", {}), ("scoreboard_rh", {"attack.phi": 3.0, "attack.entropy": True})],
)
def test_any_attack_and_key(
    release: sim.Release, tmp_path: Path, attack: str, options: dict[str, object]
) -> None:
    result = sim.run(release, attack, grid=GRID, targets=10, folder=tmp_path, options=options)
    assert result.record["config"]["attack"]["name"] == attack
    for key, value in options.items():
        assert result.record["config"]["attack"][key.removeprefix("attack.")] == value


def test_what_is_wrong_is_said(release: sim.Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="attack"):
        sim.run(release, "no_such_attack", folder=tmp_path)
    with pytest.raises(ConfigError, match=r"grid\.colour|colour"):
        sim.run(release, grid={"colour": ["red"]}, folder=tmp_path)
    with pytest.raises(GridError, match="no eligible"):
        sim.run(release, grid={"aux": ["400/400"]}, folder=tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        sim.Result(tmp_path / "nothing")
    with pytest.raises(InputError, match="not a run folder"):
        sim.Result(tmp_path)
    with pytest.raises(AttributeError, match="no attribute"):
        sim.nothing  # noqa: B018


def test_nearest_matches_the_reference(release: sim.Release, tmp_path: Path) -> None:
    from making import plain

    found = sim.nearest(release, "values", value=1.0)
    best, _ = reference.nearest_neighbour(plain(release.store), reference.Threshold(value=1.0))
    assert found["similarity"].tolist() == best.tolist()
    assert len(sim.nearest(release, sample=7)) == 7
    with pytest.raises(ConfigError, match=r"^sample: 0: expected a number of records, 1 or more$"):
        sim.nearest(release, sample=0)
    with pytest.raises(ConfigError, match="metric"):
        sim.nearest(release, "colour")
    frame = pd.DataFrame({"who": [1, 2], "what": [1, 1]})
    alone = sim.table(frame, user="who", item="what", cache=str(tmp_path / "c"))
    with pytest.raises(ConfigError, match="the release has no values and no dates; expected one"):
        sim.nearest(alone, "values_and_dates")
    visits = pd.DataFrame({"who": list("aaabb"), "what": [1, 1, 2, 1, 3]})
    days = pd.Timestamp("2024-05-01") + pd.to_timedelta([0, 1, 2, 3, 4], "D")
    columns = {"user": "who", "item": "what", "date": "day"}
    again = sim.table(visits.assign(day=days), **columns, cache=str(tmp_path / "c"))
    with pytest.raises(GridError, match=r"an item several times.* read the data with repeats='l"):
        sim.nearest(again)  # similarities were above 1


def test_the_typed_marker_is_shipped() -> None:
    for package in ("sim", "actors"):
        assert (Path(os.fspath(sim.__file__)).parents[1] / package / "py.typed").is_file()


def test_an_experiment_runs_on_an_open_release(release: sim.Release, tmp_path: Path) -> None:
    """All parts attack the release at hand, and the run says how it was made."""
    options = {"parts": {"near": ["grid.date_noise=[3]"], "far": ["grid.date_noise=[14]"]}}
    result = sim.experiment(
        release, "ns08_fig4", targets=5, folder=tmp_path, options={**options, "bayes_targets": 0}
    )
    print_name = release.store.manifest.fingerprint
    assert [part.record["release"]["fingerprint"] for part in result.parts.values()] == [
        print_name,
        print_name,
    ]
    assert "experiment=ns08_fig4" in result.record["overrides"]


def test_the_commands_of_a_report_open_the_same_release(
    release: sim.Release, tmp_path: Path
) -> None:
    """Without the data among its overrides, the same command attacks the default release."""
    result = sim.run(
        release, targets=5, folder=tmp_path, options={"bayes_targets": 0, "grid.date_noise": [3]}
    )
    assert configured(composed(result.record["overrides"])).data == release.config


@pytest.mark.parametrize(
    "value", [None, True, 3, 0.5, "it's", "a\\b", "${x}", "", ["2/2", None], {"a": [1, "b c"]}]
)
def test_what_is_written_as_an_override_is_read_back(value: Any) -> None:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf

    (parsed,) = OverridesParser.create().parse_overrides([override("key", value)])
    read: Any = OmegaConf.to_container(OmegaConf.create({"key": parsed.value()}), resolve=True)
    assert read == {"key": value}


def test_the_bayes_attacker_knows_how_the_release_was_made(
    release: sim.Release, tmp_path: Path
) -> None:
    """Dates moved by up to 90 days are no protection from four facts within 3 days."""
    grid = {"aux": ["4/4"], "date_noise": [3], "value_noise": [None]}
    moved = [JitterTime(date_noise=90)]
    asked = {"grid": grid, "targets": 60, "options": {"bayes_targets": 60}}
    result = sim.run(release, defence=moved, folder=tmp_path, **asked)
    assert result.bayes is not None
    bayes = result.bayes.curves
    assert (bayes["rank1"] >= result.curves["rank1"]).all()
    assert (bayes["rank1_low"] > 0.5).all()


def test_the_bayes_attacker_runs_on_times_in_hours(tmp_path: Path) -> None:
    """Errors of two hours are no whole number of days, in which times are by default."""
    rows = [
        (f"u{n % 20}", f"p{n // 20}", f"2020-03-{n % 9 + 1:02} {n % 24:02}:00") for n in range(200)
    ]
    visits = pd.DataFrame(rows, columns=["who", "where", "when"])
    columns = {"user": "who", "item": "where", "date": "when", "cache": str(tmp_path / "cache")}
    days, hours = sim.table(visits, **columns), sim.table(visits, time_bin="hour", **columns)
    assert hours.store.manifest.source == "a data frame"
    grid = {"aux": ["4/4"], "date_noise": ["2h"], "value_noise": [None]}
    with pytest.raises(GridError, match=r"set data\.time_bin=hour, since the data"):
        sim.run(days, grid=grid, targets=10, folder=tmp_path / "days")
    result = sim.run(hours, grid=grid, targets=10, folder=tmp_path / "run")
    assert result.curves["date_noise"].tolist() == ["2h"]
    assert result.bayes is not None
    assert result.bayes.curves["date_noise"].tolist() == ["2h"]


def test_the_package_lists_what_it_has() -> None:
    assert sim.__version__ == metadata.version("standout")
    assert "load" in dir(sim)
    assert all(hasattr(sim, name) for name in dir(sim))
    assert not any(name.startswith("_") for name in set(dir(sim)) - {"__version__"})


def test_keywords_are_the_ends_of_keys(release: sim.Release, tmp_path: Path) -> None:
    asked = sim.run(
        release, {"name": "bayes", "confidence": 0.7}, targets=5, date_noise=3, wrong="item",
        folder=tmp_path / "a", aux=["2/3"],
    )  # fmt: skip
    config = asked.record["config"]
    assert config["attack"]["confidence"] == 0.7
    assert config["grid"]["date_noise"] == [3]
    assert config["adversary"]["wrong"] == "item"
    options = {"attack.confidence": 0.7, "adversary.wrong": "item"}
    grid = {"date_noise": [3], "aux": ["2/3"]}
    same = sim.run(release, "bayes", targets=5, grid=grid, options=options, folder=tmp_path / "b")
    pd.testing.assert_frame_equal(asked.decisions, same.decisions)


def test_a_defence_may_be_a_dict_of_its_name_and_options(
    release: sim.Release, tmp_path: Path
) -> None:
    dicts = [{"name": "drop_items", "min_support": 20}, "jitter_time"]
    given: dict[str, Any] = {"targets": 5, "aux": ["2/2"], "bayes_targets": 0}
    one = sim.run(release, defence=dicts, folder=tmp_path / "dict", **given)
    made = [DropItems(min_support=20), "jitter_time"]
    two = sim.run(release, defence=made, folder=tmp_path / "made", **given)
    assert one.record["config"]["defence"]["drop_items"]["min_support"] == 20
    assert one.record["overrides"] == two.record["overrides"]
    pd.testing.assert_frame_equal(one.decisions, two.decisions)


def test_numbers_and_lists_may_be_of_numpy_and_pandas(release: sim.Release, tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "phi": np.float64(2),
        "targets": np.int64(5),
        "seed": np.int64(2),
        "date_noise": np.array([3, 14]),
        "value_noise": range(2),
        "popularity": np.int64(2),
        "aux": pd.Series(["2/2"]),
        "options": {"attack.entropy": np.bool_(True), "bayes_targets": np.uint8(0)},
    }
    plain: dict[str, Any] = {
        "phi": 2.0,
        "targets": 5,
        "seed": 2,
        "date_noise": [3, 14],
        "value_noise": [0, 1],
        "popularity": [2],
        "aux": ["2/2"],
        "options": {"attack.entropy": True, "bayes_targets": 0},
    }
    one = sim.run(release, folder=tmp_path / "one", **given)
    two = sim.run(release, folder=tmp_path / "two", **plain)
    assert one.record["overrides"] == two.record["overrides"]
    pd.testing.assert_frame_equal(one.decisions, two.decisions)


def test_bins_of_values_and_names_of_columns_may_be_arrays(
    visits: pd.DataFrame, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"user": "who", "cache": str(tmp_path)}
    visits = visits.assign(hour=range(len(visits)))
    one = sim.table(
        visits,
        item=np.array(["where", "hour"]),
        value="stars",
        value_bins=np.array([1, 3]),
        **given,
    )
    two = sim.table(visits, item=["where", "hour"], value="stars", value_bins=[1, 3], **given)
    assert one.config == two.config
    assert one.store.manifest.fingerprint == two.store.manifest.fingerprint


def test_a_path_is_no_release_and_a_file_no_folder(release: sim.Release, tmp_path: Path) -> None:
    with pytest.raises(
        sim.StandoutError, match=r"^release: .*: expected what sim\.table, .*; as in "
    ):
        sim.run("visits.csv", targets=5)  # type: ignore[arg-type]
    (tmp_path / "file").touch()
    with pytest.raises(sim.StandoutError, match=r"file: a file, not a folder; choose another$"):
        sim.run(release, targets=5, folder=tmp_path / "file")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fhi": 2}, r"^fhi: no such keyword; did you mean phi\?$"),
        (
            {"phi": 2, "options": {"attack.phi": 3}},
            r"^attack\.phi: given twice, by phi= and by options=",
        ),
        ({"fi": 2}, r"^fi: no such keyword; did you mean phi\?$"),
        ({"xyz": 2}, r"^xyz: no such keyword; options=\{…\} takes every key$"),
        (
            {"aux": ["2/2"], "grid": {"aux": ["1/1"]}},
            r"^grid\.aux: given twice, by aux= and by grid=; leave it out of one$",
        ),
        (
            {"grid": {"aux": ["1/1"]}, "options": {"grid.aux": ["2/2"]}},
            r"^grid\.aux: given twice, by grid= and by options=; leave it out of one$",
        ),
        (
            {"attack": {"name": "scoreboard_rh", "phi": 2}, "phi": 3},
            r"^attack\.phi: given twice, by phi= and by attack=; leave it out of one$",
        ),
        (
            {"defence": [{"name": "drop_items", "min_support": 2}], "min_support": 3},
            r"^defence\.drop_items\.min_support: given twice, by min_support= and by defence=",
        ),
        ({"attack": {"phi": 2}}, r"^attack: \{'phi': 2\}: expected a name in it"),
        (
            {"attack": {"name": "scoreboard_rh", "phi": 2}, "options": {"attack.phi": 3}},
            r"^attack\.phi: given twice, by attack= and by options=; leave it out of one$",
        ),
        (
            {"defence": ["jitter_time", "perturb_values"], "seed": 1, "name": "x", "max_risk": 1},
            r"^max_risk: may mean audit\.max_risk or plan\.max_risk; set it by options=",
        ),
    ],
)
def test_wrong_keywords_are_told(release: sim.Release, given: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        sim.run(release, **given)


def test_an_option_of_a_defence_takes_no_keyword_away(release: sim.Release) -> None:
    """``date_noise`` stays that of the attacker, of whichever defence it is an option too."""
    given = {"defence": ["jitter_time"], "aux": ["2/2"], "date_noise": 3}
    made = sim.run(release, targets=5, bayes_targets=0, **given)
    assert made.record["config"]["grid"]["date_noise"] == [3]
    assert made.record["config"]["defence"]["jitter_time"]["date_noise"] == 14


def test_a_list_is_one_of_the_grid(release: sim.Release) -> None:
    """Of two keys with the same last word, ``attack.missing`` and ``grid.missing``."""
    given = {"aux": ["2/2"], "targets": 5, "bayes_targets": 0}
    made = sim.run(release, missing=[0.5], **given)
    assert made.record["config"]["grid"]["missing"] == [0.5]
    with pytest.raises(ConfigError, match=r"^missing: may mean attack\.missing or grid\.missing"):
        sim.run(release, missing=0.5, **given)


def test_a_temporary_folder_lives_as_long_as_the_result_or_a_part(release: sim.Release) -> None:
    result = sim.run(release, targets=5, grid={"aux": ["2/2"]})
    inside, folder = result.bayes, result.folder
    assert inside is not None
    shown = result._repr_html_()
    assert shown.startswith("<section")
    assert f"{folder} is removed with this result; folder=… keeps it." in shown
    del result
    gc.collect()
    assert len(inside.decisions)
    assert folder.exists()
    tables = inside.tables
    del inside
    gc.collect()
    assert len(tables["aux"])  # read now
    del tables
    gc.collect()
    assert not folder.exists()


def test_a_folder_that_is_named_stays_and_is_opened_again(
    release: sim.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = sim.run(release, targets=5, grid={"aux": ["2/2"]}, folder=tmp_path / "run")
    monkeypatch.setattr("sim.report.page.html.drawings_of", drawings_of)
    shown = result._repr_html_()
    assert "is removed" not in shown
    assert '<img src="data:image/' in shown
    decisions = result.decisions
    del result
    gc.collect()
    pd.testing.assert_frame_equal(sim.load(str(tmp_path / "run")).decisions, decisions)


def test_no_folder_is_left_of_what_fails(
    release: sim.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(GridError):
        sim.run(release, grid={"aux": ["99/99"]})
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_names_escaped(tmp_path: Path) -> None:
    frame = pd.DataFrame({"<b>who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    release = sim.table(frame, user="<b>who", item="where", cache=str(tmp_path))
    shown = release._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;who" in shown


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: sim.table("x.csv", users="who"),
            "table: users: no such keyword; did you mean user?",
        ),  # type: ignore[call-arg]
        (lambda: sim.table("x.csv", date_units="s"), "did you mean date_unit?"),  # type: ignore[call-arg]
        (lambda: sim.synthetic(presets="tiny"), "did you mean preset?"),  # type: ignore[call-arg]
        (lambda: sim.load(where="x"), "load: where: no such keyword; expected some of folder"),  # type: ignore[call-arg]
        (lambda: sim.compare(out="x"), "compare: out: no such keyword; it takes none"),  # type: ignore[call-arg]
    ],
)
def test_an_unknown_keyword_is_answered_with_the_nearest(call: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        call()
    assert said in str(caught.value)


@dataclass(frozen=True, kw_only=True)
class EveryOther(Defence):
    """Leaves out every other item; not in the package, and no plug-in."""

    name: ClassVar[str] = "every_other"

    first: int = option(0, help="number of the first item that stays", minimum=0)

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        return cells.where(cells.item % 2 == self.first)


_LAST = {"item": 40}


@dataclass(frozen=True, kw_only=True)
class OfAVariable(Defence):
    """Leaves out items by what is no option of it."""

    name: ClassVar[str] = "of_a_variable"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        return cells.where(cells.item < _LAST["item"])


def test_what_a_defence_of_ones_own_made_before_is_not_taken_for_what_it_makes_now(
    release: sim.Release, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Though its options and its file are the same: what it uses beside them may have changed."""
    for n in (20, 5, 20):
        monkeypatch.setitem(_LAST, "item", n)
        run = sim.run(release, defence=[OfAVariable()], aux=["1/1"], targets=5, bayes_targets=0)
        assert run.record["defences"][0]["left"]["items"] == n
        (tmp_path / "out.csv").unlink(missing_ok=True)
        sim.publish(release, tmp_path / "out.csv", defence=[OfAVariable()])
        assert pd.read_csv(tmp_path / "out.csv").iloc[:, 1].nunique() == n


def test_audits_experiments_and_plans_take_classes_of_ones_own(
    release: sim.Release, tmp_path: Path
) -> None:
    mine = EveryOther(first=1)
    asked: dict[str, Any] = {"defence": [mine], "attackers": ["insider"], "targets": 9}
    audit = sim.audit(release, utility=["ndcg"], aux=["2/2"], **asked)
    assert audit.tables["utility"]["label"].tolist() == ["nDCG@10 of an item-item recommender"]
    (given,) = audit.parts["insider"].record["defences"]
    assert (given["name"], given["left"]["items"]) == ("every_other", 20)
    found = sim.experiment(release, "ns08_fig4", defence=[mine], targets=5, bayes_targets=0)
    assert found.record["defences"][0]["name"] == "every_other"
    plan: dict[str, Any] = {"attackers": ["insider"], "aux": ["1/1"], "utility": ["items"]}
    plan["options"] = {"plan.utility": "items"}
    for run in (
        sim.frontier(release, [[mine, "drop_time"], "drop_values"], targets=9, **plan),
        sim.plan(release, 0.9, [[mine, {"name": "coarsen_values", "levels": 2}]], **plan),
    ):
        chains = run.tables["frontier"]["chain"].tolist()
        assert chains[1].startswith("every_other.first=1 ")
        assert run.tables["frontier"]["items"].tolist()[:2] == [40, 20]
    with pytest.raises(ConfigError, match=r"attack: scoreboard_rh\(phi=2\): expected a name|phi=2"):
        sim.audit(release, attack="scoreboard_rh(phi=2)")
    with pytest.raises(ConfigError, match="expected text, or a list of defences"):
        sim.frontier(release, [mine])  # type: ignore[list-item]


def test_how_many_facts_it_takes_is_asked_of_the_bayes_optimal_attacker(
    release: sim.Release,
) -> None:
    """Whatever attack stands beside: its findings are not those of the strongest attacker."""
    given: dict[str, Any] = {"attackers": ["insider"], "targets": 10}
    plain, other = (
        sim.audit(release, **given), sim.audit(release, attack="set_intersection", **given)
    )  # fmt: skip
    assert other.parts["facts_until_found"].record["config"]["attack"]["name"] == "bayes"
    assert other.parts["insider"].record["config"]["attack"]["name"] == "set_intersection"
    expected = plain.tables["facts_until_found"]
    pd.testing.assert_frame_equal(other.tables["facts_until_found"], expected)
    assert expected["n"].iloc[0] > 0


@pytest.mark.parametrize("word", ["targets", "attack", "utility"])
def test_a_measurement_attacks_nobody(release: sim.Release, word: str) -> None:
    with pytest.raises(ConfigError, match=f"measure: {word}: no such keyword; a measurement atta"):
        sim.measure(release, "lengths", **{word: "all"})


def test_a_parameter_that_is_no_key_is_suggested_too(release: sim.Release) -> None:
    with pytest.raises(ConfigError, match=r"worker: no such keyword; did you mean workers\?"):
        sim.run(release, worker=2)


def test_a_changed_cell_is_told_what_to_do(release: sim.Release, tmp_path: Path) -> None:
    """The run that is there is neither overwritten nor deleted."""
    given: dict[str, Any] = {"targets": 5, "bayes_targets": 0, "folder": tmp_path / "run"}
    made = sim.run(release, aux=["2/2"], **given)
    before = made.curves
    with pytest.raises(ResumeError, match="choose another folder=, or leave it out, or read"):
        sim.run(release, aux=["1/1"], **given)
    assert sim.load(tmp_path / "run").curves.equals(before)


@pytest.mark.parametrize("name", [name for name in sim.__all__ if name not in ("Release",)])
@pytest.mark.parametrize("given", [None, ["x"], 3, Path("nothing"), {1: 2}], ids=str)
def test_what_is_of_another_type_is_refused_in_one_line(name: str, given: Any) -> None:
    if name == "StandoutError" or (name, given) == ("synthetic", "tiny"):
        return
    with pytest.raises(sim.StandoutError) as caught:
        getattr(sim, name)(given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"options": ["x"]}, r"^options: \['x'\]: expected a dict or None; as in options="),
        ({"options": {1: 2}}, r"^options: \{1: 2\}: expected a dict or None"),
        ({"grid": {"aux": None}}, r"^grid: \{'aux': None\}: expected a dict of lists or None"),
        ({"folder": 3}, r"^folder: 3: expected a path or None; as in folder="),
        ({"defence": None}, r"^defence: None: expected a list$"),
        (
            {"defence": "drop_time"},
            r"^defence: 'drop_time': .* as in defence=\['drop_time'\]$",
        ),
        ({"defence": "a, b"}, r"list; as in defence=\['a', 'b'\]$"),
        ({"grid": {"missing": 0.5}}, r"as in grid=\{'missing': \[0\.5\]\}$"),
        (
            {"defence": [JitterTime]},
            r"^defence: JitterTime: a class; expected an instance of it: JitterTime\(\)$",
        ),
        ({"defence": [3]}, r"^defence: 3: expected text, an instance of Defence or a dict$"),
        (
            {"defence": ["drop_items.min_support=5"]},
            r"^defence: 'drop_items.min_support=5': expected a name; .*\{\"name\": \"drop_items\"",
        ),
        ({"options": {"data.user": "x"}}, r"^options: data.user: the data are those of the rel"),
        ({"options": {"seed": 4}}, r"^options: seed: an argument of its own: seed=$"),
        ({"attack": "bayes(phi=2)"}, r"^attack: 'bayes\(phi=2\)': expected a name; options go "),
        (
            {"options": {"attack": {"phi": 2}}},
            r"^attack: \{'phi': 2\}: expected whole keys: options=\{'attack.phi': 2\}$",
        ),
        ({"defence": [{"min_support": 5}]}, r"^defence: \{'min_support': 5\}: expected a name in"),
        (
            {"utility": [{"name": 3}]},
            r"^utility: \{'name': 3\}: expected a name in it: \{\"name\": \"ndcg\"\}$",
        ),
        (
            {
                "defence": [{"name": "drop_items", "min_support": 5}],
                "options": {"defence.drop_items.min_support": 5},
            },
            r"^defence\.drop_items\.min_support: given twice, by defence= and by options=",
        ),
        (
            {"defence": [{"name": "drop_items", "min_suport": 5}]},
            r"^defence\.drop_items\.min_suport: .*did you mean defence\.drop_items\.min_support\?",
        ),
        (
            {"options": {"attack.sigma_over": [JitterTime()]}},
            r"^attack\.sigma_over: JitterTime\(.*\): expected text, a number, or lists or dicts",
        ),
        ({"workers": "2"}, r"^workers: '2': expected a whole number or None$"),
        ({"attack": None}, r"^attack: None: expected text or an instance of Algorithm or a dict$"),
        ({"attack": JitterTime}, r"; an instance of the class is JitterTime\(\)$"),
        ({"date_noise": [10**9]}, "1000000000: expected a number of days with at most 9 digits"),
    ],
)
def test_an_argument_of_another_type_is_named(
    release: sim.Release, keywords: dict[str, Any], said: str
) -> None:
    with pytest.raises(sim.StandoutError, match=said):
        sim.run(release, **keywords)


def test_an_audit_takes_names_of_attackers_and_whole_keys(release: sim.Release) -> None:
    with pytest.raises(
        sim.StandoutError, match=r"^audit\.attackers: JitterTime\(.*: expected text"
    ):
        sim.audit(release, attackers=[JitterTime()])  # type: ignore[list-item]
    with pytest.raises(sim.StandoutError, match=r"^grid: .*: expected whole keys: options=\{'grid"):
        sim.audit(release, grid={"aux": ["2/2"]})


def test_nothing_of_others_is_overwritten(release: sim.Release, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    sim.run(release, folder=tmp_path, targets=2, bayes_targets=0)
    other = tmp_path / "other"
    other.mkdir()
    (other / "curves.parquet").write_text("mine", encoding="utf-8")
    with pytest.raises(
        sim.StandoutError, match=r"such as curves\.parquet, which might be overwritten"
    ):
        sim.run(release, folder=other, targets=2)
    assert (other / "curves.parquet").read_text(encoding="utf-8") == "mine"


def test_options_are_whole_keys_and_a_measurement_takes_a_seed(release: sim.Release) -> None:
    sim.measure(release, "lengths", seed=1)
    with pytest.raises(sim.StandoutError, match=r"^grid: .*: expected whole keys"):
        sim.run(release, options={"grid": {"aux": ["2/2"]}})


def test_a_sweep_is_no_run(tmp_path: Path) -> None:
    write_sweep(tmp_path, [tmp_path / "0"])
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        sim.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: the folder of a sweep (--multirun), not of a run; give that of a job, such "
        f"as {tmp_path / '0'}; sim.compare or standout compare takes the whole folder"
    )
    with pytest.raises(InputError, match=r"nowhere: no such folder; expected the folder of a run"):
        sim.load(tmp_path / "nowhere")


def test_a_file_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("who,what\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"visits\.csv: a file, not a run folder; expected"):
        sim.load(tmp_path / "visits.csv")
