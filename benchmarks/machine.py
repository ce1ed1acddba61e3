"""Describes the machine and the revision that a number was measured with."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from sim.record.provenance import git_revision


def cpu_model() -> str:
    """Name of the processor, or its architecture if the system does not give the name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def memory_bytes() -> int:
    """Bytes of physical memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def load() -> float:
    """Processes that wanted a core during the last minute, on average."""
    return os.getloadavg()[0]


def described() -> str:
    """Cores, processor and memory, in a line."""
    return f"{os.cpu_count()} cores, {cpu_model()}, {memory_bytes() / 2**30:.0f} GiB"


def revision() -> str:
    """Return the revision of the source tree, or "unknown"."""
    found = git_revision()
    if found is None:
        return "unknown"
    tree = _short(found)
    clean = tree.endswith("-dirty") and _differs_in_results_alone()
    return tree.removesuffix("-dirty") if clean else tree


def _short(revision: str) -> str:
    commit, dash, dirty = revision.partition("-")
    return commit[:12] + dash + dirty


def _differs_in_results_alone() -> bool:
    """Whether the source tree is that of the commit, except for the benchmarks' own output."""
    folder = Path(__file__).parent
    command = ["git", "diff", "--quiet", "HEAD", "--", ":/", f":(exclude){folder / 'RESULTS.md'}"]
    try:
        return subprocess.run(command, cwd=folder, check=False, timeout=10).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
