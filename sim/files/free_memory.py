"""How much memory the system still has for new processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SYSTEM = Path("/")
"""The root of the system's files."""

_FILES = {
    "cgroup": ("memory.max", "memory.current"),
    "cgroup/memory": ("memory.limit_in_bytes", "memory.usage_in_bytes"),
}
"""Limit and usage of a control group, of the second and the first version."""


def available(root: Path = SYSTEM) -> int | None:
    """Return the bytes that new processes can have; None if the system does not say.

    Limits of control groups count, as batch systems and containers set them.
    """
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    free = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    for group in groups:
        _, controllers, path = group.split(":", 2)
        if controllers in ("", "memory"):
            kind = "cgroup/memory" if controllers else "cgroup"
            free += _left(root / "sys/fs" / kind, path, *_FILES[kind])
    return min(free, default=None)


def _left(top: Path, path: str, limit: str, usage: str) -> Iterator[int]:
    """Yield what a group, and each group around it, leaves; caches of files count as free."""
    for depth in range(len(parts := Path(path).parts[1:]) + 1):
        group = top.joinpath(*parts[:depth])
        try:
            most = (group / limit).read_text().strip()
            if most != "max":
                used = int((group / usage).read_text())
                stat = dict(
                    line.split() for line in (group / "memory.stat").read_text().splitlines()
                )
                cached = sum(int(stat.get(f"{kind}_file", 0)) for kind in ("inactive", "active"))
                yield int(most) - used + cached
        except OSError:
            continue
