"""People of another site, simulated: what they have rated, how well, and whose record is there."""

from __future__ import annotations

import numpy as np
import pytest
from drawing import columns
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore, plain, random_rows
from studying import configured

from sim.adversary.aux import NO_DAY, Drawn, FactKind
from sim.adversary.elsewhere import Elsewhere
from sim.adversary.facts import facts_of
from sim.errors import ConfigError, GridError
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY
from sim.session.checks import cells_of, check_config

pytestmark = pytest.mark.fast

EXACT = Elsewhere(
    member_fraction=1,
    overlap_fraction=1,
    extra_items_ratio=0,
    missing=0,
    value_noise=0,
    same_day_fraction=1,
    date_noise=0,
)


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(1, records=60, items=30, cells=700), block_records=17)


def drawn_of(store: Store, adversary: Elsewhere, seed: int = 1) -> Drawn:
    return adversary.draw(store, 3, np.flatnonzero(adversary.eligible(store, seed)), seed)


def units(drawn: Drawn) -> list[slice]:
    return [
        slice(int(a), int(b))
        for a, b in zip(drawn.aux.start[:-1], drawn.aux.start[1:], strict=True)
    ]


def test_all_of_a_record_if_nothing_is_lost(store: Store) -> None:
    """Share 1, no noise, nothing missing: the record itself."""
    whole, drawn = plain(store), drawn_of(store, EXACT)
    assert len(drawn) == store.manifest.n_records
    for unit, facts in enumerate(units(drawn)):
        item = drawn.aux.item[facts]
        assert sorted(item.tolist()) == np.flatnonzero(whole.held[unit]).tolist()
        np.testing.assert_array_equal(drawn.aux.value[facts], whole.value[unit, item])
        np.testing.assert_array_equal(drawn.aux.day[facts], whole.day[unit, item])
    assert set(drawn.truth.kind.tolist()) == {FactKind.TRUE}
    assert not drawn.truth.absent.any()
    assert drawn.truth.own_held.all()


def test_how_many_items(store: Store) -> None:
    """A share of the record, rounded up, and others that the record lacks; no item twice."""
    whole = plain(store)
    drawn = drawn_of(store, Elsewhere(overlap_fraction=0.3, extra_items_ratio=0.5))
    for unit, facts in enumerate(units(drawn)):
        held = int(np.ceil(0.3 * store.length[unit] - 1e-9))
        true = drawn.truth.kind[facts] == FactKind.TRUE
        assert true.sum() == held
        assert true[:held].all()
        assert (~true).sum() == min(round(0.5 * held), 30 - store.length[unit])
        assert (whole.held[unit, drawn.aux.item[facts]] == true).all()
        assert np.unique(drawn.aux.item[facts]).size == true.size
    np.testing.assert_array_equal(drawn.truth.kind == FactKind.TRUE, drawn.truth.own_held)


def test_more_is_known_by_a_larger_share(store: Store) -> None:
    """The items of a smaller share are a prefix of those of a larger one."""
    few, many = (
        drawn_of(store, Elsewhere(overlap_fraction=s, extra_items_ratio=0)) for s in (0.2, 0.7)
    )
    for small, large in zip(units(few), units(many), strict=True):
        n = small.stop - small.start
        assert few.aux.item[small].tolist() == many.aux.item[large][:n].tolist()
        np.testing.assert_array_equal(few.aux.day[small], many.aux.day[large][:n])


def test_noise(store: Store) -> None:
    """Values within reach of the truth; punctual people's days too, and nobody else's only."""
    drawn = drawn_of(
        store,
        Elsewhere(
            overlap_fraction=1, extra_items_ratio=0, missing=0, value_noise=1, same_day_fraction=1
        ),
    )
    truth = np.append(store.scale, np.nan)[drawn.truth.own_level]
    gap = np.abs(drawn.aux.value - truth)
    assert gap.max() == 1
    assert (gap == 0).any()
    late = np.abs(drawn.aux.day - drawn.truth.own_day)
    assert late.max() == 3
    drawn = drawn_of(store, Elsewhere(overlap_fraction=1, extra_items_ratio=0, same_day_fraction=0))
    assert np.abs(drawn.aux.day - drawn.truth.own_day).max() > 14
    days = [set(plain(store).day[:, item]) for item in range(store.manifest.n_items)]
    assert all(day in days[item] for item, day in zip(drawn.aux.item, drawn.aux.day, strict=True))


def test_missing_values_and_dates(store: Store) -> None:
    assert np.isnan(drawn_of(store, Elsewhere(missing=1)).aux.value).all()
    assert (drawn_of(store, Elsewhere(dates="none")).aux.day == NO_DAY).all()
    share = np.isnan(drawn_of(store, Elsewhere(overlap_fraction=1, missing=0.3)).aux.value).mean()
    assert 0.25 < share < 0.35


def test_whose_record_is_there(store: Store) -> None:
    """By chance, whatever else is varied; with present=false, nobody's."""
    some = drawn_of(store, Elsewhere(member_fraction=0.4)).truth.absent
    assert 0.4 < some.mean() < 0.8
    more = drawn_of(
        store, Elsewhere(member_fraction=0.6, overlap_fraction=1, missing=0)
    ).truth.absent
    assert not (more & ~some).any()
    assert drawn_of(store, Elsewhere(present=False)).truth.absent.all()
    assert drawn_of(store, Elsewhere(member_fraction=0)).truth.absent.all()


@given(seed=st.integers(0, 2**64 - 1), cut=st.integers(1, 59))
def test_a_person_does_not_depend_on_the_others(store: Store, seed: int, cut: int) -> None:
    adversary = Elsewhere(overlap_fraction=0.4, extra_items_ratio=1)
    subjects = np.flatnonzero(adversary.eligible(store, seed))
    whole = adversary.draw(store, 0, subjects, seed)
    parts = [adversary.draw(store, 0, part, seed) for part in np.split(subjects, [cut])]
    joined = Drawn.concatenate(parts)
    for name, column in columns(whole).items():
        np.testing.assert_array_equal(column, columns(joined)[name])


def test_releases_without_values_or_dates(make_store: MakeStore) -> None:
    drawn = drawn_of(
        make_store(random_rows(2, values=False, days=False)), Elsewhere(same_day_fraction=1)
    )
    assert np.isnan(drawn.aux.value).all()
    assert (drawn.aux.day == NO_DAY).all()
    partly = make_store(random_rows(2, missing=0.4))
    drawn = drawn_of(partly, EXACT)
    np.testing.assert_array_equal(
        drawn.aux.day == NO_DAY, drawn.truth.own_day == partly.manifest.n_days
    )


def test_whoever_holds_everything_mentions_nothing_else(make_store: MakeStore) -> None:
    store = make_store([(r, i, 3.0, 10_000 + r) for r in (1, 2) for i in (1, 2, 3)])
    assert drawn_of(store, Elsewhere(extra_items_ratio=5)).truth.own_held.all()


def test_facts_of_lists_every_cell(store: Store) -> None:
    subjects = np.array([0, 3, 16, 17, 40])
    facts = facts_of(store, subjects)
    whole = plain(store)
    record = subjects[facts.whose]
    assert facts.item.size == store.length[subjects].sum()
    assert whole.held[record, facts.item].all()
    np.testing.assert_array_equal(store.scale[facts.level], whole.value[record, facts.item])
    assert facts.place[0] == 0
    assert facts_of(store, subjects[:0]).item.size == 0


def test_removing_the_only_record_is_refused(make_store: MakeStore) -> None:
    lonely = make_store([(1, 1, 3.0, 10_000), (1, 2, 3.0, 10_000)])
    with pytest.raises(GridError, match="leaves no record"):
        Elsewhere().eligible(lonely, 1)
    assert Elsewhere(member_fraction=1).eligible(lonely, 1).all()
    assert not Elsewhere(member_fraction=1, min_items=2).eligible(lonely, 1).any()


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("adversary.member_fraction=1.5", "adversary.member_fraction: 1.5: expected a share"),
        (
            "adversary.overlap_fraction=0",
            "adversary.overlap_fraction: 0.0: expected a share above 0",
        ),
        ("adversary.value_noise=-1", "adversary.value_noise: -1.0: expected 0 or more"),
        ("adversary.min_items=0", "adversary.min_items: 0: expected 1 or more"),
        ("grid=sweep", "adversary=elsewhere needs another; set grid=people"),
        ("attack=bayes", "attack=bayes: needs"),
    ],
)
def test_what_cannot_be_is_refused(override: str, said: str) -> None:
    config = configured("adversary=elsewhere", "grid=people", override)
    with pytest.raises(ConfigError) as error:
        check_config(config)
    assert said in str(error.value)


def test_the_experiment() -> None:
    (cell,) = cells_of(configured("experiment=ns08_imdb"), DAY)
    assert cell.adversary == Elsewhere()
