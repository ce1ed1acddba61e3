"""The wheel and the source distribution: what they hold, and that the wheel alone does the work.

The wheel is unpacked into an environment of its own, where it finds the libraries of this one but
not this source tree, and is run in a folder of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sim.guide import page

ROOT = Path(__file__).parents[2]
UNWANTED = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "multirun", "run", "cache"
)

_BUILD = """
import sys
from setuptools import build_meta
place, *kinds = sys.argv[1:]  # setuptools changes the arguments
for kind in kinds:
    print(getattr(build_meta, f"build_{kind}")(place))
"""
_JOB = (
    *("data.preset=tiny", "targets=20", "bayes_targets=0"),
    *("hydra.run.dir=run", "data.cache=cache"),
)


def run(*words: str | Path, cwd: Path) -> str:
    """Run a command without this source tree on the path, and return what it prints."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The distributions, built from a copy of the tree."""
    place = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, place / "tree", ignore=UNWANTED)
    run(sys.executable, "-c", _BUILD, place / "dist", "sdist", "wheel", cwd=place / "tree")
    return place / "dist"


def test_the_wheel_holds_what_the_program_reads_and_no_common_name(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "sim", "actors", f"{'-'.join(wheel.name.split('-')[:2])}.dist-info",
    }  # fmt: skip
    tracked = run("git", "ls-files", "sim", "actors", "conf", cwd=ROOT).splitlines()
    placed = {
        f"sim/{name}" if name.startswith("conf/") else name
        for name in tracked
        if (ROOT / name).is_file()
    }
    assert placed <= set(names)
    assert all("__pycache__" not in name for name in names)


def test_the_source_distribution_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "conf/config.yaml"):
        assert (tree / name).is_file()
    run(sys.executable, "-c", _BUILD, tmp_path / "dist", "wheel", cwd=tree)
    (again,) = (tmp_path / "dist").glob("*.whl")
    ours, theirs = (zipfile.ZipFile(path) for path in (wheel, again))
    assert sorted(ours.namelist()) == sorted(theirs.namelist())
    for name in ours.namelist():
        if not name.endswith("RECORD"):
            assert ours.read(name) == theirs.read(name), name


def test_what_the_container_copies_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for words in re.findall(r"^COPY (?!--)(.+) \S+$", page("container"), re.MULTILINE):
        for name in words.split():
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=UNWANTED)
            else:
                shutil.copy(ROOT / name, tree)
    run(sys.executable, "-c", _BUILD, tmp_path / "dist", "wheel", cwd=tree)
    ours, theirs = (zipfile.ZipFile(next(p.glob("*.whl"))) for p in (built, tmp_path / "dist"))
    assert sorted(ours.namelist()) == sorted(theirs.namelist())


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel, and borrows the libraries."""
    place = tmp_path_factory.mktemp("elsewhere")
    venv.create(place / "venv", with_pip=False, symlinks=True)
    python = place / "venv" / "bin" / "python"
    lib = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))",
                   cwd=place).strip())  # fmt: skip
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(lib)
    # As a path only: the .pth files there, that of this source tree among them, are not read.
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (lib / "borrowed.pth").write_text("\n".join(sorted(borrowed)))
    return python


def test_the_wheel_runs_the_default_job_from_another_folder(
    installed: Path, tmp_path: Path
) -> None:
    """On Ray, whose processes import the same packages."""
    where = run(installed, "-c", "import sim, actors; print(sim.__file__, actors.__file__)",
                cwd=tmp_path)  # fmt: skip
    assert str(ROOT) not in where
    run(installed, "-m", "sim", "cluster=local", "cluster.workers=1", *_JOB, cwd=tmp_path)
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["status"] == "complete"
    assert pq.read_table(tmp_path / "run" / "curves.parquet").num_rows > 0
    assert (tmp_path / "run" / "report.html").is_file()
    assert "experiment" in run(installed, "-m", "sim", "--help", cwd=tmp_path)
