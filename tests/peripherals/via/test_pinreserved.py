"""Which lines the settings reserve: their own outputs, those of the board file, no inputs, no lab lines."""

from __future__ import annotations

import pytest

from edge.faults import ConfigFault
from edge.peripherals.via.pinreserved import Reserved, declared

SETTINGS = """
board = "{board}"
[outputs.pump]
chip = "pinctrl-rp1"
line = "GPIO17"
[outputs.fan]
pwm = {{ chip = "pwmchip0", channel = 2, frequency = 1000 }}
[inputs.door]
line = "GPIO4"
[gpio]
lines = ["GPIO22"]
lab = true
"""
OWN = (Reserved("pump", "pinctrl-rp1", "GPIO17"), Reserved("fan", "pwmchip0", channel=2))


def said(folder, board="sim", text=SETTINGS):
    path = folder / "settings.toml"
    path.write_text(text.format(board=board))
    return {"FIELDHAND_CONFIG": str(path), "HOME": str(folder)}


@pytest.mark.parametrize("board", ["sim", "auto"])
def test_outputs_are_reserved_whatever_the_board_of_the_agent(tmp_path, board) -> None:
    assert declared(said(tmp_path, board)) == OWN


def test_those_of_the_board_file_too(tmp_path) -> None:
    board = tmp_path / "board.toml"
    board.write_text('[outputs.lamp]\nline = "5"\n')
    assert declared(said(tmp_path, str(board))) == (*OWN, Reserved("lamp", "", "5"))


def test_without_settings_nothing_is(tmp_path) -> None:
    assert declared({"HOME": str(tmp_path)}) == ()


def test_settings_that_are_wrong_or_missing_are_a_fault(tmp_path) -> None:
    with pytest.raises(ConfigFault):
        declared(said(tmp_path, text="[outputs.pump]\nmax_on = 'long'\n"))
    with pytest.raises(ConfigFault):
        declared(said(tmp_path, str(tmp_path / "none.toml")))
    with pytest.raises(ConfigFault):
        declared({"FIELDHAND_CONFIG": str(tmp_path / "none.toml")})
