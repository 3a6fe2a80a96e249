"""What a root has to stand before it becomes an image. A gate gives sentences of what is wrong; none is good.

    links         no link leads nowhere or out of the tree
    architecture  every program and library is for the processor of the board
    needed        every library that one of them needs is there
    authorities   there are certificates, twice the same, and most of them hold
    imports       every module of Fieldhand and its libraries imports under the board's Python
    starts        the agent answers, with an empty environment

The last two run programs of the tree and come last, when the others found nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from images.gates import architecture, authorities, imports, links, needed, starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

AT_REST = {"links": links, "architecture": architecture, "needed": needed, "certificates": authorities}
RUNNING = {"imports": imports, "starts": starts}


def check(tree: Path, product: Target, told: Callable[[str, int, int], object]) -> list[str]:
    """Every sentence of every gate, with the gate's name before it."""
    wrong: list[str] = []
    count = len(AT_REST) + len(RUNNING)
    for number, (name, gate) in enumerate([*AT_REST.items(), *RUNNING.items()]):
        if wrong and name in RUNNING:
            break
        told("gates", number, count)
        wrong += [f"{name}: {sentence}" for sentence in gate.check(tree, product)]
    told("gates", count, count)
    return wrong
