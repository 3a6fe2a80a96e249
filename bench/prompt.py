"""Starts a command on a terminal of its own, waits until it prompts, looks at it, and ends it by end of file.

What is measured is a person's start: stdin, stdout and stderr are one terminal, so line editing is loaded as shipped.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time

from bench.harness import Broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROMPT = b"fieldhand> "
PATIENCE = 120.0


def environ(home: str) -> dict[str, str]:
    """A small, fixed environment: what a login on a board has. The Python that runs this comes first on PATH."""
    path = os.path.dirname(os.path.realpath(sys.executable)) + ":/usr/local/bin:/usr/bin:/bin"
    return {"HOME": home, "PATH": path, "LANG": "C.UTF-8", "TERM": "vt102", "PYTHONHASHSEED": "0"}


def visit(
    argv: Sequence[str],
    home: str,
    ready: bytes = PROMPT,
    look: Callable[[int], float] = lambda pid: 0.0,
) -> float:
    """Start `argv` in `home`, wait for `ready` on its terminal, `look(pid)`, send end of file; what `look` said.

    Broken when it does not prompt within PATIENCE seconds or does not end with 0.
    """
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home, env=environ(home), start_new_session=True
    )
    os.close(theirs)
    seen = b""
    try:
        seen = _until(ours, ready, argv)
        found = look(child.pid)
        os.write(ours, b"\x04")
        seen += _rest(ours)
        code = child.wait(PATIENCE)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        os.close(ours)
    if code:
        raise Broken(f"{argv[0]} ended with {code} after its prompt: {seen[-300:].decode(errors='replace')!r}")
    return found


def _until(terminal: int, ready: bytes, argv: Sequence[str]) -> bytes:
    seen = b""
    end = time.monotonic() + PATIENCE
    while ready not in seen:
        piece = _read(terminal, end - time.monotonic())
        if not piece:
            raise Broken(f"{argv[0]} did not prompt; it said {seen[-600:].decode(errors='replace')!r}")
        seen += piece
    return seen


def _rest(terminal: int) -> bytes:
    seen = b""
    end = time.monotonic() + PATIENCE
    while True:
        piece = _read(terminal, end - time.monotonic())
        if not piece:
            return seen
        seen += piece


def _read(terminal: int, seconds: float) -> bytes:
    """What the terminal has within `seconds`; nothing at the end or when time is up."""
    ready, _, _ = select.select([terminal], [], [], max(seconds, 0))
    if not ready:
        return b""
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says EIO when the last holder of the other side is gone
        return b""
