"""Ends all processes of a driver and removes its folder, whatever became of this program.

Run as a program, it waits until its standard input closes, which it does however the program that
holds the other end dies. It imports only the standard library, to start at once and stay small.

Invariant: only processes of the driver's own session are ended. The driver is the session's leader,
and Ray's processes never leave it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

_PROC = Path("/proc")
_PATIENCE = 5.0
"""Seconds to wait for a killed process, which ends late only if the system is stuck."""


def processes(session: int) -> dict[int, str]:
    """Return the names of the live processes of a session, by their identifier."""
    if not _PROC.is_dir():
        return _listed(session)
    found = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text(errors="replace")
            except OSError:  # it has ended
                continue
            head, _, tail = stat.rpartition(")")
            state, _, _, its_session = tail.split()[:4]
            if int(its_session) == session and state not in "ZX":
                found[int(entry.name)] = head.partition("(")[2]
    return found


def _listed(session: int) -> dict[int, str]:
    """See `processes`; where there is no /proc."""
    listing = subprocess.run(["ps", "-A", "-o", "pid=,stat=,comm="], capture_output=True, text=True)
    found = {}
    for line in listing.stdout.splitlines():
        pid, state, name = line.split(None, 2)
        try:
            if os.getsid(int(pid)) == session and not state.startswith("Z"):
                found[int(pid)] = Path(name).name
        except OSError:  # it has ended, or is another user's
            continue
    return found


def end(session: int, folder: Path) -> None:
    """Kill all processes of a session but this one, and remove the folder that they wrote to."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        left = processes(session).keys() - {os.getpid()}
        if not left:
            break
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # it has ended
                continue
        time.sleep(0.01)
    shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Wait for the end of standard input, then end the session that the arguments name."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    session = sys.stdin.buffer.readline()
    sys.stdin.buffer.read()
    end(int(session or 0), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
