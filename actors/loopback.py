"""Keeps a cluster that Standout starts to this machine and this user.

Ray's servers run whatever their clients send. Unless the address of a node is the loopback one,
they listen on every interface; and any user of the machine reaches the loopback interface.
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
"""Variables by which a user decides on tokens; one of them set, none is touched."""

_set: list[str] = []
"""Variables that `lock` set and `unlock` takes back."""


@contextlib.contextmanager
def on_loopback() -> Iterator[None]:
    """Let `ray.init` give a new cluster the loopback address, which all its servers then bind.

    ``_node_ip_address="127.0.0.1"`` does not: Ray replaces it by the address of an interface. It
    leaves that out where it holds clusters of several machines to be impossible, as on macOS.
    """
    possible = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = possible


def warn_if_reachable() -> None:
    """Warn if another Ray than the tested one copied another address after all."""
    address = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    if not ipaddress.ip_address(address).is_loopback:
        log.warning(
            "Ray %s listens on %s, where other machines reach it; cluster=inline does without Ray",
            ray.__version__,
            address,
        )


def lock() -> None:
    """Have the next cluster admit only who knows a secret, drawn here and kept in no file.

    Ray's own default writes one secret for all clusters to the home folder, readable to others.
    """
    if any(name in os.environ for name in _CHOICES):
        return
    ours = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    os.environ |= ours
    _set.extend(ours)
    _read_again()


def unlock() -> None:
    """Forget the secret, so that this process can join a cluster that has another, or none."""
    if not _set:
        return
    for name in _set:
        os.environ.pop(name, None)
    _set.clear()
    _read_again()


def _read_again() -> None:
    """Ray reads the environment once in a process, as a rule."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
