"""The hand on facts of the board: what the kernel, the system's files and its services tell, without a program.

Rules:
1. Each method reads the places that its call was granted, as edge/hands/facts_reader.py has it. `facts:NAME` grants
   what has no file of its own or lies beside the readable places (PLACES).
2. Nothing is changed, no device is opened, no program started. The kernel's messages stay in their ring.
3. What was not told is left out, or None; nothing is derived that was not measured.
4. Time is bounded by the permit; a call that is ended stops between two reads.
"""

from __future__ import annotations

import os
import time

from edge.faults import Fault, Refused, ToolFault
from edge.gate.paths import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.facts_log import Query
    from edge.hands.facts_reader import Reader

# What `read facts:run` opens: where services, and what sets the clock, keep their state.
PLACES = {
    "run": ("/run", "/var/service", "/service", "/etc/service"),
}
_SHARE = 0.8  # of the permit's time: the result has to be back before the loop stops waiting for it


class Facts:
    """Facts of this board inside the grants of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._ends = holder.begun + holder.permit.seconds * _SHARE

    def system(self, serial: bool) -> Mapping[str, Any]:
        """The board, its system, memory, load, temperatures, power, clock and card; `serial` adds its number."""
        from edge.hands.facts_clock import kernel_clock
        from edge.hands.facts_system import system

        return system(self._reader(), kernel_clock(), time.time(), serial, os.uname().machine, self._marks())

    def processes(self, seconds: float, sort: str, text: str, limit: int) -> Mapping[str, Any]:
        """Processes, the busiest first; CPU over `seconds` (0: since each was started)."""
        from edge.hands.facts_process import processes

        return processes(self._reader(), seconds, sort, text, limit, self.wait, self.late)

    def disks(self) -> Mapping[str, Any]:
        """Mounted file systems with their sizes."""
        from edge.hands.facts_disk import disks

        return disks(self._reader(), self.late)

    def usage(self, path: str, limit: int, other: bool) -> Mapping[str, Any]:
        """What takes the room below a granted folder; `other`: other file systems below it too."""
        from edge.hands.facts_usage import usage

        return usage(self._holder, path, limit, other, self.late)

    def network(self) -> Mapping[str, Any]:
        """Interfaces, addresses, routes, name servers and listening sockets."""
        from edge.hands.facts_net import network
        from edge.hands.facts_netlink import addresses

        self._holder.grant("read", "facts", "network")
        return network(self._reader(), addresses(), self.late)

    def services(self, text: str, limit: int) -> Mapping[str, Any]:
        """Services whose name holds `text`, as whatever starts them here tells."""
        from edge.hands.facts_service import services

        return services(self._reader(), text, limit)

    def log(self, source: str, limit: int, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Lines of `kernel`, `system` or a granted file, the newest last: `source lines notes`.

        asked: `text unit priority since until`, each only where it is wanted (edge/hands/facts_log.py).
        """
        from edge.hands import facts_logs

        now = time.time()
        query = facts_logs.query(limit, asked, now)
        if source == "kernel":
            self._holder.grant("read", "facts", "kernel")
            return facts_logs.kernel(self._reader(), query, now)
        if source == "system":
            return facts_logs.system(self._reader(), query, now, self.late)
        return self._file(source, query)

    def _file(self, path: str, query: Query) -> Mapping[str, Any]:
        """A log file by its name: text, or a journal."""
        from edge.hands.open import again
        from edge.hands.way import Way

        spot = place(path, self._holder.world.scene)
        thing, found = Way(self._holder, self._holder.grant("read", spot.root, spot.path), spot).opened(path)
        try:
            if os.fstat(thing).st_mode & 0o170000 != 0o100000:
                raise ToolFault(f"{path} is no regular file", "source is kernel, system, or a log file")
            descriptor = again(thing, path)
        finally:
            os.close(thing)
        return self._log(descriptor, path, found.full, query)

    def _log(self, descriptor: int, path: str, full: str, query: Query) -> Mapping[str, Any]:
        """What an open log says; it is closed."""
        from edge.hands import facts_logs

        try:
            if os.pread(descriptor, 8, 0) == b"LPKSHHRH":
                return facts_logs.entries(self._reader(), query, self.late, [(descriptor, path)], [])
            lines, notes = facts_logs.text(os.dup(descriptor), self._reader(), query, time.time(), self.late)
            return facts_logs.told(full, lines, notes)
        except OSError as error:  # files of /proc have no end to begin at, and some cannot be read at all
            if isinstance(error, Fault):
                raise
            why = (error.strerror or "unknown error").lower()
            raise ToolFault(f"{path} cannot be read as a log: {why}", "file_read reads files of other kinds") from error
        finally:
            os.close(descriptor)

    def wait(self, seconds: float) -> None:
        """Let time pass, at most until the call has to end."""
        until = min(time.monotonic() + seconds, self._ends)
        while not self._holder.ending():
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.05))

    def late(self) -> str:
        """Why reading has to stop now, or nothing."""
        if self._holder.ending():
            return "because the call was ended"
        return "because the time of the call was up" if time.monotonic() > self._ends else ""

    def _marks(self) -> tuple[float, ...]:
        """When the program was installed, and the newest of what it keeps was written: the date is not before that."""
        state = self._holder.world.scene.state
        found = [__file__]
        try:
            found += [entry.path for entry in os.scandir(state)] if state else []
            return tuple([os.stat(path).st_mtime for path in found])
        except OSError:
            return ()

    def _reader(self) -> Reader:
        from edge.hands.facts_reader import Reader

        places: list[str] = []
        for grant in self._holder.permit.grants:
            if grant.verb != "read":
                continue
            if grant.root == "system":
                places.append("/" + grant.path)
            elif grant.root == "facts":
                places += PLACES.get(grant.path, ())
        if not places:
            raise Refused(f"the permit of {self._holder.call.tool} holds no facts", "hands.no-grant")
        return Reader(tuple(places), self._holder.permit.barred)
