"""For each tool there is, a call that would reach the world. `note` is a file with the words `secret words`."""

from __future__ import annotations

from typing import Any

CALLS: dict[str, dict[str, Any]] = {
    "sensor_list": {},
    "sensor_read": {"name": "temperature"},
    "output_list": {},
    "output_set": {"name": "fan", "state": True, "for_seconds": 1},
    "file_read": {"path": "note"},
    "file_write": {"path": "made", "content": "x"},
    "file_edit": {"path": "note", "old": "secret", "new": "open"},
    "file_list": {"path": "."},
    "file_move": {"source": "note", "target": "moved"},
    "file_delete": {"path": "note"},
    "file_mkdir": {"path": "folder"},
    "file_patch": {"patch": "--- /dev/null\n+++ b/patched\n@@ -0,0 +1 @@\n+x\n"},
    "grep": {"pattern": "secret", "path": "."},
    "glob": {"pattern": "*"},
    "outline": {"path": "note"},
    "bash": {"command": "touch touched"},
    "bash_output": {"shell_id": "sh-1"},
    "bash_kill": {"shell_id": "sh-1"},
    "http_request": {"url": "http://127.0.0.1:1/"},
    "web_fetch": {"url": "http://127.0.0.1:1/"},
    "system_info": {},
    "process_list": {"seconds": 0},
    "disk_usage": {},
    "net_info": {},
    "log_read": {"source": "note", "limit": 5},
    "service_status": {},
    "memory_store": {"key": "pump", "content": "it sticks"},
    "memory_recall": {"query": "pump"},
    "memory_forget": {"key": "pump"},
    "git_operations": {"operation": "status"},
    "recall": {"query": "x"},
    "calculator": {"expression": "1 + 1"},
    "spill_read": {"handle": "0"},
    "tool_search": {"query": "files"},
    "tool_describe": {"names": ["grep"]},
}
