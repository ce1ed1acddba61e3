"""The first screen of a suite, and the chapters below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sim.findings.attack import attack_findings
from sim.findings.finding import Finding
from sim.findings.measurement import conclusion_findings
from sim.findings.of_run import findings_of
from sim.numeric.text import quantity
from sim.papers.comparison import comparison_of
from sim.record.run_folder import Entry, RunFolder, runs_of
from sim.report.commands import again
from sim.report.page.verdicts import comparison_chapters, count_verdicts, verdict_sentence
from sim.report.screen import Screen, minds_of
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence, sentences
from sim.report.table import Chapter, Table, whole_percent, with_ends

ScreenOf = Callable[[RunFolder], Screen]


def suite_screen(run: RunFolder, screen_of: ScreenOf) -> Screen:
    """Return the first screen of a suite: a row for each part."""
    done = [part for part in run.parts if part.run is not None]
    findings = {part.name: [*_findings(run, part)] for part in done}
    minds, others = minds_of(findings_of(run))
    concluded = sentences(conclusion_findings(run))
    counted = f"{len(done)} of {quantity(len(run.parts), 'part')} were run"
    counts = statement_counts(run)
    return Screen(
        verdict=concluded[0] if concluded else _highest(findings) or f"{counted}.",
        data=data_lines(run.record),
        table=Table(
            ["part", "result"],
            [[part.name, _result(run, part, screen_of)] for part in run.parts],
            f"{run.config['name']}: {counted}",
        ),
        more=[*concluded[1:], *([verdict_sentence(counts)] if sum(counts.values()) else [])],
        minds=minds,
        n_others=others,
        commands=again(),
    )


def statement_counts(run: RunFolder) -> dict[str, int]:
    """Count the papers' statements about a suite, or else about its parts, by verdict."""
    own = comparison_of(run)
    if own is not None:
        return count_verdicts(own)
    counts = Counter[str]()
    for part in run.parts:
        if part.run is not None:
            counts.update(count_verdicts(comparison_of(part.run)))
    return dict(counts)


def _findings(run: RunFolder, part: Entry) -> Iterator[Finding]:
    if part.run is not None and part.run.kind == "attack":
        yield from attack_findings(part.run, _others(run, part.run))


def _others(run: RunFolder, part: RunFolder) -> list[RunFolder]:
    return [one for one in runs_of(run) if one.within != part.within]


def _highest(findings: dict[str, list[Finding]]) -> str:
    """Return the main result of the part in which most people are found; empty: there is none."""
    found = [(name, some[0]) for name, some in findings.items() if some]
    rates = [(name, one) for name, one in found if one.kind == "highest_found"]
    if not rates:
        return ""
    name, best = max(rates, key=lambda pair: float(pair[1].numbers["rate"] or 0.0))
    return f"{sentence(best).removesuffix('.')} (part {name})."


def _result(run: RunFolder, part: Entry, screen_of: ScreenOf) -> str:
    """Return what came out of a part, or why it was not run."""
    if part.run is None:
        return f"not run: {part.error}"
    if part.run.kind != "attack":
        return screen_of(part.run).verdict
    first = next(_findings(run, part))
    if first.kind != "highest_found":
        return sentence(first)
    strongest = first.numbers.get("strongest")
    ends = {f"rate{end}": first.numbers[end[1:] or "rate"] for end in ("", "_low", "_high")}
    found = f"found up to {with_ends(ends, 'rate')}"
    return found if strongest is None else f"{found}; strongest {whole_percent(strongest)}"


def suite_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below the first screen of a suite: the papers' statements."""
    yield from comparison_chapters(run)
