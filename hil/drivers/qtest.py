"""QEMU's test socket: the host reads and writes the registers of a board that runs (QEMU's docs/devel/testing/qtest).

A line out, a line back: `OK`, `OK VALUE`, or `FAIL WHY` and `ERR WHY`. Lines that begin with IRQ come when they like.
"""

from __future__ import annotations

import socket

from edge.faults import HardwareFault


class QTest:
    """Connected. HardwareFault where QEMU is gone or refuses."""

    def __init__(self, link: socket.socket, seconds: float = 60.0) -> None:
        link.settimeout(seconds)
        self._link, self._file = link, link.makefile("rb")

    def ask(self, command: str) -> list[str]:
        """The words behind OK."""
        line = self._line(command)
        while line.startswith(b"IRQ"):
            line = self._line()
        words = line.decode("ascii", "replace").split()
        if words[:1] != ["OK"]:
            raise HardwareFault(f"QEMU's test socket refused {command!r}: {' '.join(words)}")
        return words[1:]

    def read(self, address: int) -> int:
        """A register of 32 bits."""
        words = self.ask(f"readl {address:#x}")
        try:
            return int(words[0], 16)
        except (IndexError, ValueError) as error:
            raise HardwareFault(f"QEMU's test socket read no number at {address:#x}: {' '.join(words)}") from error

    def write(self, address: int, value: int) -> None:
        self.ask(f"writel {address:#x} {value:#x}")

    def close(self) -> None:
        self._file.close()
        self._link.close()

    def _line(self, command: str = "") -> bytes:
        """The next line that comes, after this command went out."""
        try:
            self._link.sendall(command.encode("ascii") + b"\n" if command else b"")
            line = self._file.readline()
        except OSError as error:
            raise HardwareFault("QEMU's test socket does not answer") from error
        if not line.endswith(b"\n"):
            raise HardwareFault("QEMU ended")
        return line
