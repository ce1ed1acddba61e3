"""Properties of an attack that decide which measures apply to it."""

from __future__ import annotations

from dataclasses import dataclass

from sim.attack.engine.algorithm import Algorithm
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackProperties:
    """Properties of an attack that its measures depend on.

    Parameters
    ----------
    n_records : int
        N, the records of the release.
    phi : float
        The run's φ.
    answers_with_set : bool
        The matching set is the answer, a set of equally likely records.
    list_is_top : bool
        The matching set is a top stretch of the candidates by score. If not (`correlation`
        matches records by a rule), all candidates are taken for the set.
    log_scores : bool
        Scores are logarithms: −∞ rules a record out.
    entropy : bool
        The entropy is measured.

    Examples
    --------
    >>> AttackProperties(n_records=100, phi=1.5).list_is_top
    True
    """

    n_records: int
    phi: float
    answers_with_set: bool = False
    list_is_top: bool = True
    log_scores: bool = False
    entropy: bool = False


def attack_properties(attack: Algorithm, store: Store) -> AttackProperties:
    """Return the properties of an attack on a release."""
    measured = attack.entropy_is_measured
    return AttackProperties(
        n_records=store.manifest.n_records,
        phi=attack.phi,
        answers_with_set=attack.answers_with_set,
        list_is_top=attack.list_is_top,
        log_scores=attack.log_scores,
        entropy=measured == "always" or (measured == "asked" and attack.entropy),
    )
