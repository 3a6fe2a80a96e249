"""The picture of `sim watch`, of boards as `show` tells them."""

from __future__ import annotations

import copy

import pytest

from edge.cli.sim_frame import columns, lines, news, span, state_of


def row(**given):
    usual = {"state": False, "level": 0.0, "left": None, "why": "", "max_on": 600.0, "owner": "", "fault": ""}
    return {**usual, "override": "", "since": 0.0, **given}


def sensor(name, value, unit="", **given):
    return {"name": name, "value": value, "unit": unit, "quality": "ok", "age": 0.1, "mode": "ok", **given}


BOARD = {
    **{"kind": "sim", "running": True, "pid": 77, "board": 32400.0, "speed": 60.0, "stopped": "", "notes": []},
    **{"world": "yard", "agents": ["night-run"], "relays": {"pump": "stuck"}},
    "sensors": [
        sensor("temperature", 16.04, "C"),
        sensor("door", 1.0, word="open"),
        sensor("rain", None, "mm/h", quality="fault", mode="nak", error="sensor rain did not acknowledge"),
        sensor("tank_level", 40.0, "%", quality="stale", age=75.0, mode="stale"),
        sensor("brightness", 39119.0, "lux"),
    ],
    "outputs": {
        "pump": row(state=True, level=1.0, left=598.0, why="set", owner="night-run", fault="feedback: it shows off"),
        "heater": row(state=True, level=0.4, left=3700.0, why="set", override="held on by the file override/heater"),
        "valve": row(state=None, level=None, why="drive failed"),
        "fan": row(why="lease ended"),
    },
    "tanks": [{"name": "tank", "level": 40.0, "litres": 200.0, "volume": 500.0}],
    "coming": [{"at": 57600.0, "name": "rain", "word": "drift=2"}],
    "transitions": [
        {"board": 32390.0 + n, "name": "pump", "state": True, "why": "set", "level": 1.0, "owner": "x"}
        for n in range(5)
    ],
}


def text(board=BOARD, width=80, height=0):
    return "\n".join(lines(board, width, height))


def test_it_shows_what_holds_the_board_and_what_is_wrong_with_it():
    shown = text()
    for part in (
        "yard, simulated (pid 77)  day 1 09:00:00  60 x real time",
        "agents: night-run",
        "  pump           on       9:58 left     by night-run [relay stuck]",
        "    ! fault: feedback: it shows off",
        "  heater         on 40 %  1:01:40 left",
        "    ! override: held on by the file override/heater",
        "  valve          unknown                (drive failed)",
        "  fan            off                    (lease ended)",
        "  temperature    16.0 C",
        "  door           open",
        "  rain           no answer [nak]",
        "  tank_level     40.0 % stale 1:15 old [stale]",
        "  brightness     39119 lux",
        "tanks: tank 40 % (200 of 500 l)",
        "next: day 1 16:00:00 rain drift=2",
        "  day 1 08:59:54  pump on: set by x",
    ):
        assert part in shown


@pytest.mark.parametrize(("width", "height"), [(80, 24), (79, 22), (120, 40), (40, 12), (20, 5), (10, 1)])
def test_it_fits_the_terminal(width, height):
    found = lines(BOARD, width, height)
    assert len(found) <= height
    assert all(len(line) <= width for line in found)


def test_a_picture_too_high_says_how_much_is_missing_and_begins_with_the_outputs():
    found = lines(BOARD, 80, 10)
    assert found[3].startswith("  pump")
    assert found[-1].startswith("... ") and found[-1].endswith("lines more: a higher terminal shows them")


def test_the_newest_transitions_are_those_that_stay():
    short = [line for line in lines(BOARD, 80, 21) if ": set by" in line]
    assert 0 < len(short) < 5
    assert short[-1].startswith("  day 1 08:59:54")


def test_more_columns_where_they_fit():
    cells = [f"  cell {number}" for number in range(6)]
    assert [len(columns(cells, width)) for width in (79, 120, 40, 5)] == [3, 2, 6, 6]
    assert columns(cells, 79)[0].split() == ["cell", "0", "cell", "3"]
    assert columns([*cells, "x" * 60], 120) == [*cells, "x" * 60]
    assert columns([], 80) == []


def test_nothing_of_a_board_steers_the_terminal():
    board = copy.deepcopy(BOARD)
    board["agents"] = ["\x1b[2J\x07evil\nrun"]
    board["stopped"] = "smoke\x1b]0;x\x07"
    assert all(line.isprintable() for line in lines(board, 80))


def test_a_stop_comes_before_everything():
    assert lines({**BOARD, "stopped": "everything is stopped (smoke)"}, 80)[1].startswith("STOPPED: everything")


def test_a_guard_of_real_lines_has_no_world():
    real = {name: BOARD[name] for name in ("pid", "board", "speed", "stopped", "notes", "sensors", "outputs")}
    rows = [{**BOARD["transitions"][0], "board": at} for at in (33000.0, 10.0, 32000.0, 32399.0)]
    shown = text({**real, "kind": "lines", "transitions": rows})
    assert shown.startswith("guard of real lines (pid 77)\n")
    assert "day 1" not in shown
    assert [line.partition("  pump")[0] for line in shown.splitlines()[-4:]] == [
        *("  before this boot", "  9 h ago", "  6 min ago", "  1 s ago")
    ]


def test_a_value_alone_is_no_news_and_everything_else_is():
    def changed(change):
        board = copy.deepcopy(BOARD)
        change(board)
        return news(board) != news(BOARD)

    assert not changed(lambda b: b["sensors"][0].update(value=17.0, age=1.0))
    assert not changed(lambda b: b["outputs"]["pump"].update(left=12.0))
    assert not changed(lambda b: b.update(board=40000.0, tanks=[]))
    assert changed(lambda b: b["sensors"][0].update(quality="stale"))
    assert changed(lambda b: b["sensors"][1].update(value=0.0, word="closed"))
    assert changed(lambda b: b["outputs"]["pump"].update(fault=""))
    assert changed(lambda b: b["outputs"]["pump"].update(owner="other"))
    assert changed(lambda b: b["outputs"]["heater"].update(override=""))
    assert changed(lambda b: b.update(stopped="smoke"))
    assert changed(lambda b: b.update(running=False))
    assert changed(lambda b: b.update(agents=[]))


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1:00"), (3599.6, "1:00:00")])
def test_a_span_is_for_people(seconds, said):
    assert span(seconds) == said


def test_states_have_words():
    assert [state_of(*given) for given in ((None, None), (True, 1.0), (True, 0.455), (False, 0.0), (True,))] == [
        *("unknown", "on", "on 46 %", "off", "on")
    ]
