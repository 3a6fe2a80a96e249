"""`hil run`: a person at a terminal, a board behind it; and what stands in the way is a sentence.

The board is a serial port of this machine, so that no emulator is needed; tests/hil/test_by_person.py has one.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil.resources import named
from hil.verbs.run import hints
from tests.support.manned import Echo, hil, on_a_desk, terminal

pytest.importorskip("serial", reason="pyserial is not on this machine")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "home"
    monkeypatch.setenv("FIELDHAND_HIL", str(found))
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path / "images"))
    return found


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Echo]:
    with on_a_desk(tmp_path) as found:
        yield found


def test_a_person_types_and_reads_and_leaves(echo: Echo, home: Path) -> None:
    with terminal("run", echo.file) as person:
        person.shows("and the board goes on")
        echo.say(b"mine login: ")
        person.shows("mine login: ")
        person.type("operator\r\x03")
        echo.typed(b"operator\r\x03")
        person.type("\x1d")
        person.shows("mine: was left")
        assert person.ended() == 0 and person.restored()
    assert not (home / "mine/control").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(echo: Echo, home: Path, number: signal.Signals) -> None:
    with terminal("run", echo.file) as person:
        person.shows("and the board goes on")
        echo.say(b"ready")
        person.shows("ready")
        assert not person.restored()
        person.process.send_signal(number)
        assert person.ended() == 130 and person.restored()
        assert "hil: interrupted" in person.written and "Traceback" not in person.written
    assert not (home / "mine/control").exists()


def test_a_terminal_that_goes_ends_it(echo: Echo, home: Path) -> None:
    with terminal("run", echo.file) as person:
        person.shows("and the board goes on")
        echo.say(b"ready")
        person.shows("ready")
        person.hang_up()
        person.process.wait(60)
    assert not (home / "mine/control").exists()


def test_a_board_that_ends_is_told(echo: Echo) -> None:
    with terminal("run", echo.file) as person:
        person.shows("and the board goes on")
        echo.say(b"ready")
        person.shows("ready")
        echo.unplug()
        person.shows("mine: the board ended")
        assert person.ended() == 0 and person.restored()


def test_others_reach_it_while_it_runs(echo: Echo) -> None:
    with terminal("run", echo.file) as person:
        person.shows("and the board goes on")
        echo.say(b"ready")
        person.shows("ready")
        seen = hil("watch", echo.file, "--once")
        assert seen.returncode == 0 and "mine: a shell on a desk, on for" in seen.stdout
        assert "mine has no lines: its file does not name it" in seen.stdout and "ready" in seen.stdout
        put = hil("set", echo.file, "17", "high")
        assert put.returncode == 7 and "mine has no lines" in put.stderr and put.stdout == ""
        with terminal("run", echo.file) as second:
            assert second.ended() == 2
            assert f"mine runs already (process {person.process.pid})" in second.written
        person.type("x\x1d")
        echo.typed(b"x")
        assert person.ended() == 0


def test_without_a_terminal_it_says_so(echo: Echo) -> None:
    done = hil("run", echo.file)
    assert done.returncode == 2 and "the console of mine needs a terminal" in done.stderr


def test_a_board_that_does_not_run_is_told(echo: Echo) -> None:
    for words in (("set", "raspi0", "t0", "-10"), ("watch", "raspi0")):
        done = hil(*words)
        assert (done.returncode, done.stdout) == (7, "")
        assert done.stderr == "hil: raspi0 does not run (python3 -m hil run raspi0 starts it)\n"


def test_the_card_of_a_board_on_a_desk_is_none_of_ours(echo: Echo) -> None:
    with terminal("run", echo.file, "--fresh") as person:
        assert person.ended() == 2 and "the card of mine is not made here" in person.written


def test_no_emulator_is_told_before_anything_is_made(home: Path, tmp_path: Path) -> None:
    with terminal("run", "raspi0", env={"PATH": str(tmp_path)}) as person:
        assert person.ended() == 7
        assert "qemu-system-aarch64 is not on this machine" in person.written and ".ci/qemu" in person.written
    assert not (home / "raspi0/card.img").exists()


@pytest.mark.skipif(shutil.which("qemu-system-aarch64") is None, reason="QEMU is not on this machine")
def test_no_image_is_told(home: Path) -> None:
    with terminal("run", "raspi0") as person:
        assert person.ended() == 1
        assert "there is no image of pi-armv6" in person.written and "make images" in person.written
    assert not (home / "raspi0/card.img").exists()


def test_a_person_is_told_how_to_come_in_what_to_set_and_how_to_leave() -> None:
    told = "\n".join(hints(named("raspi0"), "raspi0"))
    for one in ("operator, password fieldhand", "hil set raspi0 t0 31.5", "hil set raspi0 17 high", "hil watch raspi0"):
        assert one in told
    assert told.endswith("Ctrl-] (or Ctrl-5) leaves, as if the plug were pulled.")


def test_a_board_of_a_file_is_found_by_that_file(echo: Echo) -> None:
    told = "\n".join(hints(named(str(echo.file)), str(echo.file)))
    assert f"hil watch {echo.file}" in told and told.endswith("leaves, and the board goes on.")
    done = hil("watch", echo.file)
    assert done.returncode == 7 and f"mine does not run (python3 -m hil run {echo.file} starts it)" in done.stderr
