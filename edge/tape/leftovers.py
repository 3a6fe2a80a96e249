"""Children that a killed agent left behind: found at the next start, given time, then ended.

Rules:
1. A child is written down as (pid, start ticks) in a `child` record when it starts. Before the first one a
   marker `<state>/live/NAME` is made; it goes at a clean close. No marker, nothing to do: one folder listing.
2. Nothing is ended but what a tape of this boot names: what a shell left that carries the tag of its record, and a
   process whose start ticks are equal, that belongs to this user and whose command line is that of a board process of
   this state folder. The latter is looked at and ended through one handle (pidfd_open(2)) where the kernel has it, so
   that a pid used again is safe.
3. A marker whose tape another process has locked belongs to a living agent and is left alone. So are the
   asking process's own children: a tape that was opened again may already have new ones.
4. Tapes that another user could have written name nothing: all of the state folder must be this user's alone.
5. While another agent of the same state folder lives, a board process is left alone: it may have joined that board,
   which ends by itself with the last agent. The marker stays until a start finds nobody else.
"""

from __future__ import annotations

import os
import time

from edge.faults import TapeFault
from edge.record import Record
from edge.tape.disk import READER, boot_id, held, holder, small_file
from edge.tape.names import path_of, tapes
from edge.tape.reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIGKILL = 9
# How the command line of a board process begins to tell what it is (edge.peripherals.guard.spawn.CODE, held equal by a
# test): after `-c` this code, then the library and the state folder.
CODE = (
    b"import sys; sys.path.insert(0, sys.argv[1]); "
    b"from edge.peripherals.guard.process import main; raise SystemExit(main())"
)
LOOK = 0.02  # seconds between two looks at processes that are given time
GRACE = 5.0  # seconds until a process that was killed is gone; longer than that is one the kernel holds


class Child(Record):
    """A process as a tape names it. `start` is in clock ticks since boot (proc(5), stat field 22).

    `tag`: what all that a shell started carries (edge.hands.wall.tree); 0 for a process that is only itself.
    """

    pid: int
    start: int
    what: str = ""
    tag: int = 0


def mark(state: str, name: str) -> None:
    """Say that the tape `name` may have children; again is nothing. TapeFault when that cannot be said."""
    folder = _live(state)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise TapeFault(f"the marker of running children cannot be made in {folder}: {error.strerror}") from error


def unmark(state: str, name: str) -> None:
    """Say that no child of the tape `name` runs any more; nothing when there is no marker."""
    try:
        os.unlink(os.path.join(_live(state), name))
    except OSError:
        # A marker that stays costs the next start one look at the tape.
        return


def started(pid: int) -> int:
    """When a process started, in clock ticks since boot; 0 when it is not there or has ended (a zombie has)."""
    return _state(pid)[0]


def _state(pid: int) -> tuple[int, int]:
    """Start ticks and parent of a process that runs, else (0, 0)."""
    # The name in the second field may hold anything, also `) `: what counts stands behind the last `)`.
    fields = small_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return 0, 0
    return int(fields[19]), int(fields[1])


def sweep(state: str, patience: float = 1.0, strays: Callable[[list[Child]], list[str]] | None = None) -> list[str]:
    """End what earlier agents left running; sentences of what was done, none when there was nothing.

    The processes get `patience` seconds together to end by themselves. `strays` ends what tagged shells left and says
    what it did. Never raises for what it cannot end: a sentence says so, and the marker stays for the next start.
    """
    done = []
    marked = _marked(state)
    shared = any(_lives(state, name) for name in marked)
    for name in marked:
        try:
            path = path_of(tapes(state), name)
            open_to = next((one for one in (state, _live(state), tapes(state), path) if not _only_ours(one)), "")
            if open_to:
                done.append(f"what the tape {name} left running is not looked at: others can write {open_to}")
                continue
            if os.path.exists(path) and _is_anothers(path):
                continue
            named = children(path) if os.path.exists(path) else []
            left = [child for child in _alive(named) if _is_board(child.pid, state)]
            tagged = [child for child in named if child.tag]
            told = strays(tagged) if strays is not None and tagged else []
        except (OSError, ValueError) as error:
            done.append(f"what the tape {name} left running cannot be looked at: {error}")
            continue
        said, all_gone = ([], False) if shared and left else _end(left, patience)
        said += told
        done += [f"{sentence} (left by the tape {name})" for sentence in said]
        if all_gone:
            unmark(state, name)
    return done


def _lives(state: str, name: str) -> bool:
    """True when another process writes the tape `name`, also when that cannot be known."""
    try:
        path = path_of(tapes(state), name)
        return os.path.exists(path) and _is_anothers(path)
    except ValueError:
        return False  # no name of a tape
    except OSError:
        return True


def children(path: str) -> list[Child]:
    """The processes that the tape at `path` names on this boot. TapeFault when it cannot be read."""
    boot = boot_id()
    found = []
    for record in Reader(path):
        if record["kind"] == "child" and record["boot"] == boot:
            pid, start, what, tag = (record.get(name) for name in ("pid", "start", "what", "tag"))
            if isinstance(pid, int) and isinstance(start, int) and pid > 1 and start > 0:
                told = what if isinstance(what, str) and what else "a child"
                found.append(Child(pid, start, told, tag if isinstance(tag, int) and tag > 0 else 0))
    return found


def _alive(named: list[Child]) -> list[Child]:
    """Those that stand for themselves, run, and are not this process's own."""
    own = os.getpid()
    states = [(child, _state(child.pid)) for child in named if not child.tag]
    return [child for child, (start, parent) in states if start == child.start and parent != own]


def _only_ours(path: str) -> bool:
    """True when nobody but this user (and root) can write what is at `path`; also when nothing is."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _is_board(pid: int, state: str) -> bool:
    """True when the process is this user's and was started as the board process of `state`."""
    line = small_file(f"/proc/{pid}/cmdline")
    end = time.monotonic() + GRACE
    while not line and time.monotonic() < end:
        # A process that was started in this instant has no command line yet.
        time.sleep(LOOK)
        line = small_file(f"/proc/{pid}/cmdline")
    words = line.split(b"\0")
    try:
        at = words.index(CODE)
        theirs = os.path.realpath(os.fsdecode(words[at + 2]))
        mine = os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except (ValueError, IndexError, OSError):
        return False
    return mine and words[at - 1] == b"-c" and theirs == os.path.realpath(state)


def _is_anothers(path: str) -> bool:
    """True when a process other than this one is writing the tape, or it cannot be known who is."""
    if not held(path):
        return False
    fd = os.open(path, READER)
    try:
        return holder(fd) != os.getpid()
    finally:
        os.close(fd)


def _end(left: list[Child], patience: float) -> tuple[list[str], bool]:
    """Wait for `left`, then kill what is left of it: what happened, and whether all are gone."""
    said = []
    waiting = _wait(left, patience)
    said += [f"{child.what}, process {child.pid}, ended by itself" for child in left if child not in waiting]
    refused = {}
    for child in waiting:
        refused[child.pid] = _kill(child)
    alive = _wait(waiting, GRACE)
    for child in waiting:
        if child not in alive:
            said.append(f"{child.what}, process {child.pid}, was still running and was ended")
        else:
            why = refused[child.pid] or "it does not go"
            said.append(f"{child.what}, process {child.pid}, is still running and cannot be ended: {why}")
    return said, not alive


def _wait(children: list[Child], seconds: float) -> list[Child]:
    """Those that are alive after at most `seconds`."""
    end = time.monotonic() + seconds
    while True:
        children = [child for child in children if started(child.pid) == child.start]
        left = end - time.monotonic()
        if not children or left <= 0:
            return children
        time.sleep(min(LOOK, left))


def _kill(child: Child) -> str:
    """SIGKILL for exactly this process; why not, when that was refused."""
    handle = -1
    try:
        handle = _handle(child.pid)
        if started(child.pid) != child.start:
            return ""
        if handle >= 0:
            import signal

            signal.pidfd_send_signal(handle, SIGKILL)
        else:
            os.kill(child.pid, SIGKILL)
    except ProcessLookupError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    finally:
        if handle >= 0:
            os.close(handle)
    return ""


def _handle(pid: int) -> int:
    """A descriptor that means this process and no later one with its number; -1 where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except (AttributeError, OSError):
        return -1


def _marked(state: str) -> list[str]:
    try:
        return sorted(os.listdir(_live(state)))
    except OSError:
        return []


def _live(state: str) -> str:
    return os.path.join(state, "live")
