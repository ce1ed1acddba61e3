"""``python -m benchmarks [NAME…] [--quick] [--json FILE]``, from the root of the repository."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import machine, tables
from benchmarks.registry import BENCHMARKS, Scale, load
from benchmarks.result import Result


def main(arguments: list[str] | None = None) -> None:
    parser = _parser()
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in BENCHMARKS:
            parser.error(f"{name}: expected one of {', '.join(BENCHMARKS)}")
    scale: Scale = "quick" if given.quick else "full"
    results = given.results or (None if given.quick else tables.RESULTS)
    everything: list[Result] = []
    # One core for the peers too: read when a benchmark first imports NumPy.
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    with ExitStack() as stack:
        cache = given.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in given.names or BENCHMARKS:
            fact = _fact(name, given.quick)
            found = load(name).run(scale, cache)
            print(tables.as_text(found) + "\n", flush=True)
            everything += found
            if results:
                tables.record(results, {name: tables.section(name, found, fact)}, [*BENCHMARKS])
    if given.json:
        listed = [result.as_json() for result in everything]
        given.json.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def _fact(name: str, quick: bool) -> str:
    """Return what is compared, machine and load, before the work itself loads the machine."""
    words = BENCHMARKS[name]
    return (
        f"{words[0].upper()}{words[1:]}: `python -m benchmarks {name}{' --quick' * quick}`, "
        f"{datetime.now(UTC):%Y-%m-%d}, {machine.described()}, load {machine.load():.1f}, "
        f"revision {machine.revision()}."
    )


def _parser() -> argparse.ArgumentParser:
    known = "\n".join(f"  {name:10}{what}" for name, what in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Compare Standout with its peers, in turns.\n\n{known}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; all if none is named")
    parser.add_argument("--quick", action="store_true", help="less than a minute each")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="keep made-up data here for the next run"
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="where tables are recorded (benchmarks/RESULTS.md; with --quick nowhere)",
    )
    return parser


if __name__ == "__main__":
    main()
