"""The outline of a Python file, through the tool's own run with real hands, against `ast.parse` of the same bytes.

The source is generated: about 114 KB of classes, functions, docstrings and comments. An outline counts only when it
holds exactly the definitions that the tree of `ast` has, each at its line.
"""

from __future__ import annotations

import ast
import os
import random
import time

from bench import scratch
from bench.harness import Broken, Target
from edge.call import Call, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.hands.world import World
from edge.registry import find
from edge.tape.unkept import Unkept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bench.harness import Measure

TITLE = "Outline of a Python file of 114 KB"
UNIT = "ms"
ROUNDS = 31
WARM = True

OUTLINE = "outline, through run and hands"
TARGETS = {OUTLINE: (Target(ratio=0.04),)}
SIZE = 114_000
NAME = "generated.py"
_WORDS = ("pump", "valve", "level", "rate", "limit", "sensor", "reading", "state", "window", "frame", "queue", "buffer")


def source(seed: int = 11) -> str:
    """About SIZE bytes of plausible Python: 3,000 lines, about 300 definitions, half of them with a docstring."""
    chance = random.Random(seed)
    out = ['"""Generated.\n\ndef not_a_function(): no\n"""\n\nimport os\n']
    size = number = 0
    while size < SIZE:
        number += 1
        part = f'\n\nclass Part{number}:\n    """One part.\n\n    class Inner: is words.\n    """\n'
        part += "".join(_method(chance, index) for index in range(chance.randrange(2, 9)))
        part += f"\n\ndef run_{number}(argument: int, other: str = 'x') -> int:\n" + _body(chance, 4, 12)
        out.append(part)
        size += len(part)
    return "".join(out)


def _method(chance: random.Random, index: int) -> str:
    name = f"{chance.choice(_WORDS)}_{index}"
    head = f"\n    {'async ' * (index == 3)}def {name}(self, first: int, second: int = 0) -> int:\n"
    told = f'        """What {chance.choice(_WORDS)} means, in words."""\n' * (chance.random() < 0.5)
    return head + told + _body(chance, 8, 10)


def _body(chance: random.Random, indent: int, lines: int) -> str:
    made = []
    for _ in range(lines):
        made.append(f"{chance.choice(_WORDS)} = {chance.choice(_WORDS)}_of({chance.randrange(999)}, 'x')  # why")
    return "".join(" " * indent + line + "\n" for line in [*made, "return 1"])


def definitions(text: str) -> list[tuple[int, str]]:
    """Line and name of every class and function, by `ast`."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return sorted((node.lineno, node.name) for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))


def told(text: str, whole: str) -> list[tuple[int, str]]:
    """Line and name of every entry of an outline."""
    found = []
    for line in (whole or text).split("\n")[1:]:
        number, _, signature = line.partition(": ")
        if number.isdigit():
            words = signature.replace("async ", "").split(None, 1)
            found.append((int(number), words[1].partition("(")[0]))
    return found


def rows() -> list[tuple[str, Measure]]:
    """Write the source below a temporary folder; one call is judged once, its run is measured."""
    folder = scratch.folder()
    text = source()
    with open(os.path.join(folder, NAME), "w", encoding="utf-8") as file:
        file.write(text)
    scene = Scene(folder, "", (Root("work", folder),))
    tool, call = find("outline"), Call("outline", {"path": NAME}, "c1")
    decision = decide(call, tool.effects(call.args, scene), Policy(), State(), scene)
    permit = decision.permit
    if permit is None:
        raise Broken(decision.sentence)

    def board() -> object:
        raise Broken("an outline needs no board")

    world = World(scene, Unkept(), board)
    wanted = definitions(text)

    def outline() -> float:
        begun = time.process_time()
        found = tool.run(call.args, Hands(permit, call, world))
        taken = (time.process_time() - begun) * 1000
        if told(found.text, found.whole) != wanted:
            raise Broken("the outline does not hold the definitions that ast finds")
        return taken

    def parse() -> float:
        begun = time.process_time()
        ast.parse(text)
        return (time.process_time() - begun) * 1000

    return [("ast.parse", parse), (OUTLINE, outline)]
