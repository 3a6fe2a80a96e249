"""The lab bench: a board of QEMU whose I2C bus and GPIO chip end in this process (hil/vhost).

Rules:
1. The far side is there before the board and stays behind it: parts keep what they were set to over a power cut.
2. Kernel and initramfs are those of the slot that the card names when the power comes on (hil/direct.py).
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from hil import direct
from hil.drivers.far_parts import FarParts
from hil.drivers.qemu import Machine, started, wired
from hil.resources import Board
from hil.vhost import gpio
from hil.vhost.server import Server
from images import product


class Lab(Machine):
    """See Machine. `faults` are those of the talk with QEMU: there are none unless a guest or QEMU does what it must
    not."""

    def __init__(
        self, board: Board, card: Path, words: tuple[str, ...] = (), more: tuple[str, ...] = (), drive: str = ""
    ) -> None:
        self._words = words
        self._far_parts = FarParts(board.parts)
        self._chip = gpio.Lines([f"GPIO{number}" for number in range(board.emulated().lines)])
        self._servers: dict[str, Server] = {}
        super().__init__(board, card, words, more, drive or f"file={card},format=raw")
        with ExitStack() as undo:
            undo.callback(super().__exit__, None, None, None)
            for name, device in (("i2c", self._far_parts.adapter), ("gpio", self._chip)):
                self._servers[name] = undo.enter_context(Server(self._folder / name, device))
            undo.pop_all()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.cut()
        for server in self._servers.values():
            server.close()
        super().__exit__(kind, error, _)

    @property
    def lines(self) -> gpio.Lines:
        return self._chip

    @property
    def parts(self) -> FarParts:
        return self._far_parts

    @property
    def faults(self) -> list[str]:
        return [str(fault) for server in self._servers.values() for fault in server.faults]

    def _prepare(self, words: tuple[str, ...]) -> None:
        """Rule 2: all of it later."""

    def _command(self) -> list[str]:
        direct.prepare(self.card, product.load(self.board.product), self._folder)
        line = " ".join(dict.fromkeys((*direct.words(self.card), *self._emulator.words, *self._words)))
        return [
            *started(self._emulator),
            *("-kernel", str(self._folder / "kernel"), "-initrd", str(self._folder / "initrd"), "-append", line),
            *("-drive", f"{self._drive},if=none,id=card", "-device", "virtio-blk-pci,drive=card"),
            *wired(self._emulator, self._folder),
            *(word for name in self._servers for word in _far(name, self._folder)),
        ]


def _far(name: str, folder: Path) -> list[str]:
    return [
        "-chardev",
        f"socket,id=far-{name},path={folder}/{name}",
        "-device",
        f"vhost-user-{name}-pci,chardev=far-{name}",
    ]
