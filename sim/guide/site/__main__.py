"""``python -m sim.guide.site FOLDER``: build the guide as a site, with a sample report.

Needs the development dependencies. Whatever is in the folder is replaced.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import main as sphinx

SETTINGS = Path(__file__).parent
SAMPLE = (
    "experiment=audit",
    "data.preset=tiny",
    "cluster=inline",
    "audit.context=public",
    "audit.max_risk=0.09",
)
"""What the sample is a report of."""


def main(arguments: Sequence[str] = sys.argv[1:]) -> int:
    """Build the site in the folder that is named; anything that Sphinx warns of is an error.

    Returns
    -------
    int
        Exit code.
    """
    (site,) = map(Path, arguments)
    shutil.rmtree(site, ignore_errors=True)
    with TemporaryDirectory() as work:
        kept = ["-c", str(SETTINGS), "-d", f"{work}/trees"]
        failed = sphinx(["-q", "-W", "--keep-going", *kept, str(SETTINGS.parent), str(site)])
        if not failed:
            command = [sys.executable, "-m", "sim", *SAMPLE, "hydra.run.dir=run"]
            subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL)
            run = Path(work) / "run"
            for report in run.rglob("report.html"):  # its own, and those of its parts
                copy = site / "sample" / report.relative_to(run)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(report, copy)
    return failed


if __name__ == "__main__":
    sys.exit(main())
