"""Who hangs, who is gone, and whether the watchdog is fed."""

from __future__ import annotations

import random

from edge.supervise.liveness import ABSENT, AGENTS, ANSWERED, MUTE, Liveness


def live(hang: float = 30.0) -> Liveness:
    return Liveness(hang, 100.0)


def test_a_board_with_nobody_on_it_is_fed() -> None:
    assert live().verdict(10_000.0).feed


def test_an_agent_that_beats_is_well_and_one_that_does_not_is_named() -> None:
    table = live()
    assert table.sign(7, False, 100.0)
    assert table.sign(8, False, 100.0)
    table.sign(8, False, 120.0)
    assert table.verdict(129.9).feed
    verdict = table.verdict(130.0)
    assert not verdict.feed
    assert verdict.why == "the agent of process 7 shows no sign of life for 30 s"


def test_a_sign_that_comes_after_all_lets_it_go_on() -> None:
    table = live()
    table.sign(7, False, 100.0)
    assert not table.verdict(140.0).feed
    table.sign(7, False, 141.0)
    assert table.verdict(141.0).feed


def test_an_agent_whose_process_ended_counts_no_more() -> None:
    table = live()
    table.sign(7, False, 100.0)
    table.gone(7)
    table.gone(7)
    assert table.verdict(1000.0).feed


def test_an_agent_that_never_ends_its_ending_hangs() -> None:
    table = live()
    table.sign(7, True, 100.0)
    assert table.verdict(129.0).feed
    assert "stops and does not end" in table.verdict(131.0).why


def test_a_guard_that_never_came_is_no_reason_for_resets_without_end() -> None:
    table = live()
    table.asked(ABSENT, 101.0)
    assert table.verdict(10_000.0).feed


def test_a_guard_that_was_there_and_is_lost_holds() -> None:
    table = live()
    table.asked(ANSWERED, 101.0)
    assert table.verdict(500.0).feed
    table.asked(ABSENT, 501.0)
    assert table.verdict(530.0).feed
    assert table.verdict(531.0).why == "the guard is not there for 30 s"
    table.asked(ANSWERED, 532.0)
    assert table.verdict(900.0).feed


def test_a_guard_that_takes_a_question_and_never_answers_holds() -> None:
    table = live()
    for second in range(31):
        table.asked(MUTE, 100.0 + second)
    assert table.verdict(129.9).feed
    assert "does not answer" in table.verdict(130.0).why


def test_a_guard_that_init_brings_back_is_well() -> None:
    table = live()
    for second in range(0, 300, 10):
        table.asked(ANSWERED, 100.0 + second)
        table.asked(ABSENT, 103.0 + second)
        assert table.verdict(109.0 + second).feed


def test_a_slot_that_failed_its_check_is_held() -> None:
    table = live()
    table.failed("the check failed")
    assert table.verdict(100.0) == table.verdict(9e9)
    assert table.verdict(100.0).why == "the check failed"


def test_the_time_in_which_the_supervisor_did_not_run_is_held_against_nobody() -> None:
    table = live()
    table.sign(7, False, 100.0)
    table.asked(MUTE, 100.0)
    table.paused(200.0)
    assert table.verdict(310.0).feed
    assert not table.verdict(331.0).feed


def test_there_is_room_for_so_many_and_not_for_more() -> None:
    table = live()
    assert all(table.sign(pid, False, 100.0) for pid in range(2, AGENTS + 2))
    assert not table.sign(9999, False, 100.0)
    assert table.sign(2, False, 101.0)
    table.gone(3)
    assert table.sign(9999, False, 100.0)


def test_whatever_happens_it_feeds_exactly_while_nobody_is_silent_too_long() -> None:
    """A long random story against the rule, told again in the plainest words."""
    dice = random.Random(20)
    table, now, last = live(), 100.0, dict[int, float]()
    for _ in range(5000):
        now += dice.random() * 8
        pid = dice.randrange(2, 8)
        deed = dice.randrange(10)
        if deed < 6:
            table.sign(pid, False, now)
            last[pid] = now
        elif deed == 6:
            table.gone(pid)
            last.pop(pid, None)
        assert table.verdict(now).feed == all(now - when < 30.0 for when in last.values())
