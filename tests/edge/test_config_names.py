"""Names that tables of a board use of each other: one thing each, of the right kind; each slip with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.config import load
from edge.faults import ConfigFault

PUMP = '[outputs.pump]\nline = "GPIO17"\n'
DOOR = '[inputs.door]\nline = "GPIO22"\n'
T0 = '[sensors.t0]\nhwmon = "lm75"\n'
NO_CONTACT = "t0 is a sensor of [sensors], and the guard judges contacts only"


@pytest.mark.parametrize(
    ("said", "line", "sentence", "fix"),
    [
        (f'{PUMP}feedback = "runs"\n', 3, "outputs.pump.feedback names no input: 'runs'", "[inputs.NAME]"),
        (f'{PUMP}override = "pump"\n{DOOR}', 3, "outputs.pump.override names no input", "the inputs are: door"),
        (f'{PUMP}interlock = "tank > 10"\n', 3, "tank", ""),
        (f'{PUMP}interlock = "pump >"\n', 3, "outputs.pump.interlock: ", ""),
        (f'{PUMP}interlock = ["not t0 > 30"]\n{T0}', 3, f"outputs.pump.interlock: {NO_CONTACT}", "[inputs.NAME]"),
        (f'{PUMP}interlock = "door and t0<5"\n{DOOR}{T0}', 3, f"outputs.pump.interlock: {NO_CONTACT}", "[inputs.NAME]"),
        (f'{PUMP}feedback = "t0"\n{T0}', 3, f"outputs.pump.feedback: {NO_CONTACT}", "[inputs.NAME]"),
        (f'{PUMP}override = "t0"\n{T0}', 3, f"outputs.pump.override: {NO_CONTACT}", "[inputs.NAME]"),
        (f"{PUMP}{DOOR.replace('door', 'pump')}", 3, "pump is the name of two things", "rename"),
        (f"{DOOR}{T0.replace('t0', 'door')}", 3, "door is the name of two things", "rename"),
        (f"{PUMP}{T0.replace('t0', 'pump')}", 3, "pump is the name of two things", "rename"),
    ],
)
def test_a_name_that_is_used_wrongly_is_told_with_its_line(
    said: str, line: int, sentence: str, fix: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(said)
    with pytest.raises(ConfigFault) as caught:
        load(str(path))
    assert sentence in caught.value.sentence and fix in caught.value.fix
    assert caught.value.where == f"{path}:{line}"


def test_names_that_fit_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'{PUMP}feedback = "door"\ninterlock = "not door"\n{DOOR}states = ["closed", "open"]\n{T0}')
    found = load(str(path)).declared
    assert found is not None and (found.owned.outputs[0].feedback, found.sensors[0].name) == ("door", "t0")
