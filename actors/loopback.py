"""Keeps a cluster that Standout starts to this machine and this user.

Ray's servers execute any code that their clients send. Unless a node has the loopback address, they
listen on every interface; and any user of the machine can reach the loopback interface.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import secrets
from collections.abc import Iterator

import ray
from ray._private import ray_constants
from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

log = logging.getLogger("standout")

_CHOICES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Variables that configure tokens; if the user has set one of them, none is changed."""

_set: list[str] = []
"""Variables that `lock` set and `unlock` removes."""


@contextlib.contextmanager
def on_loopback() -> Iterator[None]:
    """Bind all servers of a cluster that `ray.init` starts to the loopback address.

    ``_node_ip_address="127.0.0.1"`` is not enough: Ray replaces it by the address of an interface,
    except where it takes clusters of several machines to be impossible, as on macOS.
    """
    possible = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = possible


def warn_if_reachable() -> None:
    """Warn if this version of Ray listens on another address all the same."""
    address = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    if not ipaddress.ip_address(address).is_loopback:
        log.warning(
            "Ray %s listens on %s, where other machines reach it; cluster=inline does without Ray",
            ray.__version__,
            address,
        )


def lock() -> None:
    """Require a secret for the next cluster; it is drawn here and stored in no file.

    Ray's own default writes one secret for all clusters to the home folder, readable by others.
    """
    if any(name in os.environ for name in _CHOICES):
        return
    ours = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    os.environ |= ours
    _set.extend(ours)
    _read_again()


def unlock() -> None:
    """Remove the secret, so that this process can join a cluster with another secret, or none."""
    if not _set:
        return
    for name in _set:
        os.environ.pop(name, None)
    _set.clear()
    _read_again()


def _read_again() -> None:
    """Make Ray reread the environment, which it reads only once in a process."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
