"""How the publisher changed a release, and what it shows that no attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.adversary.knowledge import reach
from sim.attack.algorithms.registry import ATTACKS, attack_class
from sim.axes.aux import AuxAxis, facts_of
from sim.config.own_overrides import own_key
from sim.config.schema import BOTH, ORIGINAL, RELEASED
from sim.findings.finding import MIND, SERIOUS, Finding, Kind
from sim.numeric.rows import row_dicts
from sim.release.store.accounts import BINS
from sim.release.store.people_counts import FEWEST, ROUNDED_TO, PeopleCounts
from sim.release.store.repeats import Repeats
from sim.study.labels import axis_title, level_text, level_words

_AS_COUNTS = "data.repeats=count"
_BOTH_FACTS = f"audit.known_facts={BOTH}"

APPLIED = Kind("defence_applied", "a defence changed the release; attackers know its method")
UNKNOWN = Kind("defence_unknown", "attackers do not know what a defence did", MIND)
LEFT = Kind("defence_left", "what is left of the data after a defence")
SHOWS_COUNTS = Kind("counts_published", "nobody knows how often", SERIOUS, 0.0, _AS_COUNTS)
KNOWS_COUNTS = Kind("counts_known", "facts say how often; who knows more of them may find more")
FACTS_UNTESTED = Kind("facts_untested", "facts of the other file", MIND, remedy=_BOTH_FACTS)
LENGTHS_UNTESTED = Kind("lengths_untested", "who knows lengths was not tested", MIND)
OWN_FACTS = Kind("own_facts", "a setting of the user decides what attackers know", MIND)
LEVELS_LEFT_OUT = Kind("levels_left_out", "the release cannot have levels of the grid")
LEVEL_REPLACED = Kind("level_replaced", "an attacker knows other than meant", MIND)
ITEMS_ALONE = Kind("items_alone", "records are scored by their items, as nothing else is known")
NOISE_OF_BINS = Kind("noise_of_bins", "errors in % are of the lower end of a bin of values")
NOISE_UNFELT = Kind("noise_without_effect", "an error reaches no other value of the release")
WRONG_VALUES = Kind("wrong_facts_of_values", "wrong facts have a wrong value or date")
WRONG_ITEMS = Kind("wrong_facts_of_items", "wrong facts are about items the target does not hold")
PHI_UNUSED = Kind("phi_unused", "a threshold was set that the attack does not have", MIND)
ERRORS_BEYOND = Kind("errors_beyond_limit", "facts are wrong by more than the attack allows", MIND)
UTILITY = Kind("utility_measured", "what the release is good for, before and after")
NO_UTILITY = Kind("utility_unmeasured", "a measure of utility that cannot be computed")
UNCHANGED = Kind("nothing_changed", "no defence changed the data")
IDLE = Kind("defence_idle", "a setting of a defence reaches nothing in these data", MIND)
WRITTEN = Kind("publication_written", "what a file holds that was written")
COUNTS_WRITTEN = Kind("people_counts_written", "a file of counts of people, and of no records")
LINKAGE = Kind("linkage_written", "a file says whose the records are", MIND)
ALONE = Kind("file_alone", "a file that is audited by itself does not show the original")

_FROM_THE_DATA = ("aux", "mentions", "elsewhere")
"""Adversaries whose facts are drawn from the records."""

_KNOWLEDGE = ("grid.", "adversary.")
"""How keys begin that set what attackers know."""

_LIMITS = {"eps_value": "value_noise", "eps_day": "date_noise"}
"""The axis whose errors each option of an attack allows for."""

_COUNTED = {"people": "n_records", "items": "n_items", "cells": "n_cells"}


def change_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield how a release was changed first, in order, and what the release shows."""
    for place, each in enumerate(record.get("defences") or (), 1):
        kind = APPLIED if each["known_to_attackers"] else UNKNOWN
        how = defence_text(each["name"], each["options"])
        yield kind.found(f"defence:{each['name']}", place=place, how=how)
    yield from left_findings(record)
    yield from counts_published(record)


def defence_text(name: str, options: Mapping[str, Any]) -> str:
    """Return a defence with its options as a chain has it, but for the seed that it draws with.

    Examples
    --------
    >>> defence_text("cap_length", {"n": 3, "seed": 1}), defence_text("drop_time", {})
    ('cap_length.n=3', 'drop_time')
    """
    given = {key: value for key, value in options.items() if key != "seed" and value is not None}
    return " ".join(f"{name}.{key}={value}" for key, value in given.items()) or name


def left_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what each defence of a run has left of the data."""
    read = record.get("read") or {}
    for each in record.get("defences") or ():
        if not (left := each.get("left")):
            continue
        before = {f"{name}_before": read.get(key) for name, key in _COUNTED.items()}
        yield LEFT.found(
            f"defence:{each['name']}",
            of=before.pop("cells_before"),
            count=left["cells"],
            people=left["people"],
            items=left["items"],
            records=left["records"] if left["records"] != left["people"] else None,
            unlinked=left.get("unlinked"),
            ungrouped=left.get("ungrouped"),
            **before,
        )


def untested_facts(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield which facts no attacker of an audit knows, where the release lacks entries."""
    config, defences = record["config"], record.get("defences") or ()
    left = defences[-1].get("left") if defences else None
    drawn = (config.get("adversary") or {"kind": "aux"})["kind"] in _FROM_THE_DATA
    if not (drawn and left and left["cells"] < left.get("theirs", left["cells"])):
        return
    known = config["audit"]["known_facts"]
    for one, other in ((ORIGINAL, RELEASED), (RELEASED, ORIGINAL)):
        if known == one:
            yield FACTS_UNTESTED.found(f"facts:{other}")
    if known != RELEASED:
        yield LENGTHS_UNTESTED.found("people")


def own_facts(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the settings of the user by which attackers know other facts than they are meant to."""
    for one in keys_of_knowledge(record):
        yield OWN_FACTS.found(f"setting:{one}")


def keys_of_knowledge(record: Mapping[str, Any]) -> list[str]:
    """Return the overrides of a run that set what its attackers know."""
    given = map(str, record.get("overrides") or ())
    return [one for one in given if own_key(one).startswith(_KNOWLEDGE)]


def counts_published(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield that anyone can count how often a person has an item, and no attacker knows counts."""
    release = record.get("release") or {}
    if release.get("n_repeats"):
        yield SHOWS_COUNTS.found("items", of=release.get("n_cells"), count=release["n_repeats"])


def has_counts(release: Mapping[str, Any]) -> bool:
    """Whether a release says how often people have items, and not that all have each once.

    Examples
    --------
    >>> has_counts({"repeats": "count", "scale": [1.0, 2.0]}), has_counts({"repeats": "latest"})
    (True, False)
    >>> has_counts({"repeats": "count", "scale": []})
    False
    """
    return release.get("repeats") == Repeats.COUNT and release.get("scale") != []


def counts_known(record: Mapping[str, Any], most: int) -> Iterator[Finding]:
    """Yield of how many items attackers know at most how often, where values are counts.

    Parameters
    ----------
    most : int
        Facts that an attacker knows at most.
    """
    if most and has_counts(record.get("release") or {}):
        yield KNOWS_COUNTS.found("items", most=most)


def grid_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the grid of a run cannot have of what was asked, or has without effect."""
    yield from _levels(record.get("left_out") or ())
    config = record.get("config") or {}
    grid = config.get("grid") or {}
    gone = {axis for one in record.get("left_out") or () for axis in one["instead"]}
    parts = ("value_noise", "date_noise")
    if gone.intersection(parts) and all(None in grid.get(part, ()) for part in parts):
        yield ITEMS_ALONE.found("axis:items")
    yield from _relative_noise(record.get("release") or {}, grid)
    yield from _wrong_facts(record.get("wrong_facts") or (), config.get("adversary") or {})
    scale = (record.get("release") or {}).get("scale") or ()
    yield from _of_attack(record.get("overrides") or (), config.get("attack") or {}, grid, scale)


def replaced_levels(record: Mapping[str, Any], attacker: str = "") -> Iterator[Finding]:
    """Yield what an attacker knows in place of what it is meant to know, but for fewer facts."""
    for one in record.get("left_out") or ():
        for name, given in one["instead"].items():
            meant = one["axes"].get(name)
            if given is None or meant is None:
                continue
            if name == AuxAxis.name and facts_of(given) < facts_of(meant):
                continue  # no other knowledge, but less of it
            yield LEVEL_REPLACED.found(
                f"attacker:{attacker}" if attacker else f"axis:{name}",
                given=_level(name, given),
                meant=_level(name, meant),
                reason=one["reason"],
                **one["numbers"],
            )


def _levels(left_out: Any) -> Iterator[Finding]:
    """Each reason once, with all levels that it is the reason for."""
    reasons: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for one in left_out:
        reasons.setdefault((one["reason"], *one["numbers"].items()), []).append(one)
    for (reason, *_), ones in reasons.items():
        levels = [" with ".join(_level(*pair) for pair in one["axes"].items()) for one in ones]
        axes = dict.fromkeys(axis for one in ones for axis in one["axes"])
        instead = [_level(*pair) for pair in ones[-1]["instead"].items() if pair[1] is not None]
        yield LEVELS_LEFT_OUT.found(
            f"axis:{'+'.join(axes)}",
            count=len(ones),
            levels=", ".join(levels),
            instead=", ".join(instead),
            reason=reason,
            **ones[0]["numbers"],
        )


def _level(name: str, value: Any) -> str:
    if name == "max_length":  # of the adversary's, where the others are axes of the grid
        return "lists of 1 mention" if value == 1 else f"lists of up to {value} mentions"
    return level_words(name, value)


def _relative_noise(release: Mapping[str, Any], grid: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what a percentage is of where values are in bins, and where it changes no value."""
    given = [str(one) for one in grid.get("value_noise") or () if str(one).endswith("%")]
    if given and (release.get("notes") or {}).get(BINS):
        yield NOISE_OF_BINS.found("axis:value_noise", levels=", ".join(given))
    scale = np.array(release.get("scale") or (), np.float64)
    for value in given:
        share = reach(float(value.rstrip("% ")) / 100)
        if not (np.diff(scale) <= share * np.maximum(abs(scale[1:]), abs(scale[:-1]))).any():
            yield NOISE_UNFELT.found("axis:value_noise", level=value)


def _wrong_facts(given: Any, adversary: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what wrong facts are wrong about, where the configuration leaves it open."""
    kinds = [kind for kind in given if kind is not None]
    if adversary.get("wrong") != "auto" or not kinds:
        return
    items = kinds.count("item")
    kind = WRONG_ITEMS if items else WRONG_VALUES
    yield kind.found("setting:adversary.wrong", of=len(kinds), count=items or len(kinds))


def _of_attack(
    overrides: Any, attack: Mapping[str, Any], grid: Mapping[str, Any], scale: Sequence[float]
) -> Iterator[Finding]:
    """Say where an option of the attack has no effect, or allows for less than facts are wrong."""
    name = attack.get("name", "")
    cls = ATTACKS.get(name)
    typed = {str(one).split("=", 1)[0].lstrip("+") for one in overrides}
    if cls is not None and not cls.matches_by_phi and "attack.phi" in typed:
        yield PHI_UNUSED.found(f"attack:{name}", rule=cls.rule)
    if not attack_class(name).answers_with_set:
        return
    for key, axis in _LIMITS.items():
        limit = attack.get(key)
        errors = {level_text(one): _error(one, scale) for one in grid.get(axis) or ()}
        widest = max(errors, key=errors.__getitem__, default="")
        if isinstance(limit, (int, float)) and errors and errors[widest] > limit:
            yield ERRORS_BEYOND.found(
                f"setting:attack.{key}", limit=level_text(limit), widest=widest,
                what=axis_title(axis),
            )  # fmt: skip


def _error(level: object, scale: Sequence[float]) -> float:
    """Return the largest error of a level, one in % of the largest value; 0: there is none."""
    if isinstance(level, str) and level.endswith("%"):
        return float(level.rstrip("% ")) / 100 * max(map(abs, scale), default=0.0)
    return float(level) if isinstance(level, (int, float)) else 0.0


def utility_findings(
    tables: Mapping[str, pd.DataFrame], record: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield the utility of a release, before and after its defences; nothing if not measured."""
    frame, both = tables.get("utility"), bool(record.get("defences"))
    for row in row_dicts(frame) if frame is not None else ():
        about = f"utility:{row['label']}"
        if pd.isna(row["before"]) or pd.isna(row["after"]):
            yield NO_UTILITY.found(about, reason=row["note"] or None)
        else:
            better = None if row["higher_is_better"] else "lower"
            after = float(row["after"]) if both else None
            yield UTILITY.found(about, before=float(row["before"]), after=after, better=better)


def counts_finding(subject: str, counts: PeopleCounts, period: str) -> Finding:
    """Return what counts of people show."""
    dated = "period" in counts.table
    return COUNTS_WRITTEN.found(
        subject,
        count=len(counts.table),
        period=period if dated else None,
        fewest=FEWEST,
        rounded=ROUNDED_TO,
        kept=counts.kept,
        rank=None if np.isnan(counts.rank) else counts.rank,
    )
