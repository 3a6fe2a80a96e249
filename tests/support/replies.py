"""The recorded model replies of tests/cases/replies.tsv: the rows, the tools they speak of, the form to compare."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from edge.faults import StepFault
from edge.step import Step

FILE = Path(__file__).parent.parent / "cases" / "replies.tsv"

JSON_DIALECTS = [
    "json_step",
    "think_then_json",
    "fenced",
    "prose_around",
    "yaml_ish",
    "truncated",
    "two_objects",
    "wrong_types",
    "unknown_tool",
]
NATIVE_DIALECTS = ["native_openai_args_string", "plain_answer"]


def _schema(required: str, **types: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in types.items()},
        "required": required.split(),
        "additionalProperties": False,
    }


# The header line of the file declares these.
TOOLS = {
    "sensor_read": _schema("name", name="string"),
    "output_set": _schema("name state", name="string", state="boolean", for_seconds="number"),
    "file_read": _schema("path", path="string", offset="integer", limit="integer"),
    "grep": _schema("pattern path", pattern="string", path="string", context="integer"),
    "bash": _schema("command", command="string", timeout_seconds="number"),
    "final": _schema("text", text="string"),
}


class Row(NamedTuple):
    id: str
    dialect: str
    raw: str
    expected: dict[str, Any]


def _undo(text: str) -> str:
    r"""Undo the file's escapes: \\ \n \t \r \xHH \uHHHH."""
    plain = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        r"\\([\\ntr]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})",
        lambda found: plain.get(found[1]) or chr(int(found[1][1:], 16)),
        text,
    )


def rows() -> list[Row]:
    lines = FILE.read_text(encoding="utf-8").split("\n")
    cells = [line.split("\t") for line in lines if line and not line.startswith(("#", "id\t"))]
    return [Row(name, dialect, _undo(raw), json.loads(_undo(expected))) for name, dialect, raw, expected in cells]


def plain(got: Step | StepFault) -> dict[str, Any]:
    """A step in the form of the file's expectations."""
    if isinstance(got, StepFault):
        return {"fault": got.why}
    if got.final is not None:
        return {"final": got.final}
    return {"calls": [{"tool": call.tool, "args": dict(call.args)} for call in got.calls]}
