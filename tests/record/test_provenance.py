"""What a run was made with."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from sim.record import provenance


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree of its own."""
    for package in ("sim/deep", "actors"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "a.py").write_text("a = 1\n")
    (tmp_path / "README.md").write_text("readme\n")
    monkeypatch.setattr(provenance, "_ROOT", tmp_path)
    return tmp_path


def digest() -> str:
    return provenance.code_digest.__wrapped__()


def test_the_digest_changes_with_the_code_alone(tree: Path) -> None:
    first = digest()
    assert re.fullmatch("[0-9a-f]{64}", first)
    (tree / "README.md").write_text("other\n")
    (tree / "sim" / "__pycache__").mkdir()
    (tree / "sim" / "__pycache__" / "a.pyc").write_bytes(b"x")
    assert digest() == first
    source = tree / "sim" / "deep" / "a.py"
    source.write_text("a = 2\n")
    changed = digest()
    assert changed != first
    source.rename(source.with_name("b.py"))
    assert digest() not in (first, changed)
    source.with_name("b.py").rename(source)
    source.write_text("a = 1\n")
    assert digest() == first
    (tree / "actors" / "new.py").write_text("")
    assert digest() != first


def test_the_digest_is_of_this_program() -> None:
    root = Path(provenance.__file__).parents[2]
    assert root == provenance._ROOT
    assert (root / "sim" / "record" / "provenance.py").is_file()
    assert provenance.code_digest() == provenance.code_digest()


def test_the_revision_of_a_checkout(tree: Path) -> None:
    revision_of = provenance.git_revision.__wrapped__
    assert revision_of() is None
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(
            ["git", *who, *arguments], cwd=tree, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "a")
    git("tag", "v1")
    revision = git("rev-parse", "HEAD")
    assert revision_of() == revision
    (tree / "sim" / "deep" / "a.py").write_text("a = 3\n")
    assert revision_of() == f"{revision}-dirty"


def test_versions_and_machine() -> None:
    found = provenance.versions()
    assert found["numpy"] == version("numpy")
    assert {"python", "numba", "pyarrow", "ray", "standout"} <= found.keys()
    # Nothing that names the machine, its user or its place.
    assert provenance.machine().keys() == {"system", "architecture", "cores", "interpreter"}
