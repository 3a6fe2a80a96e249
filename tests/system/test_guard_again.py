"""A guard that was killed, hangs or is told to end: who notices, and what goes on."""

from __future__ import annotations

import os
import signal
import socket
import time

import pytest

from bench import guard, memory
from edge.peripherals.guard import door
from tests.support import agent as agents
from tests.support.boards import eventually
from tests.support.guard_bench import Own, Service, Tally, Watch
from tests.support.services import Place
from tests.support.supervisor import why_not


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    if why_not():
        pytest.skip(why_not())
    with Service(tmp_path_factory.mktemp("again") / "b", active_low=True) as bench:
        yield bench


def off_in_time(bench, guard):
    """Kill a guard: the pump is off two seconds later, or as late beyond that as this process itself wakes up."""
    tally, watch = Tally("guard killed, 2 s"), Watch()
    with watch:
        when = time.monotonic()
        os.kill(guard, signal.SIGKILL)
        tally.add(bench.off() - when - 2.0)
    assert tally.judged(watch).good == 1, str(tally.judged(watch))


def killed_once(bench):
    """Kill the guard; it is back, and the pump is off in time."""
    before = bench.guard()
    off_in_time(bench, before)
    eventually(lambda: bench.guard() != before)
    bench.up()


def test_a_conversation_is_told_that_its_guard_was_killed_and_goes_on_with_the_next(service):
    agent = service.agent("--yes")
    agent.say(",output_set name=pump state=on for=5m")
    service.until_on(agent)
    killed_once(service)
    eventually(lambda: "board: the board takes no heartbeat; the state of its outputs is unknown" in agent.said())
    agent.say(",output_list")
    eventually(lambda: "pump: pump, off" in agent.said())
    eventually(lambda: "the guard ended and runs again" in agent.said())
    agent.say(",output_set name=pump state=on for=5m")
    service.until_on(agent)
    agent.say(",quit")
    assert agent.process.wait(60) == 0
    assert not service.on() and service.why() == "agent left"


def test_who_waits_for_a_lease_whose_guard_was_killed_says_that_the_state_is_unknown(service):
    agent = service.switched()
    killed_once(service)
    assert agent.process.wait(60) == 7
    assert "the state of its outputs is unknown" in agent.said()


def test_the_end_of_the_supervisor_makes_safe_first(tmp_path):
    if why_not():
        pytest.skip(why_not())
    with Service(tmp_path / "b") as bench:
        bench.switched()
        bench.init.stop()
        assert bench.off()
        assert bench.why() in ("board stopping", "safe-all")
        assert not os.path.exists(bench.socket)


@pytest.fixture
def own(tmp_path):
    with Own(tmp_path / "b", active_low=True) as bench:
        yield bench


def child(bench):
    """The process id of the guard that an agent of this bench started."""
    return int((bench.state / "guard/lock").read_text().split()[0])


def test_a_conversation_starts_its_own_guard_again_when_that_was_killed(own):
    agent = own.agent("--yes")
    agent.say(",output_set name=pump state=on for=5m")
    own.until_on(agent)
    before = child(own)
    off_in_time(own, before)
    eventually(lambda: "crashed and was started again" in agent.said())
    assert child(own) != before
    agent.say(",output_set name=pump state=on for=5m")
    own.until_on(agent)
    agent.say(",quit")
    assert agent.process.wait(60) == 0
    assert not own.on()


def test_a_board_file_that_was_spoilt_meanwhile_is_said_and_tried_until_it_is_right(own):
    file = own.folder / "board.toml"
    told = own.settings.read_text().partition("[tools]")[0].replace('board = "auto"', "")
    file.write_text(told)
    agent = own.agent("--yes", "--board", str(file))
    agent.say(",output_set name=pump state=on for=5m")
    own.until_on(agent)
    file.write_text("[outputs")
    os.kill(child(own), signal.SIGKILL)
    eventually(lambda: "crashed and cannot be started again" in agent.said())
    file.write_text(told)
    own.off()
    eventually(lambda: "crashed and was started again" in agent.said())


def test_a_one_shot_whose_own_guard_was_killed_leaves_the_pump_off(own):
    agent = own.switched()
    off_in_time(own, child(own))
    assert agent.process.wait(60) == 7
    assert "unknown" in agent.said() and "crashed and was started again" in agent.said()


def test_a_guard_that_was_told_to_end_is_not_started_again(own):
    agent = own.agent("--yes")
    agent.say(",output_set name=pump state=on for=5m")
    own.until_on(agent)
    before = child(own)
    os.kill(before, signal.SIGTERM)
    own.off()
    eventually(lambda: "takes no heartbeat" in agent.said())
    assert child(own) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_child_of_an_agent_that_is_told_to_end_makes_safe(tmp_path, number):
    with Own(tmp_path / "b") as bench:
        agent = bench.switched()
        agent.process.send_signal(number)
        bench.off()


def test_a_loop_that_hangs_in_a_driver_is_silent_to_its_supervisor(tmp_path):
    """The chips stand still, as a driver that does not return: what asks them hangs, and the watchdog is not fed."""
    with Place(tmp_path) as place, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        address = str(tmp_path / "notify")
        supervisor.bind(address)
        supervisor.settimeout(60.0)
        every = 0.1
        place.up(NOTIFY_SOCKET=address, WATCHDOG_USEC=str(int(2e6 * every)))
        heard = [supervisor.recv(1000) for _ in range(4)]
        assert heard[0].startswith(b"READY=1") and heard[-1] == b"WATCHDOG=1"
        place.chips.process.send_signal(signal.SIGSTOP)
        silent(supervisor, 10 * every)
        place.chips.process.send_signal(signal.SIGCONT)
        assert supervisor.recv(1000) == b"WATCHDOG=1"


def test_the_unit_has_a_watchdog_for_a_guard_that_stands_still_and_makes_safe_after_every_end(tmp_path):
    """A guard that is stopped by a signal can do nothing itself: systemd.service(5) kills and starts it again."""
    unit = agents.run("guard", "unit", "systemd", home=tmp_path).stdout.splitlines()
    assert {"Type=notify", "WatchdogSec=3", "Restart=always", "RestartSec=200ms"} <= set(unit)
    assert any(row.startswith("ExecStopPost=-") and "safe-all" in row for row in unit)


def silent(supervisor, seconds):
    """Wait until nothing comes for so long."""
    supervisor.settimeout(seconds)
    with pytest.raises(socket.timeout):
        for _ in range(1000):
            supervisor.recv(1000)
    supervisor.settimeout(60.0)


def test_a_guard_that_served_many_is_a_bare_interpreter_and_at_most_one_mib(service):
    """Measured as `bench.guard` does, which measures one that served a single agent; here after a kill as well."""
    killed_once(service)
    for number in range(10):
        board = service.join()
        assert board.set("pump", True, 60.0, f"c{number}")["state"] is True
        board.states()
        board.close()
        door.ask(service.socket, {"do": "show"})
    base, double = guard.waiting(""), guard.Lines(service.chips).double()
    found = memory.private(service.guard()) - double
    print(f"bare interpreter {base:.2f} MiB, guard {found:.2f} MiB and {double:.2f} MiB for the double of its chips")
    assert found <= base + 1.0
