"""The wheel, built of the files that the container's recipe copies, is all that a run needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from overlaying import ROOT, run

import sim
from sim.guide import page, pages

TREES = shutil.ignore_patterns("__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel, as pip would lay them out."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for words in re.findall(r"^COPY (?!--)(.+) \S+$", page("container"), re.MULTILINE):
        for name in words.split():
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=TREES)
            else:
                shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run(
        [*command, "--no-build-isolation", "--no-index", "--wheel-dir", "dist", "."],
        cwd=source, check=True,
    )  # fmt: skip
    wheel = source / "dist" / f"standout-{sim.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def test_the_configuration_and_the_help_are_in_it(installed: Path, tmp_path: Path) -> None:
    """A study would compile all loops anew, for minutes."""
    composed = run(installed, "-m", "sim", "experiment=ns08_fig4", "--cfg", "job", at=tmp_path)
    assert (composed.returncode, composed.stderr) == (0, "")
    assert "name: ns08_fig4" in composed.stdout
    assert run(installed, "-m", "sim", "--help", at=tmp_path).stdout.startswith("Standout measures")


def test_the_guide_is_in_it(installed: Path, tmp_path: Path) -> None:
    done = run(installed, "-m", "sim", "guide", at=tmp_path)
    assert all(re.search(rf"^{name}\s", done.stdout, re.MULTILINE) for name in pages())
    assert (installed / "sim" / "guide" / "site" / "api.md").is_file()


def test_nothing_of_the_checkout_is_used(installed: Path, tmp_path: Path) -> None:
    script = "import sim, actors; print(sim.__file__, actors.__file__)"
    done = run(installed, "-c", script, at=tmp_path)
    assert [Path(x).parents[1] for x in done.stdout.split()] == [installed] * 2
