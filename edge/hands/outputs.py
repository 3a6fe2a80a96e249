"""The hand on declared outputs. The guard owns them; this hand only asks it.

Rules:
1. Every switching is one request with an id of its own, at most once. What the guard reads back is compared with
   what was asked.
2. Each pulse is a lease of its own, and the guard ends it: whatever becomes of the agent, the pulse ends. A pulse
   counts as done when the guard tells that its lease came to its end.
3. Pulses begin only if all of them fit into the time of the call. When they are cut the output goes safe at once.
4. Where a contact shows whether an output obeyed, nothing is told as done before the guard had looked at it.
"""

from __future__ import annotations

import time

from edge.faults import HardwareFault, Refused, ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Output
    from edge.hands import Holder

LEASE_ENDED = "lease ended"  # as the guard calls it (peripherals/guard/protocol.py)
CUT = "it was cut"
SLICE = 0.02  # seconds between two looks
MARGIN = 1.0  # seconds of a call's time that are left for its answer
SEEN = 0.3  # seconds within which the guard looks at a contact whose time has come (peripherals/guard/looks.py)
GRACE = 2.0  # seconds within which the guard has to have ended a lease that is over
CLOSE = 0.02  # what a level may differ by when it is read back


class Outputs:
    """Switches and lists what the permit names."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def set(self, name: str, state: bool, seconds: float | None, level: float | None = None) -> Mapping[str, Any]:
        """Switch, at most once, for at most `seconds`; what the guard read back afterwards.

        `level` (0 to 1): for outputs that are driven by PWM. Refused or UsageFault when the guard refuses (too long,
        unknown, held by another), ToolFault when it did not obey, HardwareFault when the outcome is unknown.
        """
        grant = self._holder.grant("actuate", "output", name)
        output = self._declared(grant.path)
        now = self._set(output.name, state, seconds, self._holder.call.id, level)
        return self._obeyed(output, now)

    def _set(
        self, name: str, state: bool, seconds: float | None, call: str, level: float | None = None
    ) -> Mapping[str, Any]:
        board = self._holder.world.board()
        levels = () if level is None else (level,)
        now = board.set(name, state, seconds, call, *levels)
        if now.get("state") is None:
            raise HardwareFault(f"the state of {name} is unknown", "read it back with output_list")
        if now["state"] is not state:
            raise ToolFault(f"{name} did not change: the board reads back {'on' if now['state'] else 'off'}")
        read = now.get("level")
        if level is not None and read is not None and abs(read - level) > CLOSE:
            raise ToolFault(f"{name} did not change to {level:.0%}: the board reads back {read:.0%}")
        return now

    def _obeyed(self, output: Output, now: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same once the contact that shows it had its time; HardwareFault when it shows otherwise (rule 4)."""
        if not output.feedback:
            return now
        board = self._holder.world.board()
        self._wait(min(output.settle / board.speed + SEEN, self._left()))
        fault = board.states()[output.name]["fault"]
        if fault:
            raise HardwareFault(f"{output.name} did not obey: {fault}", "look at its relay and wiring")
        return now

    def pulse(self, name: str, seconds: float, times: int, pause: float) -> Mapping[str, Any]:
        """Switch away from safe `times` times, `seconds` each, `pause` seconds between: `name state done times why`.

        Seconds are the board's (a simulated one may be faster). `state`: what a pulse switched to; `done`: pulses that
        had their whole time; `why`: the reason for which the others had not, or "". ToolFault when they do not fit into
        the time of a call; what the guard says when not even the first began; HardwareFault as `set` where its contact
        does not show at the end that it is safe again.
        """
        grant = self._holder.grant("actuate", "output", name)
        output = self._declared(grant.path)
        speed = self._holder.world.board().speed
        self._fits((times * seconds + (times - 1) * pause) / speed, times)
        done, why = 0, ""
        while done < times and not why:
            if done and not self._wait(pause / speed):
                why = CUT
                break
            call = f"{self._holder.call.id}.{done + 1}"
            try:
                self._set(output.name, not output.safe, seconds, call)
            except (Refused, HardwareFault, ToolFault) as fault:
                if not done:
                    raise
                why = str(fault)
                break
            why = self._through(output, seconds / speed, call)
            done += not why
        self._obeyed(output, {})  # that it is safe again, the last of its changes
        return {"name": output.name, "state": not output.safe, "done": done, "times": times, "why": why}

    def _through(self, output: Output, real: float, call: str) -> str:
        """Wait for the end of a pulse; why it ended before, "" when it did not."""
        if not self._wait(real):
            self._set(output.name, output.safe, None, f"{call}.end")
            return CUT
        until = time.monotonic() + GRACE
        while True:
            row = self._holder.world.board().states()[output.name]
            if row["state"] is output.safe:
                why = str(row["why"])
                return "" if why == LEASE_ENDED else f"the guard ended a pulse: {why}"
            if time.monotonic() > until:
                raise HardwareFault(
                    f"{output.name} is not safe although its time is over", "look at it; fieldhand safe-all"
                )
            time.sleep(SLICE)

    def _declared(self, name: str) -> Output:
        for output in self._holder.world.scene.outputs:
            if output.name == name:
                return output
        raise ToolFault(f"there is no output {name!r}", "output_list names them")

    def _fits(self, real: float, times: int) -> None:
        most = self._left()
        if real > most:
            pulses = "the pulse takes" if times == 1 else f"the {times} pulses take"
            sentence = f"{pulses} {real:.0f} s, and a call may take {self._holder.permit.seconds:g} s"
            raise ToolFault(f"{sentence}; nothing was switched", "ask for fewer or shorter ones, or use output_set")

    def _left(self) -> float:
        """Seconds of the call's time that may be used."""
        return max(0.0, self._holder.permit.seconds - (time.monotonic() - self._holder.begun) - MARGIN)

    def _wait(self, real: float) -> bool:
        """Let time go by; False as soon as the call is to end."""
        until = time.monotonic() + real
        while True:
            if self._holder.ending():
                return False
            left = until - time.monotonic()
            if left <= 0:
                return True
            time.sleep(min(left, SLICE))

    def states(self) -> Mapping[str, Mapping[str, Any]]:
        """name -> state (True, False, None = unknown), left (seconds or None), why, and what else the guard tells."""
        self._holder.grant("list", "output", "all")
        return self._holder.world.board().states()
