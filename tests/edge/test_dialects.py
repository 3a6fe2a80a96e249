"""The names and arguments of other agents' tools become calls of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.dialects import DIALECTS, RENAMED, form, meant
from edge.faults import StepFault, ToolFault, UsageFault
from edge.gate.names import ALIASES, canonical
from edge.registry import TOOLS, every, find
from edge.schema import fit
from edge.step import Step, read
from tests.support.one_call import carry, world

SCHEMAS = {tool.name: tool.schema for tool in every()}


def test_every_dialect_is_an_alias_of_a_tool_that_there_is() -> None:
    assert set(DIALECTS) <= set(ALIASES)
    assert {canonical(name) for name in DIALECTS} <= set(TOOLS)
    assert set(RENAMED) <= set(TOOLS)


@pytest.mark.parametrize("name", ["fs.write", "fs_write", "FS.Write", "Fs_write"])
def test_a_dot_and_the_case_make_no_difference(name: str) -> None:
    assert meant(name, {"path": "a", "content": "b"}, SCHEMAS)[:2] == ("file_write", {"path": "a", "content": "b"})


def test_arguments_that_fit_neither_are_told_with_the_form_of_the_dialect() -> None:
    with pytest.raises(UsageFault, match="start"):
        meant("fs.edit", {"path": "a", "old": "b", "new": "c", "start": -1}, SCHEMAS)
    assert "start" in form("fs.edit", SCHEMAS)["properties"] and "all" not in form("fs.edit", SCHEMAS)["properties"]
    got = read('{"thought": "", "action": "fs.edit", "action_input": {"path": "a"}}', "json", SCHEMAS)
    assert isinstance(got, StepFault) and "old" in got.sentence and '"start"' in got.sentence


@pytest.mark.parametrize("mode", ["json", "native"])
def test_a_model_may_use_any_of_the_names(mode: str) -> None:
    for name in DIALECTS:
        args = _least(DIALECTS[name].schema)
        raw: Any = {"thought": "", "action": name, "action_input": args}
        if mode == "native":
            raw = {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": args}}]}
        got = read(_json(raw), mode, SCHEMAS)
        assert isinstance(got, Step), (name, got)
        (call,) = got.calls
        assert call.tool == canonical(name)
        fit(call.args, SCHEMAS[call.tool])


def test_an_alias_of_a_tool_that_is_not_there_is_unknown() -> None:
    got = read('{"thought": "", "action": "fs.write", "action_input": {"path": "a", "content": ""}}', "json", {})
    assert isinstance(got, StepFault) and got.why == "unknown_tool"


def test_the_shells_text_may_stand_alone_under_its_alias_too() -> None:
    got = read('{"thought": "", "action": "shell", "action_input": "uptime"}', "json", SCHEMAS)
    assert isinstance(got, Step) and got.calls[0].tool == "bash" and got.calls[0].args == {"command": "uptime"}


# --- the names that one page has for a person at its prompt, and what they do ---

DOTTED = {
    "fs.read": "file_read",
    "fs.write": "file_write",
    "fs.edit": "file_edit",
    "web.fetch": "web_fetch",
    "bash.output": "bash_output",
    "bash.kill": "bash_kill",
    "tool.describe": "tool_describe",
    "spill.read": "spill_read",
}


def test_a_model_is_shown_one_name_without_a_dot_and_a_dotted_one_means_the_same_tool() -> None:
    assert all(name.isidentifier() and name == name.lower() for name in SCHEMAS)
    for dotted, tool in DOTTED.items():
        assert canonical(dotted) == canonical(dotted.replace(".", "_")) == canonical(dotted.title()) == tool
        assert tool in SCHEMAS and find(dotted).name == tool


def carried(folder: Path, name: str, **args: Any) -> str:
    """What a call by that name brings, with all that stands between."""
    tool, found, _ = meant(name, args, SCHEMAS)
    return carry(tool, found, world(folder), "full").text


def test_fs_read_counts_lines_from_nought_takes_a_limit_and_without_either_reads_all(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("zéro\none\ntwo ☀\nthree\n")
    assert carried(tmp_path, "fs.read", path="f") == "zéro\none\ntwo ☀\nthree"
    assert carried(tmp_path, "fs.read", path="f", offset=0, limit=1).split("\n")[0] == "zéro"
    assert carried(tmp_path, "fs_read", path="f", offset=2).split("\n")[:2] == ["two ☀", "three"]
    for at in (0, 1):
        shown = carried(tmp_path, "fs.read", path="f", offset=at, limit=2).split("\n")
        assert shown[:2] == ["zéro", "one", "two ☀"][at : at + 2]
        # The way on counts as the tool it names does, so that no line is lost between two ways of counting.
        assert shown[2] == f"[more: go on with file_read offset={at + 3}]"
    for wrong in ({"offset": -1}, {"limit": 0}, {"from_byte": 3}, {"path": 1.5}):
        with pytest.raises(UsageFault):
            meant("fs.read", {"path": "f", **wrong}, SCHEMAS)
    many = "".join(f"{n}\n" for n in range(5000))
    (tmp_path / "f").write_text(many)
    assert meant("fs.read", {"path": "f"}, SCHEMAS)[1]["limit"] > 5000
    assert carried(tmp_path, "fs.read", path="f", offset=4998).startswith("4998\n4999")


def test_fs_write_replaces_the_whole_file_makes_its_folders_and_neither_appends_nor_patches(tmp_path: Path) -> None:
    for content in ("first and longer\n", "second"):
        carried(tmp_path, "fs.write", path="a/b/f", content=content)
        assert (tmp_path / "a/b/f").read_text() == content
    for more in ({"append": True}, {"base64": True}, {"patch": "x"}):
        with pytest.raises(UsageFault):
            meant("fs.write", {"path": "f", "content": "x", **more}, SCHEMAS)


def test_fs_edit_replaces_every_match_from_a_line_that_counts_from_nought(tmp_path: Path) -> None:
    text = "a.c\nabc a.c\nA.C\na.c a.c\n"
    for start, wanted in (
        (None, text.replace("a.c", "<1>")),
        (0, text.replace("a.c", "<1>")),
        (1, "a.c\n" + text[4:].replace("a.c", "<1>")),
        (2, "a.c\nabc a.c\nA.C\n<1> <1>\n"),
        (3, "a.c\nabc a.c\nA.C\n<1> <1>\n"),
    ):
        (tmp_path / "f").write_text(text)
        carried(tmp_path, "fs.edit", path="f", old="a.c", new="<1>", **({} if start is None else {"start": start}))
        assert (tmp_path / "f").read_text() == wanted, start  # as it stands: no dot, no bracket means anything
    (tmp_path / "f").write_text(text)
    for args in ({"old": "q"}, {"old": "a.c", "start": 4}, {"old": "A", "start": 3}, {"old": "a.c", "start": 99}):
        with pytest.raises(ToolFault):
            carried(tmp_path, "fs.edit", path="f", new="x", **args)
        assert (tmp_path / "f").read_text() == text


def _least(schema: Any) -> dict[str, Any]:
    """The required arguments of a schema, each with some value of its type."""
    values = {"string": "a", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return {name: values[schema["properties"][name]["type"]] for name in schema["required"]}


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


@pytest.mark.parametrize(
    ("tool", "args", "line"),
    [
        ("gpio_read", {"pin": 17}, "17"),
        ("gpio.read", {"pin": "GPIO17"}, "GPIO17"),
        ("gpio_write", {"pin": "GPIO22", "value": True}, "GPIO22"),
    ],
)
def test_a_pin_is_a_line(tool: str, args: dict[str, Any], line: str) -> None:
    found = meant(tool, args, SCHEMAS)
    assert found[1]["line"] == line and "pin was read as line" in found[2]
