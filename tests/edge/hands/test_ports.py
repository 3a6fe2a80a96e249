"""Open serial ports: what is sent and heard, how long they stay, how they end; nothing without a grant."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit, Port
from edge.faults import HardwareFault, Refused, ToolFault
from edge.hands import Hands, ports
from edge.hands.port import PortHand
from edge.hands.received import ROOM
from edge.peripherals.port.model import Device, Wire
from tests.support import descriptors
from tests.support.ports import METER, READING, Terminal, eventually, wired, world

GRANTS = (
    *(Grant(verb, "serial", "meter") for verb in ("write", "send", "read")),
    Grant("write", "memory", "ports"),
)


class Talk:
    """A conversation about one port; each call has a number of its own."""

    def __init__(self, folder: Path, device: Device, stuck: bool = False) -> None:
        self.world, self.wires = wired(folder, device, stuck)
        self.over: list[Any] = []
        self.world.over = lambda call, facts: self.over.append((call.id, dict(facts)))
        self.calls = 0

    def hand(self, *grants: Grant, seconds: float = 60.0) -> PortHand:
        self.calls += 1
        call = f"c{self.calls}"
        return Hands(Permit(call, grants or GRANTS, (), seconds, 8192), Call("x", {}, call), self.world).port

    def expect(self, pattern: str = "", seconds: float = 60.0, form: str = "text", most: float = 120.0) -> Any:
        def search(text: str) -> Any:
            found = re.search(pattern, text)
            return found and found.span()

        return self.hand(seconds=most).expect("meter", seconds, search if pattern else None, form)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    made = Talk(tmp_path, Device(READING, b"XX\xb2"))
    yield made
    made.world.close()


def test_a_question_and_its_answers_one_after_the_other(talk: Talk) -> None:
    opened = talk.hand().open("meter")
    assert opened["fresh"] and (opened["device"], opened["baud"], opened["framing"]) == ("/dev/ttyUSB0", 9600, "8N1")
    assert talk.hand().send("meter", b"READ\r\n", False) == {"port": "meter", "sent": 6, "size": 6, "cleared": 0}
    first = talk.expect(r"T=([0-9.]+)")
    assert (first["matched"], first["match"], first["text"]) == (True, "T=21.5", "XX\ufffdT=21.5")
    second = talk.expect(r"H=([0-9.]+)")
    assert (second["match"], second["text"], second["rest"], second["why"]) == ("H=40", "H=40", 0, "")


def test_no_port_is_touched_without_its_grant(talk: Talk) -> None:
    other = Grant("read", "serial", "lamp")
    acts = (
        lambda hand: hand.open("meter"),
        lambda hand: hand.send("meter", b"x", False),
        lambda hand: hand.expect("meter", 0.0, None, "text"),
        lambda hand: hand.close("meter"),
    )
    for act in acts:
        with pytest.raises(Refused) as caught:
            act(talk.hand(other))
        assert caught.value.rule == "hands.no-grant"
    assert talk.wires == []


def test_what_was_never_opened_is_said(talk: Talk) -> None:
    for act in (
        lambda: talk.hand().send("meter", b"x", False),
        lambda: talk.expect(),
        lambda: talk.hand().close("meter"),
    ):
        with pytest.raises(ToolFault, match="is not open") as caught:
            act()
        assert "serial_open" in caught.value.fix


def test_opening_what_is_open_keeps_it_with_what_came(talk: Talk) -> None:
    talk.hand().open("meter")
    talk.wires[0].say(b"news")
    assert talk.hand().open("meter")["fresh"] is False and len(talk.wires) == 1
    assert talk.expect()["text"].endswith("news")


def test_an_answer_in_pieces_is_told_whole(talk: Talk) -> None:
    talk.hand().open("meter")
    wire = talk.wires[0]
    came: list[Any] = []
    waiting = threading.Thread(target=lambda: came.append(talk.expect(r"T=[0-9]+\.[0-9]+")))
    waiting.start()
    for piece in (b"T", b"=", b"2", b"1", b".", b"5\r\n"):
        wire.say(piece)
    waiting.join()
    assert came[0]["match"] == "T=21.5"


def test_what_was_not_found_stays_and_is_found_later(talk: Talk) -> None:
    talk.hand().open("meter")
    missed = talk.expect("READY", 0.05)
    assert (missed["matched"], missed["why"]) == (False, "")
    talk.wires[0].say(b"READY\r\n")
    assert talk.expect("READY")["text"] == "XX\ufffdREADY"


def test_silence_ends_at_its_deadline(talk: Talk) -> None:
    talk.hand().open("meter")
    talk.expect()
    found = talk.expect("", 0.1)
    assert (found["size"], found["text"], found["matched"]) == (0, "", False) and found["seconds"] >= 0.1


def test_a_call_waits_no_longer_than_it_may(talk: Talk) -> None:
    talk.hand().open("meter")
    found = talk.expect("never", 600.0, most=0.6)
    assert found["why"] == "a call may take 0.6 s" and not found["matched"]


def test_a_cut_ends_the_waiting_and_not_the_port(talk: Talk) -> None:
    talk.hand().open("meter")
    hand = talk.hand()
    talk.world.cut()
    assert hand.expect("meter", 60.0, lambda text: None, "text")["why"] == "it was cut"
    assert talk.hand().open("meter")["fresh"] is False


def test_what_nobody_reads_is_bounded_and_what_was_dropped_is_told(talk: Talk) -> None:
    talk.hand().open("meter")
    port = talk.world.ports().find("meter")
    talk.expect()
    port.came.add(b"a" * ROOM + b"END")
    found = talk.expect("END")
    assert (found["dropped"], found["size"]) == (3, ROOM)
    assert talk.expect("", 0.05)["dropped"] == 0


def test_what_came_may_be_let_go_before_a_question(talk: Talk) -> None:
    talk.hand().open("meter")
    eventually(lambda: talk.world.ports().find("meter").came.came == 3)
    assert talk.hand().send("meter", b"READ\r\n", True)["cleared"] == 3
    assert talk.expect("T=21.5")["text"] == "T=21.5"


def test_bytes_that_are_no_text_are_told_by_their_share(talk: Talk) -> None:
    talk.hand().open("meter")
    talk.wires[0].say(b"\xf8\x80\xf0\x00" * 8)
    found = talk.expect()
    assert found["noise"] > 0.5
    talk.wires[0].say(bytes((1, 3, 2, 0, 215)))
    assert talk.expect("03 02 (.. ..)", form="hex")["match"] == "03 02 00 d7"


def test_what_a_device_does_not_take_is_told(tmp_path: Path) -> None:
    talk = Talk(tmp_path, Device({}), stuck=True)
    talk.hand().open("meter")
    assert talk.hand(seconds=0.6).send("meter", b"READ", False)["sent"] == 0
    talk.world.close()


def test_closing_is_told_once_and_then_it_is_free(talk: Talk) -> None:
    talk.hand().open("meter")
    talk.wires[0].say(b"1234567")
    eventually(lambda: talk.world.ports().find("meter").came.came == 10)
    found = talk.hand().close("meter")
    assert found["words"] == "the serial port meter was closed by serial_close" and found["length"] == 10
    assert talk.wires[0].closed and talk.over == [("c1", found)]
    with pytest.raises(ToolFault, match="was closed by serial_close"):
        talk.hand().send("meter", b"x", False)
    assert talk.hand().open("meter")["fresh"] and len(talk.wires) == 2


def test_an_unplugged_device_is_noticed_and_what_it_said_before_is_read(talk: Talk) -> None:
    talk.hand().open("meter")
    eventually(lambda: talk.world.ports().find("meter").came.came == 3)
    talk.wires[0].unplug()
    eventually(lambda: talk.over)
    call, facts = talk.over[0]
    assert call == "c1" and facts["why"] == "trouble" and "is gone" in facts["words"]
    assert talk.expect("never")["why"] == "the port was closed meanwhile"
    assert talk.expect()["text"] == "XX\ufffd"
    for act in (lambda: talk.expect(), lambda: talk.hand().send("meter", b"x", False)):
        with pytest.raises(HardwareFault, match="is gone"):
            act()


def test_what_was_pulled_is_found_again_by_its_name_and_nothing_old_is_heard(tmp_path: Path) -> None:
    """Terminals of the kernel: the name is gone and comes back, with another device behind it."""
    plug = tmp_path / "ttyUSB0"
    here = world(tmp_path, Port("meter", "energy meter", str(plug)))
    made = here.ports()
    for number in range(3):
        with Terminal(Device(READING, b"noise")) as far:
            plug.symlink_to(far.path)
            one, fresh = made.open("meter", Call("x", {}, f"c{number}"))
            assert fresh and one.write(b"READ\r\n", 30.0) == 6
            eventually(lambda one=one: one.came.came == 14)
            plug.unlink()
        assert one.wait(60.0) and "is gone" in one.words()
        with pytest.raises(HardwareFault, match="is gone"):
            one.there()
        with pytest.raises(HardwareFault, match="is not there"):
            made.open("meter", Call("x", {}, "none"))
        assert made.find("meter") is one and one.came.waiting()[0] == READING[b"READ\r\n"]
    here.close()


def test_a_device_that_goes_while_it_is_waited_for_ends_the_waiting(talk: Talk) -> None:
    talk.hand().open("meter")
    threading.Timer(0.1, talk.wires[0].unplug).start()
    assert talk.expect("never")["why"] == "the port was closed meanwhile"


@pytest.mark.parametrize("how", ["everything", "its tool"])
def test_the_stop_of_the_operator_closes_it(talk: Talk, how: str) -> None:
    talk.hand().open("meter")
    if how == "everything":
        talk.world.stopping = lambda: True
    else:
        talk.world.forbidden = lambda call: call.id == "c1"
    eventually(lambda: talk.over)
    assert talk.over[0][1]["words"] == "the serial port meter was closed because it was stopped"
    assert talk.wires[0].closed


def test_reading_is_using(talk: Talk) -> None:
    talk.hand().open("meter")
    port = talk.world.ports().find("meter")
    port.used = before = port.used - 800.0
    talk.expect()
    assert port.used > before


def test_a_port_that_nobody_uses_is_closed(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.hand().open("meter")
    monkeypatch.setattr(ports, "IDLE", 0.0)
    eventually(lambda: talk.over)
    assert talk.over[0][1]["why"] == "idle" and "nobody used it" in talk.over[0][1]["words"]


def test_the_end_of_the_conversation_closes_all_and_opens_none(talk: Talk) -> None:
    talk.hand().open("meter")
    talk.world.close()
    assert talk.wires[0].closed and talk.over[0][1]["words"].endswith("with the conversation")
    with pytest.raises(ToolFault, match="the conversation ends"):
        talk.hand().open("meter")


def test_two_names_of_one_device_are_not_open_at_once(tmp_path: Path) -> None:
    linked = tmp_path / "by-id"
    linked.symlink_to(METER.device)
    others = (Port("boot", "boot loader", METER.device, 115200), Port("by_id", "the same", str(linked)))
    here = world(tmp_path, METER, *others)
    here._ports = made = ports.Ports(here, lambda port: Wire(Device({})))
    made.open("meter", Call("x", {}, "c1"))
    for other in ("boot", "by_id"):
        with pytest.raises(ToolFault, match="is open already, as meter"):
            made.open(other, Call("x", {}, "c2"))
    made.find("meter").ask("close")
    assert made.find("meter").wait(60.0) and made.open("boot", Call("x", {}, "c3"))[1]
    here.close()


def test_only_so_many_are_open_at_once(tmp_path: Path) -> None:
    many = [Port(f"p{number}", "x", f"/dev/ttyS{number}") for number in range(ports.AT_ONCE + 1)]
    here = world(tmp_path, *many)
    here._ports = made = ports.Ports(here, lambda port: Wire(Device({})))
    for port in many[:-1]:
        made.open(port.name, Call("x", {}, port.name))
    with pytest.raises(ToolFault, match=f"{ports.AT_ONCE} serial ports are open"):
        made.open(many[-1].name, Call("x", {}, "c"))
    here.close()


def test_a_port_that_cannot_be_opened_is_as_closed_as_before(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(HardwareFault, match="is not there"):
        here.ports().open("meter", Call("x", {}, "c1"))
    with pytest.raises(ToolFault, match="is not open"):
        here.ports().find("meter")
    here.close()


def test_no_descriptor_is_left(tmp_path: Path) -> None:
    with Terminal(Device(READING)) as far:
        before = descriptors.count()
        for _ in range(3):
            here = world(tmp_path, far.port())
            made, fresh = here.ports().open("meter", Call("x", {}, "c1"))
            assert fresh and made.write(b"READ\r\n", 30.0) == 6
            eventually(lambda made=made: made.came.came == 14)
            here.close()
        assert descriptors.count() == before
