"""The double of GPIO chips as a process of its own, for figures of what reaches chips: started, pulled at, ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from bench.forms import ROOT
from bench.harness import Broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.gpiochip.remote import Outside

LABEL = "pinctrl-bcm2835"
PATIENCE = 60.0


class Chips:
    """The process; `setting` is what says in the settings where the chips are. Ends with the `with` block.

    A line that is let go becomes an input, so that whoever pulls at it from outside sees who takes it next.
    """

    def __init__(self, folder: str) -> None:
        self.socket = os.path.join(folder, "chips")
        self.setting = f"model:{self.socket}"

    def __enter__(self) -> Chips:
        argv = [sys.executable, "-m", "edge.peripherals.gpiochip.server", self.socket, "--release", "input"]
        self._child = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        found = None
        try:
            found = self._connected()
        finally:
            if found is None:
                self._end()
        self.outside = found
        return self

    def __exit__(self, *_exc: object) -> None:
        self.outside.close()
        self._end()

    def pull(self, line: str, level: bool | None) -> None:
        """Put a level on a wire; None lets go."""
        self.outside.pull(LABEL, line, level)

    def _connected(self) -> Outside:
        from edge.faults import HardwareFault
        from edge.peripherals.gpiochip.remote import Outside

        until = time.monotonic() + PATIENCE
        while True:
            try:
                return Outside(self.socket)
            except HardwareFault as fault:
                if self._child.poll() is not None or time.monotonic() > until:
                    raise Broken(f"the double of the chips does not answer: {fault}") from fault
            time.sleep(0.01)

    def _end(self) -> None:
        self._child.kill()
        self._child.communicate(timeout=PATIENCE)
