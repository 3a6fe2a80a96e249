"""memory_forget as the model meets it."""

from __future__ import annotations

from pathlib import Path

from tests.support.memory_calls import MemoryDesk


def test_what_is_forgotten_is_gone_with_all_its_versions(tmp_path: Path) -> None:
    desk = MemoryDesk(tmp_path)
    desk.store("other", "stays")
    desk.store("cafe\u0301", "two spellings")
    assert desk.call("memory_forget", key="caf\u00e9").ok
    desk.store("wifi hunter2hunter2", "the key holds a secret")
    assert desk.call("memory_forget", key="wifi hunter2hunter2").ok
    desk.store("code", "qzxvjq one")
    desk.store("code", "qzxvjq two")
    assert "code" in desk.text("memory_recall", query="qzxvjq")
    found = desk.call("memory_forget", key=" code ")
    assert (
        found.text
        == "forgot code, and 1 older versions of it, from the memory; the records of conversations stay as they are"
    )
    assert b"qzx" not in desk.raw() and desk.text("memory_recall", query="qzxvjq") == "nothing found"
    assert "stays" in desk.text("memory_recall")
    assert "nothing is remembered under 'code'" in desk.fault("memory_forget", key="code")
