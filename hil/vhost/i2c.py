"""An I2C adapter whose parts are Python objects (edge/peripherals/sim/registers.py), for vhost-user-i2c.

Rules:
1. One message of the guest is one message to a part. A part that raises HardwareFault did not acknowledge.
2. A message that hangs on a failed one (FAIL_NEXT) fails too, and no part sees it.
3. Faults of the bus: `stuck`, a line is held and every message fails when the adapter's time is over; `slow=0.5`, every
   message takes so many seconds. A bus that never answers is not offered: no adapter is one, and the guest's driver
   has no time limit of its own.

Source: Virtual I/O Device (VIRTIO) 1.2, section 5.20 (I2C adapter).
"""

from __future__ import annotations

import struct
import time

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim.registers import Bus
from hil.vhost.queues import Request

KIND = 34
STUCK_SECONDS = 0.1
LONGEST_SECONDS = 30.0
_HEAD = struct.Struct("<HHI")
_FAIL_NEXT, _READ = 1, 2
_OK, _ERROR = b"\0", b"\1"


class Adapter:
    """The device (see hil/vhost/session.py). `parts` hang at their addresses; `mode` sets a fault of the bus."""

    features = 1  # VIRTIO_I2C_F_ZERO_LENGTH_REQUEST
    queues = 1

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._stuck, self._slow = False, 0.0
        self._failing = False

    def mode(self, word: str) -> None:
        """`ok`, `stuck` or `slow=SECONDS`; UsageFault for another word."""
        name, _, number = word.partition("=")
        try:
            slow = float(number) if name == "slow" else 0.0
        except ValueError:
            slow = -1.0
        if name not in ("ok", "stuck", "slow") or not 0.0 <= slow <= LONGEST_SECONDS or (number and name != "slow"):
            raise UsageFault(f"{word[:40]!r} is no mode of an I2C bus", "ok, stuck, slow=SECONDS up to 30")
        self._stuck, self._slow = name == "stuck", slow

    def config(self) -> bytes:
        return b""

    def reset(self) -> None:
        self._failing = False

    def take(self, queue: int, request: Request) -> None:
        if len(request.data) < _HEAD.size or not request.room:
            raise HardwareFault("the guest's I2C request has no head or no room for its status")
        address, _, flags = _HEAD.unpack_from(request.data)
        said = None if self._failing else self._done(address >> 1, flags, request)
        self._failing = said is None and bool(flags & _FAIL_NEXT)
        request.answer(bytes(request.room - 1) + _ERROR if said is None else said + _OK)

    def _done(self, address: int, flags: int, request: Request) -> bytes | None:
        """What a part says, None when nobody acknowledged."""
        time.sleep(STUCK_SECONDS if self._stuck else self._slow)
        if self._stuck:
            return None
        try:
            if flags & _READ:
                return self.bus.read(address, request.room - 1)
            self.bus.write(address, request.data[_HEAD.size :])
            return b""
        except HardwareFault:
            return None
