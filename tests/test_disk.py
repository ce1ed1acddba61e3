"""Files are there in whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.files.disk import atomic_write


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_write(path) as partial:
            partial.write_text("ne")
            assert path.read_text() == "old"
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"


def test_a_file_that_is_finished_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with atomic_write(path) as partial:
        partial.write_text("new")
        assert not path.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
