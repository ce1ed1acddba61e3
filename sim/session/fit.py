"""Fits the grid of a configuration to the release that it is run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.linkage import linkage_of
from sim.adversary.list_lengths import longest_lists
from sim.config.own_overrides import keys_of
from sim.config.schema import AuxConfig, Config, ElsewhereConfig, MentionsConfig, PeopleConfig
from sim.release.store.store import Store
from sim.release.store.time_spans import TimeSpan
from sim.session.checks import AUTO
from sim.session.open_release import cache_of
from sim.session.people import check_people, grid_of
from sim.study.fit_grid import LeftOut, fit_axes, fit_cells, fit_facts, fit_wrong
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
        released = _lengths_of_released(release, truth)
        axes["aux"], fewer = fit_facts(axes["aux"], truth.length, config.min_eligible, released)
        fitting = replace(fitting, grid=replace(fitting.grid, **axes))
        left_out += fewer
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


def _lengths_of_released(release: Store, truth: Store) -> NDArray[np.int32] | None:
    """Return the lengths, in the original, of those who are released; None: nobody is left out."""
    people = np.unique(linkage_of(truth, release).record) if release is not truth else None
    if people is None or np.count_nonzero(people >= 0) == truth.manifest.n_records:
        return None
    return truth.length[people[people >= 0]]


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
    longest = longest_lists(truth, given, config.seed, adversary.activity_exponent)
    if longest == given:
        return config, []
    reason = f"too few records hold, and lack, more than {longest} items"
    left_out = LeftOut({"max_length": given}, reason, {"max_length": longest})
    return replace(config, adversary=replace(adversary, max_length=longest)), [left_out]


def _with_coarser_dates(
    config: Config, adversary: ElsewhereConfig, release: Store
) -> tuple[Config, list[LeftOut]]:
    """Make the default error of another site's dates a bin of time, where that is wider."""
    width, given = release.manifest.bins, TimeSpan.parse(adversary.date_noise)
    why = given.misfit(width)
    if not (why and release.manifest.has_days):
        return config, []
    wider = TimeSpan.of_bins(1, width).value
    changed = replace(config, adversary=replace(adversary, date_noise=wider))
    return changed, [LeftOut({"date_noise": given.value}, why, {"date_noise": wider})]


def _is(cell: GridCell, axis: str, value: Any) -> bool:
    """Whether a cell has a value on an axis; it has the neutral ones of unused axes."""
    return axis not in cell.axes or bool(cell.axes[axis] == value)
