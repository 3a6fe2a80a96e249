"""Loops: a body that may run any number of times. Pure.

Rules:
1. Everything that the body sets may have been set before it begins, so it is unknown while the body is walked.
2. The body is walked once more when a walk changed what was not foreseen.
"""

from __future__ import annotations

from edge.gate.shell import expand
from edge.gate.shell.marks import ANY, SPLIT, TOKEN
from edge.gate.shell.nodes import For
from edge.gate.shell.state import MOST
from edge.gate.shell.streams import Stream
from edge.gate.shell.syntax import assigned, endless, moves
from edge.gate.shell.variables import poison

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Loop
    from edge.gate.shell.state import Value
    from edge.gate.shell.walk import Walk


def loop(walk: Walk, node: Loop | For) -> Stream:
    """A body that may run any number of times: walked again when a walk of it changed anything."""
    if isinstance(node, For):
        given = values(walk, node)
    elif not walk.bounded and endless(node):
        walk.sink.add("run", "helper:loop", "a loop that nothing ends")
    walk.maybe += 1
    if moves(node):
        walk.state.go((None,), False)
    changed = set(assigned(node))
    for _ in range(2):
        for name in changed:
            walk.state.give(name, (ANY,), False)
        before = walk.state.copy()
        if isinstance(node, For):
            walk.state.give(node.name, given, True)
        else:
            walk.body(node.test)
        stream = walk.body(node.body)
        changed = walk.state.differs(before)
        if not changed:
            break
    walk.maybe -= 1
    return Stream(None, stream.taint, stream.below)


def values(walk: Walk, node: For) -> Value:
    """What the variable of a `for` may be."""
    if poison(node.name):
        walk.assign(node.name, (ANY,))
    if node.words is None:
        return walk.state.args if walk.state.args is not None else (ANY,)
    found: list[str] = []
    for word in node.words:
        for choice in expand.fields(walk, word):
            found += [ANY if SPLIT in text else text for text in choice]
            walk.named(choice)
    if len(found) > MOST:
        return (TOKEN,) if all(text.isalnum() for text in found) else (ANY,)
    return tuple(dict.fromkeys(found))
