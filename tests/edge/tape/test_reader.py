"""Reading tapes: tolerant, without touching them, and as the past of a conversation."""

from __future__ import annotations

import os
import tracemalloc

import pytest

from edge.call import Call
from edge.faults import TapeFault
from edge.tape.journal import Tape
from edge.tape.reader import CUT_OFF, Moment, Reader, history, list_tapes, summary
from tests.support.tape_disks import QuickDisk

FAN = {"id": "c1", "tool": "output_set", "args": {"name": "fan", "state": True}}
READ = {"id": "c2", "tool": "sensor_read", "args": {"name": "temperature"}}


def tape_of(folder: str, name: str, *records: tuple[str, dict]) -> str:
    tape = Tape.create(folder, name, QuickDisk())
    for kind, fields in records:
        tape.append(kind, fields)
    tape.close()
    return tape.path


def add(path: str, tail: bytes) -> None:
    with open(path, "ab") as file:
        file.write(tail)


def past(path: str) -> list[tuple]:
    """Moments as short tuples: role, and what counts for it."""
    rows: list[tuple] = []
    for moment in history(path):
        if moment.observation is not None and moment.call is not None:
            rows.append(("observation", moment.call.id, moment.observation.ok, moment.observation.text))
        elif moment.role == "step":
            rows.append(("step", moment.text, tuple(call.id for call in moment.calls)))
        else:
            rows.append((moment.role, moment.text))
    return rows


def test_a_torn_tape_is_read_up_to_there_and_not_touched(tmp_path) -> None:
    path = tape_of(str(tmp_path), "t", *[("note", {"text": str(n)}) for n in range(5)])
    add(path, b'{"seq":6,"bo')
    with open(path, "rb") as file:
        before = file.read()
    reader = Reader(path)
    for _ in range(2):
        assert [record["text"] for record in reader] == ["0", "1", "2", "3", "4"]
        assert (reader.seq, reader.torn) == (5, 12)
    assert list_tapes(str(tmp_path))[0].state == "torn"
    with open(path, "rb") as file:
        assert file.read() == before
    assert os.listdir(tmp_path) == ["t.jsonl"]


def test_list_and_reader_agree_on_a_tape_that_is_damaged_in_the_middle(tmp_path) -> None:
    path = tape_of(str(tmp_path), "t", ("line", {"text": "hi"}), *[("note", {"text": str(n)}) for n in range(2, 11)])
    with open(path, "r+b") as file:
        file.seek(sum(map(len, file.readlines()[:4])) + 40)
        file.write(b"#")
    reader = Reader(path)
    assert [record["seq"] for record in reader] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert (reader.seq, reader.torn) == (10, 0) and reader.damaged > 50
    found = summary(path, "t")
    assert (found.records, found.state, found.first) == (10, "interrupted", "hi")


def test_a_damaged_first_line_does_not_cost_the_rest(tmp_path) -> None:
    path = tape_of(str(tmp_path), "t", ("open", {"pid": 1}), ("line", {"text": "hi"}), ("close", {"code": 0}))
    with open(path, "r+b") as file:
        file.write(b"#")
    assert [record["seq"] for record in Reader(path)] == [2, 3]
    assert past(path) == [("user", "hi")]
    assert (summary(path, "t").state, summary(path, "t").first) == ("ended", "hi")


def test_a_call_gets_a_new_number_even_when_the_step_before_it_is_damaged(tmp_path) -> None:
    path = tape_of(
        str(tmp_path),
        "t",
        ("line", {"text": "both"}),
        ("step", {"request": 1, "thought": "", "calls": [FAN, {**READ, "id": "c17"}]}),
        ("intent", {"call": "c17"}),
        ("outcome", {"call": "odd", "ok": True, "status": "done", "text": "x"}),
    )
    for damaged in (False, True):
        if damaged:
            with open(path, "r+b") as file:
                file.seek(len(file.readline()) + 30)
                file.write(b"#")
        told = history(path)
        assert len(list(told)) > 0 and told.made == 17


def test_a_tape_that_is_being_written_can_be_read(tmp_path) -> None:
    tape = Tape.create(str(tmp_path), "live", QuickDisk())
    tape.append("line", {"text": "hello"})
    reader = Reader(tape.path)
    assert len(list(reader)) == 1 and reader.live
    tape.append("close", {"code": 0})
    assert len(list(reader)) == 2
    tape.close()
    assert not reader.live


def test_a_missing_or_unreadable_tape_is_a_sentence(tmp_path) -> None:
    with pytest.raises(TapeFault, match="cannot be read: No such file"):
        list(Reader(str(tmp_path / "none.jsonl")))
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    os.symlink("nowhere", tmp_path / "link.jsonl")
    for name, why in (("folder", "not a regular file"), ("pipe", "not a regular file"), ("link", "a link")):
        reader = Reader(str(tmp_path / f"{name}.jsonl"))
        with pytest.raises(TapeFault, match=f"cannot be read: it is {why}"):
            list(reader)
        with pytest.raises(TapeFault, match=f"cannot be read: it is {why}"):
            _ = reader.live


def test_a_tape_that_cannot_be_read_does_not_take_the_list_with_it(tmp_path) -> None:
    path = tape_of(str(tmp_path), "a", ("line", {"text": "hi"}))
    os.symlink(path, tmp_path / "b.jsonl")
    rows = [(tape.name, tape.state) for tape in list_tapes(str(tmp_path), ["a", "b", "c"])]
    assert rows == [("a", "interrupted"), ("b", "unreadable"), ("c", "unreadable")]


def test_reading_takes_no_more_memory_for_a_long_tape(tmp_path) -> None:
    record = ("outcome", {"call": "c1", "ok": True, "status": "done", "text": "x" * 1000})
    path = tape_of(str(tmp_path), "long", *[record] * 4000)
    tracemalloc.start()
    assert sum(1 for _ in Reader(path)) == 4000
    summary(path, "long")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_500_000 < os.path.getsize(path)


def test_the_list_says_how_each_tape_ended(tmp_path) -> None:
    folder = str(tmp_path)
    begin = [("open", {"pid": 1}), ("line", {"text": "how warm?"})]
    tape_of(folder, "a-ended", *begin, ("close", {"code": 0}))
    tape_of(folder, "b-interrupted", *begin)
    add(tape_of(folder, "c-torn", *begin, ("close", {"code": 0})), b"\0" * 70_000)
    tape_of(folder, "d-empty")
    live = Tape.create(folder, "e-live", QuickDisk())
    add(os.path.join(folder, "f-garbage.jsonl"), b"no tape\n")
    add(os.path.join(folder, "a-ended.torn-1"), b"not listed")
    rows = [(tape.name[2:], tape.state, tape.records, tape.first) for tape in list_tapes(folder)]
    assert rows == [
        ("ended", "ended", 3, "how warm?"),
        ("interrupted", "interrupted", 2, "how warm?"),
        ("torn", "torn", 3, "how warm?"),
        ("empty", "empty", 0, ""),
        ("live", "live", 0, ""),
        ("garbage", "torn", 0, ""),
    ]
    live.close()
    assert list_tapes(str(tmp_path / "nowhere")) == []


def test_a_summary_looks_at_the_ends_only(tmp_path) -> None:
    record = ("outcome", {"call": "c1", "ok": True, "status": "done", "text": "x" * 1000})
    path = tape_of(str(tmp_path), "s", ("line", {"text": "hi"}), *[record] * 300, ("close", {"code": 0}))
    with open(path, "r+b") as file:
        file.seek(150_000)
        file.write(b"#")
    found = summary(path, "s")
    assert (found.records, found.state, found.first) == (302, "ended", "hi")
    assert found.born > 0 and found.size == os.path.getsize(path)


def test_very_long_zeros_are_counted_from_the_front(tmp_path) -> None:
    path = tape_of(str(tmp_path), "z", ("line", {"text": "hi"}))
    add(path, bytes(6 << 20))
    assert summary(path, "z").records == 1
    assert summary(path, "z").state == "torn"


def test_a_whole_turn_is_rebuilt_in_its_order(tmp_path) -> None:
    path = tape_of(
        str(tmp_path),
        "h",
        ("open", {"pid": 1}),
        ("line", {"text": "fan on"}),
        ("repair", {"request": 1, "why": "empty", "sentence": "the reply was empty"}),
        ("step", {"request": 2, "thought": "hot", "calls": [READ, FAN]}),
        ("intent", {"call": "c2"}),
        ("outcome", {"call": "c2", "ok": True, "status": "done", "text": "33.0 C", "data": {"value": 33.0}}),
        ("intent", {"call": "c1"}),
        ("outcome", {"call": "c1", "ok": False, "status": "refused", "text": "no", "untrusted": False}),
        ("step", {"request": 3, "thought": "", "final": "It is 33.0 C."}),
        ("answer", {"text": "It is 33.0 C.", "code": 0}),
        ("line", {"text": "and now?"}),
        ("fault", {"kind": "model", "sentence": "the server is gone", "code": 4}),
        ("close", {"code": 4}),
    )
    assert past(path) == [
        ("user", "fan on"),
        ("fault", "the reply was empty"),
        ("step", "hot", ("c2", "c1")),
        ("observation", "c2", True, "33.0 C"),
        ("observation", "c1", False, "no"),
        ("answer", "It is 33.0 C."),
        ("user", "and now?"),
        ("fault", "the server is gone"),
    ]
    moments: list[Moment] = list(history(path))
    step, first, second = moments[2], moments[3], moments[4]
    assert step.request == 2 and step.calls[1] == Call("output_set", FAN["args"], "c1")
    assert first.observation is not None and first.observation.data == {"value": 33.0}
    assert first.observation.untrusted is True
    assert second.observation is not None and second.observation.untrusted is False


@pytest.mark.parametrize("after", [[], [("open", {"pid": 2}), ("line", {"text": "again"})]], ids=["end", "next run"])
def test_a_call_that_was_cut_off_says_that_nobody_knows(tmp_path, after: list) -> None:
    records = [
        ("line", {"text": "both"}),
        ("step", {"request": 1, "thought": "", "calls": [READ, FAN]}),
        ("outcome", {"call": "c2", "ok": True, "status": "done", "text": "33.0 C"}),
        ("intent", {"call": "c1"}),
    ]
    path = tape_of(str(tmp_path), "k", *records, *after)
    rows = past(path)
    assert rows[:4] == [
        ("user", "both"),
        ("step", "", ("c2", "c1")),
        ("observation", "c2", True, "33.0 C"),
        ("observation", "c1", False, f"output_set: {CUT_OFF}"),
    ]
    assert rows[4:] == ([("user", "again")] if after else [])


def test_an_answer_that_was_only_a_step_yet_is_the_answer(tmp_path) -> None:
    path = tape_of(
        str(tmp_path), "f", ("line", {"text": "q"}), ("step", {"request": 1, "thought": "", "final": "done"})
    )
    assert past(path) == [("user", "q"), ("answer", "done")]


def test_records_of_other_shapes_do_no_harm(tmp_path) -> None:
    path = tape_of(
        str(tmp_path),
        "odd",
        ("line", {}),
        ("step", {"calls": [None, {"tool": 3}, {"tool": "x"}, {"tool": "x", "args": {}}]}),
        ("outcome", {"call": ["c1"], "text": 3}),
        ("outcome", {"call": "", "text": None, "data": 7}),
        ("answer", {"text": 1}),
        ("step", {"calls": "none", "final": 3}),
    )
    assert past(path) == [("user", ""), ("step", "", ("",)), ("observation", "", False, ""), ("answer", "")]
