"""Which line is meant, which may be looked at or driven, and what the gate says of it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from edge.call import Call, Effect, Gpio, Output, Scene, Sensor
from edge.faults import UsageFault
from edge.gate.decide import decide
from edge.gate.lines import FREE, PINS, called, meant, pin, readable, resolve, shown
from edge.gate.policy import PRESETS, Policy, State
from edge.peripherals.boards import header

BARE = Scene("/", "", gpio=Gpio())
PUMP = Output("pump", "irrigation pump", "GPIO17, physical pin 11")
DOOR = Sensor("door", "door", "", "gpio27", (), ("closed", "open"))
FAR = Output("far", "far relay", "GPIO23 of mcp23017")
NEAR = Output("near", "near relay", "GPIO25 of pinctrl-rp1")
NAMED = Gpio(chip="pinctrl-rp1", lines=("GPIO2", "ACT_LED", "GPIO22"), lab=("GPIO22",))
BOARD = Scene("/", "", (), (DOOR,), (PUMP, FAR, NEAR, Output("GPIO22", "lab", "GPIO22", "high")), gpio=NAMED)


def test_the_pins_are_those_of_the_header() -> None:
    known = {one.bcm: one.number for one in header.pins() if one.bcm >= 0}
    assert dict(enumerate(PINS)) == known and len(PINS) == 28
    assert all(pin(f"GPIO{number}") == known[number] for number in known)
    assert pin("GPIO28") == pin("ACT_LED") == pin("GPIO") == pin("GPIO-1") == pin("GPIO\u0661") == 0


@pytest.mark.parametrize(
    "text",
    [
        *("GPIO17", "gpio17", " 17 ", "BCM17", "bcm 17", "pin 11", "PIN11", "board11", "J8:11", "GPIO017"),
        *("physical pin 11", "P1-11", "line 17"),
    ],
)
def test_a_line_is_called_in_many_ways(text: str) -> None:
    assert meant(text, BARE) == "GPIO17"


@pytest.mark.parametrize("text", ["273", "GPIO273", "58", "GPIO99999999999999999999", "-1", "-17", "256", "9" * 60])
def test_a_number_out_of_range_is_a_fault_and_never_another_line(text: str) -> None:
    with pytest.raises(UsageFault, match="there is no line GPIO"):
        meant(text, BARE)


@pytest.mark.parametrize("text", ["pin 1", "pin 6", "pin 41", "pin 0", "board 999999", "", "a\nb", "x" * 40])
def test_what_is_no_line_is_a_fault(text: str) -> None:
    with pytest.raises(UsageFault):
        meant(text, BARE)


def test_random_texts_give_a_line_or_a_fault() -> None:
    chance, found = random.Random(11), 0
    for _ in range(3000):
        text = "".join(chance.choice("GPIO pin1279:-.\u0661\u00b2x") for _ in range(chance.randrange(1, 9)))
        try:
            name = meant(text, BARE)
        except UsageFault:
            continue
        found += 1
        if name.startswith("GPIO") and name[4:].isascii() and name[4:].isdigit():
            assert 0 <= int(name[4:]) <= 57
    print(f"{found} of 3000 texts are a name")
    assert found > 100


def test_named_lines_are_taken_as_the_settings_have_them() -> None:
    assert meant("act_led", BOARD) == "ACT_LED" and meant("ACT_LED", BARE) == "ACT_LED"
    assert meant("3", Scene("/", "", gpio=Gpio(lines=("3",)))) == "3"


def test_free_are_the_header_lines_that_no_bus_console_or_board_needs() -> None:
    free = {number for number in range(60) if readable(f"GPIO{number}", Gpio())}
    assert free == set(range(4, 28)) - {14, 15} and {f"GPIO{number}" for number in free} == FREE
    assert readable("GPIO2", NAMED) and readable("ACT_LED", NAMED) and not readable("GPIO3", NAMED)
    assert not readable("ACT_LED", Gpio()) and not readable("", Gpio())


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("pump", ("output", "pump")),
        ("GPIO17", ("output", "pump")),
        ("17", ("output", "pump")),
        ("pin 11", ("output", "pump")),
        ("door", ("sensor", "door")),
        ("27", ("sensor", "door")),
        ("far", ("output", "far")),
        ("GPIO23", ("line", "GPIO23")),
        ("GPIO25", ("output", "near")),
        ("22", ("line", "GPIO22")),
        ("GPIO1", ("line", "GPIO1")),
        ("nobody", ("line", "nobody")),
    ],
)
def test_a_line_that_is_wired_is_called_by_what_it_is_wired_to(text: str, what: tuple[str, str]) -> None:
    assert resolve(text, BOARD) == what


def test_where_something_is_stands_with_its_physical_pin() -> None:
    assert shown("GPIO17", BARE) == shown("GPIO17, physical pin 11", BARE) == "GPIO17, physical pin 11"
    assert shown("GPIO17 of pinctrl-rp1", BARE) == "GPIO17 of pinctrl-rp1, physical pin 11"
    for where in ("line 3 of mcp23017", "GPIO17 of mcp23017", "sim relay 1", "channel 0 of pwmchip0"):
        assert shown(where, BARE) == where
    assert called("GPIO22", BOARD) == "GPIO22 (physical pin 15)" and called("ACT_LED", BOARD) == "ACT_LED"


def test_on_another_header_no_pin_is_told_and_none_is_understood() -> None:
    other = Scene("/", "", gpio=Gpio(chip="gpio-meson"))
    assert shown("GPIO17", other) == "GPIO17" == called("GPIO17", other) == meant("gpio17", other)
    assert shown("GPIO17 of pinctrl-bcm2711", other).endswith("physical pin 11")
    with pytest.raises(UsageFault, match="header of this board is not known"):
        meant("pin 11", other)


def test_pins_are_those_of_the_header_that_the_board_has() -> None:
    short, first, none = (Scene("/", "", gpio=Gpio(header=one)) for one in (header.SHORT, header.FIRST, ""))
    for scene, kind in ((short, header.SHORT), (first, header.FIRST), (BARE, header.FULL)):
        known = {one.number: one.bcm for one in header.pins(kind)}
        for number in range(1, 41):
            if known.get(number, -1) < 0:
                with pytest.raises(UsageFault, match="power or ground" if number in known else "there is no pin"):
                    meant(f"pin {number}", scene)
            else:
                line = meant(f"pin {number}", scene)
                assert line == f"GPIO{known[number]}" and called(line, scene) == f"{line} (physical pin {number})"
    assert called("GPIO27", first) == "GPIO27" == called("GPIO27", none) == shown("GPIO27", none)
    assert shown("GPIO17 of pinctrl-rp1", none) == "GPIO17 of pinctrl-rp1"
    with pytest.raises(UsageFault, match="not known"):
        meant("pin 11", none)


def test_at_a_header_an_offset_and_a_name_are_one_line() -> None:
    fan, far = Output("fan", "fan", "line 24"), Output("far", "far", "line 5 of pinctrl-rp1")
    gpio = Gpio(lines=("22",), lab=("22",))
    board = Scene("/", "", (), (), (fan, far, Output("22", "lab", "22", "high")), gpio=gpio)
    for text in ("24", "GPIO24", "pin 18", "line 24"):
        assert resolve(text, board) == ("output", "fan"), text
    assert resolve("GPIO5", board) == ("output", "far")
    for text in ("22", "GPIO22", "pin 15"):
        assert resolve(text, board) == ("line", "22"), text
    assert called("22", board) == "22 (physical pin 15)" and shown("line 24", board) == "line 24, physical pin 18"
    other = Scene("/", "", (), (), (fan, far), gpio=Gpio(header=""))
    assert resolve("24", other) == resolve("line 024", other) == ("output", "fan")
    assert (meant("7", other), meant("273", other), resolve("5", other)) == ("7", "273", ("line", "5"))
    for text in ("-1", "999999", "GPIO273"):
        with pytest.raises(UsageFault, match="there is no line"):
            meant(text, other)
    assert resolve("GPIO5", other) == ("line", "GPIO5") and resolve("GPIO24", other) == ("line", "GPIO24")


def verdicts(verb: str, on: str, scene: Scene = BOARD, **policy: Any) -> list[str]:
    call = Call("any", {}, "c1")
    return [
        decide(call, (Effect(verb, on),), Policy(preset, **policy), State(durable=True), scene).verdict
        for preset in PRESETS
    ]


def test_looking_is_low_where_it_is_allowed_and_denied_everywhere_else() -> None:
    assert verdicts("sense", "line:GPIO24") == ["allow"] * 4 == verdicts("sense", "line:GPIO2")
    for name in ("GPIO0", "GPIO1", "GPIO3", "GPIO14", "GPIO15", "GPIO28", "GPIO46", "SD_CLK_R", ""):
        assert verdicts("sense", f"line:{name}") == ["deny"] * 4, name
    assert verdicts("sense", "line:GPIO24", Scene("/", "")) == ["deny"] * 4


def test_driving_is_high_in_a_lab_and_denied_everywhere_else() -> None:
    assert verdicts("actuate", "line:GPIO22") == ["deny", "deny", "ask", "allow"]
    assert verdicts("actuate", "line:GPIO22", ask_for=("high",)) == ["deny", "ask", "ask", "allow"]
    for name in ("GPIO2", "ACT_LED", "GPIO24", "GPIO17"):
        assert verdicts("actuate", f"line:{name}") == ["deny"] * 4, name
    assert verdicts("actuate", "line:GPIO22", BARE) == ["deny"] * 4 == verdicts("actuate", "line:X", Scene("/", ""))
    for verb in ("read", "write", "list"):
        assert verdicts(verb, "line:GPIO22") == ["deny"] * 4


def test_the_permit_holds_the_line_to_look_at_and_the_output_to_drive() -> None:
    call, full = Call("any", {}, "c1"), Policy("full")
    seen = decide(call, (Effect("sense", "line:GPIO24"),), full, State(durable=True), BOARD)
    drive = decide(call, (Effect("actuate", "line:GPIO22", detail="high"),), full, State(durable=True), BOARD)
    assert seen.permit is not None and drive.permit is not None
    (look,), (lab,) = seen.permit.grants, drive.permit.grants
    assert (look.verb, look.root, look.path) == ("sense", "line", "GPIO24")
    assert (lab.verb, lab.root, lab.path) == ("actuate", "output", "GPIO22")
    assert drive.sentence == "drives the line GPIO22 (physical pin 15) high" and drive.risk == "high"
    assert (
        decide(call, (Effect("actuate", "line:GPIO22"),), full, State(durable=False, simulated=False), BOARD).rule
        == "tape.none"
    )
