"""Calls of the file tools through the real gate, as short as a test wants them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.faults import Fault
from tests.support.one_call import carry
from tests.support.opening import world


class Desk:
    """A workspace and the calls that are made in it; `preset` is what the gate holds them to."""

    def __init__(self, folder: Path, preset: str = "full", **scene: Any) -> None:
        self.folder = folder
        self.preset = preset
        self.world = world(folder, preset, **scene)

    def call(self, tool: str, **args: Any) -> Observation:
        return carry(tool, args, self.world, self.preset)

    def text(self, tool: str, **args: Any) -> str:
        return self.call(tool, **args).text

    def fault(self, tool: str, **args: Any) -> str:
        """The sentence of the fault that the call ends with."""
        with pytest.raises(Fault) as caught:
            self.call(tool, **args)
        assert len(str(caught.value)) > 15 and "Traceback" not in str(caught.value)
        return str(caught.value)

    def names(self, hidden: bool = False) -> list[str]:
        """All that is in the workspace, as paths from it."""
        found = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")]
        return sorted(name for name in found if hidden or not name.startswith(".fieldhand-trash"))


@contextmanager
def small_disk(folder: Path, size: str = "256k") -> Iterator[Path]:
    """A file system of its own of that size, mounted at `folder`; skips where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, timeout=20)
