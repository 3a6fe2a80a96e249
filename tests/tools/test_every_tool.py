"""What holds for every tool there is: its schema, its arguments, its size before a model, its examples."""

from __future__ import annotations

import json
import random
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from edge.brief import brief
from edge.call import Call, Scene
from edge.catalogue import ALWAYS, BOARD, FINDERS, MINIMAL, PORTS, Catalogue, definition, lacking
from edge.cli.args import Options
from edge.cli.policy import main as policy
from edge.cli.spelling import parse
from edge.dialects import meant
from edge.faults import StepFault, UsageFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands.needs import missing
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.record import replace
from edge.registry import TOOLS, every, find
from edge.schema import fit, form, wire
from edge.step import read
from edge.tool import Tool
from tests.support.any_call import (
    DEAR,
    WRONG,
    arguments,
    closed_port,
    example,
    fitting,
    kind_of,
    outcome,
    place,
    rounds,
    seed,
)
from tests.support.lined import with_lines

Checker = jsonschema.Draft7Validator
TYPES = ("string", "integer", "number", "boolean", "array", "object")
COMPACT = (",", ":")
ONE, SMALLEST, FIRST, ALL = 450, 3600, 4000, 12_000  # bytes

named = pytest.mark.parametrize("name", list(TOOLS))


def places(tool: Tool) -> list[tuple[str, Any]]:
    """Every argument of a tool with its rule."""
    return list(tool.schema["properties"].items())


# --- the schema ---


@named
def test_a_schema_is_one_and_survives_json(name: str) -> None:
    schema = find(name).schema
    sent = wire(schema)
    for one in (schema, sent):
        Checker.check_schema(one)
        assert json.loads(json.dumps(one, allow_nan=False)) == one
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert set(schema.get("required", ())) <= set(schema["properties"])
    assert all(rule["type"] in TYPES for rule in schema["properties"].values())
    assert set(sent["properties"]) == set(schema["properties"])


@named
def test_a_validator_and_the_reader_of_arguments_agree(name: str) -> None:
    tool, chance, count = find(name), random.Random(name), rounds(2000)
    whole, sent = Checker(tool.schema), Checker(wire(tool.schema))
    for _ in range(count):
        args = fitting(tool.schema, chance, 9)
        assert whole.is_valid(args) and sent.is_valid(args), args
        assert fit(args, tool.schema) == (args, ())
    unlike = 0
    for _ in range(count):
        args = arguments(tool, chance, 9)
        try:
            found, told = fit(args, tool.schema)
        except UsageFault:
            continue
        unlike += bool(told)
        if "headers" not in args:  # what a header may be the tool says itself, before the gate
            assert whole.is_valid(found) and sent.is_valid(found), args
    print(f"{name}: {count} argument objects that fit, {count} others, {unlike} of them repaired")


# --- each argument ---


def taken(rule: Any, value: Any) -> bool:
    """True for what is of the type of the rule, or is read as it without loss (7 as a text)."""
    return Checker(wire(rule)).is_valid(value) or (rule["type"], kind_of(value)) == ("string", "integer")


@named
def test_an_argument_of_another_type_is_told_by_its_name_with_the_right_form(name: str) -> None:
    tool = find(name)
    shown = form(tool.schema)
    for argument, rule in places(tool):
        for value in WRONG:
            needed = argument in tool.schema.get("required", ())
            if taken(rule, value) or (value is None and not needed):
                continue
            args = {**example(tool), argument: value}
            with pytest.raises(UsageFault) as caught:
                meant(name, args, {name: tool.schema})
            assert argument in caught.value.sentence and shown in caught.value.fix
            assert f'"{argument}": <' in shown
            reply = json.dumps({"thought": "", "action": name, "action_input": args})
            fault = read(reply, "json", {name: tool.schema})
            assert isinstance(fault, StepFault) and fault.why == "bad_args" and argument in fault.sentence
            assert f'"{argument}": <' in str(fault)


@named
def test_a_missing_and_a_foreign_argument_are_told_by_name(name: str) -> None:
    tool = find(name)
    for argument in tool.schema.get("required", ()):
        args = {other: value for other, value in example(tool).items() if other != argument}
        with pytest.raises(UsageFault, match=f"{argument}.* missing") as caught:
            fit(args, tool.schema)
        assert form(tool.schema) in caught.value.fix
    with pytest.raises(UsageFault, match="no_such_argument is not an argument"):
        fit({**example(tool), "no_such_argument": 1}, tool.schema)


def bounds(rule: Any) -> list[tuple[list[Any], list[Any], str]]:
    """For each limit of a rule: values that are inside and at it, values beyond it, what the sentence says of it."""
    found: list[tuple[list[Any], list[Any], str]] = []
    step = 1 if rule["type"] == "integer" else 0.001
    low, high = rule.get("minimum"), rule.get("maximum")
    if low is not None:
        found.append(([low, low + step], [low - step, low - 1000], f"at least {low}"))
    if high is not None:
        found.append(([high, high - step], [high + step, high + 10**6], f"at most {high}"))
    if rule.get("minLength"):
        least = rule["minLength"]
        found.append((["x" * least, "x" * (least + 1)], ["x" * (least - 1)], f"at least {least} characters"))
    if "maxLength" in rule:
        most = rule["maxLength"]
        found.append((["x" * most, "x" * (most - 1)], ["x" * (most + 1), "x" * (2 * most)], f"at most {most} char"))
    if "enum" in rule:
        found.append((list(rule["enum"]), [f"{rule['enum'][0]}x", ""], f'one of "{rule["enum"][0]}"'))
    return found


@named
def test_every_limit_holds_at_under_and_over(name: str) -> None:
    tool, tried = find(name), 0
    for argument, rule in places(tool):
        for inside, outside, said in bounds(rule):
            tried += 1
            for value in inside:
                assert fit({**example(tool), argument: value}, tool.schema)[0][argument] == value
            for value in outside:
                with pytest.raises(UsageFault) as caught:
                    fit({**example(tool), argument: value}, tool.schema)
                assert argument in caught.value.sentence and said in caught.value.sentence
    print(f"{name}: {tried} limits")


def test_the_limits_that_are_tried_are_not_none() -> None:
    kinds = Counter(
        word for tool in every() for _, rule in places(tool) for word in rule if word not in ("type", "description")
    )
    assert all(kinds[word] for word in ("minimum", "maximum", "minLength", "maxLength", "enum", "items"))
    assert bounds({"type": "integer", "minimum": 1, "maximum": 5}) == [
        ([1, 2], [0, -999], "at least 1"),
        ([5, 4], [6, 1000005], "at most 5"),
    ]


# --- any arguments ---


@pytest.mark.soak
@named
def test_random_arguments_raise_nothing_but_faults_of_ours(name: str, tmp_path: Path) -> None:
    tool, chance, port, count = find(name), random.Random(name), closed_port(), rounds(10_000)
    came: Counter[str] = Counter()
    with place(tmp_path) as here:
        for number in range(count):
            if number % 20 == 0:
                seed(tmp_path / "work")
            run = came["ran"] + came["failed"] < rounds(10 * DEAR.get(name, count))
            came[outcome(name, arguments(tool, chance, port), here, run)] += 1
    print(f"{name}: {count} random argument objects: " + ", ".join(f"{n} {what}" for what, n in came.most_common()))
    assert sum(came.values()) == count and came["UsageFault"]
    assert came["ran"] or name in NOTHING_TO_DO or missing(tool.needs)


# A shell in the background, a kept result, a server: there is none here.
NOTHING_TO_DO = ("bash_output", "bash_kill", "spill_read", "http_request", "web_fetch")


# --- examples ---


def test_every_tool_has_examples_that_the_gate_lets_through_or_asks_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    state = str(tmp_path / "state")
    lined = lacking(Scene("/", "", (), SENSORS, OUTPUTS))
    assert set(lined) == {"gpio_read", "gpio_watch", "gpio_write", "output_pwm", *PORTS}
    for tool in every():
        assert tool.examples
        for words in tool.examples:
            args = parse(shlex.split(words), tool.schema)
            if tool.name in lined:
                assert judged(tool, args) in ("allow", "ask"), (tool.name, words)
                continue
            options = Options("policy", ("check", tool.name, json.dumps(args)), state=state, json=True)
            code = policy(options)
            told = json.loads(capfd.readouterr().out)
            assert (code, told["verdict"]) in ((0, "allow"), (10, "ask")), (tool.name, words, told["sentence"])


def judged(tool: Tool, args: dict[str, Any]) -> str:
    """What the gate says of a call on a board that has lines and levels."""
    scene = with_lines(Scene("/srv/garden", "", (), SENSORS, OUTPUTS))
    scene = replace(scene, outputs=tuple([replace(one, pwm=True) for one in scene.outputs]))
    return decide(Call(tool.name, args, "c1"), tool.effects(args, scene), Policy(), State(), scene).verdict


# --- what a request to a model carries ---


def size(tools: tuple[Tool, ...]) -> int:
    """Bytes of the `tools` of a request, without blanks."""
    sent = [{"type": "function", "function": definition(tool)} for tool in tools]
    return len(json.dumps(sent, separators=COMPACT, ensure_ascii=False).encode())


def table() -> str:
    rows = sorted(((size((tool,)) - 2, tool.name) for tool in every()), reverse=True)
    return "\n".join(f"{bytes:5d}  {name}" for bytes, name in rows)


@named
def test_a_tool_is_small_before_a_model_and_says_what_it_is_for_in_one_line(name: str) -> None:
    tool = find(name)
    assert size((tool,)) - 2 <= ONE, f"{name} has {size((tool,)) - 2} bytes: shorten its descriptions"
    assert len(tool.about.split()) >= 6 and tool.about.isprintable() and tool.about[0].isupper()


def test_the_catalogues_are_small_before_a_model() -> None:
    bare = Scene("/srv/garden", "")
    tools = tuple(tool for tool in every() if tool.name not in (*BOARD, *lacking(bare)))
    full = Catalogue(tools).shown
    minimal = Catalogue(tuple(tool for tool in tools if tool.name in MINIMAL)).shown
    deferred = Catalogue(tools, deferred=True)
    system = json.dumps({"role": "system", "content": brief(bare, deferred, "native")})
    sizes = {"minimal": size(minimal), "deferred": size(deferred.shown) + len(system), "full": size(full)}
    print(table())
    print(", ".join(f"{what} {bytes}" for what, bytes in sizes.items()), f"({len(full)} tools in all)")
    assert len(minimal) == len(MINIMAL) and len(deferred.shown) == len(ALWAYS) + len(FINDERS)
    assert sizes["minimal"] <= SMALLEST
    assert sizes["deferred"] <= FIRST
    assert sizes["full"] <= ALL
