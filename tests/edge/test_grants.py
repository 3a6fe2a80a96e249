"""The grants of a run: the first that fits answers, uses are counted, a grant ends."""

from __future__ import annotations

import pytest

from edge.call import Call, Effect, Gpio, Output, Root, Scene
from edge.cli.args import Options
from edge.cli.settle import grants
from edge.faults import UsageFault
from edge.gate.grants import parse
from edge.grants import Grants
from edge.record import replace

SCENE = Scene("/w", "/home/pi", (Root("work", "/w"),), (), (Output("fan", "fan", "relay"),))
CALL = Call("file_write", {"path": "a"})
WRITE = (Effect("write", "file:a"),)


def given(*texts: str, started: float = 100.0, of_day: float = 0.0) -> Grants:
    return Grants(tuple([parse(text) for text in texts]), SCENE, started, of_day)


def test_the_first_that_fits_answers_by_its_text_and_is_counted() -> None:
    held = given("output_set fan", "file_write a x2", "file_write *")
    said = [held.take(CALL, WRITE, 100.0) for _ in range(4)]
    assert said == ["grant 2: file_write a x2"] * 2 + ["grant 3: file_write *"] * 2
    assert held.take(Call("file_write", {}), (Effect("write", "file:x/y"),), 100.0) == ""


def test_looking_does_not_count() -> None:
    held = given("file_write a x1")
    assert [held.fits(CALL, WRITE, 100.0) for _ in range(3)] == ["grant 1: file_write a x1"] * 3
    assert held.take(CALL, WRITE, 100.0) and not held.take(CALL, WRITE, 100.0) and not held.fits(CALL, WRITE, 100.0)


def test_a_grant_ends_after_its_time_or_at_its_hour() -> None:
    held = given("file_write a for 10m")
    assert held.fits(CALL, WRITE, 699.0) and not held.fits(CALL, WRITE, 700.0)
    held = given("file_write a until 18:00", of_day=17.5 * 3600)
    assert held.fits(CALL, WRITE, 100.0 + 1799) and not held.fits(CALL, WRITE, 100.0 + 1800)


def test_an_hour_that_has_passed_is_that_of_tomorrow() -> None:
    held = given("file_write a until 06:00", of_day=22 * 3600.0)
    assert held.fits(CALL, WRITE, 100.0 + 8 * 3600 - 1) and not held.fits(CALL, WRITE, 100.0 + 8 * 3600)
    held = given("file_write a until 06:00", of_day=6 * 3600.0)
    assert held.fits(CALL, WRITE, 100.0 + 86_399) and not held.fits(CALL, WRITE, 100.0 + 86_400)


def test_without_grants_nothing_fits() -> None:
    assert given().take(CALL, WRITE, 100.0) == ""


def test_options_make_the_grants_of_a_run() -> None:
    import time

    held = grants(Options(grants=("file_write a x1", "output_set fan <=10m")), SCENE)
    assert held.take(CALL, WRITE, time.monotonic()) == "grant 1: file_write a x1"


def test_a_grant_for_an_output_that_is_not_there_is_a_fault_at_once() -> None:
    board = Scene("/w", "/home/pi", SCENE.roots, (), (Output("pump", "pump", "relay"), Output("fan", "fan", "relay")))
    Grants((parse("output_set fan on <=10m"),), board)
    with pytest.raises(UsageFault, match="the output 'fam', which this board has not") as caught:
        Grants((parse("output_set fan"), parse("output_set fam")), board)
    assert caught.value.fix == "outputs here: pump, fan"
    with pytest.raises(UsageFault, match="the output 'fam'"):
        Grants((parse("output_pulse fam"),), board)


def test_a_grant_for_a_line_that_is_no_lab_line_is_a_fault_at_once() -> None:
    lab = replace(SCENE, gpio=Gpio(lines=("GPIO22",), lab=("GPIO22",)))
    Grants((parse("gpio_write GPIO22 <=5"),), lab)
    for text, scene in (("gpio_write 22", lab), ("gpio_write GPIO22", SCENE)):
        with pytest.raises(UsageFault, match="no lab line") as caught:
            Grants((parse(text),), scene)
        assert caught.value.fix.startswith("lab lines here: ")
