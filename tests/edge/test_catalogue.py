"""Which tools a run has, which of them a model is shown, and how it gets at the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.brief import brief
from edge.call import Effect, Gpio, Observation, Output, Port, Scene
from edge.catalogue import ALWAYS, BOARD, FINDERS, MINIMAL, PORTS, Catalogue, definition, lacking, select
from edge.gate.names import KNOWN, canonical
from edge.record import replace
from edge.registry import TOOLS, every
from edge.tool import Tool
from tests.support.turns import Bench

PAGE = (
    *("shell", "file_read", "file_write", "file_edit", "glob_search", "content_search", "memory_recall"),
    *("memory_store", "memory_forget", "web_fetch", "git_operations"),
)


def made(name: str, about: str = "It does one thing and no other.") -> Tool:
    return Tool(
        name,
        about,
        {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        lambda args, scene: (Effect("read", "memory:tape"),),
        lambda args, hands: Observation(True, f"{name} ran"),
        lambda args, scene: name,
    )


def chosen(*optional: str, sensors: bool = False, outputs: bool = False) -> tuple[str, ...]:
    return select(KNOWN, optional, sensors, outputs)[0]


def test_the_minimal_set_is_the_eleven_of_the_page_under_our_names() -> None:
    assert sorted(MINIMAL) == sorted(canonical(name) for name in PAGE) and len(set(MINIMAL)) == 11
    assert set(chosen()) - set(FINDERS) == set(MINIMAL)


def test_names_are_added_to_the_minimal_set_in_any_dialect() -> None:
    assert set(chosen("calculator", "Cron_List")) - set(chosen()) == {"calculator", "schedule_list"}
    assert chosen("shell", "bash", "fs.read") == chosen()


def test_the_wildcard_is_everything_and_named_entries_add_nothing_to_it_and_no_tool_comes_twice() -> None:
    everything = chosen("*", sensors=True, outputs=True)
    assert everything == KNOWN == chosen("*", "calculator", "calculator", sensors=True, outputs=True)
    assert len(set(everything)) == len(everything)


def test_what_the_board_declares_is_there_whatever_was_selected_and_what_it_does_not_is_not() -> None:
    assert set(chosen(sensors=True)) - set(chosen()) == {"sensor_list", "sensor_read"}
    assert set(chosen(outputs=True)) - set(chosen()) == {"output_list", "output_set"}
    assert not set(BOARD) & set(chosen("*"))
    assert set(select(TOOLS, (), False, False, True)[0]) - set(chosen()) == set(PORTS)


def test_tools_for_what_this_board_has_not_are_told_with_the_reason() -> None:
    plain, lamp = Output("fan", "fan", "relay"), Output("lamp", "lamp", "pwm", pwm=True)
    nothing = lacking(Scene("/", ""))
    assert set(nothing) == {"output_pulse", "output_pwm", "gpio_read", "gpio_watch", "gpio_write", *PORTS}
    assert set(lacking(Scene("/", "", outputs=(plain,)))) == set(nothing) - {"output_pulse"}
    assert "simulated board" in nothing["serial_open"]
    assert "[ports.NAME]" in lacking(Scene("/", "", simulated=False))["serial_open"]
    meter = Port("meter", "meter", "/dev/ttyUSB0")
    lines = Scene("/", "", outputs=(plain, lamp), gpio=Gpio(), ports=(meter,))
    assert set(lacking(lines)) == {"gpio_write"} and "lab = true" in lacking(lines)["gpio_write"]
    assert lacking(replace(lines, gpio=Gpio(lines=("GPIO22",), lab=("GPIO22",)))) == {}
    assert not set(nothing) & {*BOARD, *ALWAYS, *MINIMAL}  # none of them makes the smallest first request larger


def test_an_entry_that_selects_nothing_is_told_with_a_near_name() -> None:
    assert select(TOOLS, ("recal", "*"), True, True)[1] == (
        "tools.optional names 'recal', which this version of Fieldhand does not have; did you mean recall?",
    )
    assert select(TOOLS, ("*",), True, True)[1] == ()


def test_without_deferral_all_is_shown_but_the_finders() -> None:
    catalogue = Catalogue((made("grep"), made("tool_search"), made("bash")))
    assert [tool.name for tool in catalogue.shown] == ["grep", "bash"]
    assert catalogue.waiting == () and not catalogue.waits("tool_search")


def test_deferred_the_six_and_the_board_are_shown_and_the_others_are_listed_by_name() -> None:
    tools = tuple(made(name) for name in (*ALWAYS, "grep", "glob", "sensor_read", *FINDERS))
    catalogue = Catalogue(tools, deferred=True)
    assert [tool.name for tool in catalogue.shown] == [*ALWAYS, "sensor_read", *FINDERS]
    assert catalogue.waiting == ("grep", "glob")
    assert "More tools, to be loaded with tool_search (query select:NAME): grep, glob" in brief(
        Scene("/", ""), catalogue, "native"
    )
    assert set(catalogue.schemas) == {tool.name for tool in tools}  # the registry is whole


def test_loading_shows_a_tool_once_and_tells_what_was_there_and_what_is_unknown() -> None:
    catalogue = Catalogue((made("grep"), made("bash"), *map(made, FINDERS)), deferred=True)
    before = catalogue.shown
    found, already, unknown = catalogue.load(["content_search", "shell", "grp", "grp"])
    assert [tool.name for tool in found] == ["grep", "bash"] and already == ["shell"] and unknown == ["grp"]
    assert catalogue.shown is not before and catalogue.waiting == ()
    after = catalogue.shown
    assert catalogue.load(["grep"])[1] == ["grep"] and catalogue.shown is after


def test_a_policy_without_finders_shows_everything() -> None:
    catalogue = Catalogue((made("grep"), made("bash")), deferred=True)
    assert not catalogue.deferred and [tool.name for tool in catalogue.shown] == ["grep", "bash"]


def test_a_search_ranks_by_how_many_words_fit_and_keeps_the_order_among_equals() -> None:
    catalogue = Catalogue(
        (
            made("grep", "Search files for lines that match a pattern."),
            made("glob", "List files whose names match a pattern."),
            made("log_read", "Read the log of the kernel."),
            *map(made, FINDERS),
        )
    )
    assert catalogue.search("search files") == ["grep", "glob"]
    assert catalogue.search("pattern files match") == ["grep", "glob"]
    assert catalogue.search("kernel log") == ["log_read"] and catalogue.search("tango") == []
    assert catalogue.search("files", 1) == ["grep"]


def test_a_definition_is_name_description_and_parameters() -> None:
    for tool in every():
        told = definition(tool)
        assert set(told) == {"name", "description", "parameters"}
        assert set(told["parameters"]["properties"]) == set(tool.schema["properties"])


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"action": name, "action_input": args}


FINAL = call("final") | {"action_input": "done"}


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue((made("grep"), *(tool for tool in every() if tool.name in ("recall", *FINDERS))), deferred=True)


def test_a_deferred_tool_is_called_from_the_step_after_it_was_loaded(tmp_path: Path, catalogue: Catalogue) -> None:
    replies = [call("grep"), call("tool_search", query="select:grep"), call("grep"), FINAL]
    bench = Bench(tmp_path, [_text(reply) for reply in replies], catalogue=catalogue)
    bench.loop.parts.world.catalogue = catalogue
    assert bench.loop.run("go").code == 0
    (repair,) = [row for row in bench.records() if row["kind"] == "repair"]
    assert "grep is not loaded yet" in repair["sentence"] and "select:grep" in repair["sentence"]
    outcomes = [row for row in bench.records() if row["kind"] == "outcome"]
    assert '"name":"grep"' in outcomes[0]["text"] and outcomes[0]["data"]["loaded"] == ["grep"]
    assert outcomes[1]["text"] == "grep ran"
    bench.loop.parts.world.close()


def test_tool_describe_tells_what_is_unknown_and_what_was_loaded(tmp_path: Path, catalogue: Catalogue) -> None:
    replies = [call("tool.describe", names=["grep", "nope"]), call("tool_describe", names=["grep"]), FINAL]
    bench = Bench(tmp_path, [_text(reply) for reply in replies], catalogue=catalogue)
    bench.loop.parts.world.catalogue = catalogue
    assert bench.loop.run("go").code == 0
    first, second = [row["data"] for row in bench.records() if row["kind"] == "outcome"]
    assert first["unknown"] == ["nope"] and first["already_loaded"] == []
    assert first["tools"][0] == definition(made("grep"))
    assert second["already_loaded"] == ["grep"]
    bench.loop.parts.world.close()


def _text(value: Any) -> str:
    import json

    return json.dumps(value)
