"""The examples of the guide in a copy of the packages, for tests that a new thing is one file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SMALL = [
    *("data.preset=tiny", "cluster=inline", "targets=5", "bayes_targets=0"),
    *("grid.aux=[3/4]", "grid.date_noise=[3]"),
]
_BLOCKS = re.findall(
    r"```python\n(.*?)```", (ROOT / "sim/guide/extending.md").read_text(encoding="utf-8"), re.DOTALL
)
EXAMPLES = {found[1]: code for code in _BLOCKS if (found := re.search(r"class (\w+)\(", code))}
"""By the name of the class."""
TESTS = {found[1]: code for code in _BLOCKS if (found := re.search(r"def (test_\w+)\(", code))}
"""The guide's tests of these, by name."""


def linked(source: Path, target: Path) -> Path:
    """A folder whose entries are those of another."""
    target.mkdir()
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)
    return target


def run(
    root: Path, *arguments: str, at: Path | None = None, path: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages of a folder."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(root), path])),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=at or root, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
