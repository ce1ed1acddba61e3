"""Finds out whether a cluster fits into memory before it is started.

The system ends processes of a job that needs more than there is, and not the ones that should end.
"""

from __future__ import annotations

from pathlib import Path

from sim.errors import ClusterError
from sim.files.free_memory import SYSTEM, available

_FIXED_BYTES = 560 << 20
_WORKER_BYTES = 150 << 20
"""Of the driver and Ray's processes; and of a scorer, with little data. Measured by the peak of a
control group: with the program's 0.2 GB, 0.90, 1.05 and 1.35 GB for one, two and four workers."""


def check_memory(workers: int, root: Path = SYSTEM) -> None:
    """Refuse to start a cluster that the system would end.

    Parameters
    ----------
    root : Path
        The root of the system's files.

    Raises
    ------
    ClusterError
        There is less memory than its processes need at the least.
    """
    free, needed = available(root), _FIXED_BYTES + workers * _WORKER_BYTES
    if free is None or free >= needed:
        return
    most = (free - _FIXED_BYTES) // _WORKER_BYTES
    fewer = f"set cluster.workers={most}, or " if most > 0 else "set "
    raise ClusterError(
        f"cluster.workers={workers}: Ray and its workers need {needed / 1e9:.2f} GB of memory at "
        f"the least, and {free / 1e9:.2f} GB are free; {fewer}cluster=inline, which is one process"
    )
