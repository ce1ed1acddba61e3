"""The manifest and the script of the guide to several machines, tried as far as they can be."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from studying import configured

from sim.guide import page

FIELDS = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {
        "activeDeadlineSeconds", "backoffLimit", "rayClusterSpec", "submitterPodTemplate",
        "metadata", "clusterSelector", "submitterConfig", "managedBy", "deletionStrategy",
        "entrypoint", "runtimeEnvYAML", "jobId", "submissionMode", "entrypointResources",
        "entrypointNumCpus", "entrypointNumGpus", "ttlSecondsAfterFinished",
        "shutdownAfterJobFinishes", "suspend",
    },
    "spec.rayClusterSpec": {
        "suspend", "managedBy", "autoscalerOptions", "headServiceAnnotations",
        "enableInTreeAutoscaling", "gcsFaultToleranceOptions", "headGroupSpec", "rayVersion",
        "workerGroupSpecs",
    },
    "spec.rayClusterSpec.headGroupSpec": {
        "template", "headService", "enableIngress", "rayStartParams", "serviceType",
    },
    "spec.rayClusterSpec.workerGroupSpecs": {
        "suspend", "groupName", "replicas", "minReplicas", "maxReplicas", "idleTimeoutSeconds",
        "rayStartParams", "template", "scaleStrategy", "numOfHosts",
    },
}  # fmt: skip
"""The fields of a RayJob by KubeRay's API reference (docs/reference/api.md, ray.io/v1)."""


def block(language: str) -> str:
    """The only block of a language in the page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", page("machines"), re.DOTALL)
    return str(found)


def test_the_manifest() -> None:
    job = yaml.safe_load(block("yaml"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    for path, allowed in FIELDS.items():
        found: Any = job
        for key in path.split(".") if path else []:
            found = found[key]
        for one in found if isinstance(found, list) else [found]:
            assert one.keys() <= allowed, path
    cluster = job["spec"]["rayClusterSpec"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        spec = group["template"]["spec"]
        named = {volume["name"] for volume in spec.get("volumes", [])}
        for container in spec["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= named
    command, *words = job["spec"]["entrypoint"].split()
    assert command == "standout"
    asked = configured(*words[:-1]).cluster
    (workers,) = cluster["workerGroupSpecs"]
    cores = int(workers["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"])
    assert asked.workers <= cores * workers["maxReplicas"]
    assert asked.kind == "address"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("nodes", [1, 3])
def test_the_slurm_script(tmp_path: Path, nodes: int) -> None:
    """With Slurm's commands played: who is started where, and with what."""
    script, log = tmp_path / "standout.sbatch", tmp_path / "log"
    script.write_text(block("bash"))
    subprocess.run(["bash", "-n", script], check=True)
    for name, body in {
        "srun": f'echo "$RAY_AUTH_MODE ${{#RAY_AUTH_TOKEN}} $@" >> {log}',
        "scontrol": f'[ "$1 $2 $3" = "show hostnames n[1-{nodes}]" ] && seq -f "n%.0f" {nodes}',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "RAY_HEAD_SECONDS": "0.2",
        "SLURM_JOB_NODELIST": f"n[1-{nodes}]",
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_CPUS_PER_TASK": "4",
    }
    subprocess.run(["bash", script, "data.preset=tiny"], env=environment, check=True, timeout=60)
    first = "token 64 --nodes=1 --ntasks=1 --overlap --nodelist=n1 "
    head = f"{first}ray start --head --block --port=6379 --num-cpus=4"
    others = f"token 64 --nodes={nodes - 1} --ntasks={nodes - 1} --overlap --exclude=n1 "
    worker = f"{others}ray start --address=n1:6379 --block --num-cpus=4"
    run = f"{first}standout data.preset=tiny cluster=address cluster.address=n1:6379 "
    run += f"cluster.wait=120 cluster.workers={4 * nodes}"
    started = sorted([head, run] if nodes == 1 else [head, worker, run])
    late = time.monotonic() + 60  # what runs in the background may start after the script has ended
    while len(log.read_text().splitlines()) < len(started) and time.monotonic() < late:
        time.sleep(0.05)
    assert sorted(log.read_text().splitlines()) == started
