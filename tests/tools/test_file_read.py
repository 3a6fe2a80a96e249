"""file_read as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import ToolFault, UsageFault
from edge.gate.policy import PRESETS, Policy
from edge.registry import find
from tests.support.one_call import carry, judge, world


def test_a_path_is_all_it_needs_and_the_text_comes_back(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    found = carry("file_read", {"path": "notes.txt"}, world(tmp_path))
    assert found.ok and found.text == "one\ntwo" and found.untrusted
    assert found.data is not None and found.data["lines"] == 2 and not found.data["more"]
    with pytest.raises(UsageFault, match="path is missing"):
        judge("file_read", {}, world(tmp_path))


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    here = world(tmp_path)
    effects = find("file_read").effects({"path": "notes.txt"}, here.scene)
    assert [effect.verb for effect in effects] == ["read"] and all(effect.observes for effect in effects)
    decision = judge("file_read", {"path": "notes.txt"}, here, preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert carry("file_read", {"path": "notes.txt"}, here, preset).text == "one"
    assert (tmp_path / "notes.txt").read_text() == "one\n"


def test_offset_and_limit_are_a_window_of_lines_from_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"{n}\n" for n in range(1, 101)))
    here = world(tmp_path)
    found = carry("file_read", {"path": "log", "offset": 40, "limit": 3}, here)
    assert found.text == "40\n41\n42\n[more: go on with offset=43]"
    assert carry("file_read", {"path": "log", "offset": 99}, here).text == "99\n100"
    assert carry("file_read", {"path": "log", "limit": 1}, here).text.startswith("1\n")
    for wrong in ({"offset": 0}, {"limit": 0}, {"limit": 2001}):
        with pytest.raises(UsageFault):
            judge("file_read", {"path": "log", **wrong}, here)


def test_about_8_kb_of_a_large_file_come_back_with_the_way_to_the_rest(tmp_path: Path) -> None:
    assert Policy().bytes == 8192
    (tmp_path / "big").write_text(("x" * 70 + "\n") * 14_000)
    found = carry("file_read", {"path": "big", "limit": 2000}, world(tmp_path))
    assert found.data is not None and found.data["more"]
    assert 7000 < len(found.text) <= 8192 + 100
    assert found.text.endswith(f"\n[more: go on with offset={found.data['lines'] + 1}]")


def test_one_endless_line_is_cut_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("x" * 999_999)
    found = carry("file_read", {"path": "big"}, world(tmp_path))
    assert 1000 < len(found.text) <= 8192 + 100 and found.text.endswith("[line cut]")


def test_a_folder_is_listed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("")
    found = carry("file_read", {"path": "."}, world(tmp_path))
    assert found.text == "a\nsub/" and found.data is not None and found.data["entries"] == ["a", "sub/"]


def test_it_says_where_the_file_lies(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\n")
    here = world(tmp_path)
    for path, place in (
        ("notes.txt", "workspace"),
        (".", "workspace"),
        ("/proc/version", "kernel"),
        ("/etc", "readable"),
    ):
        found = carry("file_read", {"path": path}, here)
        assert found.data is not None and found.data["place"] == place


def test_a_large_file_is_read_by_its_windows_and_what_claims_no_size_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "big.log").write_text("".join(f"line {n:07} of a large log\n" for n in range(1, 200_001)))
    assert (tmp_path / "big.log").stat().st_size > 4 << 20
    here = world(tmp_path)
    assert carry("file_read", {"path": "big.log", "offset": 199_999}, here).text.splitlines() == [
        "line 0199999 of a large log",
        "line 0200000 of a large log",
    ]
    found = carry("file_read", {"path": "/proc/cpuinfo", "limit": 2000}, here)
    assert Path("/proc/cpuinfo").stat().st_size == 0 and found.text


def test_what_is_not_there_is_a_sentence_for_the_model(tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match="nothing"):
        carry("file_read", {"path": "nothing"}, world(tmp_path))
