"""file_write as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.one_call import carry, judge, world


def test_the_whole_new_content_stands_in_a_new_and_in_an_old_file(tmp_path: Path) -> None:
    here = world(tmp_path)
    for content in ("a long first content, to the end\n", "short", "", "Käse ☀\n"):
        found = carry("file_write", {"path": "notes.txt", "content": content}, here)
        assert found.ok and (tmp_path / "notes.txt").read_bytes() == content.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_path_and_content_are_both_needed(tmp_path: Path) -> None:
    for args, missing in (({"path": "x"}, "content"), ({"content": "x"}, "path")):
        with pytest.raises(UsageFault, match=f"{missing} is missing"):
            judge("file_write", args, world(tmp_path))


def test_it_is_a_change_and_its_one_effect_says_so(tmp_path: Path) -> None:
    here = world(tmp_path)
    (effect,) = find("file_write").effects({"path": "a/b", "content": ""}, here.scene)
    assert (effect.verb, effect.on, effect.observes) == ("write", "file:a/b", False)
    verdicts = [judge("file_write", {"path": "b", "content": ""}, here, preset)[1].verdict for preset in PRESETS]
    assert verdicts == ["deny", "ask", "ask", "allow"]
