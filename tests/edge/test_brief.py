"""The standing text: what a model is asked for, the same byte for byte."""

from __future__ import annotations

from edge.brief import brief
from edge.call import Root, Scene
from edge.catalogue import Catalogue
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import every
from edge.step import Step, read

SCENE = Scene("/home/pi", "/home/pi", (Root("work", "/home/pi"),), SENSORS, OUTPUTS)


def test_json_mode_asks_for_exactly_one_object_of_three_members() -> None:
    text = brief(SCENE, Catalogue(every()), "json")
    assert "exactly one JSON object and nothing else" in text
    shown = [line for line in text.splitlines() if line.startswith('{"thought": "one line"')]
    assert shown == ['{"thought": "one line", "action": "NAME", "action_input": {...}}']
    final = next(line for line in text.splitlines() if '"final"' in line).partition(": ")[2]
    got = read(final, "json", {})
    assert isinstance(got, Step) and got.final == "the answer" and got.repairs == ()


def test_json_mode_lists_every_tool_with_its_arguments_and_native_mode_leaves_that_to_the_schemas() -> None:
    lines = [line for line in brief(SCENE, Catalogue(every()), "json").splitlines() if line.startswith("- ")]
    assert [line.split()[1] for line in lines] == [*(tool.name for tool in Catalogue(every()).shown), "parallel"]
    switch = next(line for line in lines if line.startswith("- output_set "))
    assert '"state": <boolean>' in switch and '"for_seconds": <number, optional>' in switch
    assert "on|off" not in switch  # the command line's spelling is refused in JSON
    assert "action_input" not in brief(SCENE, Catalogue(every()), "native")


def test_it_names_what_the_board_declares_and_nothing_that_changes() -> None:
    text = brief(SCENE, Catalogue(every()), "native")
    for declared in (*SENSORS, *OUTPUTS):
        assert declared.name in text and declared.label in text
    assert text == brief(SCENE, Catalogue(every()), "native")
    assert "Sensors:" not in brief(Scene("/", ""), Catalogue(()), "native")
