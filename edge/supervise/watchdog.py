"""The hardware watchdog: armed by opening it, fed by a write, let go by a V.

Source: Documentation/watchdog/watchdog-api.rst of Linux. Any write feeds; a `V` as the last one before the close is
the magic close, without which the board resets although nobody holds the device any more; ioctl numbers are those of
include/uapi/linux/watchdog.h (the same on all three architectures).

Rules:
1. The device has one opener. What fed it since the boot (the initramfs feeder, by its pid file) is killed without a
   word, so that the device stays armed while it changes hands. It feeds for some minutes only, and its number may be
   another process's then: who is not called FEEDER in its command line is left alone.
2. SECONDS fit what a Raspberry Pi can count (bcm2835_wdt: 15.99 s at most). A device that takes no other time keeps
   its own, and the time that is in force is told.
3. Nothing is fed but by `feed`; nothing is let go but by `let_go`: a supervisor that crashes leaves it armed.
4. A plain file or a pipe in place of the device is fed the same: that is the double the tests use.
"""

from __future__ import annotations

import errno
import posix as os
import sys
from time import monotonic, sleep

SECONDS = 15
KEEPALIVE = b"\0"
MAGIC = b"V"
SETTIMEOUT, GETTIMEOUT = 0xC0045706, 0x80045707
HANDOVER = 5.0
FEEDER = b"feeder"  # a word of its command line (images/board/init)
SIGKILL = 9


class Watchdog:
    """The open device. `seconds`: its time in force, 0 where it does not say. OSError when it cannot be had."""

    def __init__(self, path: str, feeder: str) -> None:
        until = monotonic() + HANDOVER
        while True:
            _end(feeder)
            try:
                self._fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK)
                break
            except OSError as error:
                if error.errno != errno.EBUSY or monotonic() >= until:
                    raise
            sleep(0.1)
        self.seconds = self._timed()
        self.feed()

    def feed(self) -> bool:
        """Feed it; False when it takes nothing."""
        return self._write(KEEPALIVE)

    def let_go(self) -> None:
        """The magic close: the board is not reset any more."""
        self._write(MAGIC)
        os.close(self._fd)

    def _write(self, data: bytes) -> bool:
        try:
            return os.write(self._fd, data) == 1
        except OSError:
            return False

    def _timed(self) -> int:
        """Set the time; what is in force then, in seconds."""
        from fcntl import ioctl

        found = 0
        for request, value in ((SETTIMEOUT, SECONDS), (GETTIMEOUT, 0)):
            try:
                told = ioctl(self._fd, request, value.to_bytes(4, sys.byteorder))
            except OSError:
                continue  # a device without that request, or no device (rule 4)
            found = int.from_bytes(told, sys.byteorder)
        return found


def _words(pid: int) -> list[bytes]:
    """The command line of a process; none when it is gone (proc_pid_cmdline(5))."""
    try:
        fd = os.open(f"/proc/{pid}/cmdline", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return os.read(fd, 4096).split(b"\0")
    except OSError:
        return []  # it went in this moment
    finally:
        os.close(fd)


def _end(feeder: str) -> None:
    """Kill what fed so far, by the pid file; the file goes with it."""
    try:
        fd = os.open(feeder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return  # there is none
    try:
        pid = os.read(fd, 32).strip()
    finally:
        os.close(fd)
    try:
        if pid.isdigit() and int(pid) > 1 and FEEDER in _words(int(pid)):
            os.kill(int(pid), SIGKILL)
    except ProcessLookupError:
        pass  # its time was over
    os.unlink(feeder)
