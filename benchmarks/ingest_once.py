"""Read the text once, in this process: ``python -m benchmarks.ingest_once ours|pandas FOLDER``.

Prints what it took as JSON. The clock runs from the first byte to the last result; imports and the
compilation of our kernels come before.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

PLAIN = "ratings.csv"
"""The rows as plain columns, without a header."""


def ours(folder: Path) -> Callable[[], tuple[int, int]]:
    """Prepare to build a store of the Netflix text and open it; returns rows and bytes on disk."""
    from sim.release.readers.netflix import NetflixSource
    from sim.release.store.cache import open_or_build

    work = folder / "ours"
    work.mkdir()
    (small := work / "combined_data_1.txt").write_text("1:\n1,3,2005-09-06\n", encoding="utf-8")
    open_or_build(NetflixSource(small), work / "cache")
    small.unlink()

    def build() -> tuple[int, int]:
        manifest = open_or_build(NetflixSource(folder), work / "cache").manifest
        return manifest.n_cells, sum(size for size, _ in manifest.files.values())

    return build


def pandas(folder: Path) -> Callable[[], tuple[int, int]]:
    """Prepare to read the plain text; returns rows and bytes of the text."""
    import pandas as pd

    def read() -> tuple[int, int]:
        path = folder / PLAIN
        types = {"item": "int32", "record": "int32", "value": "uint8"}
        frame = pd.read_csv(
            path, header=None, names=[*types, "date"], dtype=types, parse_dates=["date"]
        )
        return len(frame), path.stat().st_size

    return read


def peak_bytes() -> int:
    """Most memory this process ever held."""
    try:
        # `getrusage` would count the parent's memory too, if that was more before the exec.
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def main() -> None:
    who, folder = sys.argv[1], Path(sys.argv[2])
    work = {"ours": ours, "pandas": pandas}[who](folder)
    begin = time.perf_counter()
    rows, kept = work()
    seconds = time.perf_counter() - begin
    cost = {"rows": rows, "seconds": seconds, "peak_bytes": peak_bytes(), "kept_bytes": kept}
    print(json.dumps(cost))
    shutil.rmtree(folder / "ours", ignore_errors=True)


if __name__ == "__main__":
    main()
