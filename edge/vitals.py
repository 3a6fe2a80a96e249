"""Signs of life to whoever supervises this agent (sd_notify(3)), in a thread of their own.

Rules:
1. Only with NOTIFY_SOCKET in the environment: the supervisor of a board (edge/supervise) or systemd named it.
2. READY=1 at once, then WATCHDOG=1 at least each second (half of WATCHDOG_USEC when that is shorter), and only while
   the main thread is well: waiting at its prompt, or seen within WELL seconds. A loop that hangs is silent, and the
   supervisor decides how long is too long. STOPPING=1 when the agent begins to end.
3. WATCHDOG_PID that names another process: the signs of life are not ours to give, as for any inherited environment.
4. Nothing waits and nothing fails here; without a supervisor that reads nothing is lost but the sign.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from edge.peripherals.guard.notify import Notifier

EVERY = 1.0
LOOK = 0.2
WELL = 1.5  # seconds for which a main thread may be busy before it is said to hang


class Vitals:
    """Tells one supervisor. `silence()`: for how many seconds the main thread was not seen."""

    def __init__(self, notifier: Notifier, silence: Callable[[], float]) -> None:
        self._notifier, self._silence = notifier, silence
        self._over = False

    def start(self) -> None:
        import _thread

        _thread.start_new_thread(self._beat, ())

    def stop(self) -> None:
        """The agent begins to end; the thread follows."""
        self._over = True
        self._notifier.stopping()

    def _beat(self) -> None:
        self._notifier.ready("at work")
        while not self._over:
            if self._silence() < WELL:
                self._notifier.beat(time.monotonic())
            time.sleep(min(LOOK, self._notifier.every / 4))


def vitals(environ: Mapping[str, str], pid: int, silence: Callable[[], float]) -> Vitals | None:
    """What tells the supervisor of this environment; None when there is none. Not started yet."""
    if not environ.get("NOTIFY_SOCKET") or environ.get("WATCHDOG_PID") not in (None, "", str(pid)):
        return None
    from edge.peripherals.guard.notify import Notifier

    notifier = Notifier(environ, pid)
    notifier.every = min(notifier.every or EVERY, EVERY)
    notifier.due = 0.0
    return Vitals(notifier, silence)
