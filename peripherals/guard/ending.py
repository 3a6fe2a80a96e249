"""Signals as something to poll, what a process holds from its start, that it stays and comes first.

Rules this file keeps:
1. TERM, INT and HUP end the guard; USR1 makes everything safe and ends nothing. A handler only notes which came: the
   loop acts.
2. Descriptors that a careless parent let through are closed before anything else is opened.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import posix as os

CRISIS = b"-900\n"  # of -1000 to 1000: among the last that the kernel ends when memory is short (proc(5))
ENDS = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)


class Ending:
    """`fd` is readable once a signal has come; `signal` is the first that ends, `safe` that everything be made safe."""

    def __init__(self) -> None:
        self.signal = 0
        self.safe = False
        self.fd, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        _signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in (*ENDS, _signal.SIGUSR1):
            _signal.signal(number, self._note)
        _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)

    def heard(self) -> bool:
        """Empty the pipe; True when everything is to be made safe and the guard goes on."""
        safe, self.safe = self.safe, False
        try:
            os.read(self.fd, 512)
        except BlockingIOError:
            return safe  # somebody emptied it already: what came stands in the fields
        return safe

    def _note(self, number: int, _frame: object) -> None:
        if number == _signal.SIGUSR1:
            self.safe = True
        else:
            self.signal = self.signal or number


def close_others(last: int) -> None:
    """Close every descriptor above `last`: what a careless parent let through must not be held open here."""
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        os.closerange(last + 1, 1024)
        return
    for name in names:
        if int(name) > last:
            os.closerange(int(name), int(name) + 1)  # unlike close, it does not mind the listing's own, closed by now


def stay() -> None:
    """Ask the kernel to end others first when memory is short. It may refuse; nothing here depends on it."""
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(fd, CRISIS)
    except OSError:
        return  # an ordinary user may not
    finally:
        os.close(fd)


def lead() -> None:
    """Ask the kernel to run this process before all that share the processors (sched(7), SCHED_RR; not its threads).

    Fair shares are not enough where whoever computes without end has a group of its own: a guard that mostly sleeps was
    seen to wait 1.6 s for its turn. It may refuse, as it does for an ordinary user; nothing here depends on it.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return
