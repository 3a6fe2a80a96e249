"""What the agents and the guard say to each other.

Rules this file keeps:
1. A frame is one JSON object on one line: UTF-8, with its newline at most LIMIT bytes for a request, REPLY for what a
   guard says.
2. An agent sends requests: hello, beat, sense, set, states, safe_all, bye. FIELDS is the whole grammar; a field that
   is not in it is a fault. Every request but a beat has an `id` (1 and up, chosen by the agent); a beat has none.
   hello names what the agent calls its `run` (what cannot be printed in it becomes ?) and its `state` folder, ""
   where there is none.
3. Every request with an id gets exactly one reply with that id: `{"id":n,"ok":true,...}`, or
   `{"id":n,"ok":false,"kind":...,"error":sentence,"fix":...}` where kind is the kind of a fault.
4. A damaged frame (too long, no UTF-8, no JSON, no request) gets a fault reply, with id 0 when its own could not be
   read. It never ends the board and never moves an output.
5. Events go to an agent at any time and have no id: `{"event":"off","name":...,"state":...,"why":...}` when an
   output that it kept away from its safe value went there without being asked by it. The reasons are LEASE_ENDED to
   TAKEN; one that begins with INTERLOCK, FEEDBACK, OVERRIDE or TAKEN says more. `fault`, `cleared` and `override`
   (name, why) go to every agent: an output does not obey, does again, is held by hand.
   `{"event":"stopped","why":sentence}` and `{"event":"resumed","why":sentence}` tell of the emergency stop.
6. hello, beat and set are signs of life; sense and states are not, since a worker may sense while the agent's
   loop hangs. Without a sign of life for the guard's `heartbeat` (hello's reply says it; HEARTBEAT seconds of real
   time unless told otherwise) what that agent holds goes to its safe value. A beat may say when the agent's loop was
   `seen` last, by the machine's monotonic clock: it counts from then, however late it was sent or read. A set may say
   `until` when its agent waits for the reply, by that clock: read later (the guard was stopped meanwhile), it switches
   nothing away from its safe value, for by then its agent believes something else.
7. A level is a part of full power between 0 and 1. An output without pwm has 0 (off) and 1 (on) only.
8. Nothing here acts. Seconds of a lease are board time.
"""

from __future__ import annotations

from edge.call import Reading
from edge.faults import Fault, HardwareFault, Refused, UsageFault
from edge.peripherals.guard import line
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VERSION = 2
LIMIT = 4096
REPLY = 256 * 1024  # all there is to see of the largest board that one description holds, every sentence at its longest
HEARTBEAT = 3.0
SENTENCE = 400
WORD = 80
PATH = 1024

LEASE_ENDED = "lease ended"
AGENT_GONE = "agent gone"
AGENT_LEFT = "agent left"
LATE = "heartbeat late"
STOPPING = "board stopping"
STARTED = "board started anew"
STOPPED = "emergency stop"
SAFE_ALL = "safe-all"
WAITS = "not driven yet"  # a lab line that nobody wrote: no guard has taken it
FAILED = "drive failed"
LIFTED = "override lifted"
SET = "set"
OVERRIDE, INTERLOCK, FEEDBACK = "override: ", "interlock: ", "feedback: "  # a sentence follows
TAKEN = "made safe by "  # a name follows
RULE_STOP = "stop.all"
EVERYBODY = "*"

# request -> its fields, each with the types it may have; a field whose types hold None may be left out.
_NUMBER = (int, float)
_NOTHING = type(None)
FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "hello": {"protocol": (int,), "run": (str, _NOTHING), "state": (str, _NOTHING)},
    "beat": {"seen": (*_NUMBER, _NOTHING)},
    "sense": {"name": (str,)},
    "set": {
        "name": (str,),
        "state": (bool,),
        "seconds": (*_NUMBER, _NOTHING),
        "call": (str, _NOTHING),
        "level": (*_NUMBER, _NOTHING),
        "until": (*_NUMBER, _NOTHING),
    },
    "states": {},
    "safe_all": {},
    "bye": {},
}


class Request(Record):
    """One checked request. `id` is 0 for a beat. `seconds` None: as long as the output may be on.

    `level` None: full power when on. `run` and `folder` are a hello's: the run's name and the state folder, or "".
    `seen` is a beat's: 0 says now. `until` is a set's: 0 says for ever.
    """

    id: int
    do: str
    name: str = ""
    state: bool = False
    seconds: float | None = None
    call: str = ""
    protocol: int = VERSION
    level: float | None = None
    run: str = ""
    folder: str = ""
    seen: float = 0.0
    until: float = 0.0


class Damaged(Record):
    """A frame that is no request; `id` is 0 when it could not be read."""

    id: int
    sentence: str


class Transition(Record):
    """An output changed, or its lease did. `at` is board time in seconds; `call` the id of the call that asked.

    `level`: 0 to 1, None as `state` says. `owner`: how the one is shown who holds it, or held it until now. `tell`: the
    key of the agent that must be told, "" nobody, EVERYBODY. `kind`: "" a transition; `fault`, `cleared`, `override`
    are news about an output, and `state` is then what it is believed to be: never safe when that is not known.
    """

    at: float
    name: str
    state: bool
    why: str
    call: str = ""
    level: float | None = None
    owner: str = ""
    tell: str = ""
    kind: str = ""


class Splitter:
    """Bytes in, frames out. A line over `limit` comes out as None, once, and is dropped up to its newline."""

    __slots__ = ("_dropping", "_held", "_limit")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The frames that `data` completes, without their newline, in order."""
        frames: list[bytes | None] = []
        *lines, rest = (self._held + data).split(b"\n")
        for text in lines:
            if not self._dropping:
                frames.append(text if len(text) < self._limit else None)
            self._dropping = False
        if len(rest) >= self._limit:
            if not self._dropping:
                frames.append(None)
            self._dropping = True
        self._held = b"" if self._dropping else rest
        return frames


def encode(message: Mapping[str, Any]) -> bytes:
    """One frame with its newline; ValueError when it is too long for its kind or holds a number that is not finite."""
    frame = line.write(message).encode("ascii") + b"\n"
    limit = LIMIT if "do" in message else REPLY
    if len(frame) > limit:
        raise ValueError(f"the message has {len(frame)} bytes, and a frame has at most {limit}")
    return frame


def decode(frame: bytes | None) -> dict[str, Any]:
    """The object of one frame; ValueError with a sentence when it is damaged (None: it was too long)."""
    if frame is None:
        raise ValueError(f"the line is longer than {LIMIT} bytes, or a reply than {REPLY}")
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
    if do == "hello":
        message["folder"] = message.pop("state", None)
        message["run"] = "".join([char if char.isprintable() else "?" for char in message.get("run") or ""])
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
        longest = PATH if (do, name) == ("hello", "state") else WORD
        if types[0] is str and len(message.get(name) or "") > longest:
            return f"the {name} is longer than {longest} characters"
    return ""


def answer(number: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request that was done."""
    return {"id": number, "ok": True, **fields}


def refusal(number: int, fault: Fault) -> dict[str, Any]:
    """The reply to a request that was not done."""
    reply = {"id": number, "ok": False, "kind": fault.kind, "error": clip(fault.sentence), "fix": clip(fault.fix)}
    if isinstance(fault, Refused):
        reply["rule"] = fault.rule
    return reply


def clip(sentence: str, longest: int = SENTENCE) -> str:
    """At most `longest` characters of a sentence, the cut shown as dots."""
    return sentence if len(sentence) <= longest else sentence[: longest - 3] + "..."


def fault(reply: Mapping[str, Any]) -> Fault:
    """The fault that a reply with `ok` false stands for: usage, refused, or else hardware."""
    sentence, fix = str(reply.get("error") or "the board gave no reason"), str(reply.get("fix") or "")
    if reply.get("kind") == UsageFault.kind:
        return UsageFault(sentence, fix)
    if reply.get("kind") == Refused.kind:
        return Refused(sentence, str(reply.get("rule") or "guard"), fix)
    return HardwareFault(sentence, fix)


def event(note: Transition) -> dict[str, Any]:
    """The event that tells an agent of what it did not ask for."""
    if note.kind:
        return {"event": note.kind, "name": note.name, "why": clip(note.why)}
    return {"event": "off", "name": note.name, "state": note.state, "why": clip(note.why)}


def halt(why: str) -> dict[str, Any]:
    """The event of an emergency stop, "" of its end."""
    if why:
        return {"event": "stopped", "why": clip(why)}
    return {"event": "resumed", "why": "the emergency stop was lifted: outputs may be switched on again"}


def told(note: Transition, owner: str | None = None) -> bool:
    """True when the agent with the key `owner` must be told of `note`; None: when any agent must."""
    return note.tell == EVERYBODY or (bool(note.tell) if owner is None else note.tell == owner != "")


def reading_fields(reading: Reading) -> dict[str, Any]:
    """A reading as the plain values of a reply."""
    return as_dict(reading)


def reading(fields: Any) -> Reading:
    """The reading in a reply; ValueError when it is none."""
    if not isinstance(fields, dict) or set(fields) != {"name", "value", "unit", "quality", "age", "source"}:
        raise ValueError("the reply holds no reading")
    return Reading(**fields)
