"""Limits, and what a plan switches, spares and needs."""

from __future__ import annotations

import pytest

from edge.model import intents as i


@pytest.mark.parametrize(
    ("op", "met"),
    [(">", "..x"), ("<", "x.."), (">=", ".xx"), ("<=", "xx."), ("in", "xxx")],
)
def test_a_limit_holds_for_these_of_below_at_and_above(op, met):
    limit = i.Limit(op, 2.0, 2.0, "") if op != "in" else i.Limit(op, 1.0, 3.0, "")
    assert "".join("x" if limit.holds(value) else "." for value in (1.0, 2.0, 3.0)) == met


def test_a_limit_with_two_ends_takes_both_in():
    limit = i.Limit("in", 1.0, 2.0, "")
    assert [limit.holds(value) for value in (0.9, 1.0, 2.0, 2.1)] == [False, True, True, False]


def clause(intent: i.Intent) -> i.Clause:
    return i.Clause(intent, "")


FAN = i.Switch(("fan",), True, 5.0)
LIGHT = i.Condition("light", i.Limit(">", 1.0, 1.0, "above 1"))
DEEP = (clause(i.If(LIGHT, (clause(FAN),), (clause(i.If(i.Condition("pump"), (clause(i.Spare(("pump",))),))),))),)


def test_switches_and_spared_outputs_are_found_in_every_branch():
    assert i.switches(DEEP) == [FAN]
    assert i.spared(DEEP) == {"pump"}


@pytest.mark.parametrize(
    ("intent", "needed"),
    [
        (i.Read(("light",)), {"sensor_read"}),
        (i.Was(("light",)), {"sensor_read"}),
        (i.Been(("light",)), {"sensor_read"}),
        (i.Ask(LIGHT), {"sensor_read"}),
        (i.Ask(i.Condition("fan")), {"output_list"}),
        (i.States(), {"output_list"}),
        (i.Status(("light",)), {"output_list", "sensor_read"}),
        (i.Status(()), {"output_list"}),
        (i.Listing("sensors"), {"sensor_list"}),
        (i.Listing("outputs"), {"output_list"}),
        (i.Files(".", True), {"file_read"}),
        (FAN, {"output_set"}),
        (i.Switch(("fan",), False, None, True), set()),
        (i.Spare(("fan",)), set()),
        (i.Help(), set()),
        (DEEP[0].intent, {"sensor_read", "output_set", "output_list"}),
    ],
)
def test_a_plan_needs_these_tools(intent, needed):
    assert i.tools((clause(intent),)) == needed
