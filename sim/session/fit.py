"""Fits the grid of a configuration to the release that it is run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.draw import Sampling
from sim.adversary.linkage import linkage_of
from sim.adversary.list_lengths import longest_lists
from sim.adversary.mentions import Mentions
from sim.axes.aux import AuxAxis, facts_of, with_facts
from sim.config.own_overrides import keys_of
from sim.config.schema import AuxConfig, Config, ElsewhereConfig, MentionsConfig, PeopleConfig
from sim.release.store.store import Store
from sim.release.store.time_spans import TimeSpan
from sim.session.checks import AUTO
from sim.session.open_release import cache_of
from sim.session.people import check_people, grid_of
from sim.study.fit_grid import FACTS, LeftOut, fit_axes, fit_cells, fit_facts, fit_wrong
from sim.study.grid import GridCell
from sim.study.wrong_facts import choose_wrong, kinds_of_wrong

_PAIRS = 10_000_000_000
"""Targets × records of a grid cell that ``targets=auto`` allows: those of 100,000 records."""

_FEWEST_TARGETS = 1_000


def sized(config: Config, truth: Store) -> Config:
    """Put a number, or ``all``, in the place of ``targets=auto``.

    All records are attacked if targets × records is at most `_PAIRS`; otherwise a sample of that
    size, of at least `_FEWEST_TARGETS`.

    Parameters
    ----------
    truth : Store
        The data that facts are drawn from.
    """
    if config.targets != AUTO:
        return config
    n = truth.manifest.n_records
    most = max(_PAIRS // n, _FEWEST_TARGETS)
    return replace(config, targets="all" if n <= most else most)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The grid of a study as it can be run on a release.

    Parameters
    ----------
    config : Config
        With the values of the axes that the release can have.
    """

    config: Config
    cells: list[GridCell]
    left_out: list[LeftOut]

    def record(self) -> dict[str, Any]:
        """Return what was left out, and what is wrong about wrong facts, for ``run.json``."""
        about = {"left_out": [one.described() for one in self.left_out]}
        if isinstance(self.config.adversary, AuxConfig):
            return about | {"wrong_facts": kinds_of_wrong(self.cells)}
        return about


def fitted(config: Config, release: Store, truth: Store, overrides: Sequence[str]) -> Fitted:
    """Fit the grid of a configuration to a release.

    Parameters
    ----------
    truth : Store
        The data that facts are drawn from.
    overrides : sequence of str
        What the user typed: of this nothing is left out.

    Raises
    ------
    ConfigError, InputError, StoreError
    GridError
        The release cannot have what the user asked for.
    """
    keys = keys_of(overrides)
    asked = {key.removeprefix("grid.") for key in keys if key.startswith("grid.")}
    axes, left_out = fit_axes(vars(config.grid), release.manifest, asked)
    fitting = replace(config, grid=replace(config.grid, **axes))
    if isinstance(config.adversary, MentionsConfig) and "adversary.max_length" not in keys:
        fitting, shorter = _with_shorter_lists(fitting, config.adversary, truth)
        left_out += shorter
    if isinstance(config.adversary, ElsewhereConfig) and "adversary.date_noise" not in keys:
        fitting, coarser = _with_coarser_dates(fitting, config.adversary, release)
        left_out += coarser
    if isinstance(config.adversary, AuxConfig) and "aux" not in asked:
        people = _released(release, truth)
        released = None if people is None else truth.length[people]
        axes["aux"], fewer = fit_facts(axes["aux"], truth.length, config.min_eligible, released)
        fitting = replace(fitting, grid=replace(fitting.grid, **axes))
        left_out += [_with_test(one, fitting, release, truth, people) for one in fewer]
    cells = _cells(fitting, release, truth)
    if isinstance(config.adversary, AuxConfig) and "aux" not in asked:
        axes["aux"], right = fit_wrong(cells, truth, config.min_eligible)
        if right:
            fitting = replace(fitting, grid=replace(fitting.grid, **axes))
            cells = _cells(fitting, release, truth)
            left_out += right
    cells, impossible = fit_cells(cells, truth, config.seed, asked)
    used = {
        name: [v for v in values if any(_is(cell, name, v) for cell in cells)]
        for name, values in axes.items()
    }
    fitting = replace(fitting, grid=replace(fitting.grid, **used))
    return Fitted(fitting, cells, [*left_out, *impossible])


def _released(release: Store, truth: Store) -> NDArray[np.int64] | None:
    """Return the people of the original who are released; None: nobody is left out."""
    if release is truth:
        return None
    people = np.unique(linkage_of(truth, release).record)
    people = people[people >= 0]
    return None if people.size == truth.manifest.n_records else people


def _with_test(
    one: LeftOut,
    config: Config,
    release: Store,
    truth: Store,
    people: NDArray[np.int64] | None,
) -> LeftOut:
    """Name the most facts, up to those left out, that anybody who is released can be attacked by.

    Fewer are named as well, where they are more than those that are left.

    Parameters
    ----------
    one : LeftOut
        A number of facts.
    config : Config
        With those that are left.
    people : int64 array or None
        Those who are released, as `_released` returns them.
    """

    def able(aux: str) -> int:
        grid = replace(config.grid, **{AuxAxis.name: [aux]})
        cells = _cells(replace(config, grid=grid), release, truth)
        every = (
            cell.adversary.eligible(truth, config.seed)
            for cell in cells
            if isinstance(cell.adversary, Sampling)
        )
        counts = (np.count_nonzero(e if people is None else e[people]) for e in every)
        return int(max(counts, default=0))

    def testing(n: int) -> str:
        some_wrong = with_facts(meant, n)
        return some_wrong if able(some_wrong) else f"{n}/{n}"

    meant, given = one.axes[AuxAxis.name], max(map(facts_of, vars(config.grid)[AuxAxis.name]))
    size = facts_of(meant)
    for n in range(min(size, one.most or 0), given, -1):
        have = able(f"{n}/{n}")
        if have:
            most = one.most if n == size else n
            between = {
                testing(fewer): able(f"{fewer}/{fewer}")
                for fewer in sorted(FACTS)
                if given < fewer < n
            }
            return replace(one, most=most, able=have, test=testing(n), between=between)
    return replace(one, most=min(given, one.most or 0))


def _cells(config: Config, release: Store, truth: Store) -> list[GridCell]:
    cells = grid_of(config, cache_of(config.data), release.manifest.bins)
    if isinstance(config.adversary, PeopleConfig):
        check_people(config.adversary, cells, truth)
    if isinstance(config.adversary, AuxConfig) and config.adversary.wrong == AUTO:
        return choose_wrong(cells, truth)
    return cells


def _with_shorter_lists(
    config: Config, adversary: MentionsConfig, truth: Store
) -> tuple[Config, list[LeftOut]]:
    """Leave out the lists of mentions that are too long for any record."""
    given = adversary.max_length
    longest = longest_lists(truth, given, config.seed, Mentions().activity_exponent)
    if longest == given:
        return config, []
    numbers = {"longest": longest}
    left_out = LeftOut({"max_length": given}, "few_hold_mentions", {"max_length": longest}, numbers)
    return replace(config, adversary=replace(adversary, max_length=longest)), [left_out]


def _with_coarser_dates(
    config: Config, adversary: ElsewhereConfig, release: Store
) -> tuple[Config, list[LeftOut]]:
    """Make the default error of another site's dates a bin of time, where that is wider."""
    width, given = release.manifest.bins, TimeSpan.parse(adversary.date_noise)
    if not (given.misfit(width) and release.manifest.has_days):
        return config, []
    wider = TimeSpan.of_bins(1, width).value
    changed = replace(config, adversary=replace(adversary, date_noise=wider))
    return changed, [
        LeftOut({"date_noise": given.value}, "date_noise_lacking", {"date_noise": wider})
    ]


def _is(cell: GridCell, axis: str, value: Any) -> bool:
    """Whether a cell has a value on an axis; it has the neutral ones of unused axes."""
    return axis not in cell.axes or bool(cell.axes[axis] == value)
