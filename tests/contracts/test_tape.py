"""What every tape keeps to: the one on the card, the same opened again, and the one that keeps nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Union

import pytest

from edge.faults import TapeFault
from edge.tape.form import KINDS
from edge.tape.journal import Tape
from edge.tape.unkept import Unkept
from tests.support.tape_disks import QuickDisk

AnyTape = Union[Tape, Unkept]


def on_card(folder: str) -> AnyTape:
    return Tape.create(folder, "contract", QuickDisk())


def opened_again(folder: str) -> AnyTape:
    on_card(folder).close()
    return Tape.open(folder, "contract", QuickDisk())


def in_memory(folder: str) -> AnyTape:
    return Unkept()


@pytest.fixture(params=[on_card, opened_again, in_memory])
def tape(request: pytest.FixtureRequest, tmp_path) -> Iterator[AnyTape]:
    make: Callable[[str], AnyTape] = request.param
    made = make(str(tmp_path))
    yield made
    made.close()


def talk(tape: AnyTape) -> None:
    """Two turns: 1 open, 2 line, 3 step, 4 intent, 5 outcome, 6 step, 7 answer, 8 line, 9 fault."""
    tape.append("open", {"version": "0", "pid": 1})
    tape.append("line", {"text": 'How warm is the "Gewächshaus"? Run the FAN.'}, sync=True)
    call = {"id": "c1", "tool": "output_set", "args": {"name": "fan", "state": True}}
    tape.append("step", {"request": 1, "thought": "It is hot.", "calls": [call]})
    tape.append("intent", {"call": "c1", "tool": "output_set", "args": call["args"], "verdict": "allow"}, sync=True)
    tape.append("outcome", {"call": "c1", "ok": True, "status": "done", "text": "fan on\nfor 120 s"}, sync=True)
    tape.append("step", {"request": 2, "thought": "", "final": "The fan runs."})
    tape.append("answer", {"text": "The fan runs.", "code": 0}, sync=True)
    tape.append("line", {"text": "and the pump?"}, sync=True)
    tape.append("fault", {"kind": "model", "sentence": "no fan of the model", "code": 4}, sync=True)


def seqs(rows: list[dict[str, Any]]) -> list[int]:
    return [row["seq"] for row in rows]


def test_it_says_what_it_is(tape: AnyTape) -> None:
    assert tape.durable is bool(tape.path)
    assert tape.name
    assert bool(tape.notice) is not tape.durable


def test_numbers_run_from_one_without_a_gap(tape: AnyTape) -> None:
    assert tape.seq == 0
    assert [tape.append("note", {"text": "x"}, sync=n % 3 == 0) for n in range(50)] == list(range(1, 51))
    assert tape.seq == 50
    tape.sync()


def test_every_kind_and_no_other_is_taken(tape: AnyTape) -> None:
    for number, kind in enumerate(sorted(KINDS), 1):
        assert tape.append(kind, {}) == number
    with pytest.raises(TapeFault, match="not a kind"):
        tape.append("gossip", {})


@pytest.mark.parametrize("value", [float("nan"), b"bytes", object()], ids=["nan", "bytes", "object"])
def test_what_cannot_be_kept_is_refused_and_takes_no_number(tape: AnyTape, value: object) -> None:
    tape.append("note", {"text": "one"})
    with pytest.raises(TapeFault, match="cannot be kept"):
        tape.append("note", {"text": value}, sync=True)
    assert tape.append("note", {"text": "two"}) == 2


def test_any_text_is_taken_and_comes_back(tape: AnyTape) -> None:
    text = 'tab\there\nnull\x00 escape\x1b[31m "quoted" \\ \u2028 é温😀 \udc80'
    tape.append("line", {"text": text})
    assert tape.around(1, 0) == [{"seq": 1, "role": "user", "content": text}]


def test_search_finds_literally_whatever_the_case_the_newest_last(tape: AnyTape) -> None:
    talk(tape)
    assert seqs(tape.search("fan", 10)) == [2, 3, 5, 6, 7]
    assert seqs(tape.search("FAN", 2)) == [6, 7]
    assert tape.search("fan on\nfor", 1) == [{"seq": 5, "role": "tool", "content": "fan on\nfor 120 s"}]
    assert seqs(tape.search('"GEWÄCHSHAUS"?', 5)) == [2]
    assert seqs(tape.search('output_set {"name":"fan"', 5)) == [3]
    assert seqs(tape.search("?", 5)) == [2, 8]
    for absent in ("f.n", "fan off", "text", "allow", "seq", "no fan of the model"):
        assert tape.search(absent, 5) == []
    assert tape.search("fan", 0) == []


def test_roles_say_who_spoke(tape: AnyTape) -> None:
    talk(tape)
    roles = [row["role"] for row in tape.search("", 20)]
    assert roles == ["user", "assistant", "tool", "assistant", "assistant", "user"]


def test_around_gives_the_messages_beside_a_number(tape: AnyTape) -> None:
    talk(tape)
    assert seqs(tape.around(5, 1)) == [3, 5, 6]
    assert seqs(tape.around(2, 2)) == [2, 3, 5]
    assert seqs(tape.around(8, 3)) == [5, 6, 7, 8]
    assert seqs(tape.around(5, 0)) == [5]
    assert seqs(tape.around(5, 100)) == [2, 3, 5, 6, 7, 8]
    for number in (0, 1, 4, 9, 10, -1):
        assert tape.around(number, 1) == []


def test_recall_does_not_find_itself(tape: AnyTape) -> None:
    tape.append("line", {"text": "what of the pump?"})
    tape.append("step", {"thought": "", "calls": [{"id": "c1", "tool": "recall", "args": {"query": "pump"}}]})
    tape.append("outcome", {"call": "c1", "tool": "recall", "ok": True, "status": "done", "text": "... pump?"})
    assert seqs(tape.search("pump", 9)) == [1]


def test_a_search_in_a_long_tape_finds_the_first_and_the_last(tape: AnyTape) -> None:
    for number in range(1, 1500):
        tape.append("line", {"text": f"line {number} of many " + "." * 100})
    assert seqs(tape.search("line 7 of", 3)) == [7]
    assert seqs(tape.search("LINE 1499 of", 3)) == [1499]
    assert seqs(tape.search("of many", 3)) == [1497, 1498, 1499]
    assert seqs(tape.around(700, 1)) == [699, 700, 701]


def test_threads_may_share_it(tape: AnyTape) -> None:
    numbers: list[int] = []
    threads = [
        threading.Thread(target=lambda: numbers.extend(tape.append("note", {"text": "x"}) for _ in range(200)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 801))


def test_a_closed_tape_says_so_and_closes_again_in_silence(tape: AnyTape) -> None:
    tape.append("note", {"text": "x"})
    tape.close()
    tape.close()
    for use in (
        lambda: tape.append("note", {}),
        tape.sync,
        lambda: tape.search("x", 1),
        lambda: tape.around(1, 1),
    ):
        with pytest.raises(TapeFault, match="is closed"):
            use()
