"""A workspace with a memory and the calls that are made in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.call import Observation
from edge.tape.memory import Memory
from tests.support.file_calls import Desk


class MemoryDesk(Desk):
    """`source`: where untrusted words came from that this conversation has heard; `told`: those that a call brought."""

    def __init__(self, folder: Path, preset: str = "guarded") -> None:
        super().__init__(folder, preset)
        self.source = ""
        self.told: list[str] = []
        self.world.memory = Memory(str(folder / "state" / "memory"), least=0)
        self.world.heard = lambda: self.source
        self.world.hear = self.told.append
        self.world.redact = lambda text: text.replace("hunter2hunter2", "[redacted]")

    def store(self, key: str, content: str, **more: Any) -> Observation:
        return self.call("memory_store", key=key, content=content, **more)

    def raw(self) -> bytes:
        """All bytes of all files of the memory."""
        return b"\n".join(path.read_bytes() for path in (self.folder / "state" / "memory").iterdir())
