"""An agent that runs the rows of probes.tsv in children behind one level of the wall, and its own claims beside them.

`python tests/support/probing.py LEVEL FOLDER CASES`: FOLDER is new and this user's. Prints one JSON object:
`level` that was found, `alone`, `user` of the agent, `wide` (processes are of 64 bits), `rows` (id -> exit code; 0: the
act succeeded, 77: nothing of the kind here), `claims` (act -> enforced, or null where nothing of the kind is here),
`control` (what a child may do: exit code), `open` (the rows of OPEN without a wall), `out` and `victim`: what became of
the folder outside.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from edge.call import Grant, Permit, Root, Scene
from edge.gate.paths import READABLE
from edge.hands.wall import claims, environment, level, limits, namespaces, spawn, trial
from edge.hands.wall.plan import plan
from edge.hands.world import World
from edge.record import replace
from edge.tape.unkept import Unkept

DEADLINE = 300.0  # an emulated board beside others needs more than a minute for P19
OUTLIVES = "P18"
# Rows that are harmless without a wall, which then have to succeed: otherwise they would show nothing behind one.
OPEN = ("P01", "P02", "P03", "P04", "P13", "P14", "P15", "P16", "P23")
# What the rows need to be able to do anything, and what a child behind the wall may do.
CONTROL = {
    "python": "python3 -c \"import ctypes, mmap, os, socket, glob; open('made', 'w').write('x')\" && test -s made",
    "programs": "command -v ln chmod touch mkdir mount umount kill tr wc cat unshare setsid sleep dd rm",
    "reading": "test -s /etc/passwd && ls /etc /usr > /dev/null && test -r /proc/self/status && test -r /proc/meminfo",
    "writing": 'mkdir a && echo x > a/b && mv a/b c && chmod 600 c && rm c && rmdir a && echo y > "$TMPDIR/t"',
}
ESCAPES = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def unescaped(text: str) -> str:
    """The text of a cell: backslash escapes as the head of the file names them."""
    out, at = [], 0
    while at < len(text):
        if text[at] != "\\":
            out.append(text[at])
            at += 1
        elif text[at + 1] in ESCAPES:
            out.append(ESCAPES[text[at + 1]])
            at += 2
        else:
            length = {"x": 2, "u": 4}[text[at + 1]]
            out.append(chr(int(text[at + 2 : at + 2 + length], 16)))
            at += 2 + length
    return "".join(out)


def rows(path: str) -> list[dict[str, str]]:
    """The rows by column name."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], map(unescaped, line))) for line in lines[1:]]


class Surroundings:
    """What the rows need to be there: a folder outside, a state folder, two listening sockets."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.out, self.state = f"{folder}/out", f"{folder}/state"
        for path in (self.out, self.state, f"{folder}/guard"):
            os.mkdir(path)
        for path in (f"{self.out}/victim", f"{self.state}/audit.key"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("kept\n")
            os.chmod(path, 0o600)
        self.guard = socket.socket(socket.AF_UNIX)
        self.guard.bind(f"{folder}/guard/socket")
        os.chmod(f"{folder}/guard/socket", 0o777)
        self.guard.listen(8)
        self.port = socket.create_server(("127.0.0.1", 0))

    def names(self) -> dict[str, str]:
        port = str(self.port.getsockname()[1])
        guard = f"{self.folder}/guard/socket"
        return {"OUT": self.out, "AGENT": str(os.getpid()), "STATE": self.state, "GUARD": guard, "PORT": port}


def no_board() -> Any:
    raise AssertionError("no board is needed here")


def run(text: str, name: str, around: Surroundings, wall: str, deadline: float) -> tuple[int | None, str]:
    """The exit code of a row (None: still running at the deadline, and then ended), and its workspace."""
    workspace = os.path.join(around.folder, f"{name}-{time.monotonic_ns()}")
    os.mkdir(workspace)
    scene = Scene(workspace, "/nonexistent", roots=(Root("workspace", workspace),), state=around.state)
    grants = [
        Grant("run", "shell", "sh"),
        Grant("read", "workspace", ".", True),
        Grant("write", "workspace", ".", True),
    ]
    grants += [Grant("read", "system", place[1:], True) for place in READABLE]
    permit = Permit("1", tuple(grants), (around.state,))
    world = World(scene, Unkept(), no_board)
    temporary = environment.temporary()
    try:
        made, _ = plan(permit, world, wall, temporary)
        pairs = (*made.environment, *around.names().items())
        return ended(replace(made, environment=pairs, tag=limits.tag()), text, deadline), workspace
    finally:
        environment.remove(temporary)
        world.close()


def ended(made: Any, text: str, deadline: float) -> int | None:
    null = os.open("/dev/null", os.O_RDWR)
    told, tell = os.pipe()
    child = spawn.start(made, ("/bin/sh", "-c", text), null, tell, tell)
    for fd in (null, tell):
        os.close(fd)
    until = time.monotonic() + deadline
    while child.poll() is None and time.monotonic() < until:
        if select.select([told], [], [], 0.01)[0] and not os.read(told, 65536):
            time.sleep(0.01)
    code = child.poll()
    trial.end(child)
    os.close(told)
    return code


class Left:
    """What the row OUTLIVES leaves behind: started before the other rows and looked at after them."""

    def __init__(self, text: str, around: Surroundings, wall: str) -> None:
        _, self._workspace = run(text, OUTLIVES, around, wall, 1.0)
        self._over = time.monotonic()

    def code(self) -> int:
        """0 when it wrote its file although the call had ended at its deadline."""
        time.sleep(max(0.0, self._over + 4 - time.monotonic()))
        return 0 if os.path.exists(f"{self._workspace}/p18") else 1


def main(wall: str, folder: str, cases: str) -> None:
    level.shield()
    around = Surroundings(folder)
    codes: dict[str, int | None] = {}
    control = {name: run(text, name, around, wall, DEADLINE)[0] for name, text in CONTROL.items()}
    (left,) = [Left(row["how"], around, wall) for row in rows(cases) if row["id"] == OUTLIVES]
    for row in rows(cases):
        if row["id"] != OUTLIVES:
            codes[row["id"]] = run(row["how"], row["id"], around, wall, DEADLINE)[0]
    found = level.find(at_most=wall, state=around.state, roots=(folder,))
    made = claims.claims(found, around.state, f"{around.state}/audit.key")
    said = {one.act: None if one.absent else one.enforced for one in made}
    with open(f"{around.out}/victim", encoding="utf-8") as file:
        told = {"out": sorted(os.listdir(around.out)), "victim": file.read()}
    unheld = {
        one["id"]: run(one["how"], "open", around, "off", DEADLINE)[0] for one in rows(cases) if one["id"] in OPEN
    }
    codes[OUTLIVES] = left.code()
    namespaces.end()
    told.update(level=found.name, alone=found.alone, user=os.geteuid(), wide=sys.maxsize > 1 << 32)
    told.update(rows=codes, claims=said)
    print(json.dumps({**told, "control": control, "open": unheld}))


if __name__ == "__main__":
    main(*sys.argv[1:])
