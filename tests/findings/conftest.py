"""Audits without figures and pages, which take most of the time of a small one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from auditing import audited, table_of, without_pictures


@pytest.fixture(autouse=True, scope="module")
def no_pictures() -> Iterator[None]:
    """Leave out figures and pages of the runs of a module."""
    with without_pictures():
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit in which everyone has the same record: the risk of each is 1/12."""
    folder = tmp_path_factory.mktemp("audit") / "run"
    everyone = table_of([(1, 2, 3, 4)] * 12)
    audited(everyone, folder, attackers=["insider", "public_profile"])
    return folder
