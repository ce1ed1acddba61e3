"""Errors while the files of a run are read: of the files, of the user, or of the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.errors import InputError
from sim.record.digests import as_written

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), MemoryError()])
def test_what_is_no_fault_of_the_files(error: BaseException, tmp_path: Path) -> None:
    """``standout check RUN | head`` must not call the run corrupt."""
    with pytest.raises(type(error)), as_written(tmp_path):
        raise error


def test_what_is_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its files contradict each other"), as_written(tmp_path):
        raise KeyError("column")
