"""Results as text, and as RESULTS.md.

Invariant: RESULTS.md has one section per benchmark, each with its own date, machine and command;
measuring one again replaces its section and leaves the others as they are.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from benchmarks.result import Costs, Result
from sim.report.text_table import aligned

RESULTS = Path(__file__).parent / "RESULTS.md"

HEAD = """\
# What Standout costs

Written by `python -m benchmarks`, which prints what each row compares; do not edit. Ours and the
peer alternate in one run, and their results are compared. Our cost is the median of the rounds; the
ratio is the median over the rounds of our cost divided by the peer's, or by a limit for rows of
time, memory and disk. Lower is better; a goal is the highest ratio wanted. Between machines,
compare only ratios. The libraries are those of `requirements.lock` at the revision.
"""
_COLUMNS = ("benchmark", "ours", "peer", "unit", "ratio", "goal", "met")
_RECORDED = ("benchmark", "ours", "ratio", "goal")


def as_text(results: Sequence[Result]) -> str:
    """Format results as a table for the terminal, with a line about each row.

    Examples
    --------
    >>> print(as_text([Result("a/b", "an A against a B", "ms", (2.0,), (4.0,), goal=1.0)]))
    benchmark  ours   peer   unit  ratio  goal   met
    a/b        2 (2)  4 (4)  ms    0.500  1.000  yes
    <BLANKLINE>
    a/b: an A against a B
    """
    rows = [_COLUMNS, *(_cells(result) for result in results)]
    lines = aligned(rows, left=len(_COLUMNS))
    return "\n".join([*lines, "", *(f"{result.name}: {result.what}" for result in results)])


def section(name: str, results: Sequence[Result], fact: str) -> str:
    """Format one benchmark as a section of RESULTS.md.

    Parameters
    ----------
    fact : str
        When, where and how it was measured, in a line.

    Returns
    -------
    str
        Markdown.
    """
    rows = [_RECORDED, *(_recorded_cells(result) for result in results)]
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(_RECORDED)
    return "\n".join([f"## {name}", "", fact, "", head, rule, *body]) + "\n"


def record(path: Path, sections: dict[str, str], order: Sequence[str]) -> None:
    """Replace sections of RESULTS.md by name.

    Parameters
    ----------
    sections : dict of str to str
        Markdown by benchmark, from `section`.
    order : sequence of str
        Benchmarks in the order they shall have; a section of none of these is dropped.
    """
    kept = {**_sections(path), **sections}
    text = "\n".join([HEAD, *(kept[name] for name in order if name in kept)])
    path.write_text(text, encoding="utf-8")


def ratios(name: str, path: Path = RESULTS) -> dict[str, float]:
    """Return the ratios that a recorded section gives, by benchmark."""
    place = _RECORDED.index("ratio")
    rows = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in _sections(path)[name].splitlines()
        if line.startswith(f"| {name}/")
    ]
    return {row[0]: float(row[place]) for row in rows if row[place]}


def _sections(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    parts = re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {part.splitlines()[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def _cells(result: Result) -> tuple[str, ...]:
    met = "" if result.met is None else ("yes" if result.met else "no")
    return (
        result.name,
        _cost(result.ours),
        "missing" if result.peer is None else _cost(result.peer),
        result.unit,
        "" if result.ratio is None else f"{result.ratio:.3f}",
        "" if result.goal is None else f"{result.goal:.3f}",
        met,
    )


def _recorded_cells(result: Result) -> tuple[str, ...]:
    cells = dict(zip(_COLUMNS, _cells(result), strict=True))
    ours = f"{_short(statistics.median(result.ours))} {result.unit}"
    return (result.name, ours, cells["ratio"], cells["goal"])


def _cost(costs: Costs) -> str:
    return f"{_short(statistics.median(costs))} ({_short(min(costs))})"


def _short(number: float) -> str:
    """Three figures, never in powers of ten."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
