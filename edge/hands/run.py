"""The hand that starts a shell behind the wall, and ends everything it started.

Rules:
1. The text that was judged is one argument of `/bin/sh -c`, byte for byte. Standard input is empty.
2. When a shell ends, in whatever way, nothing it started goes on: not in a new session, not behind an `&`.
3. The time that a caller waits is over before the shell is: where the world lets shells last, the whole shell becomes
   a job in the background (jobs.py); elsewhere it is ended.
4. A deadline is kept by one thread that never waits longer than child.LOOK for anything.
5. Without the wall that the policy requires nothing starts.
6. A folder to start in is a granted one, and no link leads to it: what was judged counted its names from there.
"""

from __future__ import annotations

import errno
import os
import time

from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.hands.child import Watch
from edge.hands.spool import Spool
from edge.hands.wall import environment, level, limits, mask, spawn, tree
from edge.hands.wall.plan import plan, wants_temporary
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.wall.confine import Confinement
    from edge.hands.wall.level import Level
    from edge.hands.wall.namespaces import Kept
    from edge.hands.wall.spawn import Child

SHELL = "/bin/sh"
_STRONG = ("landlock", "namespaces")


class Run:
    """Starts shells inside the permit of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def shell(self, text: str, seconds: float, cwd: str = "", background: bool = False) -> Mapping[str, Any]:
        """Run `text` by /bin/sh, in the folder `cwd` ("": that of the start), and wait at most `seconds`.

        `code` (None when it was ended by a signal, or goes on) `signal stdout stderr cut ended seconds wall killed said
        notes`. `cut` counts bytes that were not kept; `ended` is exit, deadline, stopped or moved; `killed` counts
        processes that were still running; `said` are sentences about what the wall closes, which explain a failure;
        `notes` what a reader must know of any output (notes.py). What goes on in the background (`moved`; at once with
        `background`) has a `shell_id`, and a `next_offset` behind what is told here. Refused when the policy requires
        a wall that this machine does not have; ToolFault when the shell cannot be started.
        """
        self._holder.grant("run", "shell", "sh")
        if "\0" in text:
            raise ToolFault("a command cannot hold a NUL")
        if not os.path.exists(SHELL):
            raise ToolFault(f"there is no {SHELL} on this system", "the tools for files, search and HTTP need none")
        world, lasting = self._holder.world, self._holder.world.job_seconds
        if not lasting and (background or seconds <= 0):
            raise ToolFault(
                "nothing goes on in the background here: this run ends with its answer",
                "leave background out, and give timeout_seconds the time that it needs",
            )
        if background:
            world.shells().room()
        folder = self._folder(cwd)
        last = self._holder.begun + (lasting or self._holder.permit.seconds)  # to find a wall is of that time
        with _Room(self._holder) as room:
            made, said = room.plan(self._level(), folder)
            left = last - time.monotonic()
            if left <= 0:
                raise ToolFault("its time was over before the wall stood, so it was not started")
            ran = self._run(room, made, text, 0.0 if background else seconds, left)
            notes = _notes(made, said, text, ran)
            return {**ran, "said": list(said), "notes": list(notes)}

    def _folder(self, cwd: str) -> str:
        """The granted folder that `cwd` means, absolute; "" for that of the start (rule 6)."""
        if not cwd:
            return ""
        spot = place(cwd, self._holder.world.scene)
        if not self._whole(spot.root):
            self._holder.grant("list", spot.root, spot.path)
        real = os.path.realpath(spot.full)
        if real != spot.full:
            raise ToolFault(f"{spot.full} leads over a link to {real}", "name the folder itself as cwd")
        if not os.path.isdir(real):
            raise ToolFault(f"{real} is no folder" if os.path.lexists(real) else f"there is no folder {real}")
        return spot.full

    def _whole(self, root: str) -> bool:
        """True when all of a root may be read; its folders are then not granted one by one (meant.py, rule 3)."""
        return any(
            (grant.verb, grant.root, grant.path, grant.deep) == ("read", root, ".", True)
            for grant in self._holder.permit.grants
        )

    def _level(self) -> Level:
        world = self._holder.world
        scene = world.scene
        found = level.find(world.sandbox, state=scene.state, roots=tuple(root.path for root in scene.roots))
        if world.sandbox == "require" and found.name not in _STRONG:
            raise Refused(
                f"the policy requires a wall around programs, and there is none here: {'; '.join(found.reasons)}",
                "wall.required",
                "`fieldhand doctor` shows each claim; `sandbox = prefer` would run with what there is",
            )
        return found

    def _run(self, room: _Room, made: Confinement, text: str, seconds: float, most: float) -> dict[str, Any]:
        """Start it and wait: at most `seconds`, or `most`, at which it is ended in any case."""
        begin, world = time.monotonic(), self._holder.world
        spool = Spool(world.scene.state or environment.base()) if world.job_seconds else None
        watch = Watch(*_started(made, text), spool)
        moved: dict[str, Any] = {}
        killed = 0
        try:
            world.child(watch.child.pid, tree.stat(watch.child.pid)[2], watch.child.tag)
            ended = watch.until(begin + min(seconds, most), self._holder.ending)
            if ended == "deadline" and spool is not None and seconds < most:
                moved = self._moved(watch, begin + most, room)
        finally:
            if "shell_id" not in moved:
                killed = watch.end()
                if spool is not None:
                    spool.close()
        took = {"seconds": round(time.monotonic() - begin, 3), "wall": made.level}
        told = {} if "shell_id" in moved else watch.result()
        if "full" in moved:  # what was kept until then is told only once
            moved.update({name: moved[name] + told[name] for name in ("stdout", "stderr", "cut")})
        return {**told, "ended": ended, "killed": killed, **took, **moved}

    def _moved(self, watch: Watch, deadline: float, room: _Room) -> dict[str, Any]:
        """Make it a job; where there is no room for it that is told as `full`, and it has to end."""
        assert watch.spool is not None
        shells = self._holder.world.shells()
        said = watch.result()
        after = watch.spool.length
        try:
            job = shells.start(self._holder.call, watch, deadline, room.leave)
        except ToolFault as fault:
            return {"full": fault.sentence, **{name: said[name] for name in ("stdout", "stderr", "cut")}}
        room.stays = True
        if self._holder.ending():  # the turn was cut meanwhile: nobody would know of the job
            job.ask("stopped", 0.0)
        return {**said, "ended": "moved", "shell_id": job.name, "next_offset": after}


class _Room:
    """What stands around one shell on this side of the wall: its temporary folder, empty folders under covers.

    It is let go at the end of the `with`, or, when it `stays`, by whoever calls `leave`.
    """

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self.temporary = _temporary() if wants_temporary(holder.permit) else ""
        self.standing: tuple[str, ...] = ()
        self.stays: bool = False

    def plan(self, found: Level, folder: str) -> tuple[Confinement, tuple[str, ...]]:
        """The plan for the shell, which starts in `folder`, and sentences about what it closes."""
        world, permit = self._holder.world, self._holder.permit
        made, said = plan(permit, world, found.name, self.temporary, found.alone)
        self.standing = made.standing
        return replace(made, alone=made.alone and found.alone, cwd=folder or made.cwd), said

    def __enter__(self) -> _Room:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.stays:
            self.leave()

    def leave(self) -> None:
        """The shell has ended."""
        mask.let_go(self.standing)
        if self.temporary:
            environment.remove(self.temporary)


def _notes(made: Confinement, said: tuple[str, ...], text: str, ran: Mapping[str, Any]) -> tuple[str, ...]:
    """What was not as it is for the child, or not held."""
    if made.level == "landlock" and not said:
        return ()
    from edge.hands.wall import namespaces
    from edge.hands.wall.notes import copies, notes

    copied = copies(said, text)
    if made.level == "landlock":
        return copied
    output = ran["stdout"] + ran["stderr"]
    return (*copied, *notes(made.level, namespaces.only_reads(made), os.geteuid() == 0, text, output))


def _temporary() -> str:
    try:
        return environment.temporary()
    except OSError as error:
        raise ToolFault(f"no folder for temporary files can be made: {error.strerror}") from error


def _started(made: Confinement, text: str) -> tuple[Child | Kept, list[int]]:
    """The shell, and the ends of its two pipes to read from. ToolFault when it does not start."""
    reads: list[int] = []
    writes: list[int] = []
    tag = 0
    try:
        tag = limits.tag()
        for _ in range(2):
            read, write = os.pipe2(os.O_CLOEXEC)
            reads.append(read)
            writes.append(write)
            os.set_blocking(read, False)
        writes.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        argv = (SHELL, "-c", text)
        return spawn.start(replace(made, tag=tag), argv, writes[2], writes[0], writes[1]), reads
    except (OSError, ToolFault) as error:
        limits.free(tag)
        for fd in reads:
            os.close(fd)
        raise error if isinstance(error, ToolFault) else _fault(error, made.level) from error
    finally:
        for fd in writes:
            os.close(fd)


def _fault(error: OSError, level: str) -> ToolFault:
    why = error.strerror or str(error)
    if error.errno == errno.E2BIG:
        return ToolFault("the command is too long for this system", "put it into a file and run that")
    what = f" ({error.filename})" if error.filename else ""
    return ToolFault(f"the shell cannot be started behind the wall ({level}): {why.lower()}{what}")
