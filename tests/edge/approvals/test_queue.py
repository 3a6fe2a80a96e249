"""The open question of one agent: one use, its own id, and an answer that counts only when it is taken."""

from __future__ import annotations

import threading
import time

from edge.approvals import queue
from edge.approvals.queue import Queue
from tests.support.answering import question, wait_for


def answered(asked, name, allow=True, text="", by="somebody"):
    """Answer from another thread while the loop asks; what was said, and what the loop got."""
    said = []
    thread = threading.Thread(target=lambda: said.append(asked.answer(name, allow, text, by)))
    thread.start()
    got = wait_for(asked)
    thread.join(60)
    return said[0], got


def test_an_answer_reaches_the_loop_and_is_confirmed():
    asked = Queue()
    name = asked.put(question())
    said, got = answered(asked, name)
    assert (said.ok, got.yes, got.by) == (True, True, "somebody")
    assert asked.poll(0.0) is None and asked.rows() == []


def test_a_second_answer_hears_what_the_first_was():
    asked = Queue()
    name = asked.put(question())
    answered(asked, name, False, "not now", "anna")
    said = asked.answer(name, True, "", "bert")
    assert (said.ok, said.known, said.sentence) == (False, True, f"{name} is over: answered with other words by anna")


def test_two_answers_at_the_same_time_are_one():
    for _ in range(20):
        race()


def race():
    asked = Queue()
    name = asked.put(question())
    said = {}

    def give(by):
        said[by] = asked.answer(name, by in ("p0", "p2"), "", by)

    threads = [threading.Thread(target=give, args=(f"p{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    got = wait_for(asked)
    for thread in threads:
        thread.join(60)
    assert [by for by, one in said.items() if one.ok] == [got.by]
    assert got.yes is (got.by in ("p0", "p2"))
    assert asked.poll(0.0) is None


def test_ids_belong_to_one_question_and_are_not_used_again():
    asked = Queue()
    names = [asked.put(question()) for _ in range(50)]
    assert len(set(names)) == 50
    assert all(len(name) == queue.LENGTH and set(name) <= set(queue.LETTERS) for name in names)
    said = asked.answer(names[0], True, "", "x")
    assert not said.ok and "replaced by another question" in said.sentence
    assert asked.poll(0.0) is None


def test_unknown_ids_are_not_known():
    asked = Queue()
    asked.put(question())
    assert asked.answer("nosuch", True, "", "x") == queue.Said(False, False, "no question is called nosuch")


def test_an_expired_question_takes_no_answer():
    asked = Queue()
    name = asked.put(question(0.1))
    time.sleep(0.2)
    assert asked.rows() == []
    assert not asked.answer(name, True, "", "x").ok
    got = asked.poll(0.1)
    assert (got.yes, got.by) == (False, "nobody")
    assert "nobody answered within" in asked.answer(name, True, "", "x").sentence


def test_an_answer_that_comes_with_the_end_is_not_taken_late():
    asked = Queue()
    name = asked.put(question(0.3))
    said = []
    thread = threading.Thread(target=lambda: said.append(asked.answer(name, True, "", "x")))
    thread.start()
    time.sleep(0.5)
    assert asked.poll(0.0).yes is False
    thread.join(60)
    assert not said[0].ok


def test_a_loop_that_hangs_takes_no_answer_later():
    """Nobody polls: whoever answers is told, and the answer is gone."""
    asked = Queue()
    name = asked.put(question())
    began = time.monotonic()
    said = asked.answer(name, True, "", "x")
    assert not said.ok and "did not take it" in said.sentence
    assert time.monotonic() - began < queue.TAKEN + 30
    assert asked.poll(0.0) is None


def test_a_question_nobody_asks_after_is_not_shown(monkeypatch):
    monkeypatch.setattr(queue, "STALE", 0.1)
    asked = Queue()
    name = asked.put(question())
    time.sleep(0.2)
    assert asked.rows() == []
    assert "the agent hangs" in asked.answer(name, True, "", "x").sentence
    monkeypatch.setattr(queue, "STALE", 60.0)
    asked.poll(0.0)
    assert len(asked.rows()) == 1


def test_what_is_over_wakes_whoever_answers():
    asked = Queue()
    name = asked.put(question())
    said = []
    thread = threading.Thread(target=lambda: said.append(asked.answer(name, True, "", "x")))
    thread.start()
    time.sleep(0.2)
    asked.over("the turn ended")
    thread.join(60)
    assert not said[0].ok and said[0].sentence == f"{name} is over: the turn ended"
    assert asked.poll(0.0) is None


def test_rows_hold_the_whole_question():
    asked = Queue()
    long_ = "x" * 100_000
    asked.put(question(words=long_, effects=("run program:sh",), remarks=("it rains",)))
    (row,) = asked.rows()
    assert row["words"] == long_ and row["effects"] == ["run program:sh"] and row["remarks"] == ["it rains"]
    assert row["args"] == {"name": "fan", "state": "on", "for": "2m"} and row["tape"] == "20260102-030405-abcd"
    assert 0 < row["left"] <= 60.0


def test_memory_of_what_was_is_bounded():
    asked = Queue()
    for _ in range(queue.KEPT * 3):
        asked.put(question())
    assert len(asked._past) == queue.KEPT
