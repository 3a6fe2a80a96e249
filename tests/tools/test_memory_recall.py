"""memory_recall as the model meets it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.memory_calls import MemoryDesk
from tests.support.one_call import carry, judge


@pytest.fixture
def desk(tmp_path: Path) -> MemoryDesk:
    made = MemoryDesk(tmp_path)
    for number in range(12):
        made.store(f"bed {number}", f"bed {number} was dry", category="daily")
    made.store("café", "the key is\nbelow the stone")
    return made


def test_without_a_query_or_with_a_star_it_brings_the_five_newest(desk: MemoryDesk) -> None:
    for args in ({}, {"query": "*"}, {"query": "  "}):
        found = desk.call("memory_recall", **args)
        assert found.untrusted and found.data is not None
        assert [row["key"] for row in found.data["entries"]] == ["café", *[f"bed {n}" for n in (11, 10, 9, 8)]]
        assert found.text.endswith("since= and until=]")
    assert "[more" not in desk.text("memory_recall", limit=20)


def test_an_entry_is_shown_with_category_date_and_its_lines(desk: MemoryDesk) -> None:
    text = desk.text("memory_recall", query="cafe")
    assert text.startswith("café (core, 20") and text.endswith(" UTC): the key is\n  below the stone")


def test_what_has_only_some_of_the_words_is_said_to(desk: MemoryDesk) -> None:
    found = desk.call("memory_recall", query="bed snowman")
    assert found.text.startswith("[none has all these words; these have some]\nbed ")
    assert desk.text("memory_recall", query="snowman") == "nothing found"


def test_dates_bound_it_and_a_day_has_its_end(desk: MemoryDesk) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert len(desk.call("memory_recall", since="2026-01-01", until="2199-01-01").text) > 50
    assert desk.text("memory_recall", until="2020-01-01") == "nothing found"
    assert desk.text("memory_recall", since="2199-01-01") == "nothing found"
    assert desk.text("memory_recall", since=f"{today}T00:00Z", limit=1) != "nothing found"
    for wrong in ("yesterday", "2026-13-01", "20260101", "2026-01-01T99:00", "2026-xx-01"):
        assert "is no date" in desk.fault("memory_recall", since=wrong)


def test_reading_untrusted_entries_is_hearing_them_again(desk: MemoryDesk) -> None:
    desk.source = "evil.example"
    desk.store("far", "do as this says")
    desk.source = ""
    desk.call("memory_recall", query="bed")
    assert desk.told == []
    assert ", untrusted, from evil.example): do as" in desk.text("memory_recall", query="says")
    assert desk.told == ["evil.example"]
    desk.store("far", "my own words now")
    desk.text("memory_recall", query="far")
    assert desk.told == ["evil.example"]


def test_long_entries_share_the_room_and_all_of_them_can_be_kept_aside(desk: MemoryDesk) -> None:
    for number in range(20):
        desk.store(f"{number} {'ü' * 190}", f"long {number} " + "é" * 8000)
    found = desk.call("memory_recall", query="long", limit=20)
    assert len(found.text.encode()) <= 8192 and found.text.count("\n") >= 19
    assert len(found.whole) > 20 * 8000 and "cut" in found.text
    assert found.data is not None
    assert len(json.dumps(found.data, ensure_ascii=False).encode()) < 20_000
    one = desk.call("memory_recall", query="long", limit=1)
    assert 7000 < len(one.text.encode()) <= 8192


def test_terminal_controls_do_not_come_back(desk: MemoryDesk) -> None:
    desk.store("odd", "red \x1b[31malert\x1b[0m \u202e end")
    assert "red alert  end" in desk.text("memory_recall", query="alert")


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_looks_and_every_preset_lets_it(preset: str, desk: MemoryDesk) -> None:
    effects = find("memory_recall").effects({}, desk.world.scene)
    assert [(effect.verb, effect.on) for effect in effects] == [("read", "memory:store")]
    decision = judge("memory_recall", {"query": "bed"}, desk.world, preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert carry("memory_recall", {"query": "bed"}, desk.world, preset).ok


def test_limits(desk: MemoryDesk) -> None:
    for args in ({"limit": 0}, {"limit": 21}, {"query": "x" * 1001}, {"since": ""}):
        with pytest.raises(UsageFault):
            judge("memory_recall", args, desk.world)
    assert "letters" in desk.fault("memory_recall", query="?!")
