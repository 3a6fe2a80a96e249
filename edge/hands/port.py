"""The hand on serial ports: open one that the settings declare, send, wait for an answer, close.

Rules:
1. A name in, never a path: the permit holds `serial:NAME`, the scene says which device that is.
2. What is sent is sent at most once. What did not leave in time is told; it is dropped when the port is closed.
3. An answer is waited for until a deadline and no longer. One that was found at the very end of what came may have
   more behind it (`T=2` of `T=21.5`): it counts once the line was quiet for QUIET seconds.
4. Without a search all is taken that comes until the line is quiet.
"""

from __future__ import annotations

import time

from edge.hands.received import hex_of, look, share_of_noise, text_of
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.ports import Open
    from edge.hands.received import Found, Search

QUIET = 0.25
LOOK = 0.02
MARGIN = 0.5  # seconds of a call's time that are left for its answer


class Heard(Record):
    """What came of waiting. `found` is None when nothing was found; `why`: what ended it early, or ""."""

    found: Found | None
    data: bytes
    start: int
    seconds: float
    why: str = ""


class PortHand:
    """The ports that the permit names."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def open(self, name: str) -> Mapping[str, Any]:
        """`port label device baud framing flow fresh`; `fresh` is False for one that was open already."""
        self._holder.grant("write", "serial", name)
        found, fresh = self._holder.world.ports().open(name, self._holder.call)
        port = found.port
        told = {field: getattr(port, field) for field in ("label", "device", "baud", "framing", "flow")}
        return {"port": name, **told, "fresh": fresh}

    def send(self, name: str, data: bytes, clear: bool) -> Mapping[str, Any]:
        """`sent` of `size` bytes; `cleared`: bytes that waited and were let go first. ToolFault, HardwareFault."""
        self._holder.grant("send", "serial", name)
        port = self._holder.world.ports().find(name)
        port.there()
        cleared = _clear(port) if clear else 0
        sent = port.write(data, self._left())
        return {"port": name, "sent": sent, "size": len(data), "cleared": cleared}

    def expect(self, name: str, seconds: float, search: Search | None, form: str) -> Mapping[str, Any]:
        """What came until `search` found something, in `form` text or hex: `matched match text size rest ...`.

        rest: bytes that wait behind it; dropped: how many were lost before; seconds: how long it took; why: what ended
        it early; noise: the share of a text that is none. Without a match all stays, to be found later.
        """
        self._holder.grant("read", "serial", name)
        port = self._holder.world.ports().find(name)
        heard = self._wait(port, seconds, search, form)
        found, data = heard.found, heard.data
        taken = data if search is None else data[: found.size] if found is not None else b""
        dropped = port.came.take(heard.start + len(taken))
        shown = hex_of(data) if form == "hex" else text_of(data)
        return {
            **{"port": name, "matched": found is not None, "match": found.match if found else "", "form": form},
            **{"text": found.text if found else shown, "size": found.size if found else len(data)},
            **{"rest": len(data) - len(taken) if found else 0, "dropped": dropped, "why": heard.why},
            **{"seconds": round(heard.seconds, 2), "noise": 0.0 if form == "hex" else share_of_noise(data)},
        }

    def close(self, name: str) -> Mapping[str, Any]:
        """Close it: `words` and how much came in all."""
        from edge.hands.ports import PARTING

        self._holder.grant("write", "memory", "ports")
        port = self._holder.world.ports().find(name)
        port.ask("close")
        port.wait(PARTING)
        return port.facts()

    def _left(self) -> float:
        """Seconds that this call still has."""
        return max(0.0, self._holder.permit.seconds - (time.monotonic() - self._holder.begun) - MARGIN)

    def _wait(self, port: Open, seconds: float, search: Search | None, form: str) -> Heard:
        port.use()
        start = time.monotonic()
        most = self._left()
        until = start + min(seconds, most)
        looked, found = -1, None
        while True:
            now, over = time.monotonic(), port.why
            data, first = port.came.waiting()
            if search is not None and port.came.came != looked:
                looked, found = port.came.came, look(data, search, form)
            quiet = now - port.came.at >= QUIET
            if (found is not None and (quiet or not found.last)) or (search is None and data and quiet):
                return Heard(found, data, first, now - start)
            if over and not data:
                port.there()  # raises
            why = self._ending(now >= until, over, seconds > most)
            if why is not None:
                return Heard(found, data, first, now - start, why)
            time.sleep(LOOK)

    def _ending(self, late: bool, over: str, short: bool) -> str | None:
        """Why the waiting has to end, None when it has not."""
        if over:
            return "the port was closed meanwhile"
        if self._holder.ending():
            return "it was cut"
        if late:
            return f"a call may take {self._holder.permit.seconds:g} s" if short else ""
        return None


def _clear(port: Open) -> int:
    data, first = port.came.waiting()
    port.came.take(first + len(data))
    return len(data)
