"""outline as the model meets it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from edge.faults import Refused, ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.one_call import carry, judge, world
from tests.support.outlined import entries

PYTHON = "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n\ndef main():\n    pass\n"


def functions(count: int, wide: int = 1) -> str:
    return "".join(f"def f{number}({'a' * wide}): pass\n" for number in range(1, count + 1))


def test_a_path_is_all_it_needs_and_the_definitions_come_back_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    found = carry("outline", {"path": "a.py"}, world(tmp_path))
    assert found.text == "a.py: Python, 10 lines, 3 entries\n4: class A\n5:   def f(self)\n9: def main()"
    assert found.ok and found.untrusted and not found.whole
    assert found.data is not None and found.data["language"] == "Python" and found.data["entries"] == 3
    with pytest.raises(UsageFault, match="path is missing"):
        judge("outline", {}, world(tmp_path))


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    here = world(tmp_path)
    effects = find("outline").effects({"path": "a.py"}, here.scene)
    assert [(effect.verb, effect.on, effect.deep) for effect in effects] == [("read", "file:a.py", False)]
    decision = judge("outline", {"path": "a.py"}, here, preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert "def main" in carry("outline", {"path": "a.py"}, here, preset).text


def test_its_lines_are_where_file_read_finds_them(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    here = world(tmp_path)
    for line, _, signature in entries(carry("outline", {"path": "a.py"}, here).text):
        read = carry("file_read", {"path": "a.py", "offset": line, "limit": 1}, here).text
        assert signature in read.split("\n")[0]


@pytest.mark.parametrize(("count", "shown"), [(399, 399), (400, 400), (401, 400), (1000, 400)])
def test_at_most_400_entries_and_the_rest_is_counted(count: int, shown: int, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(functions(count))
    text = carry("outline", {"path": "a.py"}, world(tmp_path)).text
    assert len(entries(text)) == shown and f"{count} entries" in text.split("\n")[0]
    cut = f"[truncated: 400 of {count} entries; go on with offset=401]"
    assert text.endswith(cut) == (count > 400) and ("truncated" in text) == (count > 400)


def test_offset_goes_on_from_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(functions(1000))
    here = world(tmp_path)
    seen: list[int] = []
    offset = 1
    while True:
        text = carry("outline", {"path": "a.py", "offset": offset}, here).text
        seen += [line for line, _, _ in entries(text)]
        if "go on with offset=" not in text:
            break
        offset = int(text.rpartition("offset=")[2].rstrip("]"))
    assert seen == list(range(1, 1001))
    beyond = carry("outline", {"path": "a.py", "offset": 2000}, here).text
    assert "nothing found from here on" in beyond


def test_wide_signatures_are_made_shorter_before_entries_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(functions(90, 200))
    found = carry("outline", {"path": "a.py"}, world(tmp_path))
    assert len(entries(found.text)) == 90 and "[signatures are cut at 80 characters]" in found.text
    assert len(entries(found.whole)) == 90 and max(map(len, found.whole.split("\n"))) > 110
    (tmp_path / "b.py").write_text(functions(390, 200))
    found = carry("outline", {"path": "b.py"}, world(tmp_path))
    assert 100 < len(entries(found.text)) < 390 and "of 390 entries; go on with offset=" in found.text
    assert len(found.text.encode()) <= 8192 and len(entries(found.whole)) == 390
    (tmp_path / "c.py").write_text(functions(390, 200).replace("a" * 200, "ü" * 200))
    assert len(carry("outline", {"path": "c.py"}, world(tmp_path)).text.encode()) <= 8192


def test_nothing_found_says_so_and_what_to_try(tmp_path: Path) -> None:
    for name, text in (("empty", ""), ("notes.txt", "some words\nthe type of a thing\n"), ("a.py", "x = 1\n")):
        (tmp_path / name).write_text(text)
        found = carry("outline", {"path": name}, world(tmp_path))
        assert found.ok and found.text.endswith("[nothing found; try grep, or file_read]"), name


def test_what_is_no_text_file_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "image").write_bytes(b"\x7fELF\0\0\0\1")
    here = world(tmp_path)
    for path, words in (("missing.py", "missing.py"), ("sub", "folder"), ("image", "binary")):
        with pytest.raises(ToolFault, match=words):
            carry("outline", {"path": path}, here)


def test_a_file_of_keys_is_asked_for_and_reached_through_no_link(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("[a]\n")
    assert judge("outline", {"path": ".env"}, world(tmp_path))[1].verdict == "ask"
    (tmp_path / "plain.ini").symlink_to(tmp_path / ".env")
    with pytest.raises((Refused, ToolFault)):
        carry("outline", {"path": "plain.ini"}, world(tmp_path))


def test_long_lines_other_line_ends_and_other_encodings_have_an_outline(tmp_path: Path) -> None:
    here = world(tmp_path)
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfdef first():\r\n\tpass\r\n\r\ndef gr\xfc\xdf(a):\r\n\tpass")
    assert [line for line, _, _ in entries(carry("outline", {"path": "a.py"}, here).text)] == [1, 4]
    (tmp_path / "min.js").write_text("function a(){}" * 100_000 + "\nfunction last() {\n}\n")
    found = carry("outline", {"path": "min.js"}, here)
    assert found.text.startswith("min.js: JavaScript, 3 lines") and len(found.text.encode()) <= 8192


def test_a_line_of_the_kernel_is_read_to_its_end(tmp_path: Path) -> None:
    assert carry("outline", {"path": "/proc/cpuinfo"}, world(tmp_path)).ok


def test_whatever_the_arguments_are_nothing_but_a_fault_of_ours_comes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    here, chance = world(tmp_path), random.Random(7)
    values = ["a.py", "", ".", "/", "\0", "a" * 5000, "\ud800", 1, 0, -1, 2**80, 1.5, None, True, [], {}, "../x"]
    for _ in range(10_000):
        keys = chance.sample(["path", "offset", "limit", "x"], chance.randrange(4))
        args = {key: chance.choice(values) for key in keys}
        try:
            judge("outline", args, here)
        except UsageFault as fault:
            assert str(fault)


def test_it_is_small_on_the_wire() -> None:
    tool = find("outline")
    parameters = {key: value for key, value in tool.schema.items() if key != "additionalProperties"}
    parameters["properties"] = {
        name: {key: value for key, value in one.items() if key not in ("minimum", "maximum", "minLength")}
        for name, one in tool.schema["properties"].items()
    }
    function = {"name": tool.name, "description": tool.about, "parameters": parameters}
    wire = json.dumps({"type": "function", "function": function}, separators=(",", ":"))
    assert len(wire) <= 450 and len(tool.about.split()) >= 6


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_told_as_such(tmp_path: Path, code: str) -> None:
    (tmp_path / "f.py").write_bytes("\ufeffdef f(): pass\n".encode(code))
    with pytest.raises(ToolFault, match=r"f.py is UTF-16.*file_read and grep read it"):
        carry("outline", {"path": "f.py"}, world(tmp_path))
