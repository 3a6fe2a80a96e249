"""What the shell knows at one point of the walk: variables, functions, folder, parameters. Pure.

Rules:
1. A value is a tuple of texts that it may have, with marks for what only shows when the shell runs.
2. What happens under a condition is added to what was; what surely happens replaces it.
3. A folder that may be any is None; relative paths then lead nowhere that is known.
"""

from __future__ import annotations

from edge.gate.shell.marks import ANY, TOKEN, VOID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from edge.gate.shell.nodes import Node

    Value = tuple[str, ...]
    Folder = Optional[str]

MOST = 32  # texts that one value may have
LONGEST = 8192  # letters of one text


class State:
    """A mutable point of the walk; `copy` before what runs in a shell of its own."""

    __slots__ = ("aliases", "args", "folders", "functions", "vars")

    def __init__(self, folder: str, home: str) -> None:
        self.vars: dict[str, Value] = {"IFS": (" \t\n",), "OPTIND": (TOKEN,), "PPID": (TOKEN,), "LINENO": (TOKEN,)}
        self.vars["HOME"] = (home,) if home else (ANY,)
        self.functions: dict[str, tuple[tuple[Node, ...], bool]] = {}
        self.folders: tuple[Folder, ...] = (folder or None,)
        self.args: Value | None = None
        self.aliases: dict[str, tuple[str, int]] = {}

    def copy(self) -> State:
        made = State("", "")
        made.vars = dict(self.vars)
        made.functions = dict(self.functions)
        made.folders = self.folders
        made.args = self.args
        made.aliases = dict(self.aliases)
        return made

    def give(self, name: str, value: Value, surely: bool) -> None:
        """Gives `name` a value; not `surely` adds to what it may be."""
        value = tuple(ANY if len(text) > LONGEST else text for text in value)
        if not surely:
            value = tuple(dict.fromkeys((*self.vars.get(name, ("", VOID)), *value)))
        self.vars[name] = value if len(value) <= MOST else (ANY,)

    def get(self, name: str) -> Value:
        """What `name` may be; what nobody set may be in the environment."""
        if name == "PWD":
            return tuple(ANY if folder is None else folder for folder in self.folders)
        return self.vars.get(name, (VOID,))

    def differs(self, before: State) -> set[str]:
        """The variables that are not what they were; `*` when anything else is not."""
        found = {name for name, value in self.vars.items() if before.vars.get(name) != value}
        same = (self.functions, self.folders, self.args) == (before.functions, before.folders, before.args)
        return found if same else found | {"*"}

    def go(self, folders: tuple[Folder, ...], surely: bool) -> None:
        """Changes the folder; not `surely` keeps the ones that were."""
        every = folders if surely else (*folders, *self.folders)
        unique = tuple(dict.fromkeys(every))
        self.folders = unique if len(unique) <= 8 else (None,)
