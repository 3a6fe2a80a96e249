"""output_pulse: each pulse is a lease of its own; what was done is told, and what was not."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.faults import HardwareFault, Refused, ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.hands import Hands
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.peripherals.sim.board import SimBoard
from edge.record import replace
from edge.registry import find
from tests.support.boards import eventually
from tests.support.lined import Garden, board, world
from tests.support.one_call import carry, judge

FAST = 600.0  # board seconds per second


def pulses(guard: Any, name: str) -> list[tuple[bool, str, str]]:
    return [(row.state, row.why, row.call) for row in guard.record if row.name == name]


def test_each_pulse_is_a_lease_that_the_guard_ends(tmp_path: Path) -> None:
    guard = board(FAST)
    here = world(tmp_path, Model("pi3"), guard=guard)
    found = carry("output_pulse", {"name": "pump", "seconds": 6, "times": 3, "pause": 6}, here)
    assert found.ok and found.text == "pump: 3 of 3 pulses of 6 s on; it is safe again"
    assert pulses(guard, "pump") == [
        (state, why, f"c1.{number}") for number in (1, 2, 3) for state, why in ((True, "set"), (False, "lease ended"))
    ]
    seconds = [later.at - row.at for row, later in zip(guard.record[::2], guard.record[1::2])]
    assert seconds == pytest.approx([6.0] * 3)
    other = world(tmp_path, Model("pi3"), guard=guard.share())
    assert (
        carry("output_pulse", {"name": "pump", "seconds": 1}, other).text == "pump: 1 pulse of 1 s on; it is safe again"
    )


def test_an_output_that_is_safe_when_on_is_pulsed_off(tmp_path: Path) -> None:
    later = [0.0]
    guard = board(FAST, time=lambda: time.monotonic() + later[0])
    here = world(tmp_path, Model("pi3"), guard=guard)
    later[0] = 60.0  # its shortest time at safe is over
    found = carry("output_pulse", {"name": "valve", "seconds": 6}, here)
    assert found.text == "valve: 1 pulse of 6 s off; it is safe again"
    assert [row[0] for row in pulses(guard, "valve")] == [False, True]


class Relay(Garden):
    """A contact shows whether the pump runs, `open` what it shows whatever is switched."""

    outputs = tuple(
        [replace(one, feedback="door", settle=1.0) if one.name == "pump" else one for one in Garden.outputs]
    )


@pytest.mark.parametrize(("tool", "args", "shown"), [("set", {"state": True}, 0.0), ("pulse", {"seconds": 6}, 1.0)])
def test_what_a_contact_shows_otherwise_is_not_told_as_done(
    tmp_path: Path, tool: str, args: dict[str, Any], shown: float
) -> None:
    """A relay that does not close, and one that is welded: after the pulse it is still on."""
    relay = Relay()
    relay.open = shown
    guard = InProcessBoard(speed=60.0, plant=SimBoard(relay))
    here = world(tmp_path, Model("pi3"), guard=guard)
    here.scene = replace(here.scene, outputs=Relay.outputs)
    with pytest.raises(HardwareFault, match=r"pump did not obey: pump was switched .* and door shows"):
        carry(f"output_{tool}", {"name": "pump", **args}, here)
    assert guard.states()["pump"]["left"] is None


def in_the_background(here: Any, args: dict[str, Any]) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(carry("output_pulse", args, here))
        except (Refused, ToolFault) as fault:
            found.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


@pytest.mark.parametrize("how", ["cut", "stop"])
def test_when_it_is_cut_the_output_goes_safe_at_once_and_what_was_done_is_told(how: str, tmp_path: Path) -> None:
    guard = board(1.0)
    here = world(tmp_path, Model("pi3"), guard=guard)
    thread, found = in_the_background(here, {"name": "pump", "seconds": 10, "times": 2, "pause": 0})
    eventually(lambda: pulses(guard, "pump"))
    if how == "cut":
        here.cut()
    else:
        here.stopping = lambda: True
    thread.join(30)
    (told,) = found
    assert (
        isinstance(told, Observation) and not told.ok and told.text == "pump: 0 of 2 pulses of 10 s on, then it was cut"
    )
    assert pulses(guard, "pump")[-1] == (False, "set", "c1.1.end") and guard.record[-1].at - guard.record[0].at < 5


def test_a_refusal_in_the_middle_is_told_and_the_first_one_is_a_refusal(tmp_path: Path) -> None:
    guard = board(60.0)
    here = world(tmp_path, Model("pi3"), guard=guard)
    thread, found = in_the_background(here, {"name": "pump", "seconds": 12, "times": 5, "pause": 12})
    eventually(lambda: len(pulses(guard, "pump")) >= 2, pause=0.001)
    guard.halt("the operator stopped it")
    thread.join(30)
    (told,) = found
    assert not told.ok and told.data["done"] >= 1 and told.data["times"] == 5
    assert told.text.startswith(f"pump: {told.data['done']} of 5 pulses of 12 s on, then ") and "stop" in told.text
    with pytest.raises(Refused, match="the operator stopped it"):
        carry("output_pulse", {"name": "fan", "seconds": 1}, world(tmp_path, Model("pi3"), guard=guard.share()))


def test_another_owner_keeps_the_output(tmp_path: Path) -> None:
    guard = board(60.0)
    guard.share("night watch").set("pump", True, 300.0, "n1")
    with pytest.raises(Refused, match="night watch") as caught:
        carry("output_pulse", {"name": "pump", "seconds": 1}, world(tmp_path, Model("pi3"), guard=guard))
    assert caught.value.rule == "guard.held"


def test_pulses_that_do_not_fit_into_a_call_are_not_begun(tmp_path: Path) -> None:
    guard = board(1.0)
    here = world(tmp_path, Model("pi3"), guard=guard)
    with pytest.raises(ToolFault, match="the 3 pulses take 32 s, and a call may take 30 s; nothing was switched"):
        carry("output_pulse", {"name": "pump", "seconds": 10, "times": 3, "pause": 1}, here)
    assert guard.record == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"name": "valve", "seconds": 1, "times": 2, "pause": 29}, "needs at least 30 s between pulses"),
        ({"name": "valve", "seconds": 1, "times": 5}, "may be switched 4 times an hour"),
        ({"name": "short", "seconds": 11}, "at most 10 s"),
        ({"name": "pump", "seconds": 61}, "at most 60"),
        ({"name": "pump", "seconds": 1, "times": 11}, "at most 10"),
        ({"name": "pump", "seconds": 0}, "at least 0.1"),
    ],
)
def test_what_could_not_be_is_a_fault_before_anybody_is_asked(args: dict[str, Any], said: str, tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    short = replace(here.scene.outputs[0], name="short", max_on=10.0)
    here.scene = replace(here.scene, outputs=(*here.scene.outputs, short))
    with pytest.raises(UsageFault, match=said):
        judge("output_pulse", args, here)


def test_the_person_is_told_all_of_it_in_physical_words(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    args = {"name": "pump", "seconds": 2, "times": 3, "pause": 5}
    words = find("output_pulse").words(args, here.scene)
    assert words == "switch irrigation pump (pump, GPIO17, physical pin 11) on 3 times for 2 s each, 5 s between"
    assert [judge("output_pulse", args, here, preset)[1].verdict for preset in PRESETS] == [
        "deny",
        "ask",
        "ask",
        "allow",
    ]
    assert (
        judge("output_pulse", args, here)[1].sentence == "switches irrigation pump on 3 times for 2 s each, 5 s between"
    )
    twice = {"name": "valve", "seconds": 2, "times": 2}
    assert find("output_pulse").words(twice, here.scene).endswith("off 2 times for 2 s each, 30 s between")


def test_without_a_grant_nothing_is_switched(tmp_path: Path) -> None:
    guard = board()
    here = world(tmp_path, Model("pi3"), guard=guard)
    call, decision = judge("output_pulse", {"name": "fan", "seconds": 1}, here)
    assert decision.permit is not None
    with pytest.raises(Refused, match="holds no actuate of output:pump"):
        Hands(decision.permit, call, here).outputs.pulse("pump", 1.0, 1, 0.0)
    assert guard.record == []
