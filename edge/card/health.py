"""Is this start well enough to be confirmed? What has to be true before the slot that runs is taken as good.

Rules:
1. Each check is one sentence about one thing, and all are made, also after the first that fails: whoever reads why a
   slot was not confirmed reads all of it.
2. A check that a person's own settings can fail is one all the same: an update that cannot read what the board is set
   to would leave its outputs undeclared.
3. What is tried is tried for real and in a place of its own: a file in /data, an agent with the simulated board and no
   model in a state folder that goes afterwards, with at most MEMORY of address space.
4. The schema of the data rises only after the slot was confirmed, by this check or by an operator (`update confirm`):
   the slot before could read them until then. What a cut left out in between the next start does (prepare.py, rule 3).
"""

from __future__ import annotations

import os

from edge.card import boot, programs
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.card.prepare import Place

LEAST_AUTHORITIES = 100
LEAST_FREE = 1 << 20
MEMORY = 700_000  # KiB
GUARD_SECONDS = 90.0
AGENT_SECONDS = 150.0
GOAL = "read the temperature"
FOLDER = "health-"


class Check(Record):
    """One thing that was looked at."""

    what: str
    well: bool
    sentence: str


def checks(place: Place, program: str, epoch: int, config: str, guard: Callable[[], bool]) -> tuple[Check, ...]:
    """All checks. guard(): whether it answers now. epoch: when the image was made; config: the board's settings."""
    return (
        _guard(guard),
        _data(place),
        _clock(epoch),
        _authorities(),
        _settings(program, config),
        _agent(program, place.run),
    )


def _guard(answers: Callable[[], bool]) -> Check:
    from time import monotonic, sleep

    until = monotonic() + GUARD_SECONDS
    while not answers():
        if monotonic() >= until:
            return Check("guard", False, f"the guard did not answer within {GUARD_SECONDS:.0f} s")
        sleep(0.5)
    return Check("guard", True, "it answers")


def _data(place: Place) -> Check:
    told = boot.facts(place.run)
    if told.get("VOLATILE") == "1" or told.get("DATA") != "mounted":
        return Check("data", False, f"{place.data} is not the card: {told.get('DATA_WHY') or 'it was not prepared'}")
    path, word = f"{place.data}/state/.health", os.urandom(16)
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(fd, word)
            os.fsync(fd)
            same = os.pread(fd, len(word) + 1, 0) == word
        finally:
            os.close(fd)
            os.unlink(path)
        room = os.statvfs(place.data)
    except OSError as error:
        return Check("data", False, f"{place.data} cannot be written: {(error.strerror or 'unknown').lower()}")
    if not same:
        return Check("data", False, f"{place.data} gives back other bytes than were written")
    free = room.f_bavail * room.f_frsize
    return Check("data", free >= LEAST_FREE, f"written and read back, {free >> 20} MiB free")


def _clock(epoch: int) -> Check:
    import time

    now = int(time.time())
    said = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    return Check("clock", now >= epoch, said if now >= epoch else f"it shows {said}, before this image was made")


def _authorities() -> Check:
    """How many certificate authorities TLS knows: without its files there are none, and nobody says so."""
    try:
        import ssl

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_default_verify_paths()
        count = context.cert_store_stats()["x509_ca"]
    except (ImportError, OSError) as error:
        return Check("certificates", False, f"TLS cannot be used: {error}")
    return Check("certificates", count >= LEAST_AUTHORITIES, f"{count} certificate authorities")


def _settings(program: str, config: str) -> Check:
    if not os.path.exists(config):
        return Check("settings", True, f"there is no {config}: defaults")
    code, text = _run([program, "config", "show", "--config", config], {})
    return Check("settings", code == 0, "they can be read" if code == 0 else _untold(config, text))


def _untold(config: str, text: str) -> str:
    """What is wrong with the settings, without what may be a secret there: it will stand in status.txt."""
    from edge import toml
    from edge.card import hidden
    from edge.faults import ConfigFault
    from edge.tape.disk import small_file

    try:
        tables = toml.load(small_file(config).decode("utf-8", "replace"), config)[0]
    except ConfigFault:
        tables = {}
    return hidden.clean([f"{config} cannot be used: {text}"], hidden.values(tables))[0]


def _agent(program: str, run: str) -> Check:
    """One agent from its start to its answer. The shell is there for the limit: Python would set it after a fork."""
    import shutil

    state = f"{run}/{FOLDER}{os.getpid()}"
    words = [program, "--board", "sim", "--model", "offline", "--state", state, "-e", GOAL]
    try:
        _swept(run)
        os.mkdir(state, 0o700)
        code, text = _run(["/bin/sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", *words], {"HOME": state})
    except OSError as error:
        code, text = 1, f"{state} cannot be made: {error.strerror}"
    shutil.rmtree(state, ignore_errors=True)
    return Check("agent", code == 0, "it started and answered" if code == 0 else f"it did not answer: {text}")


def _swept(run: str) -> None:
    """Take away the folders of checks whose process is gone, which could not do it themselves."""
    import shutil

    for name in os.listdir(run):
        pid = name[len(FOLDER) :]
        if name.startswith(FOLDER) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(f"{run}/{name}", ignore_errors=True)


def _run(words: list[str], more: dict[str, str]) -> tuple[int, str]:
    """Exit code and last line of a program that has only what a boot gives it."""
    environ = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **more}
    code, lines = programs.run(words, AGENT_SECONDS, environ)
    return code, lines[-1][:200] if lines else "without a word"
