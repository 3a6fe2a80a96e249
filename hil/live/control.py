"""What a second terminal asks of a board that runs: a table of requests. No input or output but the bench's own.

Rules:
1. A request is an object of JSON with `do`; the answer is one with `ok`. A fault keeps its sentence, its fix and its
   exit code, so that the second terminal ends as if it had done it itself.
2. A word of digits, or GPIO and digits, is a line; all else is a part, `NAME.QUANTITY` where it measures several.
3. A line is set to high, low or release. A part is set to a number, or to a mode: ok, or a way of failing.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from edge.faults import Fault, HardwareFault, UsageFault
from hil.protocols import Bench

Request = Mapping[str, Any]
LEVELS = {"high": 1, "1": 1, "low": 0, "0": 0}
_LINE = re.compile(r"(?:GPIO)?(\d{1,4})", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_LAST = 200  # letters of the console that are shown


class Session:
    """A bench that a person works with: what came over its console, and what was set: lines, and how parts fail."""

    def __init__(self, bench: Bench, clock: Callable[[], float] = time.monotonic) -> None:
        self.bench, self._clock = bench, clock
        self.begun = self._spoke = clock()
        self.count, self._end = 0, b""
        self.touched: set[int] = set()
        self.modes: dict[str, str] = {}

    def heard(self, data: bytes) -> None:
        """Bytes that came over the console."""
        self.count += len(data)
        self._end = (self._end + data)[-_LAST:]
        self._spoke = self._clock()

    def console(self) -> dict[str, Any]:
        """How much came, how long it is quiet, and the end of it."""
        return {"bytes": self.count, "quiet": self._clock() - self._spoke, "end": self._end.decode("utf-8", "replace")}

    def up(self) -> float:
        return self._clock() - self.begun


def answer(session: Session, line: bytes) -> bytes:
    """The answer to a line, as a line."""
    try:
        request = _read(line)
        found = DO[str(request["do"])](session, request)
        said: dict[str, Any] = {"ok": True, **found}
    except Fault as fault:
        said = {"ok": False, "sentence": fault.sentence, "fix": fault.fix, "code": fault.code}
    return json.dumps(said).encode() + b"\n"


def understood(line: bytes) -> dict[str, Any]:
    """What an answer says; the fault that it tells of, as if it had been ours."""
    try:
        said: dict[str, Any] = json.loads(line)
        if said["ok"]:
            return said
        kind, told = (UsageFault if said["code"] == UsageFault.code else HardwareFault), (said["sentence"], said["fix"])
    except (ValueError, KeyError, TypeError) as error:
        raise HardwareFault(f"the board's answer cannot be read: {line[:40]!r}") from error
    raise kind(*told)


def _read(line: bytes) -> Request:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{line[:40]!r} is no request", "an object of JSON on one line") from error
    if not isinstance(request, dict) or str(request.get("do")) not in DO:
        raise UsageFault(f"{line[:40]!r} asks for nothing that is known here", "do: " + ", ".join(DO))
    for name in ("name", "value"):
        if not isinstance(request.get(name, ""), str):
            raise UsageFault(f"{name} is no text", f'"{name}": "..."')
    return request


def _set(session: Session, request: Request) -> dict[str, Any]:
    name, value = request.get("name", ""), request.get("value", "")
    found = _LINE.fullmatch(name)
    return {"said": _set_line(session, int(found[1]), value) if found else _set_part(session, name, value)}


def _set_line(session: Session, line: int, value: str) -> str:
    lines = session.bench.lines
    if value == "release":
        lines.release(line)
        session.touched.discard(line)
        return f"GPIO{line} is let go"
    if value not in LEVELS:
        raise UsageFault(f"a line cannot be set to {value[:40]!r}", "high, low or release")
    lines.set(line, LEVELS[value])
    session.touched.add(line)
    return f"GPIO{line} is held {'high' if LEVELS[value] else 'low'}"


def _set_part(session: Session, name: str, value: str) -> str:
    part, _, quantity = name.partition(".")
    number = _number(value)
    if number is None:
        session.bench.parts.mode(part, value)
        session.modes = {name_: mode for name_, mode in {**session.modes, part: value}.items() if mode != "ok"}
        return f"{part} is {value}"
    session.bench.parts.set(part, number, quantity)
    return f"{name} measures {session.bench.parts.value(part, quantity):g}"


def _number(text: str) -> float | None:
    """The number, None for other words; infinities and letters that only Python takes for digits are none."""
    found = float(text) if _NUMBER.fullmatch(text) else math.nan
    return found if math.isfinite(found) else None


def _show(session: Session, _: Request) -> dict[str, Any]:
    bench = session.bench
    board = bench.board
    parts = bench.parts if "parts" in board.has else None
    return {
        "board": board.name,
        "title": board.title,
        "up": session.up(),
        "resets": bench.resets if "resets" in board.has else None,
        "console": session.console(),
        "lines": _lines(session) if "lines" in board.has else {},
        "parts": {name: {what: parts.value(name, what) for what in all_} for name, all_ in parts.names().items()}
        if parts
        else {},
        "modes": session.modes,
        "lacks": {one: board.misses(one) for one in ("lines", "parts") if one not in board.has},
    }


def _lines(session: Session) -> dict[str, tuple[str, int]]:
    """The lines that the board drives, those that were set from here, and inputs that are high: all else is at rest."""
    seen = session.bench.lines.seen()
    return {
        f"GPIO{line}": (way, level)
        for line, (way, level) in seen.items()
        if way == "out" or line in session.touched or (way == "in" and level)
    }


DO: dict[str, Callable[[Session, Request], dict[str, Any]]] = {"set": _set, "show": _show}
