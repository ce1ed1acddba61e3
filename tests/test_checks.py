"""What a release and an attack must have for a grid, said before any work is done."""

from __future__ import annotations

import pytest
from making import MakeStore, Row, random_rows
from studying import configured

from sim.errors import ConfigError, GridError
from sim.release.store.time_bins import DAY
from sim.session.checks import attack_of, cells_of, check_config, check_release
from sim.session.fit import fitted

TABLE = ("data=table", "data.path=none.csv", "data.user=who", "data.item=what")
PEOPLE = (
    *("adversary=external", "grid=people", "adversary.path=none.csv"),
    *("adversary.user=who", "adversary.item=what"),
)
NOTHING = ("grid.date_noise=[null]", "grid.value_noise=[null]")


def refuse(make_store: MakeStore, rows: list[Row], *overrides: str) -> str:
    config, store = configured(*overrides), make_store(rows)

    def check() -> None:
        cells = fitted(config, store, store, overrides).cells
        check_release(attack_of(config.attack, cells), cells, store.manifest)

    with pytest.raises(GridError) as error:
        check()
    return str(error.value)


@pytest.mark.parametrize(
    ("values", "days", "overrides", "said"),
    [
        (
            True,
            False,
            ("grid.date_noise=[null,3]",),
            "grid.date_noise: 3: the release has no dates",
        ),
        (False, True, ("grid.value_noise=[0]",), "grid.value_noise: 0: the release has no values"),
        (False, True, ("attack=scoring_rated",), "needs values"),
        (False, False, ("adversary.wrong=value",), "leave adversary.wrong out"),
    ],
)
def test_what_is_lacking_is_said(
    make_store: MakeStore, values: bool, days: bool, overrides: tuple[str, ...], said: str
) -> None:
    assert said in refuse(make_store, random_rows(1, values=values, days=days), *overrides)


@pytest.mark.parametrize(
    "choice",
    ["attack=scoreboard_rh", "attack=correlation", "attack=set_intersection", "attack=tf_idf"],
)
def test_what_needs_neither_is_let_through(make_store: MakeStore, choice: str) -> None:
    config = configured(choice, *NOTHING, "grid.aux=[3/3]")
    cells = cells_of(config, DAY)
    rows = random_rows(1, values=False, days=False)
    check_release(attack_of(config.attack, cells), cells, make_store(rows).manifest)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (("study.kind=lengths",), "study.kind: 'lengths': contradicts study=attack"),
        (("study=lengths", "study.kind=attack"), "study.kind: 'attack': contradicts study=lengths"),
        (("data.kind=netflix",), "data.kind: 'netflix': contradicts data=synthetic"),
        (("adversary.kind=external",), "adversary.kind: 'external': contradicts adversary=aux"),
        (("attack.name=bayes",), "attack.name: 'bayes': contradicts attack=scoreboard_rh"),
    ],
)
def test_a_group_is_of_the_kind_that_was_chosen(overrides: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_config(configured(*overrides))
