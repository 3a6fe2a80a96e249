"""A model of GPIO chips in a process of its own, for tests: started, reached from outside, ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.remote import Outside, Remote

ROOT = Path(__file__).resolve().parents[2]


class ChipServer:
    """The process: `socket` (its path), `chips` (what a setting says), `process`. A `with` ends it."""

    def __init__(self, folder, board="pi3", release="keep", *more):
        self.socket = f"{folder}/chips"
        self.chips = f"model:{self.socket}"
        command = [sys.executable, "-m", "edge.peripherals.gpiochip.server", self.socket]
        self.process = subprocess.Popen(
            [*command, "--board", board, "--release", release, *more], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        self._ends = []
        try:
            self._ready()
        except BaseException:
            self.close()
            raise

    def remote(self) -> Remote:
        """A seam to it, ended with it."""
        self._ends.append(Remote(self.socket))
        return self._ends[-1]

    def outside(self) -> Outside:
        """Who looks from outside."""
        self._ends.append(Outside(self.socket))
        return self._ends[-1]

    def close(self):
        for end in self._ends:
            end.close() if isinstance(end, Outside) else end.end()
        self.process.kill()
        self.process.communicate(timeout=60)

    def _ready(self):
        from tests.support.boards import eventually

        def answers():
            assert self.process.poll() is None, self.process.stderr.read()
            try:
                Outside(self.socket).close()
            except HardwareFault:
                return False
            return True

        eventually(answers)

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.close()
