"""Fits a grid to a release: what the release cannot have is left out, with the reason (spec §9).

Invariant: what is left out depends on the release, the grid, and on which axes the user set, not on
the targets that are drawn. A value that the user asked for is never left out: the release has it,
or it is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.draw import Sampling, can_be_wrong
from sim.axes.aux import AuxAxis, with_facts
from sim.axes.axis import REQUIRED, config_text, tidy
from sim.axes.registry import AXES
from sim.errors import GridError
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store
from sim.study.grid import GridCell
from sim.study.plan import no_target


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Part of a grid that a release cannot have.

    Parameters
    ----------
    axes : dict of str to object
        The value of an axis, or of several: all grid cells with them.
    reason : str
        Its code; what is lacking of an axis, or too wide, is that of the axis.
    instead : dict of str to object
        What takes its place; empty where other values or cells are left.
    numbers : dict of str to float
        Of the reason.
    most : int or None
        Of numbers of facts, the most that anybody has; of those who are released, where the
        publisher left some out.
    able : int or None
        The people who have as many facts as were left out, or as `most` where nobody has.
    test : str or None
        The value of ``aux`` by which these can be attacked: some facts are wrong only if they can
        be. None: nobody can be attacked by more facts than are left.
    between : dict of str to int
        The values of ``aux`` with more facts than are left and fewer than `test`, ascending, each
        with the people who can be attacked by it.
    """

    axes: Mapping[str, Any]
    reason: str
    instead: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    most: int | None = None
    able: int | None = None
    test: str | None = None
    between: Mapping[str, int] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return it for ``run.json``."""
        return asdict(self)


def fit_axes(
    axes: Mapping[str, Sequence[Any]], release: Manifest, asked: Collection[str]
) -> tuple[dict[str, list[Any]], list[LeftOut]]:
    """Leave out the values of axes that a release cannot have.

    Parameters
    ----------
    axes : dict of str to sequence
        Values of the axes of a grid, each of which can be read.
    asked : collection of str
        The axes that the user set.

    Returns
    -------
    axes : dict of str to list
        At least one value each.
    left_out : list of LeftOut

    Raises
    ------
    GridError
        The release cannot have a value that the user asked for.
    """
    kept: dict[str, list[Any]] = {}
    left_out: list[LeftOut] = []
    for name, values in axes.items():
        axis = AXES.all()[name]()
        instead = axis.instead(release)
        reasons = {}
        for place, value in enumerate(values):
            lacks = axis.lacks(value, release)
            if lacks and name in asked:
                other = (
                    ""
                    if instead is REQUIRED
                    else f", or set 'grid.{name}=[{config_text(instead)}]'"
                )
                raise GridError(
                    f"grid.{name}: {config_text(tidy(value))}: {lacks}; "
                    f"leave grid.{name} out{other}"
                )
            if lacks:
                reasons[place] = f"{name}_lacking"
            elif name not in asked and axis.too_wide(value, release):
                reasons[place] = f"{name}_too_wide"
        kept[name] = [
            axis.written(value, release)
            for place, value in enumerate(values)
            if place not in reasons
        ]
        taken: dict[str, Any] = {}
        if not kept[name]:
            kept[name] = [instead]
            taken = {name: instead}
        left_out += [
            LeftOut({name: tidy(values[place])}, reason, taken) for place, reason in reasons.items()
        ]
    return kept, left_out


FACTS = (8, 4, 2, 1)
"""Numbers of facts to choose from where too few records have those of a grid (spec §9)."""


def fit_facts(
    values: Sequence[Any],
    length: NDArray[np.int32],
    least: float,
    released: NDArray[np.int32] | None = None,
) -> tuple[list[Any], list[LeftOut]]:
    """Leave out numbers of facts that too few records have.

    Where none is left, the largest of 8, 4, 2 and 1 facts that enough records have takes their
    place, with the same share of them right. Where the publisher left some people out, what is
    enough of all records, or of those that are released, is enough.

    Parameters
    ----------
    values : sequence of object
        Of the axis ``aux``, ascending.
    length : int32 array, shape (n_records,)
        Cells of each record.
    least : float
        The smallest share of records that is enough; 0: any.
    released : int32 array, shape (n_released,), optional
        The same of the records that are released, where the publisher left some out.

    Examples
    --------
    >>> kept, gone = fit_facts(["2/2", "6/8"], np.array([2, 2, 9, 1], np.int32), 0.5)
    >>> kept, gone[0].reason, gone[0].numbers
    (['2/2'], 'few_have_facts', {'least': 0.5, 'facts': 8})
    >>> fit_facts(["6/8"], np.array([2, 2, 9, 1], np.int32), 0.5)[0]
    ['2/2']
    >>> fit_facts(["6/8"], np.array([2, 2, 9, 1], np.int32), 0.5, np.array([9], np.int32))[0]
    ['6/8']
    """
    axis, whose = AuxAxis(), length if released is None else released

    def enough(size: int) -> bool:
        return any(np.count_nonzero(of >= size) >= least * of.size for of in (length, whose))

    those = {} if released is None else {"released": int(released.size)}
    sizes, most_had = {value: axis.parsed(value) for value in values}, int(whose.max(initial=0))
    gone = [value for value, (_, size) in sizes.items() if not enough(size)]
    kept = [value for value in values if value not in gone]
    instead: dict[str, Any] = {}
    if not kept:
        _, size = sizes[gone[0]]
        most = next(n for n in FACTS if n < size and enough(n))
        kept = [with_facts(gone[0], most)]
        instead = {axis.name: kept[0]}
    return kept, [
        LeftOut(
            {axis.name: value},
            "few_have_facts",
            instead,
            {"least": least, "facts": sizes[value][1], **those},
            most_had,
            int(np.count_nonzero(whose >= min(sizes[value][1], most_had))),
        )
        for value in gone
    ]


def fit_wrong(
    cells: Sequence[GridCell], store: Store, least: float
) -> tuple[list[Any], list[LeftOut]]:
    """Make all facts right where too few records lack the items that wrong facts could be about.

    Parameters
    ----------
    store : Store
        The data that facts are drawn from.
    least : float
        The smallest share of records that is enough; 0: any.

    Returns
    -------
    values : list of object
        Of the axis ``aux``, each once.
    left_out : list of LeftOut
    """
    axis, kept, left_out = AuxAxis(), dict[Any, None](), list[LeftOut]()
    by_item = {
        cell.axes[axis.name]: cell.adversary.knowledge
        for cell in cells
        if isinstance(cell.adversary, Sampling) and cell.adversary.knowledge.wrong == "item"
    }
    for value in dict.fromkeys(cell.axes[axis.name] for cell in cells):
        correct, size = axis.parsed(value)
        able = value not in by_item or (
            np.count_nonzero(can_be_wrong(store, by_item[value])) >= least * store.length.size
        )
        if correct == size or able:
            kept[value] = None
            continue
        right = f"{size}/{size}"
        kept[right] = None
        numbers = {"least": least, "wrong": size - correct}
        left_out.append(LeftOut({axis.name: value}, "few_lack_items", {axis.name: right}, numbers))
    return list(kept), left_out


def fit_cells(
    cells: Sequence[GridCell], store: Store, seed: int, asked: Collection[str]
) -> tuple[list[GridCell], list[LeftOut]]:
    """Leave out the grid cells in which no record can be a target; number the others anew.

    Parameters
    ----------
    store : Store
        The data that facts are drawn from.
    asked : collection of str
        The axes that the user set.

    Raises
    ------
    GridError
        Nothing is left, or nothing of what the user asked for.
    """
    impossible = [
        isinstance(cell.adversary, Sampling) and not cell.adversary.eligible(store, seed).any()
        for cell in cells
    ]
    restricting = [name for name in cells[0].axes if AXES.all()[name].restricts]
    kept: dict[tuple[Any, ...], bool] = {}
    for cell, out in zip(cells, impossible, strict=True):
        key = tuple(cell.axes[name] for name in restricting if name in asked)
        kept[key] = kept.get(key, False) or not out
    for cell in cells:
        key = tuple(cell.axes[name] for name in restricting if name in asked)
        if not kept[key]:
            raise no_target(cell, store)
    gone = [cell for cell, out in zip(cells, impossible, strict=True) if out]
    left = [cell for cell, out in zip(cells, impossible, strict=True) if not out]
    left = [replace(cell, index=index) for index, cell in enumerate(left)]
    return left, list(_places(gone, left, restricting))


def _places(
    gone: Sequence[GridCell], left: Sequence[GridCell], restricting: Sequence[str]
) -> Iterator[LeftOut]:
    """Say what the cells without targets have in common, as briefly as is true, each thing once."""
    told: list[Mapping[str, Any]] = []
    for cell in gone:
        every = [{name: cell.axes[name]} for name in restricting]
        every += [{name: cell.axes[name] for name in restricting}, dict(cell.axes)]
        place = next(axes for axes in every if not any(_lies_in(other, axes) for other in left))
        if place not in told:
            told.append(place)
            yield LeftOut(place, "no_target")


def _lies_in(cell: GridCell, axes: Mapping[str, Any]) -> bool:
    return all(cell.axes[name] == value for name, value in axes.items())
