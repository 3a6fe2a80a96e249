"""The tools of one run: which there are, which of them a model is shown, and how it finds the others. Pure.

Rules:
1. `optional` of `[tools]` selects by name, before any tool is imported: "*" is everything there is here, an empty list
   is MINIMAL, names are added to that. What the board itself declares (sensors, outputs, serial ports) is there
   whenever it is declared. Selecting grants nothing.
2. A tool whose library or program is absent is not offered, and the reason can be read; one that was asked for by
   name is told. So is a tool for what this board has not: lines, lab lines, levels, ports.
3. Deferred: ALWAYS and what the board declares is shown with its form, the others by name in the standing text. The
   model loads them with tool_search or tool_describe and calls them from the next step on.
4. Loading is an act of showing. It changes no risk, no list and no permit; the gate sees every call as before.
5. Where policy takes tool_search away, nothing is deferred.
"""

from __future__ import annotations

from edge.gate.names import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from edge.call import Scene
    from edge.tool import Tool

MINIMAL = (
    *("bash", "file_read", "file_write", "file_edit", "glob", "grep", "memory_recall", "memory_store"),
    *("memory_forget", "web_fetch", "git_operations"),
)
ALWAYS = ("bash", "file_read", "file_write", "file_edit", "memory_recall", "memory_store")
FINDERS = ("tool_search", "tool_describe")
_SENSORS, _OUTPUTS = ("sensor_list", "sensor_read"), ("output_list", "output_set")
BOARD = (*_SENSORS, *_OUTPUTS)
PORTS = ("serial_open", "serial_send", "serial_expect", "serial_close")
FOUND = 5  # tools that a search loads when it does not say how many


def select(
    names: Iterable[str], optional: tuple[str, ...], sensors: bool, outputs: bool, ports: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The selected ones of the tools `names`, in their order, and sentences about entries that select nothing.

    `sensors`, `outputs`, `ports`: the board declares some.
    """
    everything = "*" in optional
    wanted = {*map(canonical, optional), *(PORTS if ports else ())}
    absent = set(() if sensors else _SENSORS) | set(() if outputs else _OUTPUTS)
    known = tuple(names)
    chosen = [
        name
        for name in known
        if name not in absent and (everything or name in wanted or name in MINIMAL or name in BOARD or name in FINDERS)
    ]
    told = [_told(one, known) for one in optional if one != "*" and canonical(one) not in known]
    return tuple(chosen), tuple(told)


def _told(entry: str, names: tuple[str, ...]) -> str:
    from edge.schema import near

    meant = near(entry, names)
    hint = f"; did you mean {meant}?" if meant else ""
    return f"tools.optional names {entry[:60]!r}, which this version of Fieldhand does not have{hint}"


def lacking(scene: Scene) -> dict[str, str]:
    """Tools for lines, pulses, levels and ports that this board has nothing for, each with the reason."""
    found = {}
    if not scene.outputs:
        found["output_pulse"] = "this board declares no outputs"
    if not any(output.pwm for output in scene.outputs):
        found["output_pwm"] = "this board declares no output with levels (pwm)"
    if scene.gpio is None:
        why = "this board gives no GPIO lines to tools"
        found.update({"gpio_read": why, "gpio_watch": why, "gpio_write": why})
    elif not scene.gpio.lab:
        found["gpio_write"] = "the settings name no lab lines ([gpio] lab = true, with lines)"
    if not scene.ports:
        real = 'a simulated board has no serial ports; with board = "auto" there are those of [ports.NAME]'
        found.update(dict.fromkeys(PORTS, real if scene.simulated else "the settings declare none: [ports.NAME]"))
    return found


class Catalogue:
    """`tools`: all that were admitted, whether shown or not; `absent`: name -> why a selected one is not among them."""

    def __init__(
        self, tools: tuple[Tool, ...], deferred: bool = False, absent: Mapping[str, str] | None = None
    ) -> None:
        self.tools = tools
        self.absent = dict(absent or {})
        self.schemas = {tool.name: tool.schema for tool in tools}
        self.deferred = deferred and FINDERS[0] in self.schemas
        eager = (*ALWAYS, *BOARD, *PORTS, *FINDERS)
        # Where nothing is deferred there is nothing to find: a person may still call the finders by name.
        self._loaded = {
            tool.name for tool in tools if (tool.name in eager if self.deferred else tool.name not in FINDERS)
        }
        self.shown: tuple[Tool, ...] = ()
        self._show()

    def _show(self) -> None:
        # A new tuple only when something changed: a model's request is encoded once for each.
        self.shown = tuple([tool for tool in self.tools if tool.name in self._loaded])

    def waits(self, name: str) -> bool:
        """True for a tool that there is, and that a model has to load first."""
        return self.deferred and name in self.schemas and name not in self._loaded

    @property
    def waiting(self) -> tuple[str, ...]:
        """The names that are listed without their form."""
        return tuple([tool.name for tool in self.tools if self.waits(tool.name)])

    def load(self, names: Iterable[str]) -> tuple[list[Tool], list[str], list[str]]:
        """Show these tools from now on: (those that were found, which were loaded before, which are unknown)."""
        by_name = {tool.name: tool for tool in self.tools}
        found: list[Tool] = []
        already: list[str] = []
        unknown: list[str] = []
        for name in dict.fromkeys(names):
            tool = by_name.get(canonical(name))
            if tool is None:
                unknown.append(name)
            elif tool.name in self._loaded:
                already.append(name)
            if tool is not None and tool not in found:
                found.append(tool)
        fresh = [tool.name for tool in found if tool.name not in self._loaded]
        if fresh:
            self._loaded.update(fresh)
            self._show()
        return found, already, unknown

    def search(self, query: str, most: int = FOUND) -> list[str]:
        """Names of the tools that hold most of the words of `query` in name or description, best first."""
        words = query.lower().replace("_", " ").split()
        scored = []
        for tool in self.tools:
            text = f"{tool.name.replace('_', ' ')} {tool.about}".lower()
            hits = sum(word in text for word in dict.fromkeys(words))
            if hits and tool.name not in FINDERS:
                scored.append((hits, tool.name))
        scored.sort(key=lambda one: -one[0])
        return [name for _, name in scored[:most]]


def definition(tool: Tool) -> dict[str, Any]:
    """Name, description and parameters of a tool, as a model is shown them."""
    from edge.schema import wire

    return {"name": tool.name, "description": tool.about, "parameters": wire(tool.schema)}
