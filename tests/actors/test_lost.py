"""What a result that does not come is called."""

from __future__ import annotations

import pytest
from ray.core.generated.common_pb2 import Address
from ray.exceptions import GetTimeoutError, OwnerDiedError, RayError, RayTaskError

from actors.lost import as_ours
from sim.errors import ClusterError, ClusterLostError, StoreError


def of_a_task(cause: Exception) -> RayTaskError:
    return RayTaskError("call", f"Traceback\n{cause}", cause)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (GetTimeoutError(), ClusterError, "no result for 5 seconds"),
        (of_a_task(StoreError("x.bin: cut off")), ClusterError, "a worker failed: x.bin: cut off;"),
        (of_a_task(ValueError("odd")), ClusterError, r"a worker failed \(odd\); the run can be"),
        (RayError("the head is gone"), ClusterLostError, "^the head is gone$"),
    ],
)
def test_an_error_of_ray(error: RayError, kind: type[ClusterError], said: str) -> None:
    ours = as_ours(error, 5.0)
    assert type(ours) is kind
    with pytest.raises(kind, match=said):
        raise ours


def test_a_value_whose_owner_died_is_a_loss_of_ray_and_not_the_task_s() -> None:
    """So that what was begun goes on in another cluster."""
    died = OwnerDiedError("00ff", Address(), "")
    assert type(as_ours(of_a_task(died), 5.0)) is ClusterLostError
