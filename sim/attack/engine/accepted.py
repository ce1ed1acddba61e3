"""Refuses what an attack's `scan` returns where the kernels could not take it.

The kernels index arrays without looking at their ends, so one of another shape would end the
process; and they take a NaN for a record that is no candidate, so one in a contribution would look
like nobody who can be found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.errors import GridError
from sim.release.store.store import Store


def accepted(attack: str, given: object, store: Store, aux: Aux) -> ScoreSpec:
    """Return the score that an attack states for some aux sets, if it can be one.

    Parameters
    ----------
    attack : str
        Its name.
    given : object
        What `scan` returned for the aux sets.

    Raises
    ------
    GridError
        It is no `ScoreSpec`, an array has another shape, or a contribution is NaN.
    """
    if not isinstance(given, ScoreSpec):
        what = "None" if given is None else f"an instance of {type(given).__name__}"
        raise GridError(f"attack {attack}: scan returned {what}; expected a ScoreSpec")
    for name, array, expected in _shapes(given, store, aux):
        shape = np.shape(array)
        if len(shape) != len(expected) or any(
            n is not None and n != there for n, there in zip(expected, shape, strict=True)
        ):
            wanted = ", ".join("any" if n is None else str(n) for n in expected)
            raise GridError(
                f"attack {attack}: scan returned {name} of shape {shape}; expected "
                f"({wanted}{',' if len(expected) == 1 else ''})"
            )
    for name, array, of_facts in _numbers(given):
        # The least of some numbers is NaN if one of them is; one pass, and nothing is allocated.
        if array.size and np.isnan(array.min()):
            rows = np.isnan(array).reshape(len(array), -1).any(axis=1)
            row = int(np.argmax(rows))
            cell = aux.cell[aux.unit[row] if of_facts else row]
            raise GridError(
                f"attack {attack}: grid cell {cell}: scan returned NaN in {name}; expected numbers"
            )
    return given


def _shapes(
    spec: ScoreSpec, store: Store, aux: Aux
) -> Iterator[tuple[str, NDArray[np.generic], tuple[int | None, ...]]]:
    """Yield arrays and their shapes, of which None is any number; arrays may be left out empty."""
    units, facts, levels = len(aux), aux.item.size, store.scale.size + 1
    parts = spec.contributions
    yield "base", spec.base, (units,)
    if len(spec.required):
        yield "required", spec.required, (facts,)
    if len(spec.feature):
        yield "feature", spec.feature, (None, store.manifest.n_records)
        yield "group", spec.group, (units,)
    if spec.form == ScoreForm.BOTH:
        yield "need", spec.need, (units, 2)
    if not facts:
        return
    yield "contributions.day_offset", parts.day_offset, (facts,)
    if spec.counted.number.size:
        return  # of the contributions only the days are used
    if np.size(parts.choice):
        yield "contributions.choice", parts.choice, (facts, None, levels)
        return
    yield "contributions.add", parts.add, (facts, levels)
    yield "contributions.mul", parts.mul, (facts, levels)


def _numbers(spec: ScoreSpec) -> Iterator[tuple[str, NDArray[np.float64], bool]]:
    """Yield arrays that may hold no NaN, and whether their rows are facts rather than aux sets."""
    yield "base", spec.base, False
    yield "contributions.add", spec.contributions.add, True
    yield "contributions.mul", spec.contributions.mul, True
    yield "contributions.choice", spec.contributions.choice, True
