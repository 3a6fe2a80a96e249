"""The supervisor's process: one loop that hears agents, asks the guard, feeds the watchdog and sees a new slot through.

Rules:
1. Started by `fieldhand supervise` (exec) with -I -S; init starts it again when it ends. Agents that were known to the
   one before (`status`) are known to this one from its start: a crash of what watches forgets nobody who hangs.
2. The loop waits only in poll, at most `tick` seconds; a question to the guard waits at most PATIENCE. So the watchdog
   (15 s) is fed in time while all is well, and by nobody else.
3. A verdict is told when it changes, to the system's log. While it says hold, nothing is fed; the board resets when the
   watchdog's time is over. Nothing here ends an agent or an output: the reset does. Somebody may be typing at the
   console (stderr), a name at a login even: there stands only what is about to start the board over, and that it will
   not after all. Where nobody keeps a log, stderr has the rest too.
4. Without a watchdog (`fieldhand.nowdt`, no device) that is said once and stands in `status`; all is judged the same.
5. A boot that is not confirmed has a health check (`fieldhand card health`) started as a child: what it decides within
   HEALTH_SECONDS is law. Failed or late: the board is started again, which counts as a try and at the end falls back;
   if that does not come, the watchdog does it. What it found goes to the log, its stderr to the console (rule 3). A
   log that nobody reads does not hold it up.
6. SIGTERM, SIGINT and SIGHUP are an orderly stop: the watchdog is let go by its magic close.
7. Small: the modules that the guard uses, the C modules below those, and nothing of the agent.

The arguments are LIB, then NAME=VALUE: notify, guard, device ("" none), why (why there is none), feeder, log, status,
hang, tick (seconds between two looks), health (the program whose `card health` confirms this boot, "" when it is
confirmed), reboot (a program).
"""

from __future__ import annotations

import posix as os
import select
import sys
from time import monotonic

from edge.faults import Fault, HardwareFault
from edge.peripherals.guard import door
from edge.peripherals.guard.ending import Ending, close_others, stay
from edge.record import Record, sparing
from edge.supervise import log
from edge.supervise.liveness import ABSENT, AGENTS, ANSWERED, HANG, MUTE, Liveness, Verdict
from edge.supervise.notices import Notices
from edge.supervise.watchdog import Watchdog

TICK = 1.0
ASK = 3.0
PATIENCE = 1.0
LATE = 5.0  # a round that took so long did not run: what was not heard meanwhile is nobody's fault
HEALTH_SECONDS = 420.0
GRACE = 60.0  # between the order to start again and the end of feeding


class Told(Record):
    """What it was started with; the head of this file has the names."""

    notify: str
    guard: str
    device: str = ""
    why: str = ""
    feeder: str = ""
    log: str = ""
    status: str = ""
    hang: float = HANG
    tick: float = TICK
    health: str = ""
    reboot: str = ""


def main() -> int:
    """Run until a signal ends it; 128 + its number. 1: the socket for agents cannot be made."""
    sparing()
    close_others(2)
    os.umask(0o077)
    end = Ending()
    try:
        supervisor = Supervisor(told(sys.argv[2:]), monotonic())
    except OSError as error:
        os.write(2, f"fieldhand supervise: it cannot listen to agents: {error.strerror}\n".encode())
        return 1
    stay()
    try:
        while not end.signal:
            supervisor.round(end.fd)
    finally:
        supervisor.close(bool(end.signal))
    return 128 + end.signal


def told(words: list[str]) -> Told:
    """The arguments; ValueError for a number that is none."""
    given = dict(word.partition("=")[::2] for word in words)
    hang, tick = float(given.pop("hang", HANG)), float(given.pop("tick", TICK))
    return Told(hang=hang, tick=tick, **given)


class Supervisor:
    """All there is: the table, the socket, the device, the health check. OSError: the socket cannot be made."""

    def __init__(self, told: Told, now: float) -> None:
        self.told = told
        self.live = Liveness(told.hang, now)
        self.notices = Notices(told.notify)
        self.verdict = Verdict(True)
        self._why = ""
        self._fds: dict[int, int] = {}  # process -> its pidfd
        self._round, self._asked, self._written = now, float("-inf"), ""
        self._crowded = False
        self._poll = select.poll()
        self._poll.register(self.notices.fileno(), select.POLLIN)
        self._adopt(now)
        self.armed = told.why
        self.watchdog = self._arm()
        self._late, self._ordered = now + HEALTH_SECONDS, 0.0
        self._health = self._start_health()

    def round(self, end: int) -> None:
        """One round of the loop; `end` becomes readable when there is a reason to stop."""
        self._poll.register(end, select.POLLIN)
        self._poll.poll(int(self.told.tick * 1000))
        now = monotonic()
        if now - self._round > LATE:
            self.live.paused(now - self._round)
        self._round = now
        self._hear(now)
        if now - self._asked >= min(ASK, self.told.hang / 3):
            self._asked = now
            self.live.asked(asked(self.told.guard), monotonic())
        self._see_health(now)
        self._judge(monotonic())

    def close(self, orderly: bool) -> None:
        """Let go of the watchdog, if this is an orderly stop."""
        if orderly and self.watchdog is not None:
            self.watchdog.let_go()
        self.notices.close()

    def _arm(self) -> Watchdog | None:
        found = None
        if self.told.device:
            try:
                found = Watchdog(self.told.device, self.told.feeder)
                self.armed = f"armed {found.seconds} s" if found.seconds else "armed"
            except OSError as error:
                self.armed = f"{self.told.device}: {(error.strerror or 'unknown').lower()}"
        if found is None:
            self._note(f"no watchdog guards this board: {self.armed or 'there is no device'}; all is judged the same")
        return found

    def _hear(self, now: float) -> None:
        for pid, last in self.notices.taken():
            if pid not in self._fds and (last or not self._watch(pid)):
                continue
            if not self.live.sign(pid, last, now):
                self._forget(pid)
                self._full(pid)
        for pid, fd in tuple(self._fds.items()):
            if _ended(fd):
                self._forget(pid)

    def _full(self, pid: int) -> None:
        """Say once that there is no room for one more."""
        if not self._crowded:
            self._crowded = True
            self._note(f"{AGENTS} agents are watched, and that of process {pid} and all further ones are not")

    def _adopt(self, now: float) -> None:
        """Take over the agents of the supervisor before (rule 1), as far as they are alive."""
        known = b""
        if self.told.status:
            try:
                fd = os.open(self.told.status, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return  # there was none
            known = os.read(fd, 4096)
            os.close(fd)
        listed = next((line[7:].split() for line in known.split(b"\n") if line[:7] == b"AGENTS="), [])
        for pid in (int(word) for word in listed if word.isdigit()):
            if self._watch(pid) and not self.live.sign(pid, False, now):
                self._forget(pid)

    def _watch(self, pid: int) -> bool:
        """Hold on to a process, so that its number cannot come to mean another; False when it is gone already."""
        try:
            self._fds[pid] = os.pidfd_open(pid)
        except OSError:
            return False
        return True

    def _forget(self, pid: int) -> None:
        os.close(self._fds.pop(pid))
        self.live.gone(pid)

    def _judge(self, now: float) -> None:
        verdict = self.live.verdict(now)
        before, self.verdict = self.verdict, verdict
        if verdict.feed and self.watchdog is not None:
            self.watchdog.feed()
        if verdict.feed != before.feed:
            self._why = verdict.why  # as it was then: seconds that count on are no news
            reset = "the watchdog is fed no more, the board resets" if self.watchdog else "no watchdog resets it"
            tell = self._say if self.watchdog else self._note
            tell("all is well again" if verdict.feed else f"{verdict.why}: {reset}")
        self._write()

    # A boot that is not confirmed

    def _start_health(self) -> int:
        """The process of the health check, 0 when there is none to be made."""
        if not self.told.health:
            return 0
        words, out = [self.told.health, "card", "health"], log.output(self.told.log)
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)] if out is not None else []
        try:
            return os.posix_spawn(words[0], words, os.environ, file_actions=actions, setpgroup=0)
        except OSError as error:
            self._fail(f"its health check cannot be started: {error.strerror}", monotonic())
            return 0
        finally:
            if out is not None:
                out.close()

    def _see_health(self, now: float) -> None:
        if self._ordered and now >= self._ordered + GRACE:
            self.live.failed("this slot failed its health check and the board did not start again")
        if not self._health:
            return
        pid, status = os.waitpid(self._health, os.WNOHANG)
        if pid:
            self._health = 0
            if status:
                self._fail("its health check failed", now)
        elif now >= self._late:
            os.kill(-self._health, 9)  # it and what it started
            os.waitpid(self._health, 0)
            self._health = 0
            self._fail(f"its health check took longer than {HEALTH_SECONDS:.0f} s", now)

    def _fail(self, why: str, now: float) -> None:
        """Start again: the next start has one try less, and at the end the slot before is taken."""
        self._ordered = now
        self._say(f"this slot is not confirmed, {why}: the board starts again")
        try:
            os.posix_spawn(self.told.reboot, [self.told.reboot], os.environ)
        except OSError as error:
            self.live.failed(f"the board cannot be told to start again: {error.strerror}")

    # Telling

    def _say(self, text: str) -> None:
        """At the console and in the log."""
        data = _named(text)
        _wrote(2, data + b"\n")
        log.tell(self.told.log, data)

    def _note(self, text: str) -> None:
        """In the log alone, where there is one (rule 3)."""
        data = _named(text)
        if not log.tell(self.told.log, data):
            _wrote(2, data + b"\n")

    def _write(self) -> None:
        """What doctor reads, when it changed."""
        facts = {
            **{"PID": os.getpid(), "WATCHDOG": self.armed or "absent", "FED": int(self.verdict.feed)},
            **{"GUARD": self.live.guard, "AGENTS": " ".join(map(str, sorted(self.live.agents)))},
            **{"WHY": self._why},
        }
        text = "".join(f"{name}={value}\n" for name, value in facts.items())
        if text == self._written or not self.told.status:
            return
        self._written = text
        try:
            fd = os.open(f"{self.told.status}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
            os.write(fd, text.encode())
            os.close(fd)
            os.rename(f"{self.told.status}.new", self.told.status)
        except OSError:
            return  # nobody can be told


def asked(path: str) -> str:
    """Ask the guard for the least it answers: ANSWERED, MUTE, or ABSENT when nobody listens at the path."""
    try:
        reply = door.ask(path, {"do": "owned", "at": 0}, PATIENCE)
    except (HardwareFault, OSError):
        return MUTE
    except Fault:
        return ANSWERED  # whatever it is that it refuses, it is there
    return ABSENT if reply is None else ANSWERED


def _named(text: str) -> bytes:
    return f"fieldhand supervise: {text}".encode("utf-8", "replace")


def _wrote(fd: int, data: bytes) -> bool:
    """Write what somebody may read, or nobody."""
    try:
        return os.write(fd, data) == len(data)
    except OSError:
        return False


def _ended(fd: int) -> bool:
    """True when the process of a pidfd has ended (pidfd_open(2): it is readable then)."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
