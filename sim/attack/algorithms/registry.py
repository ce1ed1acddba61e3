"""The registry of attacks: those of `sim.attack.algorithms`, and those of plug-ins."""

from __future__ import annotations

from sim.attack.engine.algorithm import Algorithm
from sim.extend.plugins import Registry

ATTACKS: Registry[Algorithm] = Registry(Algorithm, "sim.attack.algorithms", "standout.attacks")


def attack_class(name: str) -> type[Algorithm]:
    """Return the class that describes an attack of a run: `Algorithm` where none is installed.

    Examples
    --------
    >>> attack_class("bayes").log_scores, attack_class("not installed").log_scores
    (True, False)
    """
    return ATTACKS.get(name) or Algorithm


def attack_title(name: str) -> str:
    """Return the name of an attack in figures and sentences.

    Examples
    --------
    >>> attack_title("tf_idf"), attack_title("my_attack")
    ('TF-IDF', 'My attack')
    """
    return attack_class(name).label or name.replace("_", " ").capitalize()
