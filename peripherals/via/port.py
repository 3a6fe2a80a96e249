"""A serial port through pyserial; nothing of pyserial is seen beyond this file.

Rules:
1. Every error leaves as OSError with the number of the system where there is one. pyserial raises SerialException
   without a number, plain OSError and termios.error for one and the same thing.
2. Exclusive twice: flock for those who ask for it, TIOCEXCL for those who do not. Children get no descriptor of it
   (PEP 446).
3. DTR and RTS rise once, when it is opened, and stay as they are when it is closed (HUPCL off): each rise of DTR
   resets many small boards.
4. pyserial opens the port and sets it. Bytes go by the calls of the system: its `read` sets the whole port anew for a
   new deadline, and its `write` spins while nothing is taken.
5. What waits to be sent is dropped when it is closed: the kernel would wait half a minute for a peer that is silent.
"""

from __future__ import annotations

import errno
import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Port

LOOK = 0.01
MOST = 4096  # bytes at a time


class Serial:
    """One open port."""

    def __init__(self, port: Port) -> None:
        import serial

        bits, parity, stops = int(port.framing[0]), port.framing[1], int(port.framing[2])
        flow = {"rtscts": port.flow == "rtscts", "xonxoff": port.flow == "xonxoff"}
        self._made: Any = serial.Serial(None, port.baud, bits, parity, stops, **flow, exclusive=True)
        self._made.port = port.device
        _asked(self._made.open)
        try:
            _asked(self._alone)
        except OSError:
            self.close()
            raise

    def _alone(self) -> None:
        """Rules 2 and 3."""
        import fcntl
        import termios

        fcntl.ioctl(self._made.fileno(), termios.TIOCEXCL)
        modes = termios.tcgetattr(self._made.fileno())
        modes[2] &= ~termios.HUPCL
        termios.tcsetattr(self._made.fileno(), termios.TCSANOW, modes)

    def read(self, seconds: float) -> bytes:
        found: bytes = _asked(lambda: self._get(seconds))
        return found

    def _get(self, seconds: float) -> bytes:
        fd = self._made.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        if not poll.poll(int(seconds * 1000)):
            return b""
        data = os.read(fd, MOST)
        if not data:  # a terminal that is hung up, or another one reads it
            raise OSError(errno.EIO, "the device is gone, or another program reads it")
        return data

    def write(self, data: bytes, seconds: float) -> int:
        until = time.monotonic() + seconds
        left = data[_asked(lambda: self._put(data)) :]
        waiting = len(left) + self._waiting()
        while waiting and time.monotonic() < until:
            time.sleep(LOOK)
            left = left[_asked(lambda: self._put(left)) :]  # noqa: B023 (called at once)
            waiting = len(left) + self._waiting()
        return max(0, len(data) - waiting)

    def _put(self, data: bytes) -> int:
        """How many of these bytes the kernel takes now."""
        try:
            return os.write(self._made.fileno(), data) if data else 0
        except BlockingIOError:
            return 0

    def _waiting(self) -> int:
        """Bytes that the kernel has and the port has not sent yet."""
        return int(_asked(lambda: self._made.out_waiting))

    def close(self) -> None:
        if not self._made.is_open:
            return
        for act in (self._made.reset_output_buffer, self._made.close):
            try:
                _asked(act)
            except OSError:
                continue  # it is gone: nothing waits there, and the descriptor is closed


def _asked(act: Any) -> Any:
    """What `act` gives; its errors as OSError with their number (rule 1)."""
    import termios

    import serial

    try:
        return act()
    except termios.error as error:
        raise OSError(*error.args) from error
    except serial.SerialException as error:
        raise OSError(error.errno or _cause(error), str(error)) from error
    except (TypeError, ValueError) as error:
        # A number that no termios takes, or a descriptor that was closed meanwhile.
        raise OSError(errno.EINVAL, str(error)) from error


def _cause(error: BaseException) -> int:
    """The number of what pyserial made its own error from; that of a device that is gone where there is none."""
    inner = error.__context__
    number = getattr(inner, "errno", None)
    if number is None and inner is not None and inner.args and isinstance(inner.args[0], int):
        number = inner.args[0]  # termios.error
    return number or errno.EIO
