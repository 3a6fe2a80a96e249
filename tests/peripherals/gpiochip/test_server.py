"""The model as a process: its own life, and who is connected to it."""

from __future__ import annotations

import _socket
import errno
import os
import random
import select
import stat
import subprocess
import sys
import time

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.remote import CHIPS, Outside, Remote, connect
from edge.peripherals.gpiochip.seam import of
from edge.peripherals.gpiochip.server import main, options
from tests.support.boards import eventually, rounds
from tests.support.chips import ROOT, ChipServer

PATH = "/dev/gpiochip0"
# A process that holds a line driven, says so, and waits for its end.
HOLDER = """
import sys, time
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.seam import of
held = find(of(sys.argv[1])).request(17, Settings("output", True), "holder")
print("held", flush=True)
time.sleep(3600)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ChipServer(tmp_path_factory.mktemp("chips"), "pi3", "input") as made:
        yield made


@pytest.fixture
def outside(server):
    made = server.outside()
    yield made
    made.mend()


def held_by(outside, consumer):
    return consumer in outside.holders().values()


def test_a_holder_that_is_killed_lets_go_and_when_is_known(server, outside):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, server.chips], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    assert outside.level(PATH, "GPIO17") is True
    before = time.monotonic_ns()
    process.kill()
    process.communicate(timeout=60)
    stamp = outside.wait(PATH, "GPIO17", False, 60.0)
    assert before < stamp < time.monotonic_ns()
    assert not held_by(outside, "holder")


def test_a_line_that_one_connection_holds_another_cannot_have(server, outside):
    one, other = Remote(server.socket), Remote(server.socket)
    find(one).request(17, Settings("output", True), "one")
    with pytest.raises(HardwareFault, match='held by "one"'):
        find(other).request(17, Settings("input"), "other")
    one.end()
    eventually(lambda: not held_by(outside, "one"))
    find(other).request(17, Settings("input"), "other")
    other.end()


def test_a_wait_for_what_does_not_come_ends(outside):
    with pytest.raises(HardwareFault, match=r"the wire GPIO20 of gpiochip0 was not high within 0\.05 s"):
        outside.wait("gpiochip0", "GPIO20", True, 0.05)


def test_a_wait_does_not_keep_others_waiting(server, outside):
    import _thread

    stamps = []
    _thread.start_new_thread(lambda: stamps.append(outside.wait(PATH, 21, True, 60.0)), ())
    other = server.outside()
    other.pull(PATH, 21, True)
    eventually(lambda: stamps)
    assert other.changes(PATH, 21)[-1] == (stamps[0], True)


def test_the_hand_at_the_wires_reaches_everything(server, outside):
    seam = server.remote()
    held = find(seam).request(22, Settings("output", False), "hand")
    outside.stick(PATH, 22, True)
    assert held.get() is True
    outside.stick(PATH, 22, None)
    outside.fail("SET_VALUES", errno.EIO, 0, 1, 22)
    with pytest.raises(HardwareFault, match="could not be set"):
        held.set(True)
    held.close()
    assert outside.record()[-1]["error"] == errno.EIO
    outside.unplug("raspberrypi-exp-gpio")
    assert seam.chips() == (PATH,)
    outside.plug("raspberrypi-exp-gpio")
    assert len(seam.chips()) == 2


def test_a_long_record_comes_whole(server, outside):
    held = find(server.remote()).request(23, Settings("output", False), "long")
    before = len(outside.record())
    for index in range(350):
        held.set(index % 2 == 0)
    told = outside.record()[before:]
    assert [done["value"] for done in told] == [index % 2 == 0 for index in range(350)]


@pytest.mark.parametrize("said", [("level", PATH, "nothing"), ("level", "x", 1), ("other",), ("pull",), ("wait", 1)])
def test_what_it_does_not_know_is_a_sentence_and_it_goes_on(outside, said):
    with pytest.raises(ValueError, match=r".+"):
        outside._ask(*said)
    assert outside.level(PATH, 20) is False


def test_a_chip_that_goes_hangs_up_the_descriptor_at_the_other_side(server, outside):
    seam = server.remote()
    held = find(seam, "raspberrypi-exp-gpio").request(0, Settings("input"), "gone")
    poll = select.poll()
    poll.register(held.fd, select.POLLIN)
    outside.unplug("raspberrypi-exp-gpio")
    assert poll.poll(60_000)[0][1] & select.POLLHUP
    with pytest.raises(HardwareFault, match="the chip is gone"):
        held.events()
    held.close()
    outside.plug("raspberrypi-exp-gpio")


def test_garbage_ends_its_own_connection_at_most(server, outside):
    rng = random.Random(7)
    for _ in range(rounds(1000)):
        there = connect(server.socket, CHIPS)
        there.setblocking(False)
        for _ in range(rng.randrange(4)):
            there.send(bytes(rng.choice(b"loicrx\0\1") for _ in range(rng.choice((1, 5, 9, 21, 40)))))
        there.close()
    stranger = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    stranger.connect(server.socket)
    stranger.send(b"hello")
    assert stranger.recv(9) == b"?"
    stranger.close()
    assert outside.level(PATH, 20) is False


def test_a_descriptor_of_another_connection_is_none(server):
    one, other = server.remote(), server.remote()
    fd = one.open(PATH)
    with pytest.raises(OSError) as caught:
        other.ioctl(fd, 0x8044B401, bytearray(68))
    assert caught.value.errno == errno.EBADF
    one.close(fd)
    with pytest.raises(OSError) as caught:
        one.close(fd)
    assert caught.value.errno == errno.EBADF


def act(seam, wires, held, rng):
    """One random act at a line; what came of it, in plain words."""
    line = rng.randrange(10, 14)
    settings = Settings(
        rng.choice(("input", "output", "as-is")),
        rng.choice((True, False)),
        rng.random() < 0.3,
        rng.choice(("", "up", "down", "off")),
        rng.choice(("", "", "both", "rising", "falling")),
        0.0,
        rng.choice(("", "", "", "drain", "source")),
    )
    kind = rng.randrange(7)
    try:
        if kind == 0:
            held[line] = find(seam).request(line, settings, f"line {line}")
        elif kind == 1:
            wires.pull(PATH, line, rng.choice((True, False, None)))
        elif kind == 2:
            find(seam).offset_of("GPIO12")
            return find(seam).info(line)
        elif line not in held:
            return None
        elif kind == 3:
            return held[line].set(settings.value)
        elif kind == 4:
            return held[line].change(settings)
        elif kind == 5:
            held.pop(line).close()
        else:
            return held[line].get(), [edge.rising for edge in held[line].events()]
    except HardwareFault as fault:
        return str(fault), fault.errno
    return line


def test_it_does_what_the_model_in_process_does(server, outside):
    near, seam = Model("pi3", "input"), server.remote()
    for line in range(10, 14):
        for wires in (near, outside):
            wires.pull(PATH, line, None)
    here, there = {}, {}
    for index in range(rounds(3000)):
        one = act(near, near, here, random.Random(index))
        other = act(seam, outside, there, random.Random(index))
        assert one == other, index
        if index % 10 == 0:
            levels = [near.outside(PATH, line) for line in range(10, 14)]
            assert levels == [outside.level(PATH, line) for line in range(10, 14)]


def test_its_socket_is_its_users_alone(server):
    assert stat.S_IMODE(os.stat(server.socket).st_mode) == 0o600


def test_a_socket_that_answers_is_not_taken_and_a_dead_one_is(tmp_path):
    with ChipServer(tmp_path) as first:
        assert main([first.socket]) == 7
        first.process.kill()
        first.process.wait(60)
        assert os.path.lexists(first.socket)
        with ChipServer(tmp_path, "generic") as second:
            assert find(second.remote()).lines == 8


def test_a_file_is_not_taken_for_a_socket(tmp_path):
    (tmp_path / "chips").write_text("precious")
    assert main([str(tmp_path / "chips")]) == 7
    assert (tmp_path / "chips").read_text() == "precious"


def test_a_long_path_is_reached_too(tmp_path):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    with ChipServer(folder) as made:
        assert len(made.socket) > 107
        assert len(of(made.chips).chips()) == 2


def test_it_ends_with_the_last_connection_when_asked_to(tmp_path):
    with ChipServer(tmp_path, "pi3", "keep", "--until-idle") as made:
        made.process.wait(60)
        assert made.process.returncode == 0
        assert not os.path.lexists(made.socket)


def test_who_is_connected_to_a_server_that_died_is_told(tmp_path):
    with ChipServer(tmp_path) as made:
        outside, seam = Outside(made.socket), Remote(made.socket)
        held = find(seam).request(17, Settings("input", edges="both"), "x")
        made.process.kill()
        made.process.wait(60)
        with pytest.raises(HardwareFault, match="the chip is gone"):
            held.get()
        held.close()
        with pytest.raises(HardwareFault, match=r"has ended|does not answer"):
            outside.level(PATH, 17)


def test_options_are_words():
    assert options(["s"]) == ("s", "pi3", "keep", False)
    assert options(["--board", "pi5", "s", "--release", "input", "--until-idle"]) == ("s", "pi5", "input", True)
    for wrong in ([], ["a", "b"], ["--other"], ["s", "--board"], ["--board", "pi5"]):
        with pytest.raises(UsageFault, match="one socket"):
            options(wrong)
    assert main(["s", "--board", "none"]) == 2


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_child_of_a_fork_has_no_chip_and_its_parent_keeps_its_line(server, outside):
    chip = find(server.remote())
    line = chip.request(17, Settings("output", True), "parent")
    child = os.fork()
    if not child:
        code = 1
        try:
            with pytest.raises(HardwareFault, match="the chip is gone"):
                line.set(False)
            line.close()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert outside.level("pinctrl-bcm2835", 17) and line.get() is True
    line.set(False)
    assert not outside.level("pinctrl-bcm2835", 17)
