"""What a person is shown of the catalogue: the tools that a run has here, their other names, and what is not there.

Rules:
1. It is the catalogue that a run would have with these options and settings: selected, with plug-ins, in its language.
2. All that was admitted is listed, whether a model is shown it from the start or loads it first.
3. A tool that cannot be had is listed with the reason, one that was left out by its name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.catalogue import Catalogue
    from edge.cli.args import Options
    from edge.tool import Tool

WIDTH = 80  # columns of a serial console
# As other agents spell them; `edge/gate/names.py` reads a dot as `_`.
DOTTED = (
    *("fs.read", "fs.write", "fs.edit", "bash.output", "bash.kill", "web.fetch"),
    *("tape.search", "tool.describe", "spill.read"),
)


def here(options: Options) -> Catalogue:
    """The catalogue of a run with these options; what the settings ask for and cannot have is said."""
    import os

    from edge.cli import say, settle, stock

    settings = settle.settings(options, os.environ)
    scene = settle.scene("", os.environ, settings, options.config)
    found, told = stock.catalogue(settings.tools, settle.policy(settings), scene, False)
    for sentence in (*settings.warnings, *told):
        say(f"fieldhand: {sentence}")
    return found


def text(catalogue: Catalogue) -> str:
    """The tools, how each is called, what it is for, what else may be said of it; then what is not here."""
    from edge.cli.spelling import usage

    lines: list[str] = []
    for tool in catalogue.tools:
        lines += [f"{tool.name} {usage(tool.schema)}".rstrip(), f"    {tool.about}"]
        lines += [f"    {remark}" for remark in _remarks(tool, catalogue)]
    for name, why in catalogue.absent.items():
        lines.append(f"{name} is not here: {why}")
    left = _left_out(catalogue)
    if left:
        lines += wrapped("left out by the settings: ", left)
    return "\n".join(lines)


def rows(catalogue: Catalogue) -> list[dict[str, Any]]:
    """The same as plain values, one row a tool; of one that cannot be had `absent` says why."""
    from edge.registry import find

    found = [_row(tool, catalogue) for tool in catalogue.tools]
    for name, why in catalogue.absent.items():
        row = _row(find(name), catalogue) if _built_in(name) else {"name": name, "about": "", "aliases": []}
        found.append({**row, "absent": why})
    return found


def _row(tool: Tool, catalogue: Catalogue) -> dict[str, Any]:
    plugin = _plugin(tool)
    return {
        "name": tool.name,
        "about": tool.about,
        "schema": tool.schema,
        "examples": tool.examples,
        "aliases": aliases(tool.name),
        "deferred": catalogue.waits(tool.name),
        "plugin": plugin,
        "overrides": bool(plugin) and _built_in(tool.name),
        "absent": "",
    }


def names(catalogue: Catalogue) -> str:
    """The names of the tools, in lines of a console."""
    return "\n".join(wrapped("tools: ", [tool.name for tool in catalogue.tools]))


def wrapped(head: str, words: list[str]) -> list[str]:
    """`head` and the words with commas between them, in lines of at most WIDTH columns."""
    lines, line = [], head
    for number, word in enumerate(words):
        piece = word + ("," if number + 1 < len(words) else "")
        if len(line) + len(piece) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * 4
        line += piece + " "
    return [*lines, line.rstrip()]


def aliases(name: str) -> list[str]:
    """What else a tool may be called, as the pages of other agents have it."""
    from edge.gate.names import ALIASES, canonical, folded

    dotted = [one for one in DOTTED if canonical(one) == name]
    spelled = {folded(one) for one in dotted}
    return [*dotted, *(one for one, meant in ALIASES.items() if meant == name and one not in spelled)]


def _remarks(tool: Tool, catalogue: Catalogue) -> list[str]:
    other = aliases(tool.name)
    said = [f"also {', '.join(other)}"] if other else []
    if catalogue.waits(tool.name):
        said.append("a model loads it first, with tool_search or tool_describe")
    plugin = _plugin(tool)
    if plugin:
        said.append(f"a plug-in, {plugin}" + (", in the place of the built-in tool" * _built_in(tool.name)))
    return said


def _built_in(name: str) -> bool:
    from edge.registry import TOOLS

    return name in TOOLS


def _plugin(tool: Tool) -> str:
    """The module that a tool came from, when it is none of ours; "" else."""
    from edge.registry import find

    if _built_in(tool.name) and find(tool.name).run is tool.run:
        return ""
    return str(getattr(tool.run, "__module__", "") or "of an unknown module")


def _left_out(catalogue: Catalogue) -> list[str]:
    from edge.registry import TOOLS

    return [name for name in TOOLS if name not in catalogue.schemas and name not in catalogue.absent]
