"""Declared sensors in doctor and wire: each is read once, and says what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.cli import main
from edge.cli.board import Chosen, choose
from edge.cli.finding import Finding, on_card
from edge.cli.sensing import findings, rows
from edge.cli.wire import text
from edge.cli.wiring import Guard
from edge.config import Settings
from edge.peripherals.boards.identity import Board as Identity
from edge.peripherals.bus import Bus
from edge.peripherals.sensors import engine
from tests.support.sensed import HWMON, Board

SETTINGS = """
[sensors.t0]
hwmon = "lm75"
label = "air in the box"
[sensors.pressure]
iio = "bme280"
channel = "pressure"
[sensors.t1]
i2c = "1/0x48"
part = "tmp105"
"""


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Board:
    found = Board()
    monkeypatch.setattr(engine, "kernel", lambda: (found.tree, Bus(found.buses.opened)))
    return found


@pytest.fixture
def chosen(tmp_path: Path) -> Chosen:
    (tmp_path / "board.toml").write_text(SETTINGS)
    return choose(Settings(board=str(tmp_path / "board.toml")))


def test_what_answers_is_ok_with_its_place_and_value(board: Board, chosen: Chosen) -> None:
    assert list(findings(chosen)) == [
        Finding("sensor t0", "ok", "hwmon lm75 temp1, 23.5 C"),
        Finding("sensor pressure", "ok", "iio bme280 pressure, 1013 hPa"),
        Finding("sensor t1", "ok", "tmp105 at I2C 1/0x48, 23.5 C"),
    ]
    assert not list(findings(None))


def test_what_does_not_answer_or_is_doubted_is_wrong(board: Board, chosen: Chosen) -> None:
    del board.tree.texts["/sys/bus/iio/devices/iio:device0/name"]
    board.buses.buses.clear()
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = "-300000"
    first, second, third = findings(chosen)
    assert (first.state, second.state, third.state) == ("wrong", "wrong", "wrong")
    assert first.sentence.startswith("its value is fault: hwmon lm75 at 1-0048 temp1: it says -300 C")
    assert second.sentence == "there is no iio device bme280" and second.fix.startswith("there are: ads1015")
    assert third.fix == "modprobe i2c-dev"


def test_a_doubted_value_is_shown_with_its_doubt(board: Board, tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text('[sensors.t0]\nhwmon = "lm75"\nhigh = 20\n')
    (row,) = rows(choose(Settings(board=str(tmp_path / "board.toml"))))
    assert (row.answers, row.now, row.level) == (False, "23.5 C", 23.5)
    assert row.said.startswith(
        "its value 23.5 C is suspect: hwmon lm75 at 1-0048 temp1: beyond what its settings expect"
    )


def test_wire_shows_them_below_the_lines(board: Board, chosen: Chosen) -> None:
    shown = text(rows(chosen), Guard(), [], Identity("Raspberry Pi 3"), chosen)
    row = next(line for line in shown if line.startswith("t0 "))
    assert "hwmon lm75 temp1" in row and "23.5 C" in row and row.endswith("answers")
    assert "  hwmon lm75 temp1 <- air in the box; sensor t0" in shown and all(len(line) <= 80 for line in shown)


def test_both_commands_have_them(
    board: Board, chosen: Chosen, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    words = ("--board", str(tmp_path / "board.toml"), "--json")
    assert main(["wire", *words]) == 0
    told: Any = json.loads(capfd.readouterr().out)
    assert next((row["name"], row["kind"], row["now"]) for row in told["rows"]) == ("t0", "sensor", "23.5 C")
    board.value = 24.0
    main(["doctor", *words])
    found = {one["what"]: one for one in json.loads(capfd.readouterr().out)}
    assert found["sensor t1"]["sentence"] == "tmp105 at I2C 1/0x48, 24.0 C"
    assert found["board"]["sentence"] == "this one, 0 outputs and inputs and 3 sensors declared"
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = OSError(121, "")
    assert main(["wire", *words]) == 7


def test_a_card_has_no_overlays_and_another_way(board: Board, tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text('[sensors.t0]\nhwmon = "tmp102"\n')
    (found,) = findings(choose(Settings(board=str(tmp_path / "board.toml"))))
    assert "dtoverlay=i2c-sensor in config.txt" in found.fix and "dtoverlay" not in on_card(found).fix
    assert "part = reads a part without a driver" in on_card(found).fix
