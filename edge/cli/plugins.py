"""Tools of other packages, by entry points of the group `fieldhand.tools`.

Rules:
1. Nothing is looked for unless the settings name it (`tools.plugins`): an installed package is not a permission.
2. What a plug-in brings passes the same gate as every tool. It is code of whoever wrote it and runs with the agent.
3. One with the name of a built-in takes its place, and that is said. A plug-in that is broken is said and left out.
"""

from __future__ import annotations

from edge.registry import TOOLS
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GROUP = "fieldhand.tools"


def extended(tools: list[Tool], names: tuple[str, ...]) -> tuple[list[Tool], tuple[str, ...]]:
    """`tools` with those of the entry points `names`, and sentences on what each of them did."""
    found = {tool.name: tool for tool in tools}
    brought: set[str] = set()
    told: list[str] = []
    here = {point.name: point for point in _points()}
    for name in names:
        point = here.get(name)
        if point is None:
            known = f"; installed: {', '.join(sorted(here))}" if here else "; none is installed"
            told.append(f"tools.plugins names {name[:60]!r}, and there is no such entry point in {GROUP}{known}")
            continue
        tool = _loaded(point)
        if isinstance(tool, str):
            told.append(f"the plug-in {name} is left out: {tool}")
            continue
        if tool.name in found or tool.name in TOOLS:
            whose = "tool of another plug-in," if tool.name in brought else "built-in tool"
            told.append(f"the plug-in {name} takes the place of the {whose} {tool.name}")
        found[tool.name] = tool
        brought.add(tool.name)
    return list(found.values()), tuple(told)


def _points() -> list[Any]:
    import sys
    from importlib.metadata import entry_points

    if sys.version_info < (3, 10):
        return list(entry_points().get(GROUP, ()))
    return list(entry_points(group=GROUP))


def _loaded(point: Any) -> Tool | str:
    """The tool of an entry point, or why there is none."""
    try:
        tool = point.load()
    except Exception as error:  # whatever a foreign module does when it is imported, the agent starts
        return f"{type(error).__name__}: {error}"
    if not isinstance(tool, Tool):
        return f"{point.value} is no edge.tool.Tool"
    return _wrong(tool) or tool


def _wrong(tool: Tool) -> str:
    """Why this cannot be a tool, "" when it can: what the agent relies on before any call."""
    from edge.gate.names import canonical

    name, schema = tool.name, tool.schema
    if not isinstance(name, str) or not name.isidentifier() or canonical(name) != name or name in ("final", "parallel"):
        return f"{name!r} cannot be the name of a tool"
    if not isinstance(tool.about, str) or not tool.about.strip() or not tool.about.isprintable():
        return f"{name} does not say in one line what it does"
    parts = schema.get("properties") if hasattr(schema, "get") else None
    if not isinstance(parts, dict) or schema.get("type") != "object":
        return f"the schema of {name} is none of an object with properties"
    if not all(callable(part) for part in (tool.effects, tool.run, tool.words)):
        return f"effects, run or words of {name} cannot be called"
    return ""
