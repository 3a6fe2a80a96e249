"""Names of tools as settings may spell them.

Rules:
1. A name is canonical in lower case with underscores; the case in which it arrives does not matter, and a dot in it is
   as good as `_`. The names of other agents' tools are aliases of one canonical name.
2. KNOWN holds every tool that a version has or will bring, so that a profile can be written before its tool comes.
3. A name with `__` is a tool of an MCP server, `SERVER__TOOL`: known only at run time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Effect

KNOWN = (
    *("sensor_list", "sensor_read", "output_list", "output_set", "sensor_capture", "sensor_define"),
    *("file_read", "file_write", "file_edit", "file_list", "file_move", "file_delete", "file_mkdir", "file_patch"),
    *("grep", "glob", "outline", "git_operations", "calculator", "parallel"),
    *("bash", "bash_output", "bash_kill", "code", "sessions_history"),
    *("system_info", "process_list", "disk_usage", "net_info", "log_read", "service_status"),
    *("http_request", "web_fetch", "web_search", "mcp_call"),
    *("recall", "memory_store", "memory_recall", "memory_forget", "spill_read", "tool_search", "tool_describe"),
    *("tape_info", "tape_anchor", "tape_reset", "tape_handoff"),
    *("skill", "subagent", "delegate", "quit", "usage"),
    *("schedule_add", "schedule_list", "schedule_remove", "schedule_run"),
    *("gpio_read", "gpio_watch", "gpio_write", "gpio_list", "output_pulse", "output_pwm", "pwm_set"),
    *("i2c_scan", "i2c_read", "i2c_write", "spi_transfer"),
    *("serial_list", "serial_open", "serial_send", "serial_expect", "serial_close", "board_info"),
)
_KNOWN = frozenset(KNOWN)
# By their folded names: what stands as `fs.read` on a page is `fs_read` here.
ALIASES = {
    "shell": "bash",
    "sh": "bash",
    "fs_read": "file_read",
    "fs_write": "file_write",
    "fs_edit": "file_edit",
    "content_search": "grep",
    "glob_search": "glob",
    "web_search_tool": "web_search",
    "tape_search": "recall",
    "cron_add": "schedule_add",
    "cron_list": "schedule_list",
    "cron_remove": "schedule_remove",
    "cron_run": "schedule_run",
    "serial_read": "serial_expect",
    "serial_write": "serial_send",
    "skill_describe": "skill",
    "sub_agent": "subagent",
}


def folded(name: str) -> str:
    """`name` without case, its dots as `_`."""
    return name.strip().lower().replace(".", "_")


def canonical(name: str) -> str:
    """The one name of the tool that `name` means; an unknown name in lower case."""
    if name in _KNOWN:
        return name  # most are written so
    plain = name.strip().lower()
    if "__" in plain:
        return plain
    plain = plain.replace(".", "_")
    return ALIASES.get(plain, plain)


def known(name: str) -> bool:
    """True when settings may name it: a tool, an alias, or a tool of an MCP server."""
    return canonical(name) in KNOWN or "__" in name


def called(call: Call, effects: tuple[Effect, ...]) -> tuple[str, ...]:
    """All the names under which lists may speak of this call: the tool, and the MCP tools that it reaches."""
    found = [canonical(call.tool)]
    for effect in effects:
        kind, _, name = effect.on.partition(":")
        if kind == "mcp":
            found.append(name.lower().replace("/", "__", 1))
    return tuple(found)
