"""Lines whose far side is this process, for vhost-user-gpio: levels, directions, edges.

Rules:
1. A line is driven by the guest (an output), by the host (`set`), or by nobody: then its pull-down makes it 0. Both at
   once is a short circuit: `set` refuses it, and a guest that drives against the host wins.
2. An edge that the guest asked for is told once, even if it came while the guest was not looking (it is latched until
   then); a level is told as long as it lasts.
3. When the guest lets go of the device its outputs are inputs again, as at power-on; what the host set stays.

Source: Virtual I/O Device (VIRTIO) 1.2, section 5.16 (GPIO device).
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence

from edge.faults import HardwareFault, UsageFault
from hil.vhost.queues import Request

KIND = 41
MOST = 256
_REQUEST, _EVENT = struct.Struct("<HHI"), struct.Struct("<H")
_NAMES, _GET_DIRECTION, _SET_DIRECTION, _GET_VALUE, _SET_VALUE, _IRQ_TYPE = 1, 2, 3, 4, 5, 6
_OUT, _IN = 1, 2
_RISING, _FALLING, _HIGH, _LOW = 1, 2, 4, 8
_OK, _ERROR, _INVALID, _VALID = b"\0", b"\1", b"\0", b"\1"


class _Line:
    """One line, as both sides left it."""

    def __init__(self) -> None:
        self.driven: int | None = None
        self.let_go()

    def let_go(self) -> None:
        """The guest's side as at power-on."""
        self.direction = self.value = self.wanted = 0
        self.latched = False
        self.held: Request | None = None

    @property
    def level(self) -> int:
        return self.value if self.direction == _OUT else self.driven or 0

    def moved(self, before: int) -> None:
        """An edge is latched when it is one that the guest wants."""
        after = self.level
        if after != before and self.wanted & (_RISING if after else _FALLING):
            self.latched = True

    def due(self) -> bool:
        return self.latched or bool(self.wanted & (_HIGH if self.level else _LOW))


class Lines:
    """The device (see hil/vhost/session.py), and what the host does with its lines. `names`: one for each."""

    features = 1  # VIRTIO_GPIO_F_IRQ
    queues = 2

    def __init__(self, names: Sequence[str]) -> None:
        if not 0 < len(names) <= MOST:
            raise UsageFault(f"a chip has 1 to {MOST} lines, not {len(names)}")
        self.names = tuple(names)
        self._lines = [_Line() for _ in names]
        self._lock = threading.RLock()
        self._block = b"".join(name.encode("ascii") + b"\0" for name in names)

    # --- the host's side ---

    def set(self, line: int, level: int) -> None:
        """Drive a line to 0 or 1; HardwareFault when the guest drives it."""
        with self._lock:
            found = self._at(line)
            if found.direction == _OUT:
                raise HardwareFault(f"line {line} is an output of the board", "set lines that the board reads")
            self._drive(found, 1 if level else 0)

    def release(self, line: int) -> None:
        """Drive it no more."""
        with self._lock:
            self._drive(self._at(line), None)

    def level(self, line: int) -> int:
        """What it has, whoever drives it."""
        with self._lock:
            return self._at(line).level

    def driven(self, line: int) -> bool:
        """Whether the guest drives it."""
        with self._lock:
            return self._at(line).direction == _OUT

    def seen(self) -> dict[int, tuple[str, int]]:
        """Every line: "out" where the guest drives it, else "in", and the level."""
        with self._lock:
            return {at: ("out" if one.direction == _OUT else "in", one.level) for at, one in enumerate(self._lines)}

    def _drive(self, line: _Line, level: int | None) -> None:
        before = line.level
        line.driven = level
        line.moved(before)
        self._tell(line)

    def _at(self, number: int) -> _Line:
        if not 0 <= number < len(self._lines):
            raise UsageFault(f"the chip has no line {number}", f"it has 0 to {len(self._lines) - 1}")
        return self._lines[number]

    # --- the guest's side ---

    def config(self) -> bytes:
        return struct.pack("<HHI", len(self._lines), 0, len(self._block))

    def reset(self) -> None:
        with self._lock:
            for line in self._lines:
                line.let_go()

    def take(self, queue: int, request: Request) -> None:
        with self._lock:
            if queue == 1:
                self._event(request)
            else:
                self._asked(request)

    def _event(self, request: Request) -> None:
        """A buffer for the next event of a line: kept until there is one."""
        if len(request.data) < _EVENT.size:
            raise HardwareFault("the guest's buffer for events names no line")
        (number,) = _EVENT.unpack_from(request.data)
        if number >= len(self._lines) or not self._lines[number].wanted:
            request.answer(_INVALID)
            return
        self._lines[number].held = request
        self._tell(self._lines[number])

    def _tell(self, line: _Line) -> None:
        if line.held is not None and line.due():
            held, line.held, line.latched = line.held, None, False
            held.answer(_VALID)

    def _asked(self, request: Request) -> None:
        if len(request.data) < _REQUEST.size:
            raise HardwareFault("the guest's GPIO request is cut off")
        kind, number, value = _REQUEST.unpack_from(request.data)
        if kind == _NAMES:
            request.answer(_OK + self._block)
        else:
            said = self._act(kind, self._lines[number], value) if number < len(self._lines) else None
            request.answer(_ERROR + b"\0" if said is None else _OK + bytes([said]))

    def _act(self, kind: int, line: _Line, value: int) -> int | None:
        """What is answered, None when it cannot be done."""
        if kind == _GET_DIRECTION:
            return line.direction or _IN
        if kind == _GET_VALUE:
            return line.level
        if kind == _SET_DIRECTION and value in (0, _OUT, _IN):
            return self._changed(line, value, line.value)
        if kind == _SET_VALUE and value in (0, 1):
            return self._changed(line, line.direction, value)
        if kind == _IRQ_TYPE and value in (0, _RISING, _FALLING, _RISING | _FALLING, _HIGH, _LOW):
            return self._want(line, value)
        return None

    def _changed(self, line: _Line, direction: int, value: int) -> int:
        before = line.level
        line.direction, line.value = direction, value
        line.moved(before)
        self._tell(line)
        return 0

    def _want(self, line: _Line, kind: int) -> int:
        line.wanted, line.latched = kind, False
        if not kind and line.held is not None:
            held, line.held = line.held, None
            held.answer(_INVALID)
        return 0
