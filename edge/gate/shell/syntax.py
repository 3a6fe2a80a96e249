"""What a piece of syntax sets, found without walking it. Pure."""

from __future__ import annotations

from edge.gate.shell.marks import names
from edge.gate.shell.nodes import Case, For, Function, Group, If, Loop, Param, Pipe, Simple, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.gate.shell.nodes import Body, Node, Word

_SETTERS = names("read export readonly local getopts declare typeset unset let mapfile eval .")


def nodes(node: Node, apart: bool = True) -> Iterator[Node]:
    """`node` and all commands below it; not `apart` leaves out what runs in a shell of its own."""
    yield node
    for body in _bodies(node, apart):
        for item in body:
            for pipe in (item.first, *[pipe for _, pipe in item.rest]):
                if apart or (len(pipe.parts) == 1 and not item.behind):
                    for part in pipe.parts:
                        yield from nodes(part, apart)


def _bodies(node: Node, apart: bool) -> tuple[Body, ...]:
    if isinstance(node, Group):
        return (node.body,) if apart or not node.sub else ()
    if isinstance(node, If):
        return (*[body for arm in node.arms for body in arm], node.other)
    if isinstance(node, Loop):
        return (node.test, node.body)
    if isinstance(node, For):
        return (node.body,)
    if isinstance(node, Case):
        return tuple(body for _, body in node.arms)
    return ()


def first_word(node: Node) -> str:
    """The program word of a simple command as far as it is plain."""
    if not isinstance(node, Simple) or not node.words:
        return ""
    return literal(node.words[0])


def literal(word: Word) -> str:
    return "".join(part.text for part in word.parts if isinstance(part, Text))


def assigned(node: Node) -> list[str]:
    """Names that the commands of `node` set."""
    found: dict[str, None] = {}
    for each in nodes(node):
        if isinstance(each, For):
            found[each.name] = None
        elif isinstance(each, Simple):
            for assign in each.assigns:
                found[assign.name] = None
            if first_word(each) in _SETTERS:
                for word in each.words[1:]:
                    found[literal(word).partition("=")[0]] = None
            for word in each.words:
                for part in word.parts:
                    if isinstance(part, Param) and part.op in ("=", ":="):
                        found[part.name] = None
        elif isinstance(each, Function) and isinstance(each.body, Group):
            for item in each.body.body:
                for command in item.first.parts:
                    found.update(dict.fromkeys(assigned(command)))
    return list(found)


def moves(node: Node) -> bool:
    """True when a `cd` in `node` changes the folder of what comes after it."""
    return any(first_word(each) in ("cd", "pushd", "popd") for each in nodes(node, False))


_NEVER_ENDING = frozenset(("true", ":", "sleep", "echo", "printf", "date"))


def names_in(text: str) -> list[str]:
    """The names in an arithmetic text."""
    spaced = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text)
    return [name for name in spaced.split() if not name[0].isdigit()]


def leaves(pipe: Pipe) -> bool:
    """True when the pipeline is an `exit` or `return`."""
    first = pipe.parts[0]
    if len(pipe.parts) == 1 and isinstance(first, Group) and not first.sub and first.body:
        last = first.body[-1]
        return not last.rest and leaves(last.first) and len(first.body) == 1
    if len(pipe.parts) != 1 or not isinstance(first, Simple) or not first.words:
        return False
    text = [getattr(part, "text", "") for part in first.words[0].parts]
    return text in (["exit"], ["return"])


def endless(node: Loop) -> bool:
    """True when the condition of a loop never changes by itself."""
    if not node.test:
        return True
    last = node.test[-1]
    first = last.first.parts[0]
    if last.rest or len(last.first.parts) != 1 or not isinstance(first, Simple) or not first.words:
        return False
    name = "".join(getattr(part, "text", "") for part in first.words[0].parts)
    rest = ["".join(getattr(part, "text", "$") for part in word.parts) for word in first.words[1:]]
    if name in ("[", "test"):
        return rest in (["1", "]"], ["1"], ["true", "]"], ["1", "=", "1", "]"], ["1", "-eq", "1", "]"])
    return name == "false" if node.until else name in _NEVER_ENDING
