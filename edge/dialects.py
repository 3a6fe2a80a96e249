"""One tool, three dialects: what the tools of other agents are called and given, and what that means here. Pure.

Rules:
1. A dialect has the arguments and the defaults of its page: `fs.read` counts lines from 0, `file_read` from 1. What it
   says becomes one call of the canonical tool before anything is judged; nothing behind this file knows an alias.
2. A dot in a name is as good as `_`, and the case does not matter. `edge/gate/names.py` says which tool is meant.
3. An alias without a row here takes the arguments of its tool.
4. Where a page has a tool of the same name with other names of arguments, those are read as ours: RENAMED.
"""

from __future__ import annotations

from edge.gate.names import canonical, folded
from edge.record import Record
from edge.schema import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Schema = Mapping[str, Any]

_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
_FIRST = {"type": "integer", "minimum": 1}


class Dialect(Record):
    """The arguments as a page has them, and how they become those of the canonical tool."""

    schema: Schema
    adapt: Callable[[Mapping[str, Any]], dict[str, Any]]


def meant(name: str, args: Any, schemas: Mapping[str, Schema]) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The canonical tool, its checked arguments and the repairs in words for a call by any of its names.

    `schemas` holds the canonical tools that there are, and the tool must be one of them. UsageFault for arguments
    that fit neither the dialect nor the tool.
    """
    tool: str = name
    told: tuple[str, ...] = ()
    if name not in schemas:
        tool = canonical(name)
        dialect = DIALECTS.get(folded(name))
        if dialect is not None:
            args, told = fit(args, dialect.schema)
            args = dialect.adapt(args)
    if tool in RENAMED and hasattr(args, "items"):
        args, more = _renamed(args, RENAMED[tool], schemas[tool])
        told += more
    found, more = fit(args, schemas[tool])
    return tool, found, told + more if told else more


def form(name: str, schemas: Mapping[str, Schema]) -> Schema:
    """The schema of the arguments that `name` takes, an alias or a tool of `schemas`."""
    if name in schemas:
        return schemas[name]
    dialect = DIALECTS.get(folded(name))
    return schemas[canonical(name)] if dialect is None else dialect.schema


def _renamed(
    args: Mapping[str, Any], names: Mapping[str, str], schema: Schema
) -> tuple[dict[str, Any], tuple[str, ...]]:
    own = schema.get("properties", {})
    found: dict[str, Any] = {}
    told: list[str] = []
    for name, value in args.items():
        other = names.get(name, "")
        if name not in own and other and other not in args:
            told.append(f"{name} was read as {other}")
            name = other
        found[name] = value
    return found, tuple(told)


def _object(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _same(args: Mapping[str, Any]) -> dict[str, Any]:
    return dict(args)


def _but(args: Mapping[str, Any], **names: str) -> dict[str, Any]:
    """`args` with other names; one that is renamed to "" is left out."""
    return {names.get(name, name): value for name, value in args.items() if names.get(name, name)}


def _fs_edit(args: Mapping[str, Any]) -> dict[str, Any]:
    found = _but(args, start="")
    found["all"] = True
    if args.get("start"):
        found["from_line"] = args["start"] + 1
    return found


def _fs_read(args: Mapping[str, Any]) -> dict[str, Any]:
    return {**args, "offset": args.get("offset", 0) + 1, "limit": args.get("limit", WHOLE)}


def _content_search(args: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: args[name] for name in ("pattern", "path", "include") if name in args}
    if not args.get("case_sensitive", True):
        found["ignore_case"] = True
    if args.get("output_mode", "content") != "content":
        found["output"] = "files" if args["output_mode"] == "files_with_matches" else "count"
    flags = [f"{letter}{args[name]}" for name, letter in _FLAGS.items() if args.get(name)]
    found["flags"] = " ".join([*flags, f"m{args.get('max_results', 1000)}"])
    return found


WHOLE = 1_000_000_000  # lines
_FLAGS = {"context_before": "B", "context_after": "A"}
DIALECTS: dict[str, Dialect] = {
    "fs_read": Dialect(_object(("path",), path=_TEXT, offset=_COUNT, limit=_FIRST), _fs_read),
    "fs_write": Dialect(_object(("path", "content"), path=_TEXT, content={"type": "string"}), _same),
    "fs_edit": Dialect(
        _object(("path", "old", "new"), path=_TEXT, old=_TEXT, new={"type": "string"}, start=_COUNT), _fs_edit
    ),
    "content_search": Dialect(
        _object(
            ("pattern",),
            pattern=_TEXT,
            path=_TEXT,
            output_mode={"type": "string", "enum": ["content", "files_with_matches", "count"]},
            include=_TEXT,
            case_sensitive={"type": "boolean"},
            context_before=_COUNT,
            context_after=_COUNT,
            max_results={"type": "integer", "minimum": 1, "maximum": 1000},
        ),
        _content_search,
    ),
    "glob_search": Dialect(_object(("pattern",), pattern=_TEXT), lambda args: {**args, "limit": 1000}),
    "shell": Dialect(_object(("command",), command=_TEXT), _same),
}
RENAMED: dict[str, dict[str, str]] = {
    "file_edit": {"old_string": "old", "new_string": "new"},
    "web_fetch": {"timeout": "timeout_seconds"},
    "git_operations": {"branch": "ref", "files": "paths"},
    **{name: {"pin": "line"} for name in ("gpio_read", "gpio_watch", "gpio_write")},
}
