"""The examples of the guide in a copy of the packages, for tests that a new thing is one file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

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


def overlaid(root: Path, files: Mapping[str, str]) -> Path:
    """Fill a folder with links to the packages, and with files whose paths in ``sim`` are given."""
    for package in ("actors", "conf"):
        (root / package).symlink_to(ROOT / package)
    _linked(ROOT / "sim", root / "sim")
    for path, code in files.items():
        folder = root / "sim"
        for room in Path(path).parent.parts:
            folder /= room
            if folder.is_symlink():
                source = folder.resolve()
                folder.unlink()
                _linked(source, folder)
        (root / "sim" / path).write_text(code, encoding="utf-8")
    return root


def _linked(source: Path, target: Path) -> None:
    """Make a folder whose entries are those of another."""
    target.mkdir()
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)


def plugged_in(site: Path, modules: Mapping[str, str], points: str) -> Path:
    """Put a distribution of modules into a folder, with the text of its entry points."""
    facts = site / "plugged-1.0.dist-info"
    facts.mkdir(parents=True)
    for name, code in modules.items():
        (site / f"{name}.py").write_text(code, encoding="utf-8")
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(points)
    return site


def run(root: Path, *arguments: str, at: Path, path: str = "") -> CompletedProcess[str]:
    """Run Python with the packages of a folder."""
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=at, env=_environment(root, path), capture_output=True, text=True, check=False,
    )  # fmt: skip


class Commands:
    """Runs commands with the packages of a folder, each in a fork of a process that has these.

    A command costs half of what it does in a process that begins with the imports.

    Parameters
    ----------
    root : Path
        Folder of the packages.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._process = subprocess.Popen(
            [sys.executable, "-P", ROOT / "tests" / "forking.py"],
            cwd=root, env=_environment(root), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __call__(
        self, *words: str, at: Path, path: Path | None = None, draws: bool = False
    ) -> CompletedProcess[str]:
        """Run a command in a folder, with modules and plug-ins of another; figures take long."""
        assert self._process.stdin
        assert self._process.stdout
        with TemporaryDirectory() as folder:
            printed = [Path(folder) / name for name in ("out", "err")]
            given = {
                "words": words,
                "at": str(at),
                "path": [str(path)] if path else [],
                "draws": draws,
                "printed": [str(each) for each in printed],
            }
            self._process.stdin.write(json.dumps(given) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return CompletedProcess(words, code, *(each.read_text("utf-8") for each in printed))

    def close(self) -> None:
        """End the process."""
        with self._process:
            self._process.kill()


def _environment(root: Path, *paths: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(root), *paths]))
    return os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
