"""The hand on lines of the header's chip: looking at a line, and watching one for edges, without ever changing it.

Rules:
1. What is looked at first is what the kernel says of the line (LINEINFO), which touches nothing. A line that somebody
   holds is told with its holder, and not asked further.
2. A free output is not asked for its value: on its release the kernel may give up what it drives. Only a free input is
   requested, as it is, without a direction, and let go; its direction, pull and drive stay what they are.
3. To hear edges a line has to be requested as an input: only one that is an input already, and nothing but the edges,
   and the debouncing that was asked for, is set.
4. The chip is found once by its label and stays open (World.header); where it fails it is looked for anew.
5. A line without a name is not led out, and not looked at unless the settings name it.
"""

from __future__ import annotations

import select
import time

from edge.faults import HardwareFault, ToolFault
from edge.gate.lines import FREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Gpio
    from edge.hands import Holder
    from edge.peripherals.gpiochip.chip import LineInfo
    from edge.peripherals.gpiochip.request import Edge, Request
    from edge.peripherals.gpiochip.seam import Seam

CONSUMER = "fieldhand-look"
OURS = "fieldhand:"  # how the guard calls itself at its lines, before the name; a look (CONSUMER) is not the guard
MOST = 100  # edges of a watch that are told one by one
ROOM = 1024  # edges that the kernel holds while they are not fetched, the most it gives
SLICE = 0.1  # seconds between two looks for a reason to end
MARGIN = 0.5  # seconds of a call's time that are left for its answer
UNNAMED = "if it is, name it in `lines` of [gpio]"


class Header:
    """The chip with the header, found and open; which line is where is remembered."""

    __slots__ = ("_offsets", "as_is", "chip", "holder", "settings")

    def __init__(self, gpio: Gpio | None, chips: Seam | None = None) -> None:
        """`chips`: where they are, when it is not what `gpio` says. HardwareFault: no chip, or not clear which."""
        from edge.peripherals.gpiochip import find, seam
        from edge.peripherals.gpiochip.chip import Settings

        if gpio is None:
            raise HardwareFault("this board gives no lines to tools", "declare them with [gpio] in the settings")
        self.chip = find.find(chips or seam.of(gpio.chips), gpio.chip)
        self.holder = find.holder
        self.settings = Settings
        self.as_is = Settings(direction="as-is")
        self._offsets: dict[str, int] = {}

    def line(self, name: str) -> LineInfo:
        """What the kernel says of a line by its name; HardwareFault when there is none such."""
        offset = self._offsets.get(name)
        if offset is not None:
            return self.chip.info(offset)
        info = self.chip.info(self.chip.offset_of(name))
        if not info.name and name in FREE:
            raise HardwareFault(f"{name} of {self.chip} has no name, so it is not led out", UNNAMED)
        self._offsets[name] = info.offset
        return info

    def close(self) -> None:
        self.chip.close()


class Lines:
    """Looks at what the permit names."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def look(self, name: str) -> Mapping[str, Any]:
        """`line name offset chip direction used holder own value`; HardwareFault.

        name: what the chip calls the line; holder: `held by "w1"`, `free`; own: the guard holds it; value: True
        for a high level, None where it was not asked for (rules 1 and 2).
        """
        self._holder.grant("sense", "line", name)
        header = self._header()
        try:
            info = header.line(name)
            value = None if info.used or info.direction != "input" else _level(header, info.offset)
        except HardwareFault:
            self._holder.world.forget_header()
            raise
        return {
            "line": name,
            "name": info.name,
            "offset": info.offset,
            "chip": str(header.chip),
            "direction": info.direction,
            "used": info.used,
            "holder": header.holder(info),
            "own": info.used and info.consumer.startswith(OURS),
            "value": value,
        }

    def watch(self, name: str, seconds: float, edges: str, debounce: float) -> Mapping[str, Any]:
        """The edges (`both`, `rising`, `falling`) that come within `seconds`, after `debounce` seconds of calm each.

        `edges`: the first MOST as (True for rising, seconds since the beginning); count, rising, falling: all of them;
        lost: how many the kernel dropped; before, after: the level; seconds: how long was watched; why: the reason for
        which that was shorter, or "". ToolFault when the line cannot be watched without changing it, HardwareFault.
        """
        self._holder.grant("sense", "line", name)
        header = self._header()
        try:
            info = header.line(name)
            if info.used or info.direction != "input":
                raise _unfit(name, info, header)
            wanted = header.settings(direction="input", edges=edges, debounce=debounce)
            request = header.chip.request(info.offset, wanted, CONSUMER, ROOM)
            try:
                return {"line": name, **self._heard(request, seconds)}
            finally:
                request.close()
        except HardwareFault:
            self._holder.world.forget_header()
            raise

    def _header(self) -> Header:
        return self._holder.world.header()

    def _heard(self, request: Request, seconds: float) -> dict[str, Any]:
        begun, start = time.monotonic_ns(), time.monotonic()
        most = self._holder.permit.seconds - (start - self._holder.begun) - MARGIN
        until = start + max(0.0, min(seconds, most))
        poll = select.poll()
        poll.register(request.fd, select.POLLIN)
        before = request.get()
        heard = _Heard(begun)
        why = "" if seconds <= most else f"a call may take {self._holder.permit.seconds:g} s"
        while True:
            left = until - time.monotonic()
            if left <= 0:
                break
            if self._holder.ending():
                why = "it was cut"
                break
            if poll.poll(int(min(left, SLICE) * 1000) + 1):
                heard.take(request.events())
        watched = time.monotonic() - start
        return {**heard.told(), "before": before, "after": request.get(), "seconds": watched, "why": why}


class _Heard:
    """Edges as they come: all are counted, the first ones kept."""

    def __init__(self, begun: int) -> None:
        self._begun = begun
        self._kept: list[tuple[bool, float]] = []
        self._last: float | None = None
        self._counts = [0, 0]
        self._lost = 0

    def take(self, edges: list[Edge]) -> None:
        for edge in edges:
            self._last = max(0.0, (edge.ns - self._begun) / 1e9)
            self._counts[edge.rising] += 1
            self._lost += edge.lost
            if len(self._kept) < MOST:
                self._kept.append((edge.rising, self._last))

    def told(self) -> dict[str, Any]:
        falling, rising = self._counts
        return {
            "count": falling + rising,
            "rising": rising,
            "falling": falling,
            "lost": self._lost,
            "edges": self._kept,
            "last": self._last,
        }


def _level(header: Header, offset: int) -> bool:
    request = header.chip.request(offset, header.as_is, CONSUMER)
    try:
        return request.get()
    finally:
        request.close()


def _unfit(name: str, info: LineInfo, header: Header) -> ToolFault:
    if info.used:
        return ToolFault(f"{name} is {header.holder(info)}, so nobody else hears its edges", "gpio_read tells more")
    return ToolFault(f"{name} is an output: to hear edges it would have to be made an input", "gpio_read looks at it")
