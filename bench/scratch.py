"""Temporary folders of a bench run: gone when the process ends."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile


def folder(memory: bool = False) -> str:
    """A new folder; in memory (tmpfs) when asked for and there is one, so that no disk is measured."""
    where = "/dev/shm" if memory and os.access("/dev/shm", os.W_OK) else None
    made = tempfile.mkdtemp(prefix="fieldhand-bench-", dir=where)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
