"""The report of a run as one HTML page: self-contained, readable without scripts or a network.

Invariant: the page depends only on ``run.json``, the parquet files and the figures drawn from them;
every name in it is escaped; it is written in whole or not at all.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sim.config.paths import relative
from sim.extend.overrides import command_line
from sim.files.disk import write_file
from sim.numeric.text import format_setting, visible
from sim.papers.experiments import title_of
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import FRAME
from sim.report.commands import command_of
from sim.report.figures.draw import FOLDER, drawings_of, save_pages, saved_pages
from sim.report.screen import RUN
from sim.report.screens.of_run import details_of, screen_of
from sim.report.screens.reading_details import pairs, sample_table
from sim.report.table import Chapter, Table

NAME = "report.html"


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of a figure: a data URI, its width in pixels of CSS, and what it shows."""

    source: str
    width: int
    alt: str


def write_report(folder: Path) -> Path:
    """Write the report of a run: ``report.html`` in its folder.

    Saved figures are reused, missing ones are drawn.

    Raises
    ------
    StandoutError
        The folder holds no finished run, or the report cannot be written.
    """
    path, page = Path(folder) / NAME, page_of(open_folder(Path(folder)))
    return write_file(path, page.encode(), "report")


def page_of(run: RunFolder) -> str:
    """Return the report of a run."""
    pictures = list(_pictures(run))
    text: str = (
        _environment()
        .get_template("report.html.j2")
        .render(
            first=_first(run, pictures),
            title=title_of(str(run.config["name"])),
            chapters=[*details_of(run), *_end(run)],
            pictures=pictures[1:],
            style=_asset("report.css"),
            script=_asset("report.js"),
            script_hash=_hash_of(_asset("report.js")),
            version=str((run.record.get("versions") or {}).get("standout", "")),
        )
    )
    return visible(text)


def first_screen(run: RunFolder) -> Markup:
    """Return what the report of a run begins with, which needs no style sheet."""
    return _first(run, list(_pictures(run)))


def _first(run: RunFolder, pictures: list[Picture]) -> Markup:
    module: Any = _environment().get_template("screen.html.j2").module
    picture = pictures[0] if pictures else None
    screen, sample = screen_of(run), sample_table(run.record)
    commands = [
        (label, command.replace(RUN, command_line([str(relative(run.path))])))
        for label, command in screen.commands
        if command.startswith("standout ")
    ]
    shown: Markup = module.first(screen, picture, sample, commands)
    return shown


def _end(run: RunFolder) -> Iterator[Chapter]:
    """Yield the chapters that runs of all kinds have."""
    if run.parts:
        rows = [[part.name.replace("_", " "), part.error or "complete"] for part in run.parts]
        yield Chapter("Parts", table=Table(["part", "status"], rows))
    table = pairs("Provenance", provenance_of(run.record))
    yield Chapter("How to repeat", table=table, commands=[command_of(run.record)])
    yield Chapter("Files", items=[*_files(run)])


def _files(run: RunFolder) -> Iterator[str]:
    yield "run.json"
    yield from (f"{name}.parquet" for name in run.tables)


def _pictures(run: RunFolder) -> Iterator[Picture]:
    """Yield the figures of a run, drawn if they were not yet; those of a part have no files."""
    with tempfile.TemporaryDirectory() as apart:
        yield from _drawn(run, Path(apart) if run.within else run.path / FOLDER)


def _drawn(run: RunFolder, folder: Path) -> Iterator[Picture]:
    for drawing in drawings_of(run):
        pages = saved_pages(folder, drawing) or save_pages(folder, drawing)
        from sim.report.figures.style import shown_width  # with matplotlib

        for page, png in enumerate(pages, 1):
            of = f" (page {page} of {len(pages)})" if len(pages) > 1 else ""
            source = base64.b64encode(png.read_bytes()).decode("ascii")
            yield Picture(f"data:image/png;base64,{source}", shown_width(png), drawing.caption + of)


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


def provenance_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the provenance of a run, as names and values.

    Examples
    --------
    >>> list(provenance_of({"seed": 3, "versions": {"numpy": "2.0"}}))
    [('seed', '3'), ('versions', 'numpy 2.0')]
    """
    named = {
        "seed": "seed",
        "release_fingerprint": "fingerprint of the release (SHA-256 of its cells)",
        "store_identity": "identity of the store (SHA-256 of its manifest, which covers its files)",
        "code": "digest of the program's source (SHA-256)",
        "git_revision": "revision of the program",
        "begun": "started (UTC)",
    }
    path = ((record.get("config") or {}).get("data") or {}).get("path")
    if path not in (None, FRAME):
        yield "data read from", str(path)
    for key, name in named.items():
        if record.get(key) is not None:
            yield name, str(record[key])
    for key in ("versions", "machine", "cluster"):
        if record.get(key):
            yield key, ", ".join(f"{name} {value}" for name, value in record[key].items())
    if record.get("seconds"):
        stages = ", ".join(
            f"{stage} {format_setting(seconds)}" for stage, seconds in record["seconds"].items()
        )
        yield "seconds by stage", stages
    if path == FRAME:
        yield FRAME, f"the data frame that was studied, saved by to_parquet('{FRAME}', index=False)"
    if record.get("working_directory"):
        yield "paths are relative to", Path(str(record["working_directory"])).as_posix()
