"""What the agent and the board process say to each other.

Rules this file keeps:
1. A frame is one JSON object on one line: UTF-8, at most LIMIT bytes with its newline.
2. The agent sends requests: hello, beat, sense, set, states, bye. FIELDS is the whole grammar; a field that is not
   in it is a fault. Every request but a beat has an `id` (1 and up, chosen by the agent); a beat has none.
3. Every request with an id gets exactly one reply with that id: `{"id":n,"ok":true,...}`, or
   `{"id":n,"ok":false,"kind":...,"error":sentence,"fix":...}` where kind is the kind of a fault.
4. A damaged frame (too long, no UTF-8, no JSON, no request) gets a fault reply, with id 0 when its own could not be
   read. It never ends the board and never moves an output.
5. Events go to the agent at any time and have no id: `{"event":"off","name":...,"state":...,"why":...}` when an
   output went to its safe value without being asked by this agent. WHY lists the reasons. `{"event":"stopped",
   "why":sentence}` and `{"event":"resumed","why":sentence}` tell of the emergency stop.
6. hello, beat and set are signs of life; sense and states are not, since a worker may sense while the agent's
   loop hangs. Without a sign of life for HEARTBEAT seconds of real time every output goes to its safe value.
7. Nothing here acts. Seconds of a lease are board time.
"""

from __future__ import annotations

from edge.call import Output, Reading
from edge.faults import Fault, HardwareFault, Refused, UsageFault
from edge.peripherals.guard import line
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VERSION = 1
LIMIT = 4096
HEARTBEAT = 3.0
SENTENCE = 400
WORD = 80

LEASE_ENDED = "lease ended"
AGENT_GONE = "agent gone"
AGENT_LEFT = "agent left"
LATE = "heartbeat late"
STOPPING = "board stopping"
STARTED = "board started anew"
STOPPED = "emergency stop"
SET = "set"
WHY = (SET, LEASE_ENDED, AGENT_GONE, AGENT_LEFT, LATE, STOPPING, STARTED, STOPPED)
RULE_STOP = "stop.all"

# request -> its fields, each with the types it may have; a field whose types hold None may be left out.
_NUMBER = (int, float)
_NOTHING = type(None)
FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "hello": {"protocol": (int,)},
    "beat": {},
    "sense": {"name": (str,)},
    "set": {"name": (str,), "state": (bool,), "seconds": (*_NUMBER, _NOTHING), "call": (str, _NOTHING)},
    "states": {},
    "bye": {},
}


class Request(Record):
    """One checked request. `id` is 0 for a beat. `seconds` None: as long as the output may be on."""

    id: int
    do: str
    name: str = ""
    state: bool = False
    seconds: float | None = None
    call: str = ""
    protocol: int = VERSION


class Damaged(Record):
    """A frame that is no request; `id` is 0 when it could not be read."""

    id: int
    sentence: str


class Transition(Record):
    """An output changed, or its lease did. `at` is board time in seconds; `call` the id of the call that asked."""

    at: float
    name: str
    state: bool
    why: str
    call: str = ""


class Splitter:
    """Bytes in, frames out. A line over LIMIT comes out as None, once, and is dropped up to its newline."""

    __slots__ = ("_dropping", "_held")

    def __init__(self) -> None:
        self._held = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The frames that `data` completes, without their newline, in order."""
        frames: list[bytes | None] = []
        *lines, rest = (self._held + data).split(b"\n")
        for text in lines:
            if not self._dropping:
                frames.append(text if len(text) < LIMIT else None)
            self._dropping = False
        if len(rest) >= LIMIT:
            if not self._dropping:
                frames.append(None)
            self._dropping = True
        self._held = b"" if self._dropping else rest
        return frames


def encode(message: Mapping[str, Any]) -> bytes:
    """One frame with its newline; ValueError when it is over LIMIT or holds a number that is not finite."""
    frame = line.write(message).encode("ascii") + b"\n"
    if len(frame) > LIMIT:
        raise ValueError(f"the message has {len(frame)} bytes, and a frame has at most {LIMIT}")
    return frame


def decode(frame: bytes | None) -> dict[str, Any]:
    """The object of one frame; ValueError with a sentence when it is damaged (None: it was too long)."""
    if frame is None:
        raise ValueError(f"the line is longer than {LIMIT} bytes")
    try:
        message = line.read(frame.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"the line is not UTF-8 at byte {error.start + 1}") from error
    if not isinstance(message, dict):
        raise ValueError("the line is not a JSON object")
    return message


def request(frame: bytes | None) -> Request | Damaged:
    """The request of one frame, checked against FIELDS."""
    try:
        message = decode(frame)
    except ValueError as error:
        return Damaged(0, str(error))
    do, number = message.pop("do", None), message.pop("id", 0)
    if type(number) is not int or not 0 <= number < 1 << 53:
        return Damaged(0, "the id of a request is a whole number from 1")
    if not isinstance(do, str) or do not in FIELDS:
        return Damaged(number, f"there is no request {str(do)[:40]!r}; there are {', '.join(FIELDS)}")
    if (number == 0) != (do == "beat"):
        return Damaged(number, "every request but a beat has an id from 1, and a beat has none")
    wrong = _wrong(do, message)
    if wrong:
        return Damaged(number, wrong)
    return Request(number, do, **{name: value for name, value in message.items() if value is not None})


def _wrong(do: str, message: Mapping[str, Any]) -> str:
    """What is wrong with the fields of a request, or nothing."""
    fields = FIELDS[do]
    for name in message:
        if name not in fields:
            return f"{do} has no field {name[:40]!r}"
    for name, types in fields.items():
        if type(message.get(name)) not in types:
            return f"{do} needs {name} as {' or '.join(t.__name__ for t in types if t is not _NOTHING)}"
        if types[0] is str and len(message.get(name) or "") > WORD:
            return f"the {name} is longer than {WORD} characters"
    return ""


def answer(number: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request that was done."""
    return {"id": number, "ok": True, **fields}


def refusal(number: int, fault: Fault) -> dict[str, Any]:
    """The reply to a request that was not done."""
    reply = {"id": number, "ok": False, "kind": fault.kind, "error": _clip(fault.sentence), "fix": _clip(fault.fix)}
    if isinstance(fault, Refused):
        reply["rule"] = fault.rule
    return reply


def _clip(sentence: str) -> str:
    return sentence if len(sentence) <= SENTENCE else sentence[: SENTENCE - 3] + "..."


def fault(reply: Mapping[str, Any]) -> Fault:
    """The fault that a reply with `ok` false stands for: usage, refused, or else hardware."""
    sentence, fix = str(reply.get("error") or "the board gave no reason"), str(reply.get("fix") or "")
    if reply.get("kind") == UsageFault.kind:
        return UsageFault(sentence, fix)
    if reply.get("kind") == Refused.kind:
        return Refused(sentence, str(reply.get("rule") or "guard"), fix)
    return HardwareFault(sentence, fix)


def event(transition: Transition) -> dict[str, Any]:
    """The event that tells the agent of a transition it did not ask for."""
    return {"event": "off", "name": transition.name, "state": transition.state, "why": transition.why}


def halt(why: str) -> dict[str, Any]:
    """The event of an emergency stop, "" of its end."""
    if why:
        return {"event": "stopped", "why": _clip(why)}
    return {"event": "resumed", "why": "the emergency stop was lifted: outputs may be switched on again"}


def told(transition: Transition, output: Output) -> bool:
    """True when the agent must be told: the output went safe and the reason was not a request."""
    return transition.why != SET and transition.state == output.safe


def reading_fields(reading: Reading) -> dict[str, Any]:
    """A reading as the plain values of a reply."""
    return as_dict(reading)


def reading(fields: Any) -> Reading:
    """The reading in a reply; ValueError when it is none."""
    if not isinstance(fields, dict) or set(fields) != {"name", "value", "unit", "quality", "age", "source"}:
        raise ValueError("the reply holds no reading")
    return Reading(**fields)
