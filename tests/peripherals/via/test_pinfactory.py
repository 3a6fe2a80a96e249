"""gpiozero's own devices over the factory: what they do to wires, and what wires do to them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from edge.call import Output
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line, Stock
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned
from edge.peripherals.via.pinreserved import Reserved
from tests.support.boards import eventually
from tests.support.chips import ChipServer
from tests.support.pins import Bench, FieldhandFactory, gpiozero

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.filterwarnings("ignore::gpiozero.PWMSoftwareFallback")


@pytest.fixture
def bench():
    with Bench() as made:
        yield made


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ChipServer(tmp_path_factory.mktemp("chips")) as made:
        yield made


# --- devices ---


def test_a_led_drives_its_line(bench) -> None:
    with gpiozero.LED(17, pin_factory=bench.factory) as led:
        assert not bench.level(17)
        led.on()
        assert bench.level(17) and led.is_lit
        led.toggle()
        assert not bench.level(17) and not led.is_lit


def test_a_led_that_begins_on_was_never_off_and_one_that_is_active_low_never_low(bench) -> None:
    bench.pull(17, True)
    with (
        gpiozero.LED(17, initial_value=True, pin_factory=bench.factory),
        gpiozero.LED(4, active_high=False, pin_factory=bench.factory),
    ):
        assert bench.changes(17) == [False, True]  # before the test, and since the pull
        assert bench.changes(4) == [True]  # by the pull of the board first
        assert bench.calls(17) == bench.calls(4) == ["GET_LINE"]


def test_a_led_without_an_initial_value_keeps_what_somebody_left_on() -> None:
    with Bench(release="keep") as bench:
        gpiozero.LED(17, initial_value=True, pin_factory=bench.factory).close()
        assert bench.level(17)
        before = bench.changes(17)
        with gpiozero.LED(17, initial_value=None, pin_factory=bench.factory) as led:
            assert led.is_lit
        assert bench.changes(17) == before and bench.level(17)


def test_close_drives_nothing_and_what_then_is_the_kernels() -> None:
    for release, after in (("keep", True), ("input", False)):
        with Bench(release=release) as bench:
            led = gpiozero.LED(17, initial_value=True, pin_factory=bench.factory)
            led.close()
            assert bench.calls(17) == ["GET_LINE"]
            assert bench.level(17) is after
            assert bench.model.holders().get((bench.chip, 17)) is None


def test_a_closed_device_gives_its_pin_to_the_next_one(bench) -> None:
    gpiozero.LED(17, pin_factory=bench.factory).close()
    with gpiozero.Button(17, pin_factory=bench.factory) as button:
        assert button.pull_up and not button.is_pressed
    with gpiozero.LED(17, pin_factory=bench.factory) as led:
        led.on()
        assert bench.level(17)


def test_a_button_is_pulled_and_heard_on_one_request(bench) -> None:
    with gpiozero.Button(17, bounce_time=0.002, pin_factory=bench.factory) as button:
        assert bench.calls(17)[0] == "GET_LINE" and bench.calls(17).count("GET_LINE") == 1
        asked = bench.asked(17)
        assert asked.what == "SET_CONFIG" and asked.debounce == 0.002
        assert bench.level(17)
        heard = []
        button.when_pressed = lambda: heard.append("pressed")
        button.when_released = lambda: heard.append("released")
        bench.pull(17, False)
        eventually(lambda: heard == ["pressed"])
        assert button.is_pressed
        bench.pull(17, None)
        eventually(lambda: heard == ["pressed", "released"])


def test_a_press_is_waited_for_and_its_time_is_the_kernels(bench) -> None:
    with gpiozero.Button(17, pull_up=False, pin_factory=bench.factory) as button:
        before = bench.factory.ticks()
        threading.Timer(0.05, bench.pull, (17, True)).start()
        assert button.wait_for_press(30)
        assert bench.factory.ticks_diff(bench.factory.ticks(), before) >= 0.04
        assert 0 <= button.active_time <= bench.factory.ticks_diff(bench.factory.ticks(), before)


def test_a_floating_input_is_told_so_to_the_kernel(bench) -> None:
    from edge.peripherals.gpiochip import uapi

    with gpiozero.InputDevice(17, pull_up=None, active_state=True, pin_factory=bench.factory):
        assert bench.asked(17).flags & uapi.BIAS_OFF


def test_motion_and_a_buzzer_and_lights_work(bench) -> None:
    with gpiozero.MotionSensor(5, queue_len=1, pin_factory=bench.factory) as motion:
        bench.pull(5, True)
        assert motion.wait_for_motion(30)
    with gpiozero.Buzzer(6, pin_factory=bench.factory) as buzzer:
        buzzer.on()
        assert bench.level(6)
    with gpiozero.TrafficLights(13, 19, 26, pin_factory=bench.factory) as lights:
        lights.amber.on()
        assert [bench.level(line) for line in (13, 19, 26)] == [False, True, False]


def test_an_encoder_counts(bench) -> None:
    with gpiozero.RotaryEncoder(5, 6, pin_factory=bench.factory) as encoder:
        for line, level in ((5, False), (6, False), (5, None), (6, None)):
            bench.pull(line, level)
            time.sleep(0.01)  # so that the two lines' edges are told in the order of their making
        eventually(lambda: encoder.steps in (1, -1))


def test_a_distance_is_that_of_the_echo(bench) -> None:
    def answer(chip, line, level, _ns):
        if (chip, line, level) == (bench.chip, 23, False):
            bench.pull(24, True)
            time.sleep(0.002)
            bench.pull(24, False)

    with gpiozero.DistanceSensor(24, 23, queue_len=1, max_distance=4, pin_factory=bench.factory) as sensor:
        bench.model.listen(answer)

        def near():
            return any(abs(sensor.distance - pulse * 343.26 / 2) < 0.02 for pulse in bench.pulses(24))

        eventually(near)
        assert sensor.distance >= 0.3


def test_a_servo_is_never_told_less_than_its_pulse(bench) -> None:
    with gpiozero.Servo(12, initial_value=0, pin_factory=bench.factory) as servo:
        eventually(lambda: any(pulse < 0.0025 for pulse in bench.pulses(12)) and len(bench.pulses(12)) > 5)
        assert min(bench.pulses(12)) >= 0.0015
        assert servo.value == 0
        servo.detach()
        assert servo.value is None and not bench.level(12)
        seen = len(bench.changes(12))
        servo.max()
        eventually(lambda: len(bench.changes(12)) > seen + 4)
        assert servo.value == 1


def test_a_pwm_led_fades_and_is_dark_when_it_is_closed(bench) -> None:
    with gpiozero.PWMLED(12, pin_factory=bench.factory) as led:
        assert led.value == 0 and bench.changes(12) == [False]
        led.value = 0.5
        eventually(lambda: len(bench.pulses(12)) > 4)
        assert min(bench.pulses(12)) >= 0.005
        led.on()
        assert bench.level(12) and led.value == 1
        led.value = 0.1
    assert not bench.level(12)


def test_pulses_by_software_are_refused_above_200_hz_and_warned_of_once(bench) -> None:

    with pytest.raises(gpiozero.PinPWMUnsupported, match="at most 200 Hz"):
        gpiozero.PWMLED(12, frequency=201, pin_factory=bench.factory)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for pin in (5, 6):
            gpiozero.PWMLED(pin, frequency=200, pin_factory=bench.factory).close()
        with pytest.raises(gpiozero.PinPWMUnsupported, match="PWM channel"):
            gpiozero.TonalBuzzer(13, pin_factory=bench.factory).play("A4")
    assert [one.category for one in said] == [gpiozero.PWMSoftwareFallback] and "jitter" in str(said[0].message)


def test_bytes_go_round_by_software_spi(bench, monkeypatch) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", bench.factory)  # its software bus asks for the default

    def loop(chip, line, level, _ns):
        if (chip, line) == (bench.chip, 20):
            bench.pull(19, level)

    bench.model.listen(loop)
    with bench.factory.spi(clock_pin=21, mosi_pin=20, miso_pin=19, select_pin=16) as spi:
        assert spi.transfer([0x5A, 0x01, 0xFF]) == [0x5A, 0x01, 0xFF]


# --- a model that is another process ---


def test_devices_work_over_a_model_in_another_process(server) -> None:
    outside = server.outside()
    factory = FieldhandFactory(server.chips, reserved=(), root="/nowhere")
    with gpiozero.LED(17, pin_factory=factory) as led, gpiozero.Button(27, pin_factory=factory) as button:
        pressed = threading.Event()
        button.when_pressed = pressed.set
        led.on()
        assert outside.level(factory.chip.path, 17)
        outside.pull(factory.chip.path, 27, False)
        assert pressed.wait(30)
        with gpiozero.PWMLED(12, pin_factory=factory) as dim:
            dim.value = 0.3
            eventually(lambda: len(outside.changes(factory.chip.path, 12)) > 4)
    factory.close()
    eventually(lambda: not any(held.startswith("gpiozero") for held in outside.holders().values()))


def test_two_programs_cannot_have_one_line(server) -> None:
    first, second = (FieldhandFactory(server.chips, reserved=(), root="/nowhere") for _ in range(2))
    with (
        gpiozero.LED(22, pin_factory=first),
        pytest.raises(gpiozero.GPIOPinInUse, match=f'held by "gpiozero {os.getpid()}"'),
    ):
        gpiozero.LED(22, pin_factory=second)
    gpiozero.LED(22, pin_factory=second).close()
    first.close()
    second.close()


def test_gpiozero_finds_the_factory_by_its_entry_point(server, tmp_path) -> None:
    said = (ROOT / "pyproject.toml").read_text("utf-8").partition("[project.entry-points.gpiozero_pin_factories]")[2]
    name, where = re.search(r'^(\w+) = "([\w.:]+)"$', said, re.MULTILINE).groups()
    info = tmp_path / "fieldhand-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fieldhand\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[gpiozero_pin_factories]\n{name} = {where}\n")
    program = "from gpiozero import *\nled = LED('J8:37')\nled.on()\nprint(type(led.pin_factory).__name__)\n"
    told = {"GPIOZERO_PIN_FACTORY": "fieldhand", "FIELDHAND_CHIPS": server.chips, "HOME": str(tmp_path)}
    paths = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": paths, **told},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("FieldhandFactory\n", "", 0)
    assert server.outside().level("gpiochip0", 26)  # a Raspberry Pi's kernel goes on driving


# --- pins and chips ---


def test_two_devices_cannot_have_one_pin(bench) -> None:
    with gpiozero.LED(17, pin_factory=bench.factory) as led:
        for name in (17, "17", "GPIO17", "BCM17", "BOARD11", "J8:11"):
            with pytest.raises(gpiozero.GPIOPinInUse, match="GPIO17 is already in use"):
                gpiozero.LED(name, pin_factory=bench.factory)
        led.on()
        assert bench.level(17)


@pytest.mark.parametrize("name", [28, "GPIO99", "J8:41", "SDA", -1])
def test_what_is_no_pin_is_told_with_what_is(bench, name) -> None:
    with pytest.raises(gpiozero.PinInvalidPin, match=r"no pin of this board .* GPIO0 to GPIO27"):
        gpiozero.LED(name, pin_factory=bench.factory)


def test_a_pin_that_is_power_is_no_gpio(bench) -> None:
    with pytest.raises(gpiozero.PinInvalidPin, match="J8:2 is 5V"):
        gpiozero.LED("J8:2", pin_factory=bench.factory)


@pytest.mark.parametrize(("board", "pin", "line"), [("pi-zero", 17, 17), ("pi5", 17, 17), ("pi3-mainline", 2, 2)])
def test_the_headers_chip_is_found_on_every_raspberry_pi(board, pin, line) -> None:
    with Bench(board) as bench, gpiozero.LED(pin, pin_factory=bench.factory) as led:
        led.on()
        assert bench.level(line)


def test_a_board_that_is_no_raspberry_pi_has_its_lines() -> None:
    with (
        Bench("generic") as bench,
        gpiozero.LED(3, pin_factory=bench.factory) as led,
        gpiozero.Button("GPIO7", pin_factory=bench.factory),
    ):
        led.on()
        assert bench.level(3) and bench.factory.board_info.model


def test_a_board_with_many_chips_wants_the_label(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("FIELDHAND_CONFIG", raising=False)
    chips = tuple([Stock(f"gpiochip{at}", label, (Line(f"P{label}1"),)) for at, label in enumerate("AB")])
    with pytest.raises(gpiozero.BadPinFactory, match="which GPIO chip"):
        FieldhandFactory(Model(chips), reserved=())
    factory = FieldhandFactory(Model(chips), chip="B", reserved=())
    with gpiozero.LED("PB1", pin_factory=factory) as led:
        led.on()
    factory.close()
    settings = tmp_path / "settings.toml"
    settings.write_text('[gpio]\nchip = "A"\n')
    monkeypatch.setenv("FIELDHAND_CONFIG", str(settings))
    factory = FieldhandFactory(Model(chips))
    assert factory.chip.label == "A"
    factory.close()
    with pytest.raises(gpiozero.BadPinFactory, match="no GPIO chip"):
        FieldhandFactory(Model(()), reserved=())
    with pytest.raises(gpiozero.BadPinFactory, match="model:SOCKET"):
        FieldhandFactory("elsewhere", reserved=())


def test_a_chip_without_interrupts_says_so_and_its_levels_can_be_read() -> None:
    chip = Stock("gpiochip0", "expander", (Line("P0"), Line("P1")), interrupts=False)
    factory = FieldhandFactory(Model((chip,)), reserved=(), root="/nowhere")
    with pytest.raises(gpiozero.PinEdgeDetectUnsupported, match="has no edges: its chip has no interrupts"):
        gpiozero.Button("P0", pin_factory=factory)
    with gpiozero.InputDevice("P0", pin_factory=factory) as device:
        assert device.value == 0
    factory.close()


# --- the guard's lines ---


def test_a_line_that_the_guard_holds_says_how_it_is_switched(bench) -> None:
    held = bench.factory.chip.request(17, Settings("output", value=True), "fieldhand:pump")
    with pytest.raises(gpiozero.GPIOPinInUse, match=r'held by "fieldhand:pump".*fieldhand tool output_set name=pump'):
        gpiozero.LED(17, pin_factory=bench.factory)
    assert bench.level(17)
    held.close()


def test_what_a_guards_plant_holds_in_another_process_is_left_alone(server) -> None:
    owned = Owned("lines", (Output("lamp", "lamp", "GPIO6"),), lines=(GpioLine("lamp", "", "GPIO6"),))
    plant, outside = LinesPlant(owned, server.remote()), server.outside()
    plant.drive("lamp", 1.0, 0.0)
    factory = FieldhandFactory(server.chips, reserved=(), root="/nowhere")
    with pytest.raises(gpiozero.GPIOPinInUse, match=r"GPIO6 .*output_set name=lamp state=true"):
        gpiozero.LED(6, pin_factory=factory)
    with gpiozero.LED(5, pin_factory=factory) as led:
        led.on()
    factory.close()
    assert plant.level("lamp", 0.0) == 1.0 and outside.level("gpiochip0", 6)
    plant.close()
    assert not outside.level("gpiochip0", 6)


def test_a_line_that_another_holds_names_the_holder(bench) -> None:
    held = bench.factory.chip.request(4, Settings("input"), "w1")
    with pytest.raises(gpiozero.GPIOPinInUse, match=r'GPIO4 .*held by "w1".*1-wire'):
        gpiozero.Button(4, pin_factory=bench.factory)
    held.close()


@pytest.mark.parametrize("line", ["GPIO17", "17"])
def test_a_declared_output_is_refused_when_no_guard_runs(line) -> None:
    with Bench(reserved=(Reserved("pump", "", line),)) as bench:
        with pytest.raises(gpiozero.GPIOPinInUse, match=r"GPIO17 is the output pump .*output_set name=pump"):
            gpiozero.LED(17, pin_factory=bench.factory)
        assert bench.calls(17) == []
        with gpiozero.LED(18, pin_factory=bench.factory) as led:
            led.on()


def test_a_declared_output_of_another_chip_is_not_this_one() -> None:
    reserved = (Reserved("pump", "pinctrl-rp1", "17"), Reserved("fan", "", "NO_SUCH_LINE"))
    with Bench(reserved=reserved) as bench:
        gpiozero.LED(17, pin_factory=bench.factory).close()


def test_the_settings_say_what_is_reserved_and_reserve_all_when_they_are_wrong(tmp_path, monkeypatch) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[outputs.pump]\nline = "GPIO17"\nmax_on = 60\n')
    monkeypatch.setenv("FIELDHAND_CONFIG", str(settings))
    with Bench(reserved=None) as bench:
        with pytest.raises(gpiozero.GPIOPinInUse, match="the output pump"):
            gpiozero.LED(17, pin_factory=bench.factory)
        gpiozero.LED(18, pin_factory=bench.factory).close()
    settings.write_text("[outputs.pump]\nlime = 1\n")
    with (
        Bench(reserved=None) as bench,
        pytest.raises(gpiozero.BadPinFactory, match=r"none is given.*settings.toml"),
    ):
        gpiozero.LED(18, pin_factory=bench.factory)


def test_a_contact_of_the_guards_is_told_to_be_read_and_its_name_does_nothing_to_a_terminal() -> None:
    with Bench("pi3") as bench:
        chip = Chip(bench.model, bench.model.chips()[0])
        for offset, consumer in ((27, "fieldhand:door"), (22, "fieldhand:\x1b[2J")):
            chip.request(offset, Settings("input"), consumer)
            with pytest.raises(gpiozero.GPIOPinInUse) as caught:
                gpiozero.Button(offset, pin_factory=bench.factory)
            assert "gpio_read line=" in str(caught.value) and "\x1b" not in str(caught.value)
        chip.request(23, Settings("input"), "fieldhand-look")
        with pytest.raises(gpiozero.GPIOPinInUse) as caught:
            gpiozero.Button(23, pin_factory=bench.factory)
        assert 'held by "fieldhand-look"' in str(caught.value) and "guard (" not in str(caught.value)
        chip.close()
