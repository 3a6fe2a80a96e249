"""`fieldhand wire` as a person sees it: a table of 80 columns, a list for the box, an exit code."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

import pytest

from edge.cli.board import Chosen, start
from edge.cli.wire import WIDTH, text, wrapped
from edge.cli.wiring import Guard
from edge.config import Settings
from edge.peripherals.boards.identity import Board
from edge.peripherals.gpiochip.chip import Settings as Hold
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line as StockLine
from edge.peripherals.gpiochip.stock import Stock
from edge.peripherals.guard.owned import GpioLine, Owned
from edge.record import replace
from tests.support import agent
from tests.support.chips import ChipServer
from tests.support.wired import FAN, OWNED, checked, guard, held

PI3 = Board("Raspberry Pi 3 Model B Rev 1.2", header="40")
BOARD = """
[gpio]
chips = "{chips}"
[outputs.pump]
label = "irrigation pump, relay 2"
line = "GPIO17"
active = "low"
interlock = ["door == closed"]
[inputs.door]
label = "greenhouse door"
line = "GPIO4"
bias = "up"
states = ["closed", "open"]
"""


def shown(model: Model, told: Guard) -> list[str]:
    return text(checked(model, told).values(), told, [], PI3, Chosen(OWNED))


def test_the_table_fits_a_serial_console_and_has_all_of_it() -> None:
    model = Model("pi3")
    held(model)
    lines = shown(model, guard(pump={"state": True, "level": 1.0, "left": 42.0}, pump_runs={"value": 1.0}))
    assert all(len(line) <= WIDTH for line in lines)
    assert "the guard runs (process 812, /run/guard.sock)" in " ".join(lines[:2])
    row = next(line for line in lines if line.startswith("pump "))
    assert row.split() == ["pump", "GPIO17", "active", "low", "11", "off", "on", "42", "s", "reads", "back"]
    said = " ".join(" ".join(lines).split())
    assert "irrigation pump, relay 2; at most 600 s on, 60 s at rest between, 6 times an hour" in said
    assert "feedback pump_runs agrees; override stop_button; interlock door == closed holds" in said
    assert "everything answers" in lines


def test_the_list_for_the_box_goes_along_the_header() -> None:
    lines = shown(Model("pi3"), Guard())
    wires = lines[lines.index("to take to the box:") + 1 :]
    assert [line.split()[1] for line in wires if line.startswith("  pin")] == ["7", "11", "13", "29", "31"]
    assert "  pin 11 (GPIO17) -> irrigation pump, relay 2; output pump, active low, safe off" in wires
    assert "  pin 7 (GPIO4) <- greenhouse door; contact door, active high, pull up" in wires
    assert "everything is there; outputs answer when a guard runs" in lines


def test_what_does_not_answer_is_told_with_what_to_do() -> None:
    model = Model(())
    lines = shown(model, Guard())
    assert "5 of 5 do not answer:" in lines
    said = " ".join(" ".join(lines).split())
    assert "pump: there is no GPIO chip here (fieldhand doctor says what is missing)" in said
    assert sum("DOES NOT ANSWER" in line for line in lines) == 5 and all(len(line) <= WIDTH for line in lines)


def test_long_names_and_lines_stand_above_the_columns() -> None:
    owned = Owned(
        "lines",
        (replace(FAN, name="fan_of_the_western_greenhouse_0"),),
        (),
        (GpioLine("fan_of_the_western_greenhouse_0", "soc", "LINE_WITH_A_NAME_OF_30_LETTERS", True),),
    )
    model = Model((Stock("gpiochip0", "soc", (StockLine("LINE_WITH_A_NAME_OF_30_LETTERS"),)),))
    rows = {name: replace(row, now="a long word for off") for name, row in checked(model, Guard(), owned).items()}
    lines = text(rows.values(), Guard(), [], PI3, Chosen(owned))
    assert all(len(line) <= WIDTH for line in lines)
    assert "it is a long word for off" in " ".join(lines)
    at = lines.index("fan_of_the_western_greenhouse_0 LINE_WITH_A_NAME_OF_30_LETTERS active low")
    assert (
        lines[at + 1].split() == ["off", "a", "long", "word", "ok"] and rows["fan_of_the_western_greenhouse_0"].answers
    )


def test_nothing_declared_says_how_to_declare() -> None:
    lines = text([], Guard(), [], PI3, Chosen(replace(OWNED, outputs=(), sensors=(), lines=())))
    assert "[outputs.NAME]" in " ".join(lines) and all(len(line) <= WIDTH for line in lines)


def test_no_label_however_long_leaves_the_columns() -> None:
    chance = random.Random(7)
    for _ in range(300):
        words = ["x" * chance.randrange(1, 200) for _ in range(chance.randrange(1, 12))]
        lines = wrapped(" ".join(words), "  ", "    ")
        assert all(0 < len(line) <= WIDTH for line in lines)
        assert "".join("".join(lines).split()) == "".join(words)


@pytest.mark.parametrize("words", [("wire", "pump"), ("wire", "--all")])
def test_it_takes_no_words(words: tuple[str, ...], tmp_path: Path) -> None:
    assert agent.run(*words, home=tmp_path).returncode == 2


def test_the_simulated_board_shows_its_parts_with_addresses_and_modes(tmp_path: Path) -> None:
    done = agent.run("wire", home=tmp_path)
    assert done.returncode == 0 and "the simulated board; it does not run now" in done.stdout, done.stderr
    assert "humidity      I2C 1/0x44" in done.stdout and "mode ok" in done.stdout
    assert agent.run("sim", "set", "humidity", "nak", home=tmp_path).returncode == 0
    done = agent.run("wire", "--json", home=tmp_path)
    told = json.loads(done.stdout)
    assert done.returncode == 7 and told["simulated"] and not told["answers"]
    wrong = [row for row in told["rows"] if not row["answers"]]
    assert [(row["name"], row["mode"]) for row in wrong] == [("humidity", "nak")]
    assert "did not acknowledge" in wrong[0]["check"]


def test_a_holder_that_calls_itself_something_odd_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    with ChipServer(tmp_path) as server:
        chip = find(server.remote())
        chip.request(17, Hold("output"), "\x1b[2J\x9b31mow\nned")
        file = tmp_path / "board.toml"
        file.write_text(BOARD.format(chips=server.chips))
        wired = agent.run("wire", "--board", str(file), home=tmp_path)
        looked = agent.run("doctor", "--board", str(file), home=tmp_path)
        chip.close()
    for done in (wired, looked):
        assert "\x1b" not in done.stdout and "\x9b" not in done.stdout and "ned, not by the guard" in done.stdout
    assert wired.returncode == 7 and looked.returncode == 1


def test_a_declared_board_is_checked_on_its_chips(tmp_path: Path) -> None:
    with ChipServer(tmp_path) as server:
        outside = server.outside()
        outside.pull("pinctrl-bcm2835", "GPIO4", True)
        file = tmp_path / "board.toml"
        file.write_text(BOARD.format(chips=server.chips))
        done = agent.run("wire", "--board", str(file), home=tmp_path)
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert f"a model of chips, not this board's own ({server.chips})" in " ".join(done.stdout.split())
        assert "pin 11 (GPIO17) -> irrigation pump, relay 2; output pump, active low" in done.stdout
        assert "door == closed does not hold: open" in " ".join(done.stdout.split())
        asked = {fields["what"] for fields in outside.record()}
        assert not asked & {"SET_VALUES", "SET_CONFIG"}
        assert outside.holders() == {key: name for key, name in outside.holders().items() if name == "ACT"}
        file.write_text(BOARD.format(chips=server.chips).replace("GPIO17", "GPIO99"))
        done = agent.run("wire", "--json", "--board", str(file), home=tmp_path)
        told = json.loads(done.stdout)
        assert done.returncode == 7 and [row["name"] for row in told["rows"] if not row["answers"]] == ["pump"]
        assert told["guard"]["runs"] is False and told["rows"][1]["now"] == "open"


def test_another_world_has_its_own_parts(tmp_path: Path) -> None:
    assert agent.run("wire", home=tmp_path).returncode == 0
    done = agent.run("wire", "--board", "sim:yard", "--json", home=tmp_path)
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    assert done.returncode == 0, done.stdout
    assert rows["door"]["kind"] == "contact" and rows["door"]["now"] in ("open", "closed")
    assert rows["pump"]["agrees"] is True and rows["tank_level"]["line"] == "I2C 1/0x4a channel 0"
    assert [one["fails"] for one in rows["pump"]["interlock"]] == ["", "valve does not hold: off"]


def test_a_running_guard_is_asked_and_nothing_is_switched_by_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    file = tmp_path / "board.toml"
    with ChipServer(tmp_path) as server:
        outside = server.outside()
        outside.pull("pinctrl-bcm2835", "GPIO4", False)
        file.write_text(BOARD.format(chips=server.chips))
        board = start(replace(Settings(), board=str(file)), str(state), "a-tape")
        ended = threading.Event()
        beating = threading.Thread(target=lambda: [board.beat() for _ in iter(lambda: ended.wait(0.2), True)])
        try:
            board.set("pump", True, 60.0, "c1")
            beating.start()
            before = outside.changes("pinctrl-bcm2835", "GPIO17")
            done = agent.run("wire", "--json", "--board", str(file), "--state", str(state), home=tmp_path)
            told = json.loads(done.stdout)
            rows = {row["name"]: row for row in told["rows"]}
            assert done.returncode == 0 and told["guard"] == {
                **{"runs": True, "pid": board.pid, "trouble": ""},
                "socket": f"{state}/guard/guard.sock",
            }
            assert rows["pump"]["now"].startswith("on ") and rows["pump"]["held_by"] == "fieldhand:pump"
            assert rows["door"]["now"] == "closed" and rows["pump"]["interlock"][0]["fails"] == ""
            assert outside.changes("pinctrl-bcm2835", "GPIO17") == before and told["notes"] == []
            file.write_text(BOARD.format(chips=server.chips).replace("GPIO17", "GPIO27"))
            done = agent.run("wire", "--json", "--board", str(file), "--state", str(state), home=tmp_path)
            told = json.loads(done.stdout)
            assert "started with other settings" in told["notes"][0] and done.returncode == 7
            assert [row["check"] for row in told["rows"]] == ["the guard runs and does not hold it", "answers"]
        finally:
            ended.set()
            beating.join()
            board.close()
