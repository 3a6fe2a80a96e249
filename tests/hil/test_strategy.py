"""The way from off to the agent's prompt and back: the order of the steps, one more try, a board nobody can switch."""

from __future__ import annotations

import re
from typing import Any

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.record import replace
from hil.console import Silence
from hil.drivers.stall import Stalled
from hil.resources import named
from hil.strategy import AGENT, BANNER, BOOTLOADER, LOST, OFF, SHELL, Strategy


class Typed:
    """A console on which all that is waited for comes. `shows` is what the first line brings, nothing else then."""

    def __init__(self, acts: list[str], shows: str) -> None:
        self.acts, self._brings, self.shows = acts, [shows], ""

    def line(self, text: str) -> None:
        self.acts.append(f"typed {text}")
        self.shows = self._brings.pop() if self._brings else ""

    def send(self, text: str) -> None:
        self.acts.append(f"sent {text!r}")

    def expect(self, pattern: str, seconds: float) -> Any:
        found = re.search(pattern, self.shows)
        if self.shows and not found:
            raise Silence(pattern, seconds, self.shows)
        return found

    def login(self, user: str, password: str, prompt: str, seconds: float) -> None:
        self.acts.append(f"logged in as {user}")

    def run(self, command: str) -> tuple[int, str]:
        return 0, ""


class Fake:
    """A bench that writes down what is done to it. `faults` come at the next waits, one each."""

    def __init__(self, shows: str = "", has: tuple[str, ...] = ("power",)) -> None:
        self.board = replace(named("raspi0"), has=has)
        self.acts: list[str] = []
        self.notes: list[str] = []
        self.faults: list[Exception] = []
        self.console = Typed(self.acts, shows)

    def power_on(self) -> None:
        self.acts.append("on")

    def cut(self) -> None:
        self.acts.append("cut")

    def wait(self, pattern: str, seconds: float) -> None:
        self.acts.append(f"saw {pattern}")
        if self.faults:
            raise self.faults.pop(0)


UP = ["on", f"saw {BANNER}", "saw login: ", "typed rescue", "typed fieldhand"]


def strategy(fake: Fake) -> Strategy:
    return Strategy(fake)  # type: ignore[arg-type]


def test_a_board_goes_up_step_by_step_and_comes_down_without_a_new_start() -> None:
    fake = Fake()
    way = strategy(fake)
    way.to(AGENT)
    assert fake.acts == [*UP, "typed exit", "logged in as operator"] and way.status == AGENT
    fake.acts.clear()
    way.to(SHELL)
    assert fake.acts == [r"sent '\x04'", "saw login: ", "typed rescue", "typed fieldhand"]
    fake.acts.clear()
    way.to(SHELL)
    assert fake.acts == []


def test_a_key_that_was_lost_is_pressed_again_and_not_for_ever() -> None:
    fake = Fake()
    way = strategy(fake)
    way.to(AGENT)
    fake.acts.clear()
    fake.faults = [Silence("login: ", 90, "fieldhand> ")]
    way.to(SHELL)
    assert fake.acts[:4] == [r"sent '\x04'", "saw login: "] * 2 and way.status == SHELL
    way.to(AGENT)
    fake.faults = [Silence("login: ", 90, "fieldhand> ")] * 10
    with pytest.raises(Silence):
        way.to(SHELL)


def test_an_agent_that_was_ended_leaves_a_login_where_the_way_goes_on() -> None:
    fake = Fake()
    way = strategy(fake)
    way.to(AGENT)
    fake.acts.clear()
    way.ended()
    assert fake.acts == ["saw login: ", "typed rescue", "typed fieldhand"] and way.status == SHELL


def test_what_has_no_step_down_begins_again() -> None:
    fake = Fake()
    way = strategy(fake)
    way.to(SHELL)
    fake.acts.clear()
    way.to(BOOTLOADER)
    assert fake.acts == ["cut", *UP[:2]]
    way.to(OFF)
    assert fake.acts[-1] == "cut" and way.status == OFF


def test_an_emulation_that_stands_is_started_once_more_and_that_is_noted() -> None:
    fake = Fake()
    fake.faults = [Stalled("raspi0 stands still: the timer")]
    way = strategy(fake)
    way.to(SHELL)
    assert fake.acts == [*UP[:2], "cut", *UP] and way.status == SHELL
    assert fake.notes == ["raspi0 stands still: the timer; it was started once more"]


def test_an_emulation_that_stands_twice_is_a_fault() -> None:
    fake = Fake()
    fake.faults = [Stalled("raspi0 stands still"), Stalled("raspi0 stands still")]
    with pytest.raises(Stalled):
        strategy(fake).to(SHELL)


def test_after_a_step_that_failed_the_power_goes_first() -> None:
    fake = Fake()
    fake.faults = [Silence("login: ", 900, "Kernel panic")]
    way = strategy(fake)
    with pytest.raises(Silence, match="Kernel panic"):
        way.to(SHELL)
    assert way.status == LOST
    fake.acts.clear()
    way.to(SHELL)
    assert fake.acts == ["cut", *UP]


@pytest.mark.parametrize(
    ("shows", "typed"),
    [("pi login: ", ["typed ", "typed rescue", "typed fieldhand"]), ("~ # ", ["typed "])],
)
def test_a_board_that_cannot_be_switched_is_taken_as_it_is_found(shows: str, typed: list[str]) -> None:
    fake = Fake(shows, has=())
    way = strategy(fake)
    way.to(SHELL)
    assert fake.acts == typed and way.status == SHELL


def test_a_board_that_cannot_be_switched_nor_found_is_told() -> None:
    with pytest.raises(HardwareFault, match=r"neither at a login nor in a shell.*give its file a \[switch\]"):
        strategy(Fake("Kernel panic", has=())).to(SHELL)


def test_there_is_no_way_to_nowhere() -> None:
    with pytest.raises(UsageFault, match="no way to 'heaven'"):
        strategy(Fake()).to("heaven")
