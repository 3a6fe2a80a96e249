"""Reading tapes without touching them: one by one, all at a glance, or as the past of a conversation.

Rules:
1. A reader never repairs and never waits for the writer. What cannot be read is passed over, counted and said.
2. Memory does not grow with the tape.
3. Order is the order of the records. `wall` is shown to people and decides nothing.
4. A call without an outcome was cut off: whoever reads the past is told so, for nobody knows what it did.
"""

from __future__ import annotations

import os

from edge.call import Call, Observation
from edge.faults import TapeFault
from edge.record import Record
from edge.tape.disk import cannot, held, regular
from edge.tape.form import last, valid
from edge.tape.names import HEAD, names, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

CUT_OFF = "no outcome is on the record: it was cut off, and what it did is unknown until it is read back"


class Summary(Record):
    """A tape at a glance. `records` is the number of the last one; `first` the first line of the operator.

    state: `live` (a process is writing it), `torn` (its end cannot be read), `ended`, `interrupted`, `empty`,
    `unreadable` (`first` says why). Damage before the end is not looked for here: a Reader finds it.
    `born` is the wall clock of the first record (seconds since 1970, a hint), `size` bytes.
    """

    name: str
    state: str
    records: int
    size: int
    born: float = 0.0
    first: str = ""


class Moment(Record):
    """One step of the past, in the order it happened. What is set depends on `role`:

    `user` and `answer`: text. `step`: text (the thought), calls, request. `observation`: call, observation.
    `fault`: text. `boot` and `mono` say when, comparable within one boot.
    """

    role: str
    seq: int
    boot: str
    mono: float
    text: str = ""
    calls: tuple[Call, ...] = ()
    request: int = 0
    call: Call | None = None
    observation: Observation | None = None


class Reader:
    """The records of the tape at `path`, as dicts with seq, boot, mono, wall, kind and the kind's own fields.

    Iterate as often as you like, also while it is written. After an iteration `seq` is the number of the last
    record, `torn` the bytes behind it that are none, `damaged` the bytes before it that are none: the numbers of
    the records that stood there are missing. TapeFault when the file cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.seq = 0
        self.torn = 0
        self.damaged = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        fd = _open(self.path)
        try:
            good = self.seq = self.torn = self.damaged = 0
            for start, end, record in valid(lambda count, offset: os.pread(fd, count, offset)):
                self.damaged += start - good
                good, self.seq = end, record["seq"]
                yield record
            self.torn = max(0, os.fstat(fd).st_size - good)
        except OSError as error:
            raise cannot(f"the tape {self.path} cannot be read", error) from error
        finally:
            os.close(fd)

    @property
    def live(self) -> bool:
        """True when a process has the tape open for writing; its last line may be half written just now."""
        try:
            return held(self.path)
        except OSError as error:
            raise cannot(f"the tape {self.path} cannot be read", error) from error


def list_tapes(folder: str, found: Sequence[str] | None = None) -> list[Summary]:
    """The tapes `found` in `folder` (all, the oldest first). Of a sound tape only the two ends are read."""
    return [_glance(path_of(folder, name), name) for name in (names(folder) if found is None else found)]


def _glance(path: str, name: str) -> Summary:
    """One tape that cannot be read does not take the others with it."""
    try:
        return summary(path, name)
    except TapeFault as fault:
        return Summary(name, "unreadable", 0, 0, 0.0, fault.sentence)


def summary(path: str, name: str) -> Summary:
    """One tape at a glance. TapeFault when it cannot be read."""
    reader = Reader(path)
    fd = _open(path)
    try:
        size = os.fstat(fd).st_size
        end, final = last(lambda count, offset: os.pread(fd, count, offset), size)
    except OSError as error:
        raise cannot(f"the tape {path} cannot be read", error) from error
    finally:
        os.close(fd)
    count = final["seq"] if final else 0
    if final is None and size:
        # Nothing near the end: a long torn end, or no tape at all. The whole is read to know.
        for record in reader:
            count = record["seq"]
    born, first = _beginning(reader)
    return Summary(name, _state(reader, final, size - end), count, size, born, first)


class History:
    """The past of a conversation: lines, steps, observations, answers and faults, as they happened. Iterate once.

    A call whose outcome is missing gets an observation that says so (rule 4), before the next step or line.
    A step that was the answer, but is followed by none, counts as the answer. Afterwards `made` is the highest
    number of a call on the tape, also of one whose step is damaged: the next call gets a higher one.
    """

    def __init__(self, path: str) -> None:
        self.made = 0
        self._path = path

    def __iter__(self) -> Iterator[Moment]:
        past = _Past()
        for record in Reader(self._path):
            yield from past.take(record)
            if record["kind"] in ("step", "intent", "outcome"):
                ids = [record.get("call"), *(call.id for call in _calls(record.get("calls")))]
                self.made = max(self.made, *map(_number, ids))
        yield from past.flush()


def history(path: str) -> History:
    """The past that the tape at `path` holds. TapeFault when it cannot be read, raised by the iteration."""
    return History(path)


class _Past:
    """Turns records into moments; remembers the calls that wait for an outcome."""

    def __init__(self) -> None:
        self._open: dict[str, Call] = {}
        self._final: Moment | None = None
        self._latest: Mapping[str, Any] = {"seq": 0, "boot": "", "mono": 0.0}

    def take(self, record: Mapping[str, Any]) -> Iterator[Moment]:
        kind = record["kind"]
        if kind in ("line", "step", "repair", "open"):
            yield from self.flush()
        self._latest = record
        if kind == "line":
            yield self._moment("user", text=_text(record, "text"))
        elif kind == "step":
            yield from self._step(record)
        elif kind == "outcome":
            yield from self._outcome(record)
        elif kind == "answer":
            yield from self._calls_cut_off()
            self._final = None
            yield self._moment("answer", text=_text(record, "text"))
        elif kind in ("repair", "fault"):
            yield from self._calls_cut_off()
            self._final = None
            yield self._moment("fault", text=_text(record, "sentence"))

    def flush(self) -> Iterator[Moment]:
        """What must be said before the next step, and at the end."""
        yield from self._calls_cut_off()
        final, self._final = self._final, None
        if final is not None:
            yield final

    def _step(self, record: Mapping[str, Any]) -> Iterator[Moment]:
        calls = tuple(_calls(record.get("calls")))
        self._open = {call.id: call for call in calls}
        if calls:
            request = record.get("request")
            number = request if isinstance(request, int) else 0
            yield self._moment("step", text=_text(record, "thought"), calls=calls, request=number)
        elif isinstance(record.get("final"), str):
            self._final = self._moment("answer", text=record["final"])

    def _outcome(self, record: Mapping[str, Any]) -> Iterator[Moment]:
        call = self._open.pop(_text(record, "call"), None)
        if call is not None:
            data = record.get("data")
            # What does not say that it can be trusted came from outside.
            untrusted = record.get("untrusted") is not False
            seen = Observation(
                record.get("ok") is True, _text(record, "text"), data if isinstance(data, dict) else None, untrusted
            )
            yield self._moment("observation", call=call, observation=seen)

    def _calls_cut_off(self) -> Iterator[Moment]:
        cut, self._open = self._open, {}
        for call in cut.values():
            yield self._moment("observation", call=call, observation=Observation(False, f"{call.tool}: {CUT_OFF}"))

    def _moment(self, role: str, **fields: Any) -> Moment:
        now = self._latest
        return Moment(role, now["seq"], now["boot"], now["mono"], **fields)


def _calls(rows: object) -> Iterator[Call]:
    """The calls of a step record; what is none is left out."""
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("tool"), str) and isinstance(row.get("args"), dict):
            yield Call(row["tool"], row["args"], str(row.get("id", "")))


def _number(call: object) -> int:
    """12 of the call id `c12`; 0 of what is no such id."""
    digits = call[1:] if isinstance(call, str) and call[:1] == "c" else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _beginning(reader: Reader) -> tuple[float, str]:
    """When the tape was born, and the first line of the operator among the first HEAD records."""
    born = 0.0
    for record in reader:
        born = born or record["wall"]
        if record["kind"] == "line":
            return born, _text(record, "text")
        if record["seq"] >= HEAD:
            break
    return born, ""


def _state(reader: Reader, final: Mapping[str, Any] | None, behind: int) -> str:
    if reader.live:
        return "live"
    if behind:
        return "torn"
    if final is None:
        return "empty"
    return "ended" if final["kind"] == "close" else "interrupted"


def _open(path: str) -> int:
    try:
        return regular(path)
    except OSError as error:
        raise cannot(f"the tape {path} cannot be read", error) from error
