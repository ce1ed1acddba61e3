"""The scalar path decides as the vector path does, and shares no compiled kernel with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from making import deep

from sim.attack.kernels import simd

OFTEN, SELDOM = "scoreboard_rh,tf_idf,scoring", "correlation,scoring_rated,random,longest"
"""Attacks that scan; the second are slow to compile for processors without vectors."""

_ROOT = Path(__file__).parents[2]
_WHERE_CACHED = """
import json
from sim.attack.kernels import dense, entropy_weights, fused, loops, moments, postings
from sim.attack.kernels import score_forms, simd, tiled, top2
from numba.core.registry import CPUDispatcher
modules = (dense, entropy_weights, fused, loops, moments, postings, score_forms, tiled, top2)
kernels = {
    k for m in modules for k in vars(m).values()
    if isinstance(k, CPUDispatcher) and k.py_func.__module__.startswith("sim.attack.")
}
print(json.dumps([simd.VECTOR, sorted(k._cache._impl.filename_base for k in kernels)]))
"""


def run(arguments: list[str], wanted: str) -> Any:
    path = os.pathsep.join([str(_ROOT), str(_ROOT / "tests")])
    environment = os.environ | {"STANDOUT_SIMD": wanted, "PYTHONPATH": path}
    found = subprocess.run(
        [sys.executable, *arguments],
        env=environment, cwd=_ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if found.returncode:
        raise RuntimeError(found.stderr)
    return json.loads(found.stdout)


@pytest.mark.skipif(not simd.works(), reason="vectors do not compile here")
@pytest.mark.timeout(1800)  # compiles kernels twice, beside another worker
@pytest.mark.parametrize(
    ("releases", "attacks", "cases"),
    [
        ("tiny", OFTEN, 13),
        *deep(("tiny", SELDOM, 4), ("blocks,levels,missing", f"{OFTEN},{SELDOM}", 40)),
    ],
)
def test_every_attack_that_scans_decides_alike(releases: str, attacks: str, cases: int) -> None:
    asked = ["tests/attack_digests.py", releases, attacks]
    vector, scalar = (run(asked, wanted) for wanted in "10")
    assert len(vector) >= cases
    assert vector == scalar


@pytest.mark.skipif(not simd.works(), reason="vectors do not compile here")
def test_the_paths_share_no_cache() -> None:
    (vector, kernels), (scalar, others) = (run(["-c", _WHERE_CACHED], w) for w in "10")
    assert (vector, scalar) == (True, False)
    assert len(kernels) == len(others) > 30
    assert not set(kernels) & set(others)


def test_other_values_are_refused() -> None:
    with pytest.raises(RuntimeError, match="STANDOUT_SIMD=off in the environment: expected 0"):
        run(["-c", "import sim.attack.kernels.simd"], "off")


def test_what_does_not_compile_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*arguments: Any, **options: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(simd, "njit_anywhere", missing)
    assert not simd.works()


def test_an_older_compiler_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simd.llvm, "llvm_version_info", (15, 0, 7))
    assert not simd.works()
