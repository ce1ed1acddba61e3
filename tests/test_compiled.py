"""Kernels are compiled once on a machine, kept by what they are made of, and never by others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from sim.config.compose import composed, configured
from sim.files import kernel_cache
from sim.files.kernel_cache import FOLDER, kernel_folder
from sim.session.compiling import _compile, _not_compiled, _overrides_of_last
from sim.session.jobs import plan_job
from sim.session.open_release import open_release

ROOT = Path(__file__).parents[1]
CALL = """
import json, logging, sys
logging.basicConfig(level="INFO", format="%(message)s", stream=sys.stderr)
from numba.core import event
from sim.numeric.elementary import power
from sim.session.compiling import told_of_compiling
from sim.study import bar
bar._SOON = 0.0
with told_of_compiling(), event.install_recorder("numba:compile") as found:
    assert power(2.0, 10.0) == 1024.0
names = [each.data["dispatcher"].py_func.__name__ for _, each in found.buffer if each.is_start]
print(json.dumps([name for name in names if not name.startswith("impl")]))
"""


def calling(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL], cwd=ROOT,
        env={**os.environ, "XDG_CACHE_HOME": str(home), "STANDOUT_PROGRESS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_of_processes_that_need_a_kernel_at_the_same_time_one_compiles_it(tmp_path: Path) -> None:
    together = [calling(tmp_path) for _ in range(3)]
    compiled, said = [], ""
    for process in together:
        out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        compiled += json.loads(out)
        said += errors
    assert "power" in compiled
    assert len(compiled) == len(set(compiled))
    assert "compiling, once on this machine" in said
    assert json.loads(calling(tmp_path).communicate(timeout=300)[0]) == []
    folder = tmp_path / "standout" / FOLDER
    assert oct(folder.stat().st_mode) == "0o40700"


def test_the_name_of_a_kernel_goes_by_all_that_it_is_made_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caller = ROOT / "sim" / "attack" / "kernels" / "candidates.py"
    called = ROOT / "sim" / "numeric" / "elementary.py"  # by repeated_facts, by score_forms
    constants = ROOT / "sim" / "numeric" / "constants.py"
    of_constants = ROOT / "sim" / "adversary" / "aux.py"  # imported by name, by a kernel
    other = ROOT / "sim" / "cli" / "main.py"
    cached = (kernel_cache._stamp, kernel_cache._content)
    before = kernel_cache._stamp(caller)
    read = kernel_cache._text.__wrapped__
    for changed, matters in [(called, 1), (constants, 1), (of_constants, 1), (other, 0)]:
        monkeypatch.setattr(
            kernel_cache, "_text", lambda file, at=changed: read(file) + "\n" * (file == at)
        )
        for each in cached:
            each.cache_clear()
        assert (kernel_cache._stamp(caller) != before) == matters, changed
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()
    assert kernel_cache._stamp(caller) == before


@pytest.mark.skipif(os.name != "posix", reason="permissions are of POSIX")
@pytest.mark.parametrize(("above", "folder", "used"), [
    (0o700, 0o700, True), (0o700, 0o770, False), (0o777, 0o700, False),
])  # fmt: skip
def test_a_folder_that_others_may_write_to_is_not_used(
    above: int, folder: int, used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    ours = tmp_path / FOLDER
    ours.mkdir()
    ours.chmod(folder)
    tmp_path.chmod(above)
    monkeypatch.setattr(kernel_cache, "user_cache_path", lambda _: tmp_path)
    found = kernel_folder.__wrapped__()
    assert (found == ours) == used
    assert found.stat().st_mode & 0o077 == 0
    assert ("compiled anew each time" in capsys.readouterr().err) != used


JOBS = [
    ["experiment=ns08_fig4", "data=synthetic", "data.preset=tiny"],
    [
        *("experiment=audit", "data=synthetic", "data.preset=tiny", "audit.attackers=[insider]"),
        "defence=[drop_values]",
    ],
]


@pytest.mark.parametrize("overrides", JOBS)
def test_what_is_compiled_ahead_is_the_end_of_the_job(overrides: list[str], tmp_path: Path) -> None:
    config = configured(composed([*overrides, f"data.cache={tmp_path}"]))
    job = plan_job(config, overrides)
    last = _overrides_of_last(job)
    assert {"targets=16", "cluster=inline"} < {*last}
    _compile(str(open_release(config.data).folder), last)  # its errors are seen by nobody else


@numba.njit
def inner(x: int) -> int:
    return x + 1


@numba.njit
def outer(x: int) -> int:
    return inner(x) + inner(2 * x)


def test_the_kernels_that_are_to_be_compiled_are_counted() -> None:
    assert _not_compiled(outer) == 2
    inner(1)
    assert _not_compiled(outer) == 1
    assert outer(1) == 5
    assert _not_compiled(outer) == 0
