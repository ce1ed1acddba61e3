"""``python -m benchmarks.readme [--record FOLDER]``: update the tables generated from measurements.

Such a table stands between ``<!-- table: NAME -->`` and ``<!-- end -->``. It is generated from the
classes of the attacks, RESULTS.md and the files in ``benchmarks/recorded/``; ``--record`` first
replaces the recorded run on preset netflix by that in a run's folder.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import facts, netflix_run
from benchmarks.attacks import attacks
from benchmarks.tables import ratios
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.engine.algorithm import Algorithm

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = tuple(
    ROOT / "sim" / "guide" / f"{name}.md" for name in ("attacks", "results", "synthetic")
)
COMMAND = "python -m benchmarks.readme"

_MARKED = re.compile(r"(?<=<!-- table: )([\w-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_ENTROPY = " with entropy"


def attack_table() -> list[str]:
    """Return a row per attack of the package; the cost is that of the last recorded benchmark."""
    cost = {name.partition("/")[2]: f"{ratio:.1f}" for name, ratio in ratios("attacks").items()}
    own = {
        name: cls
        for name, cls in ATTACKS.all().items()
        if cls.__module__.startswith("sim.attack.algorithms.")
    }
    lines = ["| attack | computes | match rule | source | cost |", "|---|---|---|---|---|"]
    for name in dict.fromkeys((*attacks(), *sorted(own))):
        plain = name.removesuffix(_ENTROPY)
        words = (
            f"| … `attack.entropy=true` | … and Π ∝ exp(score/σ) | | {own[plain].source} |"
            if plain != name
            else f"| `{name}` | {_words(own[name])} | {own[name].rule} | {own[name].source} |"
        )
        lines.append(f"{words} {cost.get(name, '')} |")
    return lines


def tables() -> dict[str, Callable[[], list[str]]]:
    """Return the generator of each table, by name."""
    run = json.loads(netflix_run.RECORD.read_text(encoding="utf-8"))
    return {
        "attacks": attack_table,
        "all-targets": partial(netflix_run.of_all_targets, run),
        "shared-targets": partial(netflix_run.of_shared_targets, run),
        "facts": facts.recorded_table,
    }


def with_tables(text: str) -> str:
    """Replace every marked table by a newly generated one.

    Raises
    ------
    KeyError
        A marker names no table.
    """
    made = tables()

    def table(found: re.Match[str]) -> str:
        return found[1] + found[2] + "\n" + "\n".join(made[found[1]]()) + "\n\n"

    return _MARKED.sub(table, text)


def _words(cls: type[Algorithm]) -> str:
    """Return the description of an attack, without its title and source."""
    words = cls.described().removesuffix(f" ({cls.source})")
    words = words.partition(": ")[2] or words
    return words[0].lower() + words[1:]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument(
        "--record", type=Path, metavar="FOLDER", help=f"of: {netflix_run.COMMANDS[0]}"
    )
    given = parser.parse_args(arguments)
    if given.record:
        netflix_run.record_run(given.record)
    for path in DOCUMENTS:
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
