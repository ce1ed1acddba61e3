"""The targets of every grid cell and their batches, fixed before any work is done.

Targets are the subjects of the cells' adversaries: records of the release, or people of a list.
Batches are cut from the ascending union of all cells' targets, by a size that depends on the
release and the grid alone; so a ledger written with two workers can be resumed with twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.adversary import Adversary
from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling, why_no_target
from sim.adversary.linkage import linkage_of
from sim.adversary.on_release import on_release
from sim.adversary.targets import draw_targets
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.block_tree import most_held, n_groups
from sim.errors import GridError
from sim.release.store.store import Store
from sim.study.grid import GridCell

_POSTINGS_A_BATCH = 200e6  # a fraction of a second of scanning: far above a message's cost
_OF_CANDIDATES = 0.25  # what an attack costs that looks at candidates first, at most
_LEAST_BATCHES = 16  # so that several workers have work and an interruption costs little
_LEAST_OF_GROUPS = 4  # where workers share groups of blocks too, and a batch goes through hundreds
_PARTIAL_BYTES_A_BATCH = 64 << 20  # several are on their way, and memory may be little
_TARGETS_A_BATCH = (16, 2048)


@dataclass(frozen=True, slots=True)
class Released:
    """Subjects who have a record in the release, and those of them who are eligible.

    Parameters
    ----------
    n_no_wrong_item : int
        Those of them with enough facts, but so many items that too few are left for wrong facts.
    """

    n_subjects: int
    n_eligible: int
    n_no_wrong_item: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a study.

    Parameters
    ----------
    targets : list of int64 array
        Targets of each cell, ascending.
    eligible : list of int
        Eligible subjects of each cell.
    n_subjects : int
        Subjects there are: records, or people.
    everyone : int64 array
        Union of all targets, ascending.
    batch_targets : int
        Targets in a batch; the last may hold fewer.
    truth : Store or None
        The data before the publisher changed them into the release under attack: what the aux is
        drawn from. None where they are the release itself.
    released : list of Released or None
        Of each cell, who is in the release; None where all subjects are, or nobody knows.
    no_wrong_item : list of int
        Of each cell, the subjects with enough facts, but so many items that too few are left for
        the wrong facts; empty where there are none in any cell.
    """

    cells: list[GridCell]
    targets: list[NDArray[np.int64]]
    eligible: list[int]
    n_subjects: int
    everyone: NDArray[np.int64]
    batch_targets: int
    seed: int
    truth: Store | None = None
    released: list[Released] | None = None
    no_wrong_item: list[int] = field(default_factory=list)

    @property
    def n_batches(self) -> int:
        """Number of batches."""
        return -(-self.everyone.size // self.batch_targets)

    @property
    def attacks_all(self) -> bool:
        """Whether every eligible subject of some cell is a target."""
        pairs = zip(self.targets, self.eligible, strict=True)
        return any(targets.size == eligible for targets, eligible in pairs)

    @property
    def n_units(self) -> int:
        """Number of (cell, target) pairs."""
        return sum(t.size for t in self.targets)

    @property
    def people(self) -> Any:
        """Identifiers (a pyarrow array) that `GroundTruth.person` numbers; None if it is empty."""
        people = self.cells[0].adversary.people
        return self.truth.records if people is None and self.truth is not None else people

    def draw(self, store: Store, batch: int) -> Drawn:
        """Draw the aux of one batch, cell by cell.

        Parameters
        ----------
        store : Store
            The release under attack.
        """
        here = self.everyone[batch * self.batch_targets : (batch + 1) * self.batch_targets]
        truth = store if self.truth is None else self.truth
        parts = []
        last: tuple[Any, Drawn] | None = None
        for cell, targets in zip(self.cells, self.targets, strict=True):
            begin, end = np.searchsorted(targets, [here[0], here[-1] + 1])
            first, whole = _of_the_first(cell.adversary)
            try:
                # Cells that know more and more of the same facts differ in nothing else.
                if first is None or last is None or last[0] != (whole, begin, end):
                    drawn = whole.draw(truth, cell.index, targets[begin:end], self.seed)
                    last = (whole, begin, end), drawn
            except GridError as error:
                raise GridError(f"grid cell {cell.index}: {error}") from None
            parts.append(last[1] if first is None else last[1].first_facts(first, cell.index))
        drawn = Drawn.concatenate(parts)
        if self.truth is None:
            return drawn
        # A target the publisher left out has no number in the release; its name is kept.
        person = drawn.truth.person if drawn.truth.person.size else drawn.truth.target
        restated = on_release(drawn, self.truth, store)
        return replace(restated, truth=replace(restated.truth, person=person))


def _of_the_first(adversary: Adversary) -> tuple[int | None, Adversary]:
    """Return the number of known facts, and the adversary who knows all of them."""
    if isinstance(adversary, Sampling) and adversary.knowledge.first is not None:
        known = adversary.knowledge
        return known.first, replace(adversary, knowledge=replace(known, first=None))
    return None, adversary


def make_plan(
    store: Store,
    cells: Sequence[GridCell],
    attack: Algorithm,
    n_targets: int | None,
    seed: int,
    truth: Store | None = None,
) -> Plan:
    """Choose the targets of every cell and cut them into batches.

    Parameters
    ----------
    store : Store
        The release under attack.
    attack : Algorithm
        For the size of its partials.
    n_targets : int or None
        Targets per cell; None is every eligible subject.
    truth : Store, optional
        See `Plan`.

    Raises
    ------
    GridError
        A cell has no eligible target.
    """
    targets, eligible, released, no_wrong_item = [], [], [], []
    kept = None if truth is None else _kept(store, truth, cells)
    for cell in cells:
        drawn_from = store if truth is None else truth
        able, full = _eligible(drawn_from, cell, seed), _without_wrong(drawn_from, cell)
        eligible.append(int(np.count_nonzero(able)))
        no_wrong_item.append(int(np.count_nonzero(full)))
        if kept is not None:
            who = (kept, able & kept, full & kept)
            released.append(Released(*(int(np.count_nonzero(each)) for each in who)))
        targets.append(draw_targets(able, n_targets, seed))
    everyone = np.unique(np.concatenate(targets))
    size = _batch_targets(store, cells, attack, everyone.size)
    return Plan(
        *(list(cells), targets, eligible, able.size, everyone, size, seed, truth),
        released=None if kept is None else released,
        no_wrong_item=no_wrong_item if any(no_wrong_item) else [],
    )


def _kept(store: Store, truth: Store, cells: Sequence[GridCell]) -> NDArray[np.bool_] | None:
    """Whether each record of the truth has one in the release; None: subjects are of a list."""
    if any(cell.adversary.people is not None for cell in cells):
        return None
    start, _ = linkage_of(truth, store).records_of(np.arange(truth.manifest.n_records))
    return np.diff(start) > 0


def _eligible(store: Store, cell: GridCell, seed: int) -> NDArray[np.bool_]:
    try:
        able = cell.adversary.eligible(store, seed)
    except GridError as error:
        raise GridError(f"{cell}: {error}") from None
    if able.any():
        return able
    if isinstance(cell.adversary, Sampling):
        raise no_target(cell, store)
    found = ", ".join(f"{what}: {n}" for what, n in cell.adversary.notes(store).items())
    raise GridError(
        f"{cell}: no one on the list can be attacked; check that the identifiers are "
        f"those of the release ({found})"
    )


def _without_wrong(store: Store, cell: GridCell) -> NDArray[np.bool_]:
    if isinstance(cell.adversary, Sampling):
        return cell.adversary.without_wrong(store)
    return np.zeros(1, np.bool_)


def no_target(cell: GridCell, store: Store) -> GridError:
    """Return the error that no record can be a target in a grid cell of a `Sampling`.

    Parameters
    ----------
    store : Store
        The data that facts are drawn from.
    """
    known = cell.adversary.knowledge
    assert known is not None
    why, instead = why_no_target(store, known)
    return GridError(f"{cell}: no eligible target: {why}; {instead}")


def postings_per_fact(store: Store) -> float:
    """Expected cells of an item the adversary knows: that of a uniform cell of the release."""
    cells = store.cells.astype(np.float64)
    return float((cells * cells).sum() / cells.sum())


def _facts_scanned(cells: Sequence[GridCell], attack: Algorithm) -> float:
    """Facts to scan for one target of every cell: once where cells know more of the same ones."""
    shared = attack.is_monotone or not attack.looks_at_everybody
    most: dict[Any, float] = {}
    for cell in cells:
        first, whole = _of_the_first(cell.adversary)
        key = cell.index if first is None or not shared else whole
        most[key] = max(most.get(key, 0.0), cell.adversary.typical_facts)
    return sum(most.values())


def _batch_targets(
    store: Store, cells: Sequence[GridCell], attack: Algorithm, n_targets: int
) -> int:
    facts = _facts_scanned(cells, attack)
    cost = facts * postings_per_fact(store)
    if not attack.looks_at_everybody:
        cost *= _OF_CANDIDATES
    by_cost = _POSTINGS_A_BATCH / cost
    n_blocks = store.manifest.n_blocks
    least = max(_LEAST_BATCHES // n_groups(n_blocks), _LEAST_OF_GROUPS)
    by_cost = min(by_cost, n_targets / least)
    low, high = _TARGETS_A_BATCH
    partials = len(cells) * attack.partial_bytes(store) * most_held(n_blocks)
    return max(1, min(int(np.clip(by_cost, low, high)), _PARTIAL_BYTES_A_BATCH // partials))
