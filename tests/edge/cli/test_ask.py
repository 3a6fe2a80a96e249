"""The person at the terminal: what is shown, what counts as an answer."""

from __future__ import annotations

import fcntl
import os
import termios

import pytest

from edge.call import Call
from tests.support.answering import Person, question, wait_for
from tests.support.boards import eventually


@pytest.fixture
def person():
    person = Person()
    yield person
    person.close()


def said(person, text):
    """Ask after an answer until the terminal says this instead: what is typed takes its time to come."""

    def shown():
        assert person.approver.poll(0.1) is None
        person.look()
        return text in person.screen

    eventually(shown)
    person.until(text)


def test_the_question_shows_the_call_and_how_to_answer(person):
    person.approver.at_once(question(effects=("actuate output:fan", "read file:/srv/a"), remarks=("it rains",)))
    assert person.until("Allow it, or tell it something else? [y/N/t] ").splitlines() == [
        "? switch exhaust fan, relay 1 (fan, sim relay 1) on for 2 min",
        "  exactly: output_set name=fan state=on for=2m",
        "  medium risk [output.medium]: switches exhaust fan, relay 1 on for 2 min",
        "  touches: actuate output:fan; read file:/srv/a",
        "  note: it rains",
        "  Allow it, or tell it something else? [y/N/t] ",
    ]


@pytest.mark.parametrize("word", ["y", "Y", "yes", "YES", " yes "])
def test_yes_in_every_spelling(person, word):
    person.approver.at_once(question())
    person.type(word)
    assert wait_for(person.approver).yes


@pytest.mark.parametrize("word", ["", "n", "NO", "  "])
def test_no_in_every_spelling_and_nothing_is_no(person, word):
    person.approver.at_once(question())
    person.type(word)
    answer = wait_for(person.approver)
    assert (answer.yes, answer.by) == (False, "operator")


def test_anything_else_is_asked_again(person):
    person.approver.at_once(question())
    for word in ("maybe", "yy", "y y", "1", "j", "true", "text"[:3]):
        person.type(word)
        said(person, "Please answer y, n or t ")
    person.type("y")
    assert wait_for(person.approver).yes


def test_t_alone_asks_for_the_words(person):
    person.approver.at_once(question())
    person.type("t")
    said(person, "What shall the model be told instead? ")
    person.type("y")  # words, not a yes
    answer = wait_for(person.approver)
    assert (answer.yes, answer.text) == (False, "y")


def test_t_and_no_words_is_a_no(person):
    person.approver.at_once(question())
    person.type("t")
    said(person, "What shall the model be told instead? ")
    person.type("")
    answer = wait_for(person.approver)
    assert (answer.yes, answer.text, answer.sentence) == (False, "", "the operator said no")


def test_the_next_question_begins_anew_after_a_t(person):
    person.approver.at_once(question())
    person.type("t")
    said(person, "What shall the model be told instead? ")
    person.approver.over("the turn ended")
    person.approver.at_once(question())
    person.type("y")
    assert wait_for(person.approver).yes


def test_what_was_typed_before_the_question_is_no_answer(person):
    person.type("y")
    eventually(lambda: fcntl.ioctl(person.slave, termios.FIONREAD, bytes(4)) != bytes(4))
    person.approver.at_once(question())
    assert person.approver.poll(0.1) is None


def test_what_is_half_typed_when_it_is_over_answers_nothing_later(person):
    person.approver.at_once(question())
    os.write(person.master, b"ye")
    person.approver.over("allowed by operator by approvals, uid 5")
    assert "no answer is needed any more: allowed by operator by approvals, uid 5" in person.until("uid 5)")
    person.approver.at_once(question())
    assert person.approver.poll(0.1) is None


def test_a_closed_terminal_is_nobody(person):
    person.approver.at_once(question())
    os.write(person.master, b"\x04")
    answer = wait_for(person.approver)
    assert (answer.yes, answer.by) == (False, "nobody")
    assert "closed before there was an answer" in answer.sentence


def test_a_flood_of_typing_is_bounded(person):
    person.approver.at_once(question())
    for _ in range(20):
        person.type("t" + "x" * 3000)
        person.approver.poll(0.1)
    person.type("y")
    assert wait_for(person.approver).yes


def test_a_long_call_is_shown_whole():
    person = Person(width=40)
    command = "\n".join(f"line {number} \x1b[2K" + "w" * 50 for number in range(200))
    person.approver.at_once(question(call=Call("bash", {"command": command}, "c1"), words=f"run: {command}"))
    shown = person.until("Allow it")
    person.close()
    assert "\x1b" not in shown
    assert all(f"line {number} " in shown for number in range(200))
    assert max(map(len, shown.splitlines())) <= 40


def test_nothing_comes_between_a_question_and_its_answer(person):
    person.approver.at_once(question())
    person.until("[y/N/t] ")
    person.printer.say("sh-1 has ended with exit code 0")
    person.printer.spin("  ... grep (2 s)")
    person.look()
    assert person.screen == ""
    person.type("y")
    assert wait_for(person.approver).yes
    assert person.until("exit code 0\n").splitlines()[-1] == "sh-1 has ended with exit code 0"


def test_what_was_held_up_is_told_when_the_question_ends_without_an_answer(person):
    for end in ("over", "time"):
        person.approver.at_once(question(seconds=0.2 if end == "time" else 60))
        person.until("[y/N/t] ")
        person.printer.say(f"held until {end}")
        if end == "over":
            person.approver.over("stopped")
            person.until("no answer is needed any more: stopped)")
        else:
            eventually(lambda: person.approver.poll(0.1) is not None)
        person.until(f"held until {end}")
