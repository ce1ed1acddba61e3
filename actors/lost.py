"""Errors of Ray as ours, in one line with the cause."""

from __future__ import annotations

from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from sim.errors import ClusterError, ClusterLostError, StandoutError


def user_error(error: Exception) -> StandoutError | None:
    """Return the cause of a worker's error if the user can remedy it, else None."""
    cause = error.cause if isinstance(error, RayTaskError) else error
    return cause if isinstance(cause, StandoutError) else None


TIMEOUT = 600.0
"""Seconds without any result before a run gives up: far longer than a batch, or a node's start."""

RESUMABLE = "the run can be resumed"
"""What can be done after an error of a run."""


def nothing_heard(seconds: float) -> ClusterError:
    """Return the error of workers that do not answer for so long."""
    return ClusterError(
        f"no result for {seconds:g} seconds; see that the cluster's nodes are up; {RESUMABLE}"
    )


def as_ours(error: RayError, timeout: float) -> ClusterError:
    """Return the error of a result that was waited for, at most `timeout` seconds."""
    if isinstance(error, GetTimeoutError):
        return nothing_heard(timeout)
    known = user_error(error)
    if known is not None:
        return ClusterError(f"a worker failed: {known}; {RESUMABLE}")
    last = str(error).strip().splitlines()[-1]
    if isinstance(error, RayTaskError) and not isinstance(error.cause, RayError):
        return ClusterError(f"a worker failed ({last}); {RESUMABLE}")
    return ClusterLostError(last)
