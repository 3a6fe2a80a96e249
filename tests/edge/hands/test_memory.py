"""The hand on what is remembered: grants, and dates."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import Refused, ToolFault
from edge.hands import Hands
from edge.hands.memory import moment
from edge.registry import find
from tests.support.memory_calls import MemoryDesk
from tests.support.one_call import judge


def test_times_are_utc_where_no_zone_is_told() -> None:
    day = 1_779_235_200.0  # 2026-05-20 00:00 UTC
    assert moment("2026-05-20", False) == day and moment("2026-05-20", True) == day + 86400
    assert moment("2026-05-20T10:00", False) == moment("2026-05-20 10:00:00Z", True) == day + 36000
    assert (
        moment("2026-05-20T10:00+02:00", False) == day + 28800 and moment("2026-05-20T10:00-02:00", True) == day + 43200
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        "2026",
        "2026-1-1",
        "2026-02-30T",
        "--",
        "2026-05-20T",
        "T10:00",
        "\u0662\u0660\u0662\u0666-\u0660\u0661-\u0660\u0661",
    ],
)
def test_what_is_no_date_is_a_sentence_or_a_time(text: str) -> None:
    try:
        assert moment(text, False) > 0
    except ToolFault as fault:
        assert "for example 2026-05-20" in str(fault)


def test_without_a_grant_nothing_is_touched(tmp_path: Path) -> None:
    desk = MemoryDesk(tmp_path)
    desk.store("a", "b")
    for name, args in (
        ("memory_forget", {"key": "a"}),
        ("memory_store", {"key": "a", "content": "c"}),
        ("memory_recall", {}),
    ):
        _, other = judge("sensor_list", {}, desk.world)
        assert other.permit is not None
        call, _ = judge(name, args, desk.world)
        with pytest.raises(Refused, match="holds no"):
            find(name).run(call.args, Hands(other.permit, call, desk.world))
    call, decision = judge("memory_recall", {}, desk.world)
    assert decision.permit is not None
    with pytest.raises(Refused):  # to read is not to forget
        find("memory_forget").run({"key": "a"}, Hands(decision.permit, call, desk.world))
    assert "b" in desk.text("memory_recall")
