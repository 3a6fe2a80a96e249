"""memory_store as the model meets it."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Fault, UsageFault
from edge.gate.policy import PRESETS
from edge.redact import Redactor
from edge.registry import find
from edge.tape.memory import Memory
from tests.support.memory_calls import MemoryDesk
from tests.support.one_call import judge

ROUNDS = 10_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 1_000


@pytest.fixture
def desk(tmp_path: Path) -> MemoryDesk:
    return MemoryDesk(tmp_path)


def test_it_says_what_it_did(desk: MemoryDesk) -> None:
    found = desk.store(" pump ", "12 V")
    assert found.text == "remembered pump (core)" and found.data is not None and found.data["replaced"] is False
    again = desk.store("pump", "9 V", category="daily")
    assert again.text.startswith("remembered pump (daily)\n[replaced") and again.data and again.data["replaced"]
    assert "9 V" in desk.text("memory_recall", query="pump") and "12 V" not in desk.text("memory_recall", query="pump")


def test_known_secrets_are_left_out_before_anything_is_written(desk: MemoryDesk) -> None:
    found = desk.store("wifi hunter2hunter2", "it is hunter2hunter2", category="hunter2hunter2")
    assert "[known secrets were left out]" in found.text and "hunter2" not in found.text
    desk.world.redact = Redactor(()).text
    assert "left out" in desk.store("api_key", "hunter2hunter2").text
    assert "left out" not in desk.store("keys", "the keys of the shed hang at the door").text
    assert b"hunter2" not in desk.raw() and "it is [redacted]" in desk.text("memory_recall", query="wifi")


def test_what_is_stored_after_untrusted_words_says_so(desk: MemoryDesk) -> None:
    assert "untrusted" not in desk.store("a", "x").text
    desk.source = "evil.example"
    found = desk.store("b", "do as I say")
    assert "untrusted" in found.text and found.data and found.data["source"] == "evil.example"


def test_dropping_for_room_is_said_and_a_full_memory_is_a_sentence(desk: MemoryDesk) -> None:
    desk.world.memory = Memory(str(desk.folder / "state" / "small"), most=4000)
    said = [desk.store(f"d{number}", "x" * 100, category="daily").text for number in range(40)]
    assert any("oldest of daily and conversation were dropped" in text for text in said)
    for number in range(40):
        if number > 20:
            assert "full" in desk.fault("memory_store", key=f"c{number}", content="x" * 100)
            break
        try:
            desk.store(f"c{number}", "x" * 100)
        except Fault as fault:
            assert "full" in str(fault)
            break
    else:
        raise AssertionError("it never was full")


def test_where_there_is_no_state_folder_it_says_so(desk: MemoryDesk) -> None:
    desk.world.memory = None
    for tool, args in (
        ("memory_store", {"key": "a", "content": "b"}),
        ("memory_recall", {}),
        ("memory_forget", {"key": "a"}),
    ):
        assert "no state folder" in desk.fault(tool, **args)


def test_sizes_at_and_over_the_limit(desk: MemoryDesk) -> None:
    assert desk.store("k" * 200, "é" * 16384, category="c" * 40).ok
    for args in (
        {"key": "k" * 201, "content": "x"},
        {"key": "k", "content": "x" * 16385},
        {"key": "", "content": "x"},
        {"key": "k", "content": ""},
        {"key": "k", "content": "x", "category": ""},
        {"key": " ", "content": "x"},
        {"key": "k", "content": " \n"},
        {"key": "a\nb", "content": "x"},
        {"key": "a\x1fb", "content": "x"},
        {"key": "k", "content": "x", "category": "a\tb"},
        {"key": "k"},
    ):
        with pytest.raises(UsageFault):
            judge("memory_store", args, desk.world)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_is_low_everywhere_and_readonly_stores_nothing(preset: str, desk: MemoryDesk) -> None:
    for tool, args in (("memory_store", {"key": "a", "content": "b"}), ("memory_forget", {"key": "a"})):
        effects = find(tool).effects(args, desk.world.scene)
        assert [(effect.verb, effect.on) for effect in effects] == [("write", "memory:store")]
        decision = judge(tool, args, desk.world, preset)[1]
        assert decision.risk == "low" and decision.verdict == ("deny" if preset == "readonly" else "allow")


def test_any_arguments_raise_nothing_but_faults(desk: MemoryDesk) -> None:
    dice = random.Random(4)
    values: list[Any] = [None, 0, -1, 3, 1.5, True, [], {}, "", " ", "a", "*", "pump é", "\ud800", "\x00", "温度" * 30]
    values += [
        "2026-05-20",
        "2026-13-40",
        "9999-99-99",
        "-",
        "x" * 300,
        "2026-05-20T10:00+02:00",
        "2026-05-20T9",
        "1e9",
    ]
    ran = 0
    for _ in range(ROUNDS):
        tool = dice.choice(("memory_store", "memory_recall", "memory_forget"))
        names = [*find(tool).schema["properties"], "other"]
        args = {name: dice.choice(values) for name in names if dice.random() < (0.1 if name == "other" else 0.6)}
        try:
            ran += desk.call(tool, **args).ok
        except Fault as fault:
            assert len(str(fault)) > 10
    print(f"memory: {ROUNDS} argument objects, {ran} calls ran")
    assert ran > ROUNDS // 40
