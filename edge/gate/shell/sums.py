"""What arithmetic sets, and what some shells run in it. Pure.

Rule: some shells evaluate the text of variables, and what a substitution brings, once more as arithmetic, where a
subscript may run commands. Text that holds one is therefore not understood.
"""

from __future__ import annotations

from edge.gate.shell.marks import TOKEN
from edge.gate.shell.syntax import names_in
from edge.gate.shell.variables import poison

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk


# What no sum holds: a shell that reads it may take the parentheses for something else.
_STRANGE = frozenset(";{}'\"\\#@")


def evaluate(walk: Walk, text: str) -> None:
    """What it does to evaluate `text`."""
    names = names_in(text)
    values = _values(walk, names)
    if any(sign in value for value in (text, *values) for sign in ("$(", "`")) or not _STRANGE.isdisjoint(text):
        walk.strange("arithmetic that runs commands")
    if "=" in text or "++" in text or "--" in text:
        for name in names:
            walk.state.give(name, (TOKEN,), False)
            if poison(name):
                walk.assign(name, (TOKEN,))


def _values(walk: Walk, names: list[str]) -> list[str]:
    """The texts that `names` may hold, and those of the names in these texts, as some shells go on evaluating."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        for value in walk.state.vars.get(name, ()):
            if value not in found:
                found[value] = None
                walk.spend(1 + len(value) // 64)
                waiting += names_in(value)
    return list(found)
