"""Any call of any tool: a place where all of them can work, arguments of every kind, nothing that translates."""

from __future__ import annotations

import itertools
import os
import random
import shlex
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edge.call import Call, Observation, Root, Scene
from edge.catalogue import Catalogue
from edge.cli.spelling import parse
from edge.faults import Fault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.hands.gpio import Header
from edge.hands.needs import missing
from edge.hands.ports import Ports
from edge.hands.world import World
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.port.model import Device, Wire
from edge.peripherals.sim.declare import SENSORS
from edge.registry import every, find
from edge.schema import fit
from edge.tape.memory import Memory
from edge.tape.spill import Spill
from edge.tape.unkept import Unkept
from edge.tool import Tool
from tests.support.lined import DOOR, GPIO, METER, Garden, board

FULL = Policy("full", calls_per_hour=10**9, seconds=20.0, internal_hosts=("127.0.0.1",))
NOW = State(durable=True)
NUMBERS = itertools.count(1)
WRONG: tuple[Any, ...] = (None, True, 7, 1.5, "some text", ["x"], {"some": 1})
# Of these only so many calls are carried out in one sweep, the others are judged: each reads hundreds of files.
DEAR = {
    **{"process_list": 8, "serial_expect": 3, "gpio_watch": 8, "output_pulse": 8},
    **{"net_info": 30, "bash": 60, "system_info": 100},
}


def rounds(whole: int) -> int:
    """A tenth unless FIELDHAND_SOAK is 1."""
    return whole if os.environ.get("FIELDHAND_SOAK") == "1" else whole // 10


def closed_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def seed(folder: Path) -> None:
    """What the arguments below mean by name."""
    for name, text in (("a.txt", "one\ntwo error\n"), ("sub/b.py", "def f():\n    return 1\n"), ("bin", "\0\1\2")):
        path = folder / name
        if path.parent.is_file():
            path.parent.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            path.write_text(text)


def _repository(folder: Path) -> None:
    """A repository of git with one commit, where the library for it is here."""
    if missing(("library:dulwich",)):
        return
    from dulwich import porcelain

    made = porcelain.init(str(folder))
    porcelain.add(made, [str(folder / "a.txt")])
    porcelain.commit(made, message=b"one", author=b"a <a@b.c>", committer=b"a <a@b.c>")
    made.close()


@contextmanager
def place(folder: Path) -> Iterator[World]:
    """A world in which every tool finds what it needs: board, lines, tape, catalogue, results; the gate is asked."""
    work, state = folder / "work", folder / "state"
    work.mkdir(parents=True)
    state.mkdir(mode=0o700)
    seed(work)
    _repository(work)
    roots = (Root("work", str(work)),)
    scene = Scene(str(work), "", roots, (*SENSORS, DOOR), Garden.outputs, str(state), gpio=GPIO, ports=(METER,))
    made = World(scene, Unkept(), board)
    made._header = Header(GPIO, Model("pi3"))
    made._ports = Ports(made, lambda port: Wire(Device({}, b"T=21.5\r\n" * 50)))
    made._ports.open("meter", Call("serial_open", {"port": "meter"}, "c0"))
    made.judge = lambda call, effect: decide(call, (effect,), FULL, NOW, scene)
    made.catalogue = Catalogue(every(), deferred=True)
    made.spill = Spill(f"{state}/spill", made.tape.name, 100)
    made.memory = Memory(f"{state}/memory")
    made.memory.store("pump", "one pump runs at 12 V", "core")
    try:
        yield made
    finally:
        made.close()


def carry(name: str, args: Any, here: World, run: bool = True) -> Observation | None:
    """One call from its arguments to what it brings, an ask taken as a yes; None where the gate denies it.

    Nothing is translated: what the tool raises comes out. Without `run` it is only judged.
    """
    tool = find(name)
    call = Call(name, fit(args, tool.schema)[0], f"c{next(NUMBERS)}")
    decision = decide(call, tool.effects(call.args, here.scene), FULL, NOW, here.scene)
    assert tool.words(call.args, here.scene)
    if decision.permit is None or missing(tool.needs) or not run:
        return None
    return tool.run(call.args, Hands(decision.permit, call, here))


def example(tool: Tool) -> dict[str, Any]:
    """The arguments of the example that has the fewest."""
    return min((parse(shlex.split(words), tool.schema) for words in tool.examples), key=len)


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    kinds = {"NoneType": "null", "bool": "boolean", "int": "integer", "float": "number", "str": "string"}
    return kinds.get(type(value).__name__, "array" if isinstance(value, list) else "object")


def fitting(rule: Any, chance: random.Random, port: int, name: str = "") -> Any:
    """A value that the rule takes; what it says is harmless, and often the name of something that is there."""
    if "enum" in rule:
        return chance.choice(list(rule["enum"]))
    kind = rule["type"]
    if kind == "string":
        return _text(rule, chance, port, name)
    if kind == "boolean":
        return chance.random() < 0.5
    if kind in ("integer", "number"):
        return _number(rule, kind, chance, name)
    if kind == "array":
        return [fitting(rule.get("items", {}), chance, port, name) for _ in range(chance.randrange(4))]
    parts = rule.get("properties") or {}
    if parts or rule.get("additionalProperties") is False:
        needed = rule.get("required", ())
        often = chance.choice((0.15, 0.5))
        return {
            key: fitting(parts[key], chance, port, key) for key in parts if key in needed or chance.random() < often
        }
    if name == "edits":
        return {"old": "one", "new": chance.choice(("eins", ""))}
    return dict.fromkeys(chance.sample(["X-One", "Accept", "X-Two"], chance.randrange(3)), "x")


_WORDS = ("a.txt", "sub", "sub/b.py", "bin", ".", "new/x", "**/*.py", "*", "error", "one", "o+", "7", "2h", "grep")
_ODD = ("../up", "/proc/self/stat", "a\0b", "x\ny", "\u00e4\u4e2d\U0001f600", "[", "(a", "\\", "select:grep", "-1")
_NAMED: dict[str, tuple[str, ...]] = {
    "command": ("true", "true; true", ":"),
    "url": ("http://127.0.0.1:{port}/x", "http://127.0.0.1:{port}", "http://", "ftp://x/y", "nonsense"),
    "path": ("a.txt", "sub", "sub/b.py", "bin", ".", "none", "/etc/hostname"),
    "source": ("a.txt", "sub", "bin", "kernel", "none"),
    "target": ("new.txt", "sub", "a.txt", "deep/new/x"),
    "name": ("temperature", "fan", "mist", "light", "lamp", "none"),
    "line": ("GPIO24", "pin 18", "22", "GPIO17", "door", "GPIO2", "GPIO14", "273", "none"),
    "port": ("meter", "METER", "none"),
    "pattern": ("T=([0-9.]+)", "o+", "(a", ""),
    "hex": ("52 45 41 44", "0", "zz"),
    "expression": ("1 + 2", "3 V * 2 A in W", "mean", "1 / 0", "2 ** 99", "((", "sqrt(2) km"),
    "patch": ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+eins\n", "--- a\n+++ b\n@@\n", "no patch"),
    "since": ("2h", "boot", "2024-01-01", "never"),
    "until": ("1h", "2024-01-02 10:00", "never"),
    "paths": ("a.txt", ".", "sub", ""),
    "ref": ("HEAD", "master", "none"),
    "old": ("one", "two", "none"),
    "key": ("pump", "fan", "none"),
    "names": ("grep", "fs.read", "nothing"),
}


def _text(rule: Any, chance: random.Random, port: int, name: str) -> str:
    usual = _NAMED.get(name, ())
    # A shell is given nothing else.
    pool = usual if usual and (name == "command" or chance.random() < 0.8) else (*_WORDS, *_ODD)
    text = chance.choice(pool).replace("{port}", str(port))
    low, high = rule.get("minLength", 0), rule.get("maxLength", 1 << 20)
    return (text + "x" * low)[:high] if not low <= len(text) <= high else text


def _number(rule: Any, kind: str, chance: random.Random, name: str) -> Any:
    low, high = rule.get("minimum", -1000), rule.get("maximum", 10**6)
    if name.endswith("seconds") or name == "pause":  # nobody waits here
        short = max(low, chance.choice((0, 0.001, 0.01)))
        return short if kind == "number" else int(short)
    number = chance.choice((low, high, min(high, max(low, chance.choice((0, 1, 2, 3, 10, -1))))))
    return number + 0.5 if kind == "number" and number + 0.5 <= high else number


def anything(chance: random.Random, depth: int = 0) -> Any:
    """A JSON value of any type, and what a careless reader could take for one."""
    if depth < 3 and chance.random() < 0.1:
        inner = anything(chance, depth + 1)
        return [inner] if chance.random() < 0.5 else {"path": inner}
    return chance.choice((*WRONG, "", 0, -1, 1e308, 10**30, 2**63, "\ud800", "x" * 5000, [], {}, "7", "true", False))


def arguments(tool: Tool, chance: random.Random, port: int) -> dict[str, Any]:
    """An argument object: two of three fit the schema, the others are wrong in one place or in all."""
    rules = tool.schema["properties"]
    luck = chance.random()
    made: dict[str, Any] = fitting(tool.schema, chance, port)
    if tool.name == "file_edit" and chance.random() < 0.8:  # only one of its two forms
        other = chance.choice((("edits",), ("old", "new")))
        made = {**{"old": "one", "new": "eins"}, **made}
        made = {key: value for key, value in made.items() if key not in other}
    if luck < 0.66:
        return made
    if rules and luck < 0.9:
        made[chance.choice(list(rules))] = anything(chance)
    else:
        names = chance.sample([*rules, "other", "", "na\u043ce"], chance.randrange(1, min(4, len(rules) + 2)))
        made = {name: anything(chance) for name in names}
    return {name: _quiet(name, value) for name, value in made.items()}


def _quiet(name: str, value: Any) -> Any:
    """The same, but no command and no time to wait that was not chosen for this."""
    if name == "command" and kind_of(value) in ("string", "integer"):
        return "true"
    return (
        0.001
        if (name.endswith("seconds") or name == "pause") and kind_of(value) in ("string", "integer", "number")
        else value
    )


def outcome(name: str, args: Any, here: World, run: bool = True) -> str:
    """ran, failed, denied (or only judged), or the name of the fault of ours; anything else is raised."""
    try:
        found = carry(name, args, here, run)
    except Fault as fault:
        assert fault.sentence and "Traceback" not in str(fault)
        return type(fault).__name__
    if found is None:
        return "denied" if run else "judged"
    assert isinstance(found, Observation) and isinstance(found.text, str)
    return "ran" if found.ok else "failed"
