"""The emergency stop: what is stopped, in one small file of the state folder that outlives every process.

Rules:
1. `<state>/stop` holds one JSON object `{"version":1,"stops":[{"kind","why","at","by"}, ...]}`. No file: nothing is
   stopped. A kind is `all`, `network` or `tool:NAME`; several may be in force.
2. What cannot be read or understood is a stop of everything: a damaged card, a cut write, a file that others put in
   its place. A lock, a tape, a model or a network are needed for nothing here.
3. Setting shows at once and then lasts: the new file is put in place first, and then it and its folder go onto the
   card; `set_` returns after that. Each state in between, also after a power cut, is the old stop, the new one or a
   cut file, which stops everything (rule 2). A card that takes no data still takes an empty file.
4. Lifting lasts before it shows as lifted: a smaller set is on the card before it is put in place, and the last one
   goes by removing the file.
5. Nothing that a model, a tool or a network can reach calls `set_` or `lift`: the command line does, with the rights
   of whoever owns the state folder, on this machine.
6. Who sets does not wait long for another who does: on a slow card two may write at once, and the later file lacks what
   the earlier said. So whoever has set looks whether it is in force, and if not, sets it again.
7. Each writer has a new file of its own, `stop.PROCESS.NUMBER.new`: two at once would cut each other's. What a killed
   one left behind is removed by the next that changes anything.
8. `read` costs one failing open when nothing is stopped, so that a loop may ask ten times a second. A `Watch` asks
   the card no more than that, however often it is asked itself.
"""

from __future__ import annotations

import posix as os

from edge.faults import Fault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "stop"
NEW = ".new"  # ends the names of rule 7: no copy of the state folder takes those along
VERSION = 1
LONGEST = 16 * 1024  # bytes of the file
MOST = 64  # stops in force
WHY = 300  # characters of a reason that are kept
ALL, NETWORK, TOOL = "all", "network", "tool:"
LOCK_SECONDS = 1.0
TRIES = 20  # of rule 6; more than ever set a stop at once
FRESH = 0.05  # seconds
_NUMBERS = iter(range(1 << 62))  # each is given once, to whatever thread
_LOOK = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class One(Record):
    """One stop. `at`: seconds since 1970 (a hint: the clock may be wrong); `by`: who set it; `why`: their words."""

    kind: str
    why: str = ""
    at: float = 0.0
    by: str = ""


class Stop(Record):
    """What is stopped. `damaged`: why the file could not be read; then everything is."""

    stops: tuple[One, ...] = ()
    damaged: str = ""

    @property
    def everything(self) -> str:
        """A sentence when everything is stopped, "" when only a part is."""
        if self.damaged:
            return f"everything is stopped: the stop file cannot be read ({self.damaged})"
        for one in self.stops:
            if one.kind == ALL:
                return "everything is stopped" + _because(one)
        return ""

    @property
    def words(self) -> str:
        """The kinds in force, for the gate: `all`, or `network` and `tool:NAME` by blanks."""
        return ALL if self.everything else " ".join([one.kind for one in self.stops])


def _because(one: One) -> str:
    return f" ({one.why})" if one.why else ""


def path_of(state: str) -> str:
    """The file of a state folder."""
    return f"{state.rstrip('/')}/{NAME}"


def read(state: str) -> Stop | None:
    """What is stopped in a state folder, None when nothing is (also when there is no folder, ""). Never raises."""
    if not state:
        return None
    try:
        fd = os.open(path_of(state), _LOOK)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Stop((), error.strerror or "unknown error")
    try:
        data = os.read(fd, LONGEST + 1)
    except OSError as error:
        return Stop((), error.strerror or "unknown error")
    finally:
        os.close(fd)
    try:
        return parse(data)
    except ValueError as error:
        return Stop((), str(error))


class Watch:
    """Sees a stop of the state folder `state` within FRESH seconds."""

    def __init__(self, state: str) -> None:
        from time import monotonic

        self._state = state
        self._now = monotonic
        self._looked = -FRESH
        self._seen: Stop | None = None

    def look(self) -> Stop | None:
        """What is stopped, as of at most FRESH seconds ago."""
        now = self._now()
        if now - self._looked >= FRESH:
            self._looked = now
            self._seen = read(self._state)
        return self._seen

    def everything(self) -> bool:
        """True when everything is."""
        seen = self.look()
        return seen is not None and bool(seen.everything)


def parse(data: bytes) -> Stop:
    """The stop that `data` says; ValueError with a sentence part when it says none."""
    from edge.peripherals.guard import line

    if not data.strip():
        raise ValueError("it is empty")
    if len(data) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST} bytes")
    try:
        written = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    found = line.read(written)
    if not isinstance(found, dict) or set(found) != {"version", "stops"} or type(found["version"]) is not int:
        raise ValueError("it is no stop")
    if found["version"] != VERSION:
        raise ValueError(f"it is of version {found['version']}")
    rows = found["stops"]
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST:
        raise ValueError("it names no stop")
    return Stop(tuple([_one(row) for row in rows]))


def _one(row: Any) -> One:
    types = {"kind": str, "why": str, "at": float, "by": str}
    if not isinstance(row, dict) or any(type(row.get(name)) is not kind for name, kind in types.items()):
        raise ValueError("one of its stops is none")
    if len(row) != len(types) or not _known(row["kind"]):
        raise ValueError("it holds what this version does not know")
    return One(**row)


def _known(kind: str) -> bool:
    return kind in (ALL, NETWORK) or (kind.startswith(TOOL) and len(kind) > len(TOOL))


def text(stop: Stop) -> bytes:
    """The content of the file."""
    from edge.peripherals.guard import line

    rows = [{"kind": one.kind, "why": one.why, "at": float(one.at), "by": one.by} for one in stop.stops]
    return line.write({"version": VERSION, "stops": rows}).encode("ascii") + b"\n"


def set_(state: str, one: One) -> Stop:
    """Put one stop in force beside those that are: what is stopped now. It is on the card when this returns.

    Fault when it cannot be kept; for `all` an empty file is tried before that (rule 3).
    """
    if not _known(one.kind):
        raise ValueError(f"{one.kind!r} is no kind of stop")
    one = One(one.kind, one.why if len(one.why) <= WHY else one.why[: WHY - 3] + "...", one.at, one.by)
    for _ in range(TRIES):
        now = _set(state, one)
        seen = read(state)
        if seen is None or seen.everything or any(other.kind == one.kind for other in seen.stops):
            break
    _swept(state)
    return now


def _set(state: str, one: One) -> Stop:
    """One try of `set_`."""
    lock = _locked(state)
    try:
        before = read(state) or Stop()
        kept = [other for other in before.stops if other.kind != one.kind]
        if before.damaged and one.kind != ALL:
            kept.insert(0, One(ALL, f"the stop file could not be read: {before.damaged}"[:WHY], one.at, one.by))
        now = Stop((*kept, one))
        try:
            if len(now.stops) > MOST or len(text(now)) > LONGEST:
                now = Stop((One(ALL, "more was stopped than the stop file holds", one.at, one.by),))
            _show(state, now)
        except OSError as error:
            if read(state) == now:
                raise _uncertain("is in force now, but may be gone", error) from error
            if one.kind != ALL:
                raise _cannot("set", state, error) from error
            _empty(state)
            now = Stop((), f"the card took no data: {error.strerror}")
        return now
    finally:
        if lock >= 0:
            os.close(lock)


def lift(state: str, kind: str = "") -> tuple[Stop | None, Stop | None]:
    """Lift one kind, or everything (""): what was stopped, and what still is. Fault when that cannot be kept.

    A damaged file is lifted only as a whole: nobody knows what it stopped.
    """
    lock = _locked(state)
    try:
        before = read(state)
        if before is None or (kind and not before.damaged and all(one.kind != kind for one in before.stops)):
            return None, before
        if before.damaged and kind:
            raise Fault(before.everything, "fieldhand resume, without more words, lifts it as a whole")
        left = tuple(one for one in before.stops if kind and one.kind != kind)
        try:
            if left:
                _keep(state, Stop(left))
            else:
                os.unlink(path_of(state))
                _sync_folder(state)
        except OSError as error:
            if read(state) is None:
                raise _uncertain("is lifted now, but may be back", error) from error
            raise _cannot("lifted", state, error) from error
        _swept(state)
        return before, Stop(left) if left else None
    finally:
        if lock >= 0:
            os.close(lock)


def _show(state: str, stop: Stop) -> None:
    """Put the file in place, then on the card (rule 3)."""
    new = _new(state)
    fd = _beside(new, state, stop)
    try:
        os.replace(new, path_of(state))
        os.fsync(fd)
    finally:
        os.close(fd)
    _sync_folder(state)


def _keep(state: str, stop: Stop) -> None:
    """Put the file on the card, then in place (rule 4)."""
    new = _new(state)
    fd = _beside(new, state, stop)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(new, path_of(state))
    _sync_folder(state)


def _new(state: str) -> str:
    """This writer's new file (rule 7)."""
    return f"{path_of(state)}.{os.getpid()}.{next(_NUMBERS)}{NEW}"


def _beside(new: str, state: str, stop: Stop) -> int:
    """The new file, whole, beside the old one: its descriptor."""
    fd = os.open(new, _MAKE, 0o600)
    try:
        data = text(stop)
        if os.write(fd, data) != len(data):
            raise OSError(28, "No space left on device")
        _owned(fd, state)
    except OSError:
        os.close(fd)
        os.unlink(new)
        raise
    return fd


def _swept(state: str) -> None:
    """Remove the new files of writers that are no more. What cannot be removed is in nobody's way."""
    try:
        for name in os.listdir(state):
            if name.startswith(f"{NAME}.") and name.endswith(NEW) and not _alive(name.split(".")[1]):
                os.unlink(f"{state}/{name}")
    except OSError:
        return


def _alive(pid: str) -> bool:
    """Whether the process of that number may still be writing; what is no number is nobody."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except OSError:
        return True  # another user's
    return True


def _empty(state: str) -> None:
    """The stop of a full card: a file without content needs no room for data."""
    try:
        fd = os.open(path_of(state), _MAKE, 0o600)
        try:
            _owned(fd, state)
            os.fsync(fd)
        finally:
            os.close(fd)
        _sync_folder(state)
    except OSError as error:
        raise _cannot("set", state, error) from error


def _owned(fd: int, state: str) -> None:
    """Root stops the agents of others as well: the file is theirs, so that they can read it."""
    if os.geteuid() == 0:
        owner = os.stat(state)
        os.fchown(fd, owner.st_uid, owner.st_gid)


def _sync_folder(state: str) -> None:
    fd = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _locked(state: str) -> int:
    """The folder's lock for a change, -1 when it cannot be had in time: a stop waits for nobody who hangs."""
    import fcntl
    import time

    try:
        fd = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return -1
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except OSError:
            if time.monotonic() > until:
                os.close(fd)
                return -1
            time.sleep(0.01)


def _uncertain(what: str, error: OSError) -> Fault:
    why = (error.strerror or "unknown error").lower()
    return Fault(f"the stop {what} after a power cut: the card did not confirm it ({why})", "say it again")


def _cannot(what: str, state: str, error: OSError) -> Fault:
    return Fault(
        f"the stop cannot be {what} in {path_of(state)}: {(error.strerror or 'unknown error').lower()}",
        "end the agents by a signal: kill -TERM PID makes the outputs safe",
    )
