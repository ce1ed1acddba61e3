"""The report of a run as one HTML page: self-contained, readable without scripts or a network.

Invariant: the page depends only on ``run.json``, the parquet files and the figures drawn from them;
every name in it is escaped; it is written in whole or not at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sim.assessment.assessment import conclusion_of, is_audit, is_plan
from sim.errors import StandoutError
from sim.files.disk import atomic_write
from sim.measurements.measurement import Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.text import visible
from sim.papers.comparison import comparison_of
from sim.papers.experiments import PAPERS, title_of
from sim.papers.papers import EXPERIMENTS
from sim.record.run_folder import Entry, RunFolder, open_folder, runs_of, study_of
from sim.report.figures.draw import drawings_of, save_pages, saved_pages
from sim.report.html_table import MOST_ROWS, HtmlTable, curve_tables, frame_table, is_about_people
from sim.report.page.verdicts import (
    comparison_table,
    count_verdicts,
    format_verdicts,
    impossible_statements,
    is_about_many,
    parts_table,
    status_table,
    verdict_sentence,
)
from sim.report.words.about import asked, reading_notes, release_facts, release_line, subject_of
from sim.report.words.assessment import Chapter
from sim.report.words.bayes_comparison import Comparison, compare_bayes
from sim.report.words.caveats import SAFETY, caveats_of
from sim.report.words.certificate import certificate
from sim.report.words.defences import changed_first
from sim.report.words.frontier import frontier_table, is_frontier
from sim.report.words.glossary import terms_in
from sim.report.words.headline import Headline, headline_of
from sim.report.words.left_out import adapted
from sim.report.words.plain.data import remarks_of
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import FirstPage
from sim.report.words.reading_losses import as_read
from sim.report.words.reproduce import command_of, provenance_of
from sim.report.words.small_groups import without_small_groups
from sim.report.words.utility import utility_kept

NAME = "report.html"


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of a figure, embedded.

    Parameters
    ----------
    source : str
        A data URI.
    width : int
        In pixels of CSS.
    """

    source: str
    width: int
    alt: str
    caption: str


@dataclass(frozen=True, slots=True)
class Section:
    """The section of a report on one run; for a suite, with sections for its parts.

    Parameters
    ----------
    level : int
        Heading level, from 1.
    data : str
        One line about the release; empty where it is the release of the whole report.
    first : FirstPage or None
        What the section begins with, in everyday words; of the top section alone.
    losses : sequence of str
        Losses in reading the data; empty where the top section states them.
    adapted : sequence of str
        How the release was changed first, and the grid adapted to it.
    counts : Mapping
        The papers' statements by verdict, without those about parts.
    reason : str
        Why the part was not run; all else is empty then.
    """

    anchor: str
    title: str
    level: int
    headline: Headline
    first: FirstPage | None = None
    data: str = ""
    losses: Sequence[str] = ()
    adapted: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    bayes: Comparison | None = None
    assessment: Sequence[Chapter] = ()
    figures: Sequence[Shown] = ()
    tables: Sequence[HtmlTable] = ()
    folded: Sequence[HtmlTable] = ()
    comparison: HtmlTable | None = None
    asked: Sequence[tuple[str, str]] = ()
    release: Sequence[tuple[str, str]] = ()
    reading: Sequence[tuple[str, str]] = ()
    caveats: Sequence[str] = ()
    command: str = ""
    provenance: Sequence[tuple[str, str]] = ()
    files: Sequence[str] = ()
    link: str = ""
    parts: Sequence[Section] = ()

    @property
    def total(self) -> Mapping[str, int]:
        """The papers' statements by verdict, including those about parts."""
        total = dict(self.counts)
        for part in self.parts:
            for verdict, n in part.total.items():
                total[verdict] = total.get(verdict, 0) + n
        return total

    @property
    def stated(self) -> str:
        """The same as a sentence."""
        return verdict_sentence(self.total) if any(self.total.values()) else ""

    @property
    def verdicts(self) -> str:
        """The same in words; empty where the papers state nothing."""
        return format_verdicts(self.total) if any(self.total.values()) else ""


def write_report(folder: Path) -> Path:
    """Write the report of a run: ``report.html`` in its folder.

    Saved figures are reused, missing ones are drawn.

    Parameters
    ----------
    folder : Path
        Run folder of an attack, a measurement or a suite.

    Raises
    ------
    StandoutError
        The folder holds no finished run, or the report cannot be written.
    """
    return _write(Path(folder) / NAME, page_of(open_folder(Path(folder))))


def page_of(run: RunFolder) -> str:
    """Return the report of a run.

    Returns
    -------
    str
        HTML.
    """
    section = _Maker(run).section(run, 1, within="")
    template: Any = _environment().get_template("section.html.j2").module
    body: Markup = template.render(section)
    text: str = (
        _environment()
        .get_template("report.html.j2")
        .render(
            section=section,
            body=body,
            glossary=terms_in(body.striptags()),
            safety=SAFETY,
            papers=PAPERS,
            style=_asset("report.css"),
            script=_asset("report.js"),
            script_hash=_hash_of(_asset("report.js")),
            version=str((run.record.get("versions") or {}).get("standout", "")),
        )
    )
    return visible(text)


class _Maker:
    """Makes the sections of one report; anchors are numbered through."""

    def __init__(self, top: RunFolder) -> None:
        self.top = top
        self._numbers = count(1)

    def section(self, run: RunFolder, level: int, within: str, *, brief: bool = False) -> Section:
        config = run.config
        headline = headline_of(run)
        # The suite covers the statements about a part, unless the part is an experiment itself.
        found = None if config["name"] == within else comparison_of(run)
        own = level == 1 or config["name"] != within
        common = Section(
            anchor=f"run-{next(self._numbers)}",
            title=_title(run, own=own),
            level=level,
            headline=headline,
            adapted=(
                *changed_first(run.record),
                *utility_kept(run.tables, run.record),
                *adapted(run.record),
            ),
            counts={} if found is None else count_verdicts(found),
            command=command_of(run.record),
            link=self._link(run),
        )
        tables, folded = _tables(run)
        if brief:
            return replace(common, folded=[*tables, *folded])
        parts = self._parts(run, level)
        if run.kind == "suite":
            shown = [frontier_table(run)] if is_frontier(run) else self._overview(run, parts)
            tables = [*shown, *tables]
        here = level == 1 or self._other_data(run)
        return replace(
            common,
            first=first_page(run) if level == 1 else None,
            data=release_line(run.record) if here else "",
            losses=remarks_of(run.record) if level == 1 or self._read_otherwise(run) else (),
            bayes=compare_bayes(run, runs_of(self.top)),
            assessment=certificate(run, conclusion_of(run))
            if is_audit(run) or is_plan(run)
            else (),
            figures=list(shown_figures(run)),
            tables=tables,
            folded=folded,
            comparison=None
            if found is None or found.empty
            else comparison_table(found, config["name"]),
            asked=list(asked(run)),
            release=list(release_facts(run.record)) if here else (),
            reading=list(reading_notes(run.record)) if here else (),
            caveats=caveats_of(run),
            provenance=list(provenance_of(run.record)) if level == 1 else (),
            files=list(_files(run)) if level == 1 else (),
            parts=parts,
        )

    def _parts(self, run: RunFolder, level: int) -> list[Section]:
        # Where an aggregate compares the parts, the parts themselves are only summarised.
        brief = bool(run.config.get("aggregate"))
        return [
            self._impossible(part, level + 1)
            if part.run is None
            else self.section(part.run, level + 1, run.config["name"], brief=brief)
            for part in run.parts
        ]

    def _impossible(self, part: Entry, level: int) -> Section:
        table = impossible_statements(part)
        return Section(
            anchor=f"run-{next(self._numbers)}",
            title=title_of(part.name) if part.name in EXPERIMENTS else part.name.replace("_", " "),
            level=level,
            headline=Headline("Not possible on this release."),
            counts={"not comparable": len(table.rows)} if table else {},
            reason=part.reason,
            comparison=table,
        )

    def _overview(self, run: RunFolder, parts: Sequence[Section]) -> Iterator[HtmlTable]:
        leads = {
            part.name: section.headline.lead
            for part, section in zip(run.parts, parts, strict=True)
            if part.run is not None
        }
        if is_about_many(run):
            verdicts = {
                part.name: section.verdicts for part, section in zip(run.parts, parts, strict=True)
            }
            yield status_table(run, verdicts, leads)
        else:
            yield parts_table(run, leads)

    def _other_data(self, run: RunFolder) -> bool:
        return run.record.get("release_fingerprint") != self.top.record.get("release_fingerprint")

    def _read_otherwise(self, run: RunFolder) -> bool:
        """Whether a part was read from different data, rather than changed by a defence."""
        read, top = (as_read(one.record).get("fingerprint") for one in (run, self.top))
        return read != top

    def _link(self, run: RunFolder) -> str:
        """Return the relative path of the part's own report; empty if it has none."""
        if run.path == self.top.path or not (run.path / NAME).is_file():
            return ""
        return (run.path / NAME).relative_to(self.top.path).as_posix()


def _title(run: RunFolder, *, own: bool) -> str:
    name = str(run.config["name"])
    if run.name and not own:
        return run.name.replace("_", " ")
    subject = subject_of(run)
    if subject == name:
        return title_of(name)
    return f"{subject} on {run.record['release'].get('source', '–')}"


def _tables(run: RunFolder) -> tuple[list[HtmlTable], list[HtmlTable]]:
    """Return the tables that are shown, and those that are folded away."""
    shown: list[HtmlTable] = []
    if run.kind == "attack":
        shown = curve_tables(run.tables["curves"])
    folded = []
    measurement = None if run.kind == "suite" else MEASUREMENTS.get(study_of(run.config))
    heads = measurement.heads if measurement else None
    for name in _small(run):
        frame = run.tables[name]
        few = ""
        if run.kind == "attack":
            frame, few = without_small_groups(frame)
        csv = f" and {name}.csv" if (run.path / f"{name}.csv").is_file() else ""
        note = f"{few} The complete table is in {name}.parquet{csv}.".strip()
        known = _HEADS.get(name) or heads
        table = frame_table(frame, _caption(name, measurement), note, known)
        measured = name == "facts" and run.kind != "attack" and len(table.columns) <= _WIDEST
        if measured or name == "utility":
            shown.append(table)
        else:
            folded.append(table)
    return shown, folded


_WIDEST = 15
"""Maximum number of columns that can be read side by side."""


_CAPTIONS = {
    "facts": "Measurements",
    "risk_by_length": "Risk by length of the record",
    "risk_by_rarest": "Risk by rarest item",
    "risk_by_period": "Risk by active period",
    "utility": "Utility of the release before and after its defences",
}

_HEADS = {
    "utility": {"n_test": "number", "counts": "of"},
    "risk_by_length": {"low": "items, from", "high": "to", "n": "targets"},
    "risk_by_rarest": {"low": "holders of the rarest item, from", "high": "to", "n": "targets"},
    "risk_by_period": {"low": "days from first to last date, from", "high": "to", "n": "targets"},
}
"""Column heads of tables that no measurement makes."""


def _caption(name: str, measurement: type[Measurement] | None) -> str:
    words = _CAPTIONS.get(name) or name.replace("_", " ").capitalize()
    stated = {"facts": measurement.facts, **measurement.tables} if measurement else {}
    return f"{words}: {stated[name].replace('`', '')}" if stated.get(name) else words


_NOT_SHOWN = frozenset({"curves", "decisions", "aux", "phi", "reliability", "top_candidates"})


def _small(run: RunFolder) -> Iterator[str]:
    names = sorted(run.tables, key=lambda name: (name != "facts", name))
    for name in names:
        if name in _NOT_SHOWN:
            continue
        frame = run.tables[name]
        if 0 < len(frame) <= MOST_ROWS and not is_about_people(frame):
            yield name


def shown_figures(run: RunFolder) -> Iterator[Shown]:
    """Yield the figures of a run, not those of its parts; drawn if they were not yet."""
    for drawing in drawings_of(run):
        pages = saved_pages(run, drawing)
        if not pages:
            save_pages(run, drawing)
            pages = saved_pages(run, drawing)
        from sim.report.figures.style import shown_width  # with matplotlib

        for page, files in enumerate(pages, 1):
            of = f" (page {page} of {len(pages)})" if len(pages) > 1 else ""
            alt = f"Figure{of}: {drawing.caption} The numbers are in the tables of this section."
            yield Shown(_embedded(*files), shown_width(files[0]), alt, drawing.caption + of)


def _embedded(png: Path, svg: Path) -> str:
    """Return the smaller file as a data URI: SVG grows with the number of marks, PNG does not."""
    path = min((svg, png), key=lambda path: path.stat().st_size)
    kind = "image/svg+xml" if path == svg else "image/png"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def _files(run: RunFolder) -> Iterator[str]:
    for name in run.tables:
        yield f"{name}.parquet"
        if (run.path / f"{name}.csv").is_file():
            yield f"{name}.csv"
    yield "run.json"
    yield from (f"{part.name}/" for part in run.parts if part.run is not None)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("sim.report.page", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> Markup:
    """Return our own style sheet or script, unescaped."""
    text = (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
    return Markup(text)


def _hash_of(script: str) -> str:
    """Return the script's hash for the page's security policy: the browser runs no other script."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _write(path: Path, text: str) -> Path:
    try:
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StandoutError(
            f"{path}: the report cannot be written ({error.strerror or error}); free some space, "
            "or copy the run folder to a writable place"
        ) from error
    return path
