"""`fieldhand tape list|show`: aligned, harmless, and plain about what is not there."""

from __future__ import annotations

import io
import json
import os

import pytest

from edge.cli import tape as verbs
from edge.faults import UsageFault
from edge.tape.journal import Tape
from tests.support.tape_disks import QuickDisk

NAME = "20240101-101010-aaaa"


@pytest.fixture
def folder(tmp_path) -> str:
    return str(tmp_path)


def talk(folder: str, name: str = NAME) -> Tape:
    tape = Tape.create(folder, name, QuickDisk())
    fan = {"id": "c1", "tool": "output_set", "args": {"name": "fan", "state": True}}
    run = {"version": "0.1", "pid": 7, "preset": "guarded", "model": "offline", "board": "sim", "cwd": "/w"}
    tape.append("open", run)
    tape.append("line", {"text": "fan \x1b[31mon\x1b[0m\nplease \udc80"})
    tape.append("repair", {"request": 1, "why": "empty", "sentence": "the reply was empty"})
    tape.append("step", {"request": 2, "thought": "hot", "calls": [fan]})
    intent = {"call": "c1", "tool": "output_set", "args": fan["args"], "risk": "medium", "verdict": "ask"}
    tape.append("intent", {**intent, "rule": "output.set", "by": "--yes"})
    tape.append("child", {"pid": 8, "start": 1, "what": "board"})
    tape.append("outcome", {"call": "c1", "ok": True, "status": "done", "text": "fan on"})
    tape.append("board", {"event": "lease-end", "name": "fan"})
    tape.append("answer", {"text": "the fan runs", "code": 0})
    tape.append("fault", {"kind": "model", "sentence": "gone", "code": 4})
    tape.append("note", {"text": "x" * 1000})
    tape.append("close", {"code": 0})
    tape.close()
    return tape


def show(folder: str, name: str, as_json: bool = False) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    assert verbs.show(folder, name, out, err, as_json) == 0
    return out.getvalue(), err.getvalue()


def listed(folder: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    assert verbs.list_(folder, out, err) == 0
    return out.getvalue(), err.getvalue()


def test_a_tape_is_shown_one_aligned_line_per_record(folder: str) -> None:
    talk(folder)
    out, err = show(folder, "last")
    lines = out.splitlines()
    assert err == "" and lines[0].startswith("-- 20") and ", boot " in lines[0]
    texts = [line[26:] for line in lines[1:]]
    assert texts[:10] == [
        "fieldhand 0.1, process 7, guarded, model offline, board sim, in /w",
        "fan on | please \ufffd",
        "empty: the reply was empty",
        'hot -> c1 output_set {"name": "fan", "state": true}',
        'c1 output_set {"name": "fan", "state": true}: ask, medium, output.set, by --yes',
        "board, process 8",
        "c1 done: fan on",
        '{"event": "lease-end", "name": "fan"}',
        "the fan runs",
        "model: gone",
    ]
    assert "bytes cut" in texts[10] and len(texts[10]) < 300
    assert texts[11] == "exit code 0"
    assert [line[8:24].split() for line in lines[1:3]] == [["1", "open"], ["2", "line"]]
    assert len({line.index(kind) for line, kind in zip(lines[1:4], ("open", "line", "repair"))}) == 1


def test_as_json_every_record_is_whole_and_still_harmless(folder: str) -> None:
    talk(folder)
    out, _ = show(folder, NAME[:9], as_json=True)
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["seq"] for record in records] == list(range(1, 13))
    assert records[1]["text"] == "fan \x1b[31mon\x1b[0m\nplease \udc80"
    assert out.isascii() and "\x1b" not in out


def test_a_torn_tail_is_reported_and_left(folder: str) -> None:
    path = talk(folder).path
    with open(path, "ab") as file:
        file.write(b"torn\x1b")
    size = os.path.getsize(path)
    out, err = show(folder, NAME)
    assert out.count("\n") == 13
    assert "has a torn tail of 5 bytes after seq 12 (resuming it cuts that off" in err
    assert os.path.getsize(path) == size and os.listdir(folder) == [NAME + ".jsonl"]


def test_a_torn_tail_of_a_live_tape_may_be_a_record_in_the_writing(folder: str) -> None:
    tape = Tape.create(folder, NAME, QuickDisk())
    tape.append("note", {"text": "x"})
    with open(tape.path, "ab") as file:
        file.write(b"half")
    assert "after seq 1 (a process is writing it)" in show(folder, NAME)[1]
    tape.close()


def test_a_tape_never_written_to_is_said_plainly(folder: str) -> None:
    Tape.create(folder, NAME, QuickDisk()).close()
    assert show(folder, NAME) == ("", f"the tape {NAME} was never written to\n")


def test_an_unknown_name_lists_the_newest(folder: str) -> None:
    talk(folder)
    with pytest.raises(UsageFault, match=f"there is no tape 1999 .the newest are {NAME}"):
        show(folder, "1999")


def test_a_later_boot_has_a_line_of_its_own(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from edge.tape import disk

    talk(folder)
    monkeypatch.setattr(disk, "boot_id", lambda: "0000beef")
    tape = Tape.open(folder, NAME, QuickDisk())
    tape.append("note", {"text": "after the power was back"})
    tape.close()
    lines = show(folder, NAME)[0].splitlines()
    assert lines[-2].endswith("boot 0000beef") and lines[-1].endswith("after the power was back")


def test_the_list_is_aligned_and_the_oldest_first(folder: str) -> None:
    talk(folder)
    Tape.create(folder, "b", QuickDisk()).close()
    out, err = listed(folder)
    lines = out.splitlines()
    assert err == "" and len(lines) == 3
    assert lines[0].split() == ["tape", "state", "records", "bytes", "began", "with"]
    assert lines[1].startswith(f"{NAME}  ended ") and lines[1].endswith("  fan on | please \ufffd")
    assert lines[2].split() == ["b", "empty", "0", "0"]
    assert lines[1].index("ended") == lines[2].index("empty") == lines[0].index("state")


def test_an_empty_list_is_a_sentence(folder: str) -> None:
    assert listed(folder + "/none") == ("", f"there is no tape yet: nothing was recorded in {folder}/none\n")
