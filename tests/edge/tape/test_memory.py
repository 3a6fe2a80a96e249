"""What is remembered: stored, found, forgotten; bounded; torn, damaged and shared."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.tape.memory import FOREVER, Memory
from edge.tape.memory_file import NAME
from tests.support.tape_disks import TickingDisk

NOBODY = 65534


def memory(folder: Path, **more: object) -> Memory:
    more.setdefault("disk", TickingDisk())
    return Memory(str(folder / "memory"), **more)  # type: ignore[arg-type]


def keys(kept: Memory, query: str = "", limit: int = 20) -> list[str]:
    return [entry.key for entry in kept.recall(query, limit).entries]


def raw(folder: Path) -> bytes:
    """All bytes of all files of the memory."""
    return b"\n".join(path.read_bytes() for path in sorted((folder / "memory").iterdir()))


def test_what_is_stored_is_found_again_by_whoever_opens_it(tmp_path: Path) -> None:
    done = memory(tmp_path).store("pump", "runs at 12 V", "core", "")
    assert (done.replaced, done.dropped, done.entry.n) == (False, 0, 1)
    entry = memory(tmp_path).recall("12 pump").entries[0]
    assert (entry.key, entry.content, entry.category, entry.source) == ("pump", "runs at 12 V", "core", "")
    assert entry.at == pytest.approx(1_800_000_001)


def test_without_a_query_the_newest_come_first(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    for number in range(8):
        kept.store(f"k{number}", "x", "core")
    kept.store("k2", "y", "core")
    assert keys(kept, limit=3) == ["k2", "k7", "k6"]
    assert kept.recall("", 3).more and not kept.recall("", 8).more
    assert memory(tmp_path / "other").recall("").entries == ()


def test_the_same_key_replaces_and_the_older_version_is_not_found(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    kept.store("pump", "runs at twelve", "core")
    assert kept.store("pump", "runs at nine", "daily").replaced
    assert not kept.store("cafe\u0301", "open", "core").replaced and kept.store("cafe\u0301", "shut", "core").replaced
    assert kept.forget("caf\xe9") == 2
    assert keys(kept, "twelve") == [] and [e.content for e in kept.recall("nine").entries] == ["runs at nine"]
    kept.store("pum", 'a "key":"pump","category": in a text', "core")
    assert not kept.store('p","key":"pump","category":', "x", "core").replaced
    assert kept.forget("pump") == 2 and len(keys(kept)) == 2


def test_times_bound_what_is_found(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    for number in range(5):
        kept.store(f"k{number}", "bed", "core")
    start = TickingDisk.now
    for query in ("", "bed"):
        found = kept.recall(query, 20, start + 2, start + 4).entries
        assert [entry.key for entry in found] == ["k2", "k1"]
        assert len(kept.recall(query, 20, start + 4).entries) == 2


def test_all_words_then_any(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    kept.store("a", "the pump is blue", "core")
    kept.store("b", "the valve is red", "core")
    both = kept.recall("pump blue")
    assert [entry.key for entry in both.entries] == ["a"] and not both.some
    some = kept.recall("pump red")
    assert {entry.key for entry in some.entries} == {"a", "b"} and some.some
    assert not kept.recall("snowman").entries and not kept.recall("snowman").some
    with pytest.raises(ToolFault, match="letters"):
        kept.recall("?!")


def test_what_is_forgotten_is_in_no_file_any_more(tmp_path: Path) -> None:
    kept = memory(tmp_path, least=0)
    for number in range(30):
        kept.store(f"other {number}", "nothing of it", "core")
    kept.store("wifi", "zquxjkv is the first", "core")
    kept.store("wifi", "zquxjkv and jvqqzx too", "core")
    assert keys(kept, "zquxjkv") == ["wifi"]
    (tmp_path / "memory" / "memory.torn-1").write_bytes(b"zquxjkv")
    assert b"zquxjkv" in raw(tmp_path)
    assert kept.forget("wifi") == 2
    for piece in (b"zqu", b"quxj", b"jvqq", b"wifi"):
        assert piece not in raw(tmp_path)
    assert keys(kept, "zquxjkv") == [] and len(keys(kept, "nothing", 20)) == 20
    kept.store("new", "zqu", "core")
    assert keys(kept, "zqu") == ["new"]


def test_forgetting_what_is_not_there_names_what_was_meant(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    kept.store("Pump", "x", "core")
    kept.store("VALVE", "x", "core", "evil.example")
    with pytest.raises(ToolFault, match="did you mean Pump"):
        kept.forget("pump")
    with pytest.raises(ToolFault) as caught:
        kept.forget("valve")
    assert "VALVE" not in str(caught.value)


def test_a_full_memory_lets_daily_and_conversation_go_the_oldest_first_and_says_so(tmp_path: Path) -> None:
    kept = memory(tmp_path, most=8000)
    kept.store("core", "stays", "core")
    kept.store("mine", "stays too", "garden")
    dropped = 0
    for number in range(200):
        dropped += kept.store(f"d{number}", "x" * 60, "daily" if number % 2 else "conversation").dropped
        assert (tmp_path / "memory" / NAME).stat().st_size <= 8000
    left = [entry.key for entry in kept.recall("", 500).entries]
    assert dropped + len(left) == 202 and left[-2:] == ["mine", "core"]
    assert left[:-2] == [f"d{number}" for number in range(199, 199 - len(left) + 2, -1)]


def test_core_never_goes_by_itself(tmp_path: Path) -> None:
    kept = memory(tmp_path, most=8000)
    with pytest.raises(ToolFault, match=r"full.*forget something"):
        for number in range(200):
            kept.store(f"c{number}", "x" * 60, "core")
    before = keys(kept, limit=500)
    with pytest.raises(ToolFault, match="full"):
        kept.store("d", "x" * 900, "daily")
    assert keys(kept, limit=500) == before and len(before) > 40
    kept.forget(before[3])
    assert before[3] not in keys(kept, limit=500)


def test_older_versions_go_before_anything_else(tmp_path: Path) -> None:
    kept = memory(tmp_path, most=8000)
    for number in range(300):
        assert kept.store("same", f"version {number} " + "x" * 60, "core").dropped == 0
    assert kept.recall("version").entries[0].content.startswith("version 299")


@pytest.mark.parametrize(
    "tail", [b"{", b'{"n":9,"key":"torn","category":"core"', b"\0" * 300, b"x" * 70000, b"\0" * (5 << 20), b"\n{}"]
)
def test_a_torn_end_is_passed_over_and_kept_aside_before_the_next_line(tmp_path: Path, tail: bytes) -> None:
    kept = memory(tmp_path)
    kept.store("a", "one", "core")
    path = tmp_path / "memory" / NAME
    with path.open("ab") as file:
        file.write(tail)
    assert keys(kept) == ["a"]
    assert kept.store("b", "two", "core").entry.n == 2
    assert keys(kept) == ["b", "a"]
    assert (tmp_path / "memory" / "memory.torn-1").read_bytes() == tail
    assert b"torn" not in path.read_bytes()


def test_a_damaged_line_or_head_costs_nothing_else(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    for key in "abcd":
        kept.store(key, f"text of {key}", "core")
    path = tmp_path / "memory" / NAME
    path.write_bytes(path.read_bytes().replace(b"text of b", b"text of B").replace(b'"memory"', b'"mimory"'))
    assert keys(kept) == ["d", "c", "a"] and keys(kept, "text") == ["d", "c", "a"]
    kept.store("e", "text", "core")
    assert keys(kept) == ["e", "d", "c", "a"] and path.read_bytes().startswith(b'{"memory":1')


def test_a_file_from_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    from edge.tape.memory_file import encode

    kept = memory(tmp_path)
    kept.store("a", "one", "core")
    path = tmp_path / "memory" / NAME
    path.write_bytes(encode({"memory": 2, "gen": "x"}) + b"what nobody knows yet\n")
    before = path.read_bytes()
    for act in (lambda: kept.recall("one"), lambda: kept.store("b", "x", "core"), lambda: kept.forget("a")):
        with pytest.raises(ToolFault, match="newer version"):
            act()
    assert path.read_bytes() == before


def test_files_and_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    kept = memory(tmp_path, least=0)
    kept.store("a", "one", "core")
    keys(kept, "one")
    assert (tmp_path / "memory").stat().st_mode & 0o777 == 0o700
    found = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "memory").iterdir()}
    assert set(found) == {NAME, "lock", "index.db"} and set(found.values()) == {0o600}


def test_links_in_its_place_are_not_followed(tmp_path: Path) -> None:
    memory(tmp_path).store("a", "one", "core")
    aim = tmp_path / "aim"
    aim.write_bytes(b"")
    for name in (NAME, "lock"):
        path = tmp_path / "memory" / name
        path.unlink()
        path.symlink_to(aim)
        with pytest.raises(ToolFault):
            memory(tmp_path).store("b", "two", "core")
        path.unlink()
    assert aim.read_bytes() == b""


WRITER = """
import sys
from edge.tape.memory import Memory
kept = Memory(sys.argv[1], least=0)
for number in range(25):
    kept.store(f"{sys.argv[2]}{number}", "word", "core")
    if number % 5 == 0:
        kept.recall("word", 3)
        kept.store("shared", sys.argv[2], "core")
    if number % 8 == 7:
        kept.forget(f"{sys.argv[2]}{number}")
"""


def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = str(tmp_path / "memory")
    root = str(Path(__file__).parents[3])
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, folder, name], cwd=root, stderr=subprocess.PIPE)
        for name in "abc"
    ]
    for process in started:
        _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told
    found = set(keys(memory(tmp_path), limit=500))
    assert found == {f"{name}{number}" for name in "abc" for number in range(25) if number % 8 != 7} | {"shared"}
    assert {*keys(memory(tmp_path, least=0), "word", 300)} == found - {"shared"}


def test_random_acts_against_a_plain_dictionary(tmp_path: Path) -> None:
    dice = random.Random(11)
    kept = memory(tmp_path, least=0)
    model: dict[str, str] = {}
    for step in range(80 if os.environ.get("FIELDHAND_SOAK") != "1" else 1500):
        key = f"key {dice.randrange(12)}"
        act = dice.random()
        if act < 0.6:
            assert kept.store(key, f"word{step}", "core").replaced == (key in model)
            model.pop(key, None)
            model[key] = f"word{step}"
        elif act < 0.8 and key in model:
            kept.forget(key)
            del model[key]
        else:
            assert keys(kept, limit=30) == list(model)[::-1]
            for word in model.values():
                assert [entry.content for entry in kept.recall(word, 30, 0.0, FOREVER).entries if entry.content == word]
    assert keys(kept, "word", 30) and set(keys(kept, "word", 30)) == set(model)
