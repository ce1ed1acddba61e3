"""Options: refused by the class, whoever makes it, and derived everywhere else."""

from __future__ import annotations

import inspect
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pandas as pd
import pytest
from attacking import random_aux
from making import MakeStore, random_rows
from printed import NONE_CALLED
from studying import an_attack, configured

import sim
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.mentions import Scoring
from sim.attack.algorithms.registry import ATTACKS, attack_class
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Base2, Exponential, Steps
from sim.config.compose import composed
from sim.config.own_overrides import own_key
from sim.config.schema import StudyConfig, choices
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError
from sim.extend.options import (
    Options,
    changed_from_default,
    made_from,
    option,
    options_of,
    schema_of,
    settings_of,
)
from sim.extend.plugins import Registry, foreign_code, qualified_name
from sim.findings.finding import Kind
from sim.measurements.measurement import Measurement, Tables
from sim.measurements.nearest import Neighbours
from sim.measurements.registry import MEASUREMENTS
from sim.release.store.store import Store
from sim.session.checks import measurement_of
from sim.session.from_python import with_own

ROOT = Path(__file__).parents[1]
EVERY: list[type[Any]] = [*ATTACKS.all().values(), *MEASUREMENTS.all().values()]


@dataclass(frozen=True, kw_only=True)
class Some(Options):
    group: ClassVar[str] = "study"
    kind: ClassVar[str] = "some"

    number: float = option(1.5, help="a number", minimum=0, maximum=2)
    maybe: int | None = option(None, help="a count", above=1, null="none")
    every: int | None = option(7, help="so many", minimum=1, null="all of them", all=True)
    word: Literal["a", "b"] = option("a", help="a word")
    truth: bool = option(False, help="a truth")
    several: tuple[int, ...] = option((1, 2), help="several", minimum=1, ascending=True)
    once: tuple[str, ...] = option(("x",), help="texts", distinct=True)
    plain: int = 3
    given: object = None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"number": -1}, "study.number: -1: expected a number from 0 to 2"),
        ({"number": 3.5}, "study.number: 3.5: expected a number from 0 to 2"),
        ({"number": math.nan}, "study.number: nan: expected a number"),
        ({"number": "1"}, "study.number: '1': expected a number"),
        ({"number": None}, "study.number: None: expected a number"),
        ({"number": True}, "study.number: True: expected a number"),
        ({"maybe": 1}, "study.maybe: 1: expected a whole number above 1, or null"),
        ({"maybe": 1.5}, "study.maybe: 1.5: expected a whole number above 1, or null"),
        ({"every": 0}, "study.every: 0: expected a whole number of at least 1, or all"),
        ({"word": "c"}, "study.word: 'c': expected one of a, b"),
        ({"truth": 1}, "study.truth: 1: expected true or false"),
        ({"several": 3}, "study.several: 3: expected a list"),
        ({"several": ()}, "study.several: empty; expected at least one number"),
        ({"several": (0, 1)}, "study.several: 0: expected a whole number of at least 1"),
        ({"once": ("x", "x")}, "study.once: ['x', 'x']: expected each value once"),
        ({"plain": "3"}, "study.plain: '3': expected a whole number"),
    ],
)
def test_what_is_out_of_range_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(said)}"):
        Some(**given)


def test_what_is_kept() -> None:
    made = Some(several=[3, 1, 3], number=2, given=[])  # type: ignore[arg-type]
    assert (made.several, made.number, made.given) == ((1, 3), 2, [])
    assert [each.name for each in options_of(Some)][-1] == "plain"  # what is given is no option


def test_the_configuration_says_the_same() -> None:
    schema = schema_of(Some, StudyConfig, kind="some")
    held = vars(schema(several=[5, 4], every="all", maybe=None))
    assert held["kind"] == "some"
    assert made_from(Some, held) == Some(several=(4, 5), every=None)
    assert changed_from_default(Some(several=(4, 5), every=None)) == {
        "several": [4, 5],
        "every": "all",
    }
    with pytest.raises(ConfigError, match=r"study\.every: None: expected a whole number of"):
        made_from(Some, held | {"every": None})


def test_the_help_says_it() -> None:
    lines = {each.name: each.help_line() for each, _ in settings_of(Some)}
    assert lines["maybe"] == "a count; null: none (default: null; above 1)"
    assert lines["every"] == "so many; all: all of them (default: 7; at least 1)"
    assert lines["number"] == "a number (default: 1.5; from 0 to 2)"
    assert lines["word"] == "a word: a, b (default: a)"
    assert lines["several"] == "several (default: [1,2]; at least 1)"


def test_a_type_that_no_configuration_holds_is_refused() -> None:
    @dataclass(frozen=True)
    class Bad(Options):
        group: ClassVar[str] = "study"
        held: complex = option(1j)

    with pytest.raises(ConfigError, match=r"Bad: held: .*expected bool, int, float, str"):
        options_of(Bad)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ScoreboardRH(similarity="steps"), "attack.similarity: 'steps': expected one of E"),
        (lambda: Exponential(rho0=0), "attack.rho0: 0: expected a number above 0"),
        (lambda: Base2(d0=0), "attack.d0: 0: expected a number above 0"),
        (
            lambda: Scoring(max_length_share=0),
            "attack.max_length_share: 0: expected a number above 0",
        ),
        (lambda: Bayes(confidence=2), "attack.confidence: 2: expected a number from 0 to 1"),
        (lambda: Scoring(max_length_share=2), "attack.max_length_share: 2: expected a number"),
        (lambda: Neighbourhood(delta_value=2), "attack.delta_value: 2: expected a number"),
        (lambda: Neighbourhood(delta_day=2), "attack.delta_day: 2: expected a number"),
    ],
)
def test_attacks_refuse_what_is_out_of_range(make: Any, said: str) -> None:
    """Beside the nonsense that `test_bad_values` tries with every key."""
    with pytest.raises(ConfigError, match=f"^{re.escape(said)}"):
        make()


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.name_of())
def test_by_default_class_and_configuration_agree(cls: type[Any]) -> None:
    """Every option is explained, and is a key that a run folder may set."""
    name = cls.name_of()
    (node,) = (n for group, choice, n in choices() if (group, choice) == (cls.group, name))
    assert made_from(cls, vars(node())) == cls()
    assert changed_from_default(cls()) == {}
    assert cls.described()
    for each, _ in settings_of(cls):
        assert each.metadata.help, each.key
        assert own_key(f"{each.key}=x") == each.key


def test_an_instance_is_written_and_made_again() -> None:
    made = ScoreboardRH(similarity=Steps(eps_day=7), weight="log1p", phi=2)
    changed = changed_from_default(made)
    assert changed == {"similarity": "steps", "eps_day": 7, "weight": "log1p", "phi": 2}
    again = an_attack(*(f"attack.{key}={value}" for key, value in changed.items()))
    assert again == made
    with pytest.raises(ConfigError, match=r"attack\.similarity: Base2: expected one of Exponent"):
        changed_from_default(ScoreboardRH(similarity=Base2()))


def test_all_records_are_spelled_all() -> None:
    config = configured("study=neighbours", "study.records=all")
    assert measurement_of(config.study) == Neighbours(records=None)


def attacks(monkeypatch: pytest.MonkeyPatch, folder: Path, **files: str) -> Registry[Algorithm]:
    """A registry of a package that holds these files."""
    package = folder / f"made_{len(files)}_{abs(hash(str(files)))}"
    package.mkdir()
    (package / "__init__.py").touch()
    for name, code in files.items():
        (package / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    return Registry(Algorithm, package.name, "no.such.group")


MINE = """
from dataclasses import dataclass
from sim.attack.algorithms.baselines import RandomGuess
from sim.extend.options import option

@dataclass(frozen=True, kw_only=True)
class Mine(RandomGuess):
    name = "mine"
    many: int = option(3, minimum=1)
"""


def test_a_package_is_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a module imports is not its own."""
    found = attacks(monkeypatch, tmp_path, mine=MINE)
    assert [*found.all()] == ["mine"]
    assert found.get("random") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"mine"', '"My attack"'), "'My attack': expected a name of a-z, 0-9 and _"),
        (("many: int = option(3, minimum=1)", "many: int"), "many: expected a default"),
        (("option(3", "option(0"), "attack.many: 0: expected a whole number of at least 1"),
        (("many: int", "name_of_it: complex"), "name_of_it: complex: expected bool"),
        (("import option", "import nothing"), "cannot be imported: ImportError"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    found = attacks(monkeypatch, tmp_path, mine=MINE.replace(*change))
    with pytest.raises(ConfigError, match=re.escape(said)) as caught:
        found.all()
    assert "mine" in str(caught.value)


def test_a_class_that_lacks_a_method_is_an_error_only_with_a_name_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lacking = "from sim.attack.engine.algorithm import Algorithm\nclass Rare(Algorithm):\n    "
    base = attacks(monkeypatch, tmp_path, mine=MINE, base=f"{lacking}label = 'Rare'")
    assert [*base.all()] == ["mine"]
    with pytest.raises(ConfigError, match=r"rare\.Rare: lacks scan$"):
        attacks(monkeypatch, tmp_path, mine=MINE, rare=f"{lacking}name = 'rare'").all()


def test_two_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = attacks(monkeypatch, tmp_path, one=MINE, other=MINE)
    with pytest.raises(
        ConfigError, match=r"other\.Mine: mine: is also the name of .*one\.Mine; give it another$"
    ):
        found.all()


def test_a_plug_in_takes_no_name_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    facts = tmp_path / "greedy-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: greedy\nVersion: 1.0\n")
    points = "bayes = greedy:Mine\nother = greedy:Mine\nnone = os:path\nmine = greedy:Mine\n"
    (facts / "entry_points.txt").write_text(f"[standout.attacks]\n{points}")
    (tmp_path / "greedy.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    found: Registry[Algorithm] = Registry(Algorithm, "sim.attack.algorithms", "standout.attacks")
    assert found.get("bayes") is Bayes
    assert found.get("mine") is not None
    assert "is also the name of sim.attack.algorithms.bayes.Bayes" in str(found.why_not("bayes"))
    assert "the name of the class is 'mine'" in str(found.why_not("other"))
    assert "expected a class derived from" in str(found.why_not("none"))
    assert len(caplog.messages) == 3


def test_a_class_given_by_hand_takes_no_others_name() -> None:
    class Thief(ScoreboardRH):
        pass

    with pytest.raises(ConfigError, match=r"Thief: scoreboard_rh: is also the name of sim\.attack"):
        ATTACKS.add(Thief)


def test_an_attack_that_is_not_installed_is_described_as_any() -> None:
    assert attack_class("of_somebody_else") is Algorithm
    assert attack_class("bayes") is Bayes


def rows(path: str, heading: str) -> list[list[str]]:
    """Rows of the first table after some words."""
    after = (ROOT / path).read_text(encoding="utf-8").partition(heading)[2]
    table = re.search(r"(?:^\|.*\n)+", after, re.MULTILINE)
    assert table
    return [[cell.strip() for cell in x[1:-1].split("|")] for x in table[0].splitlines()[2:]]


def test_what_is_written_of_measurements_is_what_they_state() -> None:
    for kind, facts, tables in rows("sim/guide/files.md", "## Measurements of the release"):
        cls: type[Measurement] | None = MEASUREMENTS.get(kind.strip("`"))
        assert cls is not None
        assert facts == cls.facts
        assert tables == ", ".join(f"`{name}` ({what})" for name, what in cls.tables.items())


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        # Attacks of other tests are known too: the list of all may be too long to print.
        ("attack=scoreboad", f"attack: 'scoreboad': {NONE_CALLED}did you mean scoreboard?"),
        (
            "study=lenghts",
            f"study: 'lenghts': {NONE_CALLED}did you mean lengths?; expected one of attack, ",
        ),
        ("experiment=cencus", "experiment: 'cencus': did you mean census?; "),
        ("experiment=fig4", "experiment: 'fig4': did you mean f06_fig4 or ns07_fig4 or ns08_fig4?"),
        (
            "experiment=xyz",
            "experiment: 'xyz': expected one of 33: all, audit, census, …, unicity; ",
        ),
        ("adversary=mention", "did you mean mentions?; expected one of aux, elsewhere, external, "),
        ("attack=zzz", f"attack: 'zzz': {NONE_CALLED}expected one of "),
        ("defence=[drop_item]", f"defence: 'drop_item': {NONE_CALLED}did you mean drop_items?; "),
    ],
)
def test_a_choice_that_is_not_there_has_a_suggestion_if_one_is_like_it(
    given: str, meant: str
) -> None:
    with pytest.raises(
        ConfigError, match=f"{re.escape(meant)}.*see standout (--help|help defence)$"
    ):
        composed([given])


def _made_by(power: int) -> type[object]:
    """A class of a file that is another one for another number."""

    class Made:
        def f(self) -> int:
            return power

    return Made


def typed(code: str, module: str = "__typed__") -> type[object]:
    """A class that has no file, as those of a notebook."""
    names: dict[str, object] = {"__name__": module}
    exec(code, names)
    cls = names["Typed"]
    assert isinstance(cls, type)
    return cls


def test_a_class_that_was_typed_is_another_one_where_it_does_something_else() -> None:
    body = (
        "class Typed:\n    k = 1\n    def f(self, x=2, *, y=6):\n"
        "        return [x + 3 for z in 'ab' if z in {'a', 'b'}]\n"
    )
    same = foreign_code(typed(body))
    made_here = [foreign_code(_made_by(power)) for power in (1, 2, 1)]
    assert made_here[0] == made_here[2] != made_here[1]
    # A script may make a class of text.
    assert foreign_code(typed(body, __name__)) != foreign_code(
        typed(body.replace("+", "-"), __name__)
    )
    assert foreign_code(typed(f"\n\n{body}")) == same
    made = f"from sim.extend.plugins import foreign_code\n{inspect.getsource(typed)}"
    in_another_process = subprocess.run(
        [sys.executable, "-c", f"{made}\nprint(foreign_code(typed({body!r})))"],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert in_another_process.stdout.strip() == same
    for other in (
        ("k = 1", "k = 2"),
        ("x=2", "x=4"),
        ("+ 3", "+ 5"),
        ("+", "-"),
        ("'ab'", "'a'"),
        ("y=6", "y=7"),
    ):
        assert foreign_code(typed(body.replace(*other))) != same, other


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (pd.DataFrame({"n": [1]}), "measure: DataFrame: expected a dict of tables by name"),
        ({"found": pd.DataFrame({"n": [1]})}, "measure: tables found: expected 'facts' among them"),
        ({"facts": pd.DataFrame({"n": []})}, "measure: facts: 0 rows and 1 columns: expected at l"),
        ({"facts": pd.DataFrame([[1, 2]], columns=["n", "n"])}, "measure: facts: column 'n': exp"),
        ({"facts": pd.DataFrame({"n": [[1, 2]]})}, "measure: facts: column 'n': expected one entr"),
        ({"facts": pd.DataFrame({"n": [1]})}, "findings: ZeroDivisionError: "),
        ({"facts": pd.DataFrame({"n": [2]})}, "findings: 'Two.': expected a finding"),
        ({"facts": pd.DataFrame({"n": [3]})}, "findings: 'other': expected one of its kinds, nam"),
        ({"facts": pd.DataFrame({"n": [4]})}, "findings: plugin:wrong: expected a label and a va"),
    ],
)
def test_a_measurement_that_returns_something_else(
    returned: Any, said: str, tmp_path: Path
) -> None:
    class Wrong(Measurement):
        """Returns something else."""

        kind = "returns_something_else"
        facts = "n"
        tables: ClassVar[dict[str, str]] = {}

        def measure(self, store: Any, seed: int) -> Any:
            return returned

        kinds = (Kind("plugin:wrong", "nothing"),)

        @classmethod
        def findings(cls, facts: Any, study: Any) -> Any:
            n = int(facts["n"][0])
            returned = {2: ["Two."], 3: [Kind("other", "").found()], 4: [cls.kinds[0].found()]}
            return returned[n] if 1 / (n - 1) else []

    frame = pd.DataFrame({"who": [1, 1, 2], "where": [1, 2, 1]})
    release = sim.table(frame, user="who", item="where", cache=tmp_path)
    with pytest.raises(ConfigError, match=re.escape(said)):
        str(sim.measure(release, Wrong()))


def test_a_class_of_ones_own_is_given_and_not_named_whatever_was_given_before(
    tmp_path: Path,
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Ours(ScoreboardRH):
        """An attack that is not installed."""

        name: ClassVar[str] = "ours"

    @dataclass(frozen=True, kw_only=True)
    class Kept(Defence):
        """A defence that is not installed."""

        name: ClassVar[str] = "kept"

        def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
            return cells

    @dataclass(frozen=True, kw_only=True)
    class People(Measurement):
        """A measurement that is not installed."""

        kind: ClassVar[str] = "people"
        facts: ClassVar[str] = "n"

        def measure(self, store: Store, seed: int) -> Tables:
            return {"facts": pd.DataFrame({"n": [store.manifest.n_records]})}

    frame = pd.DataFrame({"who": [1, 1, 2], "where": [1, 2, 1]})
    release = sim.table(frame, user="who", item="where", cache=tmp_path)
    for _ in range(2):
        for own, asked in (
            (Ours, lambda: sim.run(release, "ours")),
            (Ours, lambda: sim.run(release, {"name": "ours", "phi": 2})),
            (Kept, lambda: sim.run(release, defence=["kept"])),
            (Kept, lambda: sim.plan(release, 0.5, ["drop_items kept"])),
            (People, lambda: sim.measure(release, "people")),
        ):
            said = f"{qualified_name(own)} is not installed as a plug-in, so its name is not known"
            with pytest.raises(ConfigError, match=f"{re.escape(said)}.*: {own.__name__}\\(\\)$"):
                asked()
        given = {"attack": Ours(), "defence": [Kept()]}
        assert with_own({}, {}, given) == ({"attack": "ours", "defence": "[kept]"}, {})
        assert sim.measure(release, People()).tables["facts"]["n"].tolist() == [2]


def test_an_exception_in_an_attack_names_it(make_store: MakeStore) -> None:
    class Broken(ScoreboardRH):
        """Raises."""

        name = "broken"

        def annotate(self, release: Any, aux: Any, candidates: Any) -> Any:
            return {}["missing"]

    store = make_store(random_rows(1))
    with pytest.raises(KeyError) as caught:
        Broken().annotated(store, random_aux(store, 1, units=1))
    assert caught.value.__notes__ == [f"while attack broken ran ({qualified_name(Broken)})"]
