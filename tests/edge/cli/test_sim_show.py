"""`sim show`, `sim set` and `sim reset` of a described world, running and at rest."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from edge.cli.sim import main
from edge.faults import UsageFault
from edge.peripherals.guard.client import Board
from edge.peripherals.guard.owned import Owned
from edge.peripherals.sim import worlds
from tests.support.boards import ROOT

SLOWLY = 1e-3
YARD = worlds.text("yard")


@pytest.fixture
def state(tmp_path):
    return str(tmp_path)


def start(state):
    return Board.start(state, SLOWLY, "run-7", Owned("sim", *worlds.declared(YARD), world=YARD))


def sim(state, *words, world=None):
    out, err = io.StringIO(), io.StringIO()
    assert main(list(words), state, out, err, world) == 0
    return out.getvalue() + err.getvalue()


def test_a_running_yard_is_shown_whole(state):
    board = start(state)
    try:
        board.set("heater", True, 600.0, "c1", 0.4)
        sim(state, "set", "door", "open")
        assert sim(state, "set", "pump", "stuck") == "the relay of pump is stuck, its contact stays open\n"
        shown = sim(state, "show")
        assert shown.startswith(f"simulated board of yard (pid {board.pid}), day 1 09:00:")
        for part in (
            "\n  door           open         ok, 0 s old\n",
            "\n  heater         on 40 %, ",
            " s left (at most 14400 s), held by run-7\n",
            "\n  pump           off (its relay is set to stuck)\n",
            "\ntanks: tank 40 % (200 of 500 l)\n",
            "  heater on 40 %: set (call c1 of tape run-7)\n",
        ):
            assert part in shown
        fields = json.loads(sim(state, "show", "--json"))
        assert (fields["world"], fields["relays"], fields["agents"]) == ("yard", {"pump": "stuck"}, ["run-7"])
    finally:
        board.close()


def test_at_rest_it_is_about_the_world_that_lived_there_last_or_the_one_that_was_told(state):
    start(state).close()
    assert sim(state, "show").startswith("no board is running; the kept state of yard is of day 1 09:00:")
    assert sim(state, "set", "tank_level", "3").startswith("tank_level is 3 %; no board is running")
    assert "tank 3 % (15 of 500 l)" in sim(state, "show")
    assert "a hot afternoon" in sim(state, "reset", world="")
    assert sim(state, "show", world="").startswith("no board is running; the kept state is of day 1 15:00:00")
    assert "tank 3 %" in sim(state, "show", world=YARD)
    assert (
        sim(state, "reset", world=YARD)
        == "the next board of yard starts anew at day 1 09:00:00, with every sensor ok\n"
    )
    board = start(state)
    assert board.sense("tank_level").value == pytest.approx(40.0, abs=0.1)
    board.close()


def test_where_the_yard_never_was_it_is_shown_as_it_will_begin(state):
    shown = sim(state, "show", world=YARD)
    assert shown.startswith(
        "no board is running, and nothing is kept of one: the next of yard starts at day 1 09:00:00"
    )
    assert os.listdir(state) == []


def test_what_cannot_be_set_is_usage(state):
    for words in (("door", "ajar"), ("pump_feedback", "closed"), ("pump", "on"), ("temperature", "jump")):
        with pytest.raises(UsageFault):
            sim(state, "set", *words, world=YARD)


def test_the_board_that_is_told_at_the_command_line_is_the_one(state, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[sim]\nname = "own"\n[tanks.well]\nlevel = 12\n[sensors.well_level]\nof = "well"\n')

    def run(*words):
        command = [sys.executable, "-m", "edge", "--state", state, *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert "door" in run("--board", "sim:yard", "sim", "show").stdout
    assert "12.0 %" in run("--board", str(own), "sim", "show").stdout
    assert "soil_moisture" in run("--board", "sim", "sim", "watch", "--once").stdout
    wrong = run("--board", "sim:farm", "sim", "show")
    assert wrong.returncode == 3 and "greenhouse, yard" in wrong.stderr
    own.write_text('[sim]\nname = "own"\n[tanks.well]\nlevel = 120\n')
    wrong = run("--board", str(own), "sim", "show")
    assert wrong.returncode == 3 and "tanks.well.level goes from 0 to 100" in wrong.stderr


def test_a_real_board_is_watched_and_not_set(state, tmp_path):
    file = tmp_path / "board.toml"
    file.write_text('[outputs.pump]\nline = "GPIO17"\n')
    for words in (("show",), ("set", "door", "open"), ("reset",)):
        command = [sys.executable, "-m", "edge", "--state", state, "--board", str(file), "sim", *words]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert ran.returncode == 2
        assert f"sim {words[0]} is about a simulated board" in ran.stderr and "sim watch" in ran.stderr
