"""Whether a cluster fits into the memory that the system says is free."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.memory import check_memory
from sim.errors import ClusterError
from sim.files.free_memory import available

GB = 10**9


def system(root: Path, free: int, groups: str = "", **files: str) -> Path:
    """The files of a system; names of files have __ in place of slashes."""
    made = {"proc/meminfo": f"MemTotal: 9 kB\nMemAvailable: {free >> 10} kB\n"}
    made["proc/self/cgroup"] = groups
    made |= {f"sys/fs/cgroup/{name.replace('__', '/')}": text for name, text in files.items()}
    for name, text in made.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert available(system(tmp_path, 4 * GB)) == 4 * GB >> 10 << 10
    assert available(tmp_path / "elsewhere") is None
    check_memory(10**6, tmp_path / "elsewhere")


@pytest.mark.parametrize("within", ["job", "job/step"])
def test_the_limit_of_a_batch_system(tmp_path: Path, within: str) -> None:
    """Its own, or of the group around it; a cache of files is free to be dropped."""
    new = system(
        tmp_path / "new", 40 * GB, f"0::/{within}\n",
        **{"job__memory.max": f"{3 * GB}", "job__memory.current": f"{2 * GB}",
           "job__memory.stat": f"anon 5\ninactive_file {GB // 2}\n"},
    )  # fmt: skip
    old = system(
        tmp_path / "old", 40 * GB, f"9:cpu:/x\n4:memory:/{within}\n",
        **{"memory__job__memory.limit_in_bytes": f"{3 * GB}",
           "memory__job__memory.usage_in_bytes": f"{2 * GB}",
           "memory__job__memory.stat": f"inactive_file {GB // 2}\n"},
    )  # fmt: skip
    assert available(new) == available(old) == GB + GB // 2


def test_no_limit(tmp_path: Path) -> None:
    free = system(tmp_path, 2 * GB, "0::/\n", **{"memory.max": "max\n"})
    assert available(free) == 2 * GB >> 10 << 10


def test_too_many_workers_are_refused_before_ray_starts(tmp_path: Path) -> None:
    root = system(tmp_path, 15 * GB // 10)
    check_memory(4, root)
    with pytest.raises(ClusterError, match=r"need 1\.53 GB .* 1\.50 GB are free; .*workers=5, or"):
        check_memory(6, root)
    with pytest.raises(ClusterError, match=r"0\.50 GB are free; set cluster=inline"):
        check_memory(1, system(tmp_path, GB // 2))
