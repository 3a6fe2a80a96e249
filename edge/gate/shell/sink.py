"""Collects what was found: effects, needs, remarks; turns the spelling of a path into effects. Pure.

Rules:
1. A path is emitted absolute. Where a part only shows when the shell runs but leads nowhere else (a glob), the
   folder above it is emitted, deep.
2. Where it may lead anywhere, reading it is unknown; writing it is a write of what is known of it, and unknown.
3. Device nodes: those that hold nothing are nothing; writing another is destructive (hardware goes through its own
   tools); reading one is a read; naming one is listed by a need.
4. At most MOST effects; more than that is one more that is unknown.
"""

from __future__ import annotations

from edge.call import Effect, Grant
from edge.gate.paths import SECRET_PARTS, absolute, inside, is_odd
from edge.gate.shell.marks import BELOW, MARKS, OPEN, STAR, closed, known, matches, names, shown
from edge.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene
    from edge.gate.shell.state import State

MOST = 400
LONGEST = 200  # letters of what is told about one thing
NOTHING = frozenset(f"/dev/{name}" for name in names("null stdout stderr stdin tty full fd/0 fd/1 fd/2 fd/3 fd/4"))
_OWN_FDS = frozenset(f"/proc/self/fd/{number}" for number in range(10))
_DISKS = ("mmcblk", "sd", "hd", "vd", "xvd", "nvme", "mtd", "ubi", "loop", "dm-", "disk", "mapper", "md", "zram", "ram")
_MEMORY = ("mem", "kmem", "port")
_TARGETED = (*sorted(SECRET_PARTS), "wpa_supplicant.conf", "ssh_host_rsa_key", "wg0.pem", "server.key")


class Sink:
    """What one reading found."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.effects: dict[Effect, None] = {}
        self.grants: dict[Grant, None] = {}
        self.remarks: dict[str, None] = {}
        self.touched = 0  # how often anything was said

    def add(self, verb: str, on: str, detail: str = "", deep: bool = False) -> None:
        self.touched += 1
        detail = visible(detail, LONGEST) if detail and not (detail.isprintable() and len(detail) < LONGEST) else detail
        if not (on.isprintable() and len(on) < LONGEST) and not on.startswith("file:"):
            on = visible(on, LONGEST)
        if len(self.effects) < MOST or (verb == "run" and on.startswith(("ruin:", "disk:"))):
            self.effects[Effect(verb, on, deep, detail)] = None
        else:
            self.effects[Effect("unknown", "shell:many", False, "it touches too many things to list")] = None

    def need(self, verb: str, root: str, path: str, deep: bool = False) -> None:
        self.grants[Grant(verb, root, path, deep)] = None

    def remark(self, sentence: str) -> None:
        if len(self.remarks) < 20:
            self.remarks[visible(sentence, LONGEST)] = None

    def unknown(self, on: str, detail: str) -> None:
        self.add("unknown", on, detail)

    def ruin(self, name: str, detail: str) -> None:
        self.add("run", f"ruin:{name}", detail)

    def disk(self, name: str, detail: str) -> None:
        self.add("run", f"disk:{name}", detail)

    # --- paths ---

    def path(self, verb: str, text: str, state: State, deep: bool = False) -> None:
        """`verb` (list, read, write) on the path that `text` spells, from each folder that may be the current one."""
        if not text:
            return
        if not text.startswith("/") and None in state.folders:
            self.unknown("shell:path", f"{shown(text)} counts from a folder that only shows when it runs")
        for folder in state.folders if not text.startswith("/") else ("/",):
            if folder is not None:
                self._from(verb, text, folder, deep)

    def _from(self, verb: str, text: str, folder: str, deep: bool) -> None:
        if not closed(text):
            self.unknown("shell:path", f"{shown(text)} is a path that only shows when it runs")
            text = self._before_open(text)
            if not text:
                return
        if text[0] in MARKS and verb == "write" and text.startswith(BELOW):
            text = text[1:]
        full = absolute(text, folder)
        if known(full):
            self._exact(verb, full, deep)
            return
        parts = full.split("/")
        first = next(index for index, part in enumerate(parts) if not known(part))
        above = "/".join(parts[:first]) or "/"
        for part in parts[first:]:
            self._targets(verb, above, part)
        if len(parts) > first + 1 and known(parts[-1]):
            sample = "/".join(part if known(part) else "self" for part in parts)
            self._exact(verb, sample, deep)
        if verb == "write" and not deep and first == len(parts) - 1 and BELOW not in parts[-1]:
            self._exact(verb, f"{above.rstrip('/')}/{shown(parts[-1])}", False)
        else:
            self._exact(verb, above, True)

    def _before_open(self, text: str) -> str:
        """The folder that is known of a path before what may be anything; "" when nothing is."""
        end = min(at for at in (text.find(mark) for mark in OPEN) if at >= 0)
        return text[: text.rfind("/", 0, end) + 1]

    def _targets(self, verb: str, above: str, part: str) -> None:
        """A pattern that aims at a name which holds keys, or matches what is the agent's, is a touch of that name."""
        for one in (*self.scene.own, *self.scene.settings, self.scene.state):
            folder, _, name = one.rpartition("/")
            if one and folder == above.rstrip("/") and matches(part, name):
                self._exact(verb, one, False)
        literal = "".join(letter for letter in part if letter not in MARKS)
        broad = len(literal) < 4 or literal[0] == "." or part[-1] in MARKS
        if len(literal) < 2 or (part[0] == STAR and broad):
            return
        for name in _TARGETED:
            if matches(part, name):
                self._exact(verb, f"{above.rstrip('/')}/{name}", False)
                return

    def _exact(self, verb: str, full: str, deep: bool) -> None:
        if full in NOTHING or full in _OWN_FDS:
            return
        if is_odd(full):
            self.unknown("shell:path", "a path with characters that cannot be seen, or too long")
            return
        if inside(full, "/dev"):
            self.device(verb, full)
            return
        if verb != "write" and full.split("/")[1] in ("bin", "sbin", "lib", "lib64", "lib32"):
            full = "/usr" + full  # one tree on every board of these days, and readable in any case
        self.add(verb, f"file:{full}", "", deep)

    def device(self, verb: str, full: str) -> None:
        """A device node, or the folder of them."""
        name = full[5:]
        if name.startswith(("tcp/", "udp/")):
            self.add("send", f"host:{name.split('/')[1]}", "a connection opened by a redirection")
        elif verb == "list":
            self.add("list", f"file:{full}")
            self.need("list", "system", "dev", True)
        elif verb == "read":
            self.add("read", f"file:{full}", "a device node")
        elif name.startswith(_DISKS):
            self.disk(name, f"writes the disk {full}")
        elif name in _MEMORY:
            self.ruin("memory", f"writes memory through {full}")
        else:
            self.ruin("device", f"writes the device {full}, which goes through the hardware tools only")


def is_disk(full: str) -> bool:
    """True when the absolute path is the node of a disk, flash or memory."""
    return full.startswith("/dev/") and (full[5:].startswith(_DISKS) or full[5:] in _MEMORY)
