"""Which tools exist: a name and where it lives, as plain strings, imported at first use.

Rules:
1. One name per tool, lower case with underscores; the case in which a name arrives does not matter, and an alias
   (edge/gate/names.py) finds it too.
2. Adding a tool is one line here and one file in `tools/` (CONTRIBUTING.md shows how).
3. `final` is grammar of a step and stands in no list of tools.
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.tool import Tool

TOOLS = {
    "sensor_list": "edge.tools.sensor_list",
    "sensor_read": "edge.tools.sensor_read",
    "output_list": "edge.tools.output_list",
    "output_set": "edge.tools.output_set",
    "output_pulse": "edge.tools.output_pulse",
    "output_pwm": "edge.tools.output_pwm",
    "gpio_read": "edge.tools.gpio_read",
    "gpio_watch": "edge.tools.gpio_watch",
    "gpio_write": "edge.tools.gpio_write",
    "serial_open": "edge.tools.serial_open",
    "serial_send": "edge.tools.serial_send",
    "serial_expect": "edge.tools.serial_expect",
    "serial_close": "edge.tools.serial_close",
    "file_read": "edge.tools.file_read",
    "file_write": "edge.tools.file_write",
    "file_edit": "edge.tools.file_edit",
    "file_list": "edge.tools.file_list",
    "file_move": "edge.tools.file_move",
    "file_delete": "edge.tools.file_delete",
    "file_mkdir": "edge.tools.file_mkdir",
    "file_patch": "edge.tools.file_patch",
    "grep": "edge.tools.grep",
    "glob": "edge.tools.glob",
    "outline": "edge.tools.outline",
    "bash": "edge.tools.bash",
    "bash_output": "edge.tools.bash_output",
    "bash_kill": "edge.tools.bash_kill",
    "http_request": "edge.tools.http_request",
    "web_fetch": "edge.tools.web_fetch",
    "system_info": "edge.tools.system_info",
    "board_info": "edge.tools.board_info",
    "process_list": "edge.tools.process_list",
    "disk_usage": "edge.tools.disk_usage",
    "net_info": "edge.tools.net_info",
    "log_read": "edge.tools.log_read",
    "service_status": "edge.tools.service_status",
    "recall": "edge.tools.recall",
    "git_operations": "edge.tools.git_operations",
    "calculator": "edge.tools.calculator",
    "spill_read": "edge.tools.spill_read",
    "memory_store": "edge.tools.memory_store",
    "memory_recall": "edge.tools.memory_recall",
    "memory_forget": "edge.tools.memory_forget",
    "tool_search": "edge.tools.tool_search",
    "tool_describe": "edge.tools.tool_describe",
}


def find(name: str) -> Tool:
    """The tool that `name` or the alias `name` means, imported now if it was not yet; UsageFault when there is none."""
    from edge.gate.names import canonical

    where = TOOLS.get(canonical(name))
    if where is None:
        from edge.schema import near

        meant = near(name, TOOLS)
        hint = f"did you mean {meant}?" if meant else f"tools: {', '.join(TOOLS)}"
        raise UsageFault(f"there is no tool {name!r}", hint)
    tool: Tool = __import__(where, fromlist=["TOOL"]).TOOL
    return tool


def every(names: Iterable[str] = TOOLS) -> tuple[Tool, ...]:
    """The tools called `names`, or all, in the order given; none other is imported."""
    return tuple(find(name) for name in names)
