"""From a configuration to objects, with the checks that types cannot make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from sim.adversary.draw import Sampling
from sim.adversary.elsewhere import Elsewhere
from sim.adversary.knowledge import Draw, Knowledge, Wrong
from sim.adversary.mentions import Mentions
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.engine.algorithm import Algorithm
from sim.config.chains import chains_of
from sim.config.own_overrides import PART
from sim.config.paths import absolute
from sim.config.schema import (
    KNOWN_FACTS,
    PLAN,
    AttackConfig,
    AuditConfig,
    AuxConfig,
    Config,
    ElsewhereConfig,
    MentionsConfig,
    MentionsGridConfig,
    PeopleConfig,
    PeopleGridConfig,
    StudyConfig,
    SweepConfig,
    TableConfig,
    choices,
)
from sim.defence.defence import Defence
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError, GridError
from sim.extend.options import made_from
from sim.extend.plugins import none_called
from sim.findings.attacker_row import MEASURES
from sim.measurements.measurement import Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.release.store.export import check_kind
from sim.release.store.manifest import Manifest
from sim.release.store.time_bins import TimeBin
from sim.release.store.time_spans import TimeSpan
from sim.session.check_values import check_values, one_of
from sim.session.reading import table_options
from sim.session.runners import INLINE, kinds
from sim.study.grid import GridCell, expand
from sim.utility.measure import UtilityMeasure
from sim.utility.registry import UTILITIES

CONTEXTS = ("public", "recipients", "inside")
"""Who receives a release: anyone, named recipients, or the holder's own people."""

AUTO = "auto"
"""What is wrong about a wrong fact depends on the release (`sim.study.wrong_facts`)."""


def cells_of(config: Config, time_bin: TimeBin | None) -> list[GridCell]:
    """Return the grid cells of a configuration, for adversaries that need no other data.

    Parameters
    ----------
    time_bin : TimeBin or None
        That of the release; None if it is not known yet, for checks of everything else.

    Raises
    ------
    ConfigError
    """
    axes = {axis: list(values) for axis, values in vars(config.grid).items()}
    match config.adversary:
        case AuxConfig(wrong=given, draw=drawn):
            _need_grid(config, SweepConfig, "sweep")
            one_of("adversary.wrong", given, (AUTO, "value", "item"))
            draw = cast("Draw", one_of("adversary.draw", drawn, ("cells", "items")))
            # What depends on the release is decided later (`sim.session.fit`).
            wrong = cast("Wrong", "value" if given == AUTO else given)
            # The axes set the number of facts.
            return expand(
                "sweep", axes, Sampling(Knowledge(1, 1, wrong=wrong, draw=draw), time_bin)
            )
        case MentionsConfig() as said:
            _need_grid(config, MentionsGridConfig, "mentions")
            base = {key: value for key, value in vars(said).items() if key != "kind"}
            return expand("mentions", axes, Mentions(**base))
        case ElsewhereConfig() as given:
            _need_grid(config, PeopleGridConfig, "people")
            keys = {key: value for key, value in vars(given).items() if key != "kind"}
            keys["date_noise"] = elsewhere_noise(given, time_bin)
            return expand("people", axes, Elsewhere(**keys))
        case _:
            raise ConfigError(
                "adversary: choose one of aux, mentions, mentions_file, external, elsewhere"
            )


def elsewhere_noise(config: ElsewhereConfig, time_bin: TimeBin | None) -> int:
    """Return the error of dates of another site, in bins of the release.

    Raises
    ------
    ConfigError
        It is no span of time, or no whole number of bins.
    """
    key = f"adversary.date_noise: {config.date_noise}"
    try:
        span = TimeSpan.parse(config.date_noise)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None
    return 0 if time_bin is None else span.whole_bins(time_bin, key)


def _need_grid(config: Config, kind: type[Any], name: str) -> None:
    if not isinstance(config.grid, kind):
        adversary = config.adversary.kind
        raise ConfigError(f"grid: adversary={adversary} needs another; set grid={name}")


def attack_of(
    config: AttackConfig, cells: Sequence[GridCell], publisher: Publisher = AS_IS
) -> Algorithm:
    """Return the configured attack, adapted to the adversaries of a grid and to the publisher.

    Raises
    ------
    ConfigError
    """
    return _attack_on(config, [cell.adversary.knowledge for cell in cells], publisher)


def _attack_on(
    config: AttackConfig, known: Sequence[Knowledge | None], publisher: Publisher = AS_IS
) -> Algorithm:
    cls = ATTACKS.get(config.name)
    if cls is None:
        raise ConfigError(
            f"attack.name: {config.name!r}: {none_called(config.name, ATTACKS.all())}"
        )
    return made_from(cls, vars(config)).for_study(known, publisher)


def measurement_of(config: StudyConfig) -> Measurement:
    """Return the configured measurement.

    Raises
    ------
    ConfigError
    """
    cls = MEASUREMENTS.get(config.kind)
    if cls is None:
        raise ConfigError(f"study.kind: {config.kind!r}: choose a study, such as study=attack")
    return made_from(cls, vars(config))


def defences_of(config: Config) -> list[Defence]:
    """Return the configured defences, in their order.

    Raises
    ------
    ConfigError
    """
    made = []
    for name, given in config.defence.items():
        cls = DEFENCES.get(name)
        if cls is None:
            expected = none_called(name, DEFENCES.all(), "some")
            raise ConfigError(f"defence: {name!r}: {expected}")
        options = dict(vars(given))
        for key in cls.paths:
            if options.get(key) is not None:
                options[key] = str(absolute(options[key]))
        made.append(made_from(cls, options))
    return made


def utilities_of(config: Config) -> list[UtilityMeasure]:
    """Return the configured measures of utility, in their order.

    Raises
    ------
    ConfigError
    """
    made = []
    for name, given in config.utility.items():
        cls = UTILITIES.get(name)
        if cls is None:
            expected = none_called(name, UTILITIES.all(), "some")
            raise ConfigError(f"utility: {name!r}: {expected}")
        made.append(made_from(cls, vars(given)))
    return made


def targets_of(config: Config) -> int | None:
    """Return the number of targets per cell; None means all.

    `sim.session.fit.sized` puts a number in the place of ``auto``, which is all otherwise.

    Raises
    ------
    ConfigError
    """
    given: Any = config.targets
    if given in ("all", AUTO):
        return None
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    raise ConfigError(f"targets: {given!r}: expected a whole number of at least 1, all, or auto")


def bayes_targets_of(config: Config) -> int | None:
    """Return the number of targets that the Bayes-optimal attacker attacks too; None means all.

    `sim.session.bayes_companion.most_targets` puts a number in the place of ``auto`` where all
    would take long.

    Raises
    ------
    ConfigError
    """
    given: Any = config.bayes_targets
    if given in ("all", AUTO):
        return None
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    raise ConfigError(
        f"bayes_targets: {given!r}: expected a whole number of at least 0, all, or {AUTO}"
    )


def check_config(config: Config) -> None:
    """Run the checks that need no file.

    Raises
    ------
    ConfigError
    """
    _check_kinds(config)
    check_values(config)
    if isinstance(config.data, TableConfig):
        table_options(config.data)
    if isinstance(config.adversary, PeopleConfig):
        _need_grid(config, PeopleGridConfig, "people")
        _attack_on(config.attack, [None])  # knowledge about people in a file has no model
    else:
        attack_of(config.attack, cells_of(config, None))
    defences_of(config)
    utilities_of(config)
    targets_of(config)
    bayes_targets_of(config)
    _check_plan(config)
    _check_audit(config.audit)
    if config.cluster.kind != INLINE:  # the others are looked for in all installed packages
        one_of("cluster.kind", config.cluster.kind, kinds())


def _check_audit(audit: AuditConfig) -> None:
    names = list(map(str, audit.attackers))
    if not names or len(set(names)) < len(names) or not all(map(PART.fullmatch, names)):
        raise ConfigError(
            f"audit.attackers: {', '.join(names) or 'none'}: expected names of attackers, each "
            "once; set 'audit.attackers=[insider]'"
        )
    if audit.context is not None:
        one_of("audit.context", audit.context, CONTEXTS)
    one_of("audit.measure", audit.measure, MEASURES)
    one_of("audit.known_facts", audit.known_facts, KNOWN_FACTS)


def _check_plan(config: Config) -> None:
    plan = config.plan
    if config.aggregate == PLAN and plan.max_risk == 0:
        raise ConfigError(
            "plan.max_risk: 0: nothing can keep it, since the upper end of an interval is above 0; "
            "set a bound such as plan.max_risk=0.05"
        )
    if not plan.defences:
        return
    chains_of(plan.defences)
    able = [each.name for each in utilities_of(config) if each.higher_is_better]
    if config.utility and plan.utility not in able:
        raise ConfigError(
            f"plan.utility: {plan.utility!r}: expected a measure of utility that is taken, and is "
            f"higher where the release is better: {', '.join(able) or 'none is taken'}"
        )
    if plan.write is not None:
        check_kind(Path(plan.write), "plan.write")


def _check_kinds(config: Config) -> None:
    """Check that the kind in every group is the one chosen."""
    known = choices()
    for group, key in (
        ("study", "kind"),
        ("data", "kind"),
        ("adversary", "kind"),
        ("attack", "name"),
    ):
        chosen = getattr(config, group)
        names = [n for g, n, node in known if g == group and node is type(chosen)]
        given = getattr(chosen, key)
        if given not in names:
            others = [n for g, n, _ in known if g == group]
            choose = (
                f"set {group}={given}" if given in others else f"choose from {', '.join(others)}"
            )
            raise ConfigError(
                f"{group}.{key}: {given!r}: contradicts {group}={names[0]}; "
                f"leave {group}.{key} out, and {choose}"
            )


def check_release(attack: Algorithm, cells: Sequence[GridCell], release: Manifest) -> None:
    """Check that the release has what the attack needs, and that wrong facts can be had.

    Raises
    ------
    GridError
        The attack needs values or dates that the release lacks, or a cell needs wrong values or
        dates where neither are known.
    """
    lacking = attack.lacks(release)
    if lacking:
        raise GridError(f"attack={attack.name}: needs {lacking}, which the release lacks")
    for cell in cells:
        known = cell.adversary.knowledge
        if known is None:
            continue
        if (
            known.wrong == "value"
            and known.correct < known.size
            and known.value_noise is None
            and known.date_noise is None
        ):
            raise GridError(
                f"{cell}: without values and dates, nothing about an item can be wrong; "
                "leave adversary.wrong out, or set adversary.wrong=item"
            )
