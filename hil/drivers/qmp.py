"""QEMU's monitor: a command and its answer, events as they come. One socket, lines of JSON (QEMU's qmp-spec)."""

from __future__ import annotations

import json
import socket
from typing import Any

from edge.faults import HardwareFault


class Monitor:
    """Connected and greeted. `events` are all that came, oldest first."""

    def __init__(self, link: socket.socket, seconds: float = 60.0) -> None:
        link.settimeout(seconds)
        self._link, self._file = link, link.makefile("rb")
        self.events: list[dict[str, Any]] = []
        self._line()
        self.ask("qmp_capabilities")

    def ask(self, command: str, **arguments: object) -> Any:
        """What the command returns; HardwareFault when it fails or QEMU is gone."""
        told = {"execute": command, **({"arguments": arguments} if arguments else {})}
        try:
            self._link.sendall(json.dumps(told).encode() + b"\n")
        except OSError as error:
            raise HardwareFault(f"QEMU is gone: {command} could not be asked") from error
        while True:
            answer = self._line()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise HardwareFault(f"QEMU refused {command}: {answer['error'].get('desc', '')}")
            self.events.append(answer)

    def count(self, event: str) -> int:
        """How often an event came until now."""
        self.ask("query-status")
        return sum(one.get("event") == event for one in self.events)

    def close(self) -> None:
        self._file.close()
        self._link.close()

    def _line(self) -> dict[str, Any]:
        try:
            line = self._file.readline()
        except OSError as error:
            raise HardwareFault("QEMU's monitor does not answer") from error
        if not line:
            raise HardwareFault("QEMU ended")
        found: dict[str, Any] = json.loads(line)
        return found
