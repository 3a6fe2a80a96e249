"""A disk whose power ends at a step that was chosen, in the middle of it where a step can be half done."""

from __future__ import annotations

import os
from pathlib import Path

from edge.card.provision_disk import Disk


class Cut(BaseException):
    """The power is gone: nothing that runs can do anything about it."""


class Cutting(Disk):
    """Does `steps` steps as Disk does; the next one ends the world, a write after half of its bytes.

    -1: all steps. Nothing is flushed: no power really goes, and whole sweeps of flushes take a card's time.
    """

    def __init__(self, steps: int = -1) -> None:
        self.left = steps

    def flush(self, handle: int) -> None:
        """Nothing to see from inside of a machine that stays on."""

    def _step(self) -> None:
        if self.left == 0:
            raise Cut
        self.left -= 1

    def folder(self, path: str) -> None:
        self._step()
        super().folder(path)

    def put(self, path: str, raw: bytes, mode: int) -> None:
        if self.left == 0:
            super().put(path, raw[: len(raw) // 2], mode)
        self._step()
        super().put(path, raw, mode)

    def overwrite(self, path: str, raw: bytes) -> None:
        if self.left == 0:
            super().overwrite(path, raw[: len(raw) // 2])
        self._step()
        super().overwrite(path, raw)

    def rename(self, old: str, new: str) -> None:
        self._step()
        super().rename(old, new)

    def remove(self, path: str) -> None:
        self._step()
        super().remove(path)

    def sync(self, folder: str) -> None:
        self._step()
        super().sync(folder)


def tree(folder: Path) -> dict[str, str]:
    """Every file below the folder, by its path in it."""
    found = {}
    for inner, _, names in os.walk(folder):
        for name in names:
            path = Path(inner, name)
            found[path.relative_to(folder).as_posix()] = path.read_text("utf-8")
    return found
