"""No attack has a way to the answer: what it decides does not depend on whom the aux is about."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attacking import decide
from drawing import changed
from every_attack import EVERY, mixed
from making import MakeStore, random_rows

from sim.adversary.aux import Drawn, FactKind, GroundTruth
from sim.adversary.knowledge import Knowledge
from sim.adversary.target_cells import own_cells
from sim.attack.algorithms import registry
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.mentions import TfIdf
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.algorithms.sets import Neighbourhood
from sim.attack.engine.algorithm import Algorithm, Scored
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.view import ReleaseView
from sim.extend.options import Options
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin

pytestmark = pytest.mark.fast

ATTACK = Path(registry.__file__).parent

ABOUT_THE_TARGET = (
    "correct", "target_score", "rank", "above", "entropy_bits", "entropy_bits_other",
)  # fmt: skip
"""Measures: all else is the attack's."""

OF_THE_TRUTH = {
    *(f.name for f in dataclasses.fields(GroundTruth)), "removed", "own", "at_least", "above",
}  # fmt: skip

HOOKS = {
    "scan", "prepare", "annotate", "near", "matches", "sigma_of", "look", "join", "learn",
    "conclude", "entropy_of", "bits_left", "shown", "lacks", "partial_bytes", "for_study",
    "posteriors_of_kept",
}  # fmt: skip
"""What an attack may state for itself; all other methods are the engine's."""

MEASURES = {"bits_left", "shown"}
"""Of these, what is asked about scores, the targets' own among them, once all is decided."""

attacks = pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)


@pytest.fixture(params=[8], ids=["many blocks"])
def store(make_store: MakeStore, request: pytest.FixtureRequest) -> Store:
    return make_store(random_rows(5, 60, 25, 700, missing=0.1), block_records=request.param)


def about_others(store: Store, drawn: Drawn, seed: int) -> Drawn:
    """The same facts, said to be about others; the same records are removed."""
    rng = np.random.default_rng(seed)
    stays = drawn.truth.absent  # also of whom the release does not hold
    other = rng.integers(-1, store.manifest.n_records, len(drawn))
    target = np.where(stays, drawn.truth.target, other)
    own = own_cells(store, np.repeat(target, drawn.aux.size), drawn.aux.item)
    return changed(
        drawn,
        target=target,
        kind=rng.integers(0, len(FactKind), drawn.aux.item.size).astype(np.uint8),
        person=rng.permutation(len(drawn)),
        **dict(zip(("own_held", "own_level", "own_day"), own, strict=True)),
    )


@attacks
def test_no_attack_depends_on_the_truth(store: Store, attack: Algorithm) -> None:
    drawn = mixed(store, attack)
    found = decide(store, drawn, attack)
    differ = set()
    for seed in range(3):
        again = decide(store, about_others(store, drawn, seed), attack)
        differ |= {
            name
            for name in Decisions.__slots__
            if getattr(again, name).tobytes() != getattr(found, name).tobytes()
        }
    assert differ <= set(ABOUT_THE_TARGET)
    assert "target_score" in differ


@pytest.mark.parametrize("attack", [EVERY[1], *[a for a in EVERY if isinstance(a, Bayes)]])
def test_nor_does_it_where_items_repeat(make_store: MakeStore, attack: Algorithm) -> None:
    rows = random_rows(5, 60, 25, 700, missing=0.1, repeats=True)
    store = make_store(rows, block_records=8, repeats=Repeats.ALL)
    test_no_attack_depends_on_the_truth(store, attack)


@pytest.mark.parametrize("repeats", [False, True], ids=["once", "repeats"])
def test_an_absent_target_has_never_been_there(make_store: MakeStore, repeats: bool) -> None:
    """All that the view says is what a release made without the record says."""
    rows = random_rows(5, 60, 25, 700, missing=0.1, repeats=repeats)
    store, compared = make_store(rows, block_records=8, repeats=Repeats.ALL), 0
    assert store.manifest.has_repeats == repeats
    drawn = mixed(store, TfIdf())
    for unit in np.flatnonzero(drawn.truth.removed >= 0).tolist():
        one = drawn.part(unit, unit + 1)
        record = int(one.truth.target[0])
        gone = store.records[record].as_py()
        kept = [row for row in rows if row[0] != gone]
        less = make_store(kept, block_records=8, repeats=Repeats.ALL)
        if (
            not less.items.equals(store.items)
            or less.manifest.first_day != store.manifest.first_day
        ):
            continue  # other numbers of items, or of days
        one = TfIdf().annotated(store, one)
        there = ReleaseView(less, changed(one, target=np.array([-1]), absent=np.array([False])))
        here, compared = ReleaseView(store, one), compared + 1
        for name in (
            "support",
            "cells",
            "n_records",
            "n_cells",
            "cells_by_level",
            "all_cells_by_level",
        ):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
        facts = np.flatnonzero(one.aux.item >= 0)
        chance = np.random.default_rng(unit).random((facts.size, store.scale.size + 1))
        for low, high in ((0, store.manifest.n_days), (5, 30)):
            asked = (facts, chance, np.full(facts.size, low), np.full(facts.size, high))
            np.testing.assert_allclose(there.matching_cells(*asked), here.matching_cells(*asked))
        for ours, theirs in (
            (here.cells_of_own_items(), there.cells_of_own_items()),
            (here.inverse_norms(np.add), there.inverse_norms(np.add)),
        ):
            np.testing.assert_allclose(
                np.delete(ours[0][ours[1][0]], record), theirs[0][theirs[1][0]]
            )
    assert compared > 5


@pytest.mark.parametrize("algorithm", ATTACKS.all().values(), ids=lambda a: a.name)
def test_an_attack_states_what_is_handed_no_truth(algorithm: type[Algorithm]) -> None:
    methods = {
        name
        for name, member in vars(Algorithm).items()
        if inspect.isfunction(member) and not name.startswith("__")
    }
    assert methods >= HOOKS
    assert methods - HOOKS >= {"partials", "fold", "annotated", "prepared", "scanned"}
    for base in algorithm.__mro__[: algorithm.__mro__.index(Algorithm)]:
        assert not (methods - HOOKS) & set(vars(base))
    for name in HOOKS:
        given = inspect.signature(getattr(algorithm, name)).parameters.values()
        annotations = [str(p.annotation) for p in given][1:]
        assert not {"Drawn", "GroundTruth", "Scored"} & set(annotations)
        if name == "near":
            assert annotations == ["ReleaseView", "Aux"]
        if name in ("scan", "prepare", "annotate"):
            assert annotations == ["ReleaseView", "Aux", "Candidates"]


def reachable(thing: Any, seen: set[int]) -> Iterator[Any]:
    """An object, and everything that its public attributes lead to."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield thing
    if isinstance(thing, np.ndarray):
        return
    if isinstance(thing, (tuple, list)):
        parts = list(thing)
    elif isinstance(thing, dict):
        parts = [*thing.keys(), *thing.values()]
    elif dataclasses.is_dataclass(thing) or type(thing).__module__.startswith("sim."):
        names = [name for name in dir(thing) if not name.startswith("_")]
        # The name of an option or of a bin of time, no fact's kind.
        named_kind = {"kind"} if isinstance(thing, (Options, TimeBin)) else set()
        assert not OF_THE_TRUTH & set(names) - named_kind, type(thing)
        parts = [getattr(thing, name) for name in names]
    else:
        parts = []
    for part in parts:
        if not callable(part):
            yield from reachable(part, seen)


@attacks
def test_no_attribute_leads_to_the_truth(
    store: Store, attack: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[Any] = []

    def spied(name: str) -> Any:
        real = getattr(type(attack), name)

        def called(self: Algorithm, *given: Any) -> Any:
            handed.append((self, given))
            return real(self, *given)

        return called

    for name in HOOKS - MEASURES:
        monkeypatch.setattr(type(attack), name, spied(name))
    drawn = mixed(store, attack)
    decide(store, drawn, attack)
    monkeypatch.undo()
    assert any(isinstance(given[0], ReleaseView) for _, given in handed)
    columns = [getattr(drawn.truth, f.name) for f in dataclasses.fields(GroundTruth)]
    alive = set[int]()
    for thing in itertools.chain.from_iterable(reachable(one, alive) for one in handed):
        assert not isinstance(thing, (Drawn, GroundTruth, Scored, Store))
        if isinstance(thing, np.ndarray):
            assert not OF_THE_TRUTH & set(thing.dtype.names or ())
            assert thing.base is None or not OF_THE_TRUTH & set(
                getattr(thing.base, "dtype", thing.dtype).names or ()
            )
            assert not any(np.shares_memory(thing, column) for column in columns)


def test_what_is_known_says_not_whether_the_targets_are_there() -> None:
    known = (Knowledge(2, 3, present=False), Knowledge(2, 3, record_length=0.5))
    unaware = (Knowledge(2, 3), Knowledge(2, 3, record_length=0.5))
    assert Bayes(knowledge=known).knowledge == unaware
    assert Neighbourhood(eps_value=None, knowledge=known).knowledge == unaware


@pytest.mark.parametrize(
    "path", sorted(ATTACK.parent.rglob("*.py")), ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_no_attack_knows_how_releases_are_linked(path: Path) -> None:
    """Neither the attacks nor the engine: facts are restated before they come to it."""
    hidden = {"linkage", "linkage_table", "on_release", "own_cells_kept", "pseudonyms"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert not [name for name in names if hidden & set(name.split("."))]


@pytest.mark.parametrize("path", sorted(ATTACK.glob("*.py")), ids=lambda p: p.name)
def test_nothing_private_is_read_of_another(path: Path) -> None:
    """So what the view keeps to itself, it does keep."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            whose = node.value.id if isinstance(node.value, ast.Name) else ""
            called = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            known = node.attr == "_replace" or node.attr.startswith("__")
            assert known or called or whose in ("self", "cls"), f"{path}:{node.lineno}"
