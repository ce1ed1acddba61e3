"""Audits without figures and pages, which take most of the time of a small one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.session import session


@pytest.fixture(autouse=True, scope="module")
def without_pictures() -> Iterator[None]:
    """Leave out figures and pages of the runs of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "draw_run", lambda folder: [])
        patch.setattr(session, "write_report", lambda folder: folder)
        yield
