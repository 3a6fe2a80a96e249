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
    tape.append("board", {"event": "off", "name": "fan", "state": False, "why": "lease ended"})
    tape.append("answer", {"text": "the fan runs", "code": 0})
    tape.append("fault", {"kind": "model", "sentence": "gone", "code": 4})
    tape.append("note", {"text": "x" * 1000})
    tape.append("close", {"code": 0})
    tape.close()
    return tape


class Screen(io.StringIO):
    """A terminal; its width is what `columns` sets."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch):
    def set_(number: int) -> None:
        monkeypatch.setattr(os, "get_terminal_size", lambda _descriptor: os.terminal_size((number, 24)))

    return set_


def show(folder: str, name: str, as_json: bool = False, screen: type = io.StringIO) -> tuple[str, str]:
    out, err = screen(), io.StringIO()
    assert verbs.show(folder, name, out, err, as_json) == 0
    return out.getvalue(), err.getvalue()


def listed(folder: str, everything: bool = False, screen: type = io.StringIO) -> tuple[str, str]:
    out, err = screen(), io.StringIO()
    assert verbs.list_(folder, out, err, everything) == 0
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
        "fan off: lease ended",
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


def test_damaged_records_are_said_where_they_stood_and_list_agrees(folder: str) -> None:
    path = talk(folder).path
    with open(path, "rb") as file:
        lines = file.readlines()
    for number in (1, 5, 7, 8):
        lines[number - 1] = lines[number - 1].replace(b"}", b"]")
    with open(path, "wb") as file:
        file.writelines(lines)
    out, err = show(folder, NAME)
    shown = out.splitlines()
    assert [line for line in shown if "damaged" in line] == [
        "-- record 1 is damaged",
        "-- record 5 is damaged",
        "-- records 7 to 8 are damaged",
    ]
    at = shown.index("-- record 5 is damaged")
    assert (shown[at - 1][8:15], shown[at + 1][8:15]) == ("      4", "      6")
    bytes_ = sum(len(lines[number - 1]) for number in (1, 5, 7, 8))
    assert f"is damaged before seq 12: {bytes_} bytes are no record; they stay as they are" in err
    assert listed(folder)[0].splitlines()[1].split()[:3] == [NAME, "ended", "12"]


def test_the_answer_is_shown_once(folder: str) -> None:
    tape = Tape.create(folder, NAME, QuickDisk())
    final = {"request": 1, "thought": "", "final": "It is 33.0 C."}
    for thought in ("", "done"):
        tape.append("line", {"text": "how warm?"})
        tape.append("step", {**final, "thought": thought})
        tape.append("answer", {"text": "It is 33.0 C.", "code": 0})
    tape.append("step", final)
    tape.append("answer", {"text": "another", "code": 0})
    tape.append("step", {**final, "final": "cut off"})
    tape.close()
    rows = [tuple(line[10:].split(None, 2)) for line in show(folder, NAME)[0].splitlines()[1:]]
    assert rows == [
        ("1", "line", "how warm?"),
        ("3", "answer", "It is 33.0 C."),
        ("4", "line", "how warm?"),
        ("5", "step", "done"),
        ("6", "answer", "It is 33.0 C."),
        ("7", "step", "It is 33.0 C."),
        ("8", "answer", "another"),
        ("9", "step", "cut off"),
    ]


def test_what_the_board_says_of_itself_is_shown_as_it_is(folder: str) -> None:
    tape = Tape.create(folder, NAME, QuickDisk())
    tape.append("board", {"event": "lost", "why": "the board process was killed by signal 9"})
    tape.append("board", {"event": "note", "why": "the kept state is damaged"})
    tape.append("board", {"event": "override", "name": "pump", "why": "held safe by key"})
    tape.append("board", {"event": "odd", "level": 3})
    tape.close()
    texts = [line[26:] for line in show(folder, NAME)[0].splitlines()[1:]]
    assert texts == [
        "the board process was killed by signal 9",
        "the kept state is damaged",
        "pump: held safe by key",
        '{"event": "odd", "level": 3}',
    ]


def test_the_time_zone_is_said_once(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    from edge.tape import disk

    monkeypatch.setenv("TZ", "CET-1")
    time.tzset()
    try:
        talk(folder)
        monkeypatch.setattr(disk, "boot_id", lambda: "0000beef")
        tape = Tape.open(folder, NAME, QuickDisk())
        tape.append("note", {"text": "x"})
        tape.close()
        heads = [line for line in show(folder, NAME)[0].splitlines() if line.startswith("-- ")]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert len(heads) == 2 and heads[0].endswith(", times in CET (UTC+0100)") and heads[1].endswith("boot 0000beef")


def test_on_a_terminal_long_lines_are_folded_at_blanks_below_each_other(folder: str, columns) -> None:
    tape = Tape.create(folder, NAME, QuickDisk())
    tape.append("line", {"text": "one two " * 20 + "\n\nthree"})
    tape.close()
    columns(60)
    lines = show(folder, NAME, screen=Screen)[0].splitlines()[1:]
    assert len(lines) > 4 and max(map(len, lines)) <= 60
    assert lines[0][26:].startswith("one two one") and lines[-1] == " " * 26 + "three"
    assert all(line[:26].strip() == "" and line[26:27] != " " for line in lines[1:])
    assert " ".join(" ".join(lines)[26:].split()) == "one two " * 20 + "three"
    assert len(show(folder, NAME)[0].splitlines()) == 2


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


def test_the_list_is_of_the_newest_twenty_unless_all_are_asked_for(folder: str) -> None:
    for number in range(23):
        Tape.create(folder, f"t{number:02}", QuickDisk()).close()
    lines = listed(folder)[0].splitlines()
    assert lines[1] == "3 older: tape list all"
    assert [line.split()[0] for line in lines[2:]] == [f"t{number:02}" for number in range(3, 23)]
    lines = listed(folder, everything=True)[0].splitlines()
    assert [line.split()[0] for line in lines[1:]] == [f"t{number:02}" for number in range(23)]


def test_on_a_terminal_the_list_is_cut_at_its_width(folder: str, columns) -> None:
    tape = Tape.create(folder, NAME, QuickDisk())
    tape.append("line", {"text": "if it is above 30 C, " * 3})
    tape.close()
    columns(70)
    line = listed(folder, screen=Screen)[0].splitlines()[1]
    assert len(line) == 70 and line.endswith("...")
    assert listed(folder)[0].splitlines()[1].endswith("if it is above 30 C,")
    columns(0)
    assert len(listed(folder, screen=Screen)[0].splitlines()[1]) == 80


def test_what_is_no_tape_is_passed_over_with_one_line(folder: str) -> None:
    talk(folder)
    os.mkdir(folder + "/x.jsonl")
    os.mkfifo(folder + "/pipe.jsonl")
    with open(folder + "/a\x1b[31m.jsonl", "w"):
        pass
    out, err = listed(folder)
    assert len(out.splitlines()) == 2 and NAME in out
    assert err == "passed over, for it is no tape: a\\x1b[31m.jsonl, pipe.jsonl, x.jsonl\n"


def test_an_empty_list_is_a_sentence(folder: str) -> None:
    assert listed(folder + "/none") == ("", f"there is no tape yet: nothing was recorded in {folder}/none\n")
