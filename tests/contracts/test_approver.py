"""One suite over everybody who may answer a question: what the loop may rely on."""

from __future__ import annotations

import time

import pytest

from tests.support.answering import KINDS, question, wait_for

WAITING = [kind for kind in KINDS if kind.waits]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def rig(request, tmp_path):
    rig = request.param(tmp_path)
    yield rig
    rig.close()


@pytest.fixture(params=WAITING, ids=lambda kind: kind.__name__)
def waiting(request, tmp_path):
    rig = request.param(tmp_path)
    yield rig
    rig.close()


def test_who_needs_no_waiting_answers_at_once_and_the_others_do_not(rig):
    answer = rig.approver.at_once(question())
    assert (answer is None) is rig.waits
    if answer is not None:
        assert answer.by in ("nobody", "--yes")
        assert answer.yes is (answer.by == "--yes")
        assert answer.yes or "nobody could be asked" in answer.sentence
        assert answer.text == ""


def test_over_and_close_are_allowed_at_any_time(rig):
    rig.approver.over("nothing was asked")
    rig.approver.at_once(question())
    rig.approver.over("the turn ended")
    rig.approver.over("the turn ended")
    rig.approver.close()


def test_yes_names_who_said_it_and_is_given_once(waiting):
    assert waiting.approver.at_once(question()) is None
    waiting.say(True)
    answer = wait_for(waiting.approver)
    assert (answer.yes, answer.by, answer.text) == (True, waiting.by, "")
    assert waiting.approver.poll(0.0) is None


def test_no_is_a_no_of_the_operator(waiting):
    waiting.approver.at_once(question())
    waiting.say(False)
    answer = wait_for(waiting.approver)
    assert (answer.yes, answer.by, answer.sentence, answer.text) == (False, waiting.by, "the operator said no", "")


def test_words_instead_are_no_yes_and_reach_the_loop_as_they_are(waiting):
    waiting.approver.at_once(question())
    waiting.say(False, "it is Sunday: leave the Fan off, café is closed")
    answer = wait_for(waiting.approver)
    assert (answer.yes, answer.by) == (False, waiting.by)
    assert answer.text == "it is Sunday: leave the Fan off, café is closed"
    assert answer.sentence == f"the operator answered instead: {answer.text}"


def test_no_answer_in_time_is_a_no_that_says_so(waiting):
    waiting.approver.at_once(question(0.4))
    answer = wait_for(waiting.approver)
    assert (answer.yes, answer.by, answer.sentence) == (False, "nobody", "nobody answered within 0 s")
    assert waiting.approver.poll(0.0) is None


def test_waiting_is_never_longer_than_a_tick(waiting):
    waiting.approver.at_once(question())
    began = time.monotonic()
    for _ in range(5):
        assert waiting.approver.poll(0.1) is None
    assert 0.3 < time.monotonic() - began < 30.0


def test_a_question_that_is_over_takes_no_answer_and_the_next_one_does(waiting):
    waiting.approver.at_once(question())
    waiting.approver.over("the turn ended")
    assert waiting.approver.poll(0.05) is None
    waiting.person.screen = ""
    waiting.approver.at_once(question())
    waiting.say(True)
    assert wait_for(waiting.approver).yes is True
