"""The guard as a service: safe before anything else, for all agents that come, again after every end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from edge.call import Output, Sensor
from edge.cli import stop
from edge.faults import HardwareFault, Refused
from edge.peripherals.guard import door, owned, sessions, spawn
from edge.peripherals.guard.client import Board
from edge.peripherals.guard.owned import GpioLine, Owned
from tests.support.boards import alive, eventually
from tests.support.services import FAN, PUMP, ROOT, Place


@pytest.fixture
def place(tmp_path):
    with Place(tmp_path) as place:
        yield place


# An agent that a test lets go of has left, and what it held is safe: it is kept where the guard is killed under it.


def rows(place):
    """What the guard wrote down, oldest first: its own thread writes it, soon after what it tells."""
    path = place.state / "guard" / "board.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# The start


def test_it_serves_agents_that_come_and_go_and_stays(place):
    process = place.up()
    for number in range(2):
        board = place.join(f"run-{number}")
        assert (board.pid, board.started, board.speed) == (process.pid, 0, 1.0)
        assert board.set("pump", True, 30.0, "c1")["state"] is True
        assert place.level(PUMP) is True
        assert board.sense("door").source == "GPIO4 of pinctrl-bcm2835"
        board.close()
        assert place.level(PUMP) is False
    assert process.poll() is None
    eventually(lambda: len(rows(place)) > 3)
    assert [(row["name"], row["state"], row["run"]) for row in rows(place)] == [
        ("pump", True, "run-0"),
        ("pump", False, "run-0"),
        ("pump", True, "run-1"),
        ("pump", False, "run-1"),
    ]
    assert all(row["boot"] and row["level"] in (0.0, 1.0) for row in rows(place))


def test_after_a_kill_the_next_start_makes_safe_before_it_reads_the_card_or_listens(place):
    """The chips keep driving what was released, as those of a Raspberry Pi do."""
    first = place.up()
    agent = place.join()
    agent.set("pump", True, 60.0, "c1")
    first.kill()
    first.wait()
    assert place.level(PUMP) is True
    began = time.monotonic()
    second = place.start()
    eventually(lambda: place.level(PUMP) is False, pause=0.001)
    print(f"from the start to the first safe value {1000 * (time.monotonic() - began):.0f} ms")
    eventually(lambda: place.ask("show"))
    assert place.join().states()["pump"]["state"] is False
    assert second.poll() is None
    eventually(lambda: rows(place)[-1]["why"] == "board started anew")


def test_how_often_an_output_was_switched_is_known_after_a_kill(place):
    place.settings.write_text(place.settings.read_text().replace("max_on = 60", "max_on = 60\nmax_per_hour = 2"))
    first = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    board.set("pump", True, 40.0, "c2")
    eventually(lambda: rows(place))
    first.kill()
    first.wait()
    place.up()
    board = place.join()
    assert board.set("pump", True, 30.0, "c1")["state"] is True
    board.set("pump", False, None, "c2")
    with pytest.raises(Refused, match="2 times an hour") as caught:
        board.set("pump", True, 30.0, "c3")
    assert caught.value.rule == "guard.max_per_hour"


def test_a_kill_of_the_guard_and_wrong_settings_still_end_in_safe_values_held(place):
    first = place.up()
    held = place.join()
    held.set("pump", True, 60.0, "c1")
    held.set("fan", True, 60.0, "c2")
    first.kill()
    first.wait()
    place.settings.write_text("board = [")
    second = place.up()
    assert (place.level(PUMP), place.level(FAN)) == (False, False)
    board = place.join()
    assert "the settings are wrong" in board.notes[0]
    with pytest.raises(Refused, match=r"pump stays as it is: the settings are wrong: .*not TOML") as caught:
        board.set("pump", True, 10.0, "c1")
    assert caught.value.rule == "guard.config"
    assert board.set("pump", False, None, "c2")["state"] is False
    assert second.poll() is None


def test_wrong_settings_let_neither_a_level_nor_a_hand_switch_away_from_safe(place):
    good = place.settings.read_text()
    fan = '[outputs.breeze]\nsafe = "on"\npwm = {chip = "pwmchip9", channel = 0}\n'
    place.settings.write_text(good + fan)
    first = place.up()
    first.kill()
    first.wait()
    (place.state / "guard" / "override" / "pump").write_text("on")
    place.settings.write_text("board = [")
    place.up()
    board = place.join()
    with pytest.raises(Refused, match="settings are wrong"):
        board.set("breeze", True, 10.0, "c1", level=0.25)
    assert board.states()["pump"]["override"] == "held safe by hand"
    assert place.level(PUMP) is False


def copied(folder):
    """The program once more, to be spoilt."""
    shutil.copytree(ROOT / "edge", folder / "edge", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "edge" / "peripherals" / "guard" / "serve.py"


def left_on(place):
    """The fan left on by a guard that ended in order, as it is declared; what that guard was told."""
    first = place.up()
    agent = place.join()
    agent.set("fan", True, 30.0, "c1")
    first.terminate()
    first.wait()
    assert place.level(FAN) is True
    return json.loads((place.state / "guard" / "last.json").read_text())["owned"]


def run(place, told, library):
    words = spawn.command(str(place.state), 1.0, told, place.socket)
    words[words.index(spawn.library())] = str(library)
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_a_guard_that_cannot_even_begin_leaves_nothing_held_as_found(place, tmp_path):
    """Its program was half replaced while it started; the chips keep driving what is released."""
    told = left_on(place)
    os.unlink(copied(tmp_path / "library"))
    done = run(place, told, tmp_path / "library")
    assert "serve" in done.stderr and done.returncode != 0
    assert place.level(FAN) is False


@pytest.mark.parametrize(("error", "code"), [("ValueError", 1), ("HardwareFault", 7)])
def test_an_error_of_its_own_ends_it_with_nothing_left_on(place, tmp_path, error, code):
    told = left_on(place)
    program = copied(tmp_path / "library")
    head = "        while not self.why:\n"
    program.write_text(program.read_text().replace(head, f"{head}            raise {error}('spoilt')\n"))
    done = run(place, told, tmp_path / "library")
    assert (done.returncode, "spoilt" in done.stderr) == (code, True)
    assert place.level(FAN) is False
    assert [(row["name"], row["why"]) for row in rows(place)][-1] == ("fan", "board stopping")


def test_wrong_settings_without_anything_kept_end_with_the_sentence(place):
    place.settings.write_text("board = [")
    process = place.start()
    assert process.wait(60) == 3
    assert "not TOML" in process.stderr.read()


def test_settings_that_declare_nothing_are_said(place):
    place.settings.write_text('board = "auto"')
    process = place.start()
    assert process.wait(60) == 3
    assert "nothing to guard" in process.stderr.read()


def test_with_sensors_alone_it_owns_nothing_and_stays(place):
    place.settings.write_text('board = "auto"\n[sensors.box]\nhwmon = "lm75"\n')
    place.up()
    assert place.join().states() == {}


def test_a_second_service_at_the_same_socket_is_refused_and_switches_nothing(place):
    place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    second = place.start()
    assert second.wait(60) == 7
    assert "another guard" in second.stderr.read()
    assert place.level(PUMP) is True
    assert board.states()["pump"]["state"] is True


def test_a_state_folder_that_cannot_be_used_does_not_keep_it_from_its_lines(place):
    (place.state / "guard").write_text("a file where the folder should be")
    process = place.up()
    board = place.join()
    assert any("keeps nothing" in note for note in board.notes)
    assert board.set("pump", True, 30.0, "c1")["state"] is True
    process.terminate()
    process.wait()
    assert place.level(PUMP) is False


def test_a_board_with_many_outputs_is_shown_whole_and_described_whole(tmp_path):
    lines = [number for number in range(4, 28) if number not in (14, 15)]
    tables = "".join(f'[outputs.output_{number}]\nline = "GPIO{number}"\nlabel = "{"x" * 80}"\n' for number in lines)
    with Place(tmp_path, settings='board = "auto"\n[gpio]\nchips = "{chips}"\n' + tables) as place:
        place.up()
        board = place.join()
        for number in lines:
            board.set(f"output_{number}", True, 30.0, f"c{number}")
        assert sum(row["state"] for row in place.ask("show")["outputs"].values()) == len(lines)
        assert sum(row["state"] for row in board.states().values()) == len(lines)
        assert len(owned.read(door.description(place.socket)).outputs) == len(lines)
        assert not any(row["state"] for row in place.ask("safe_all")["outputs"].values())


def test_the_largest_boards_are_shown_whole_with_every_sentence(tmp_path):
    names = [f"{number:03}_{'x' * 28}" for number in range(100)]
    wrong = tuple(Output(name, "l" * 80, "w" * 80, interlock=(f"not c{name[:31]}",)) for name in names)
    contacts = tuple(Sensor(f"c{name[:31]}", "", "l" * 80, "w" * 80) for name in names)
    lines = tuple(GpioLine(one.name, "nowhere", "1") for one in (*wrong, *contacts))
    board = Board.start(str(tmp_path), owned=Owned("lines", wrong, contacts, lines))
    try:
        assert all(row["state"] is None and row["fault"] for row in board.safe_all().values())
        told = door.ask_in(str(tmp_path / "guard"), {"do": "show"})
        assert (len(told["outputs"]), len(told["sensors"])) == (100, 100)
        assert all(row["error"] for row in told["sensors"])
    finally:
        board.close()


# The end


def test_a_signal_makes_safe_and_holds_what_is_declared_to_be_held(place):
    process = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    board.set("fan", True, 30.0, "c2")
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    assert (place.level(PUMP), place.level(FAN)) == (False, True)
    with pytest.raises(HardwareFault, match="unknown until they are read back"):
        board.states()
    assert board.events() == [{"event": "off", "name": "pump", "state": False, "why": "board stopping"}]
    assert not os.path.exists(place.socket)


def test_a_start_takes_what_was_held_as_it_is(place):
    first = place.up()
    agent = place.join()
    agent.set("fan", True, 30.0, "c1")
    first.terminate()
    first.wait()
    place.up()
    assert place.level(FAN) is True
    place.ask("safe_all")
    assert place.level(FAN) is False


def test_no_number_of_kills_makes_the_longest_time_longer(place):
    place.settings.write_text(place.settings.read_text().replace('on_exit = "hold"', "max_on = 3"))
    guard = place.up()
    began = time.monotonic()
    agent = place.join()
    agent.set("fan", True, 3.0, "c1")
    eventually(lambda: rows(place))
    while place.level(FAN):
        assert time.monotonic() < began + 30.0
        guard.kill()
        guard.wait()
        guard = place.up()
        row = place.ask("show")["outputs"]["fan"]
        assert row["state"] is False or time.monotonic() + row["left"] <= began + 3.5
    assert time.monotonic() > began + 2.0  # it was held over kills until then
    eventually(lambda: rows(place)[-1]["why"] == "lease ended")


def test_a_rest_does_not_begin_anew_with_every_guard_and_begins_anew_after_a_kill(place):
    usual = place.settings.read_text()

    def resting(seconds):
        place.settings.write_text(usual.replace("[inputs.door]", f"min_off = {seconds}\n[inputs.door]"))

    def refused(guard):
        with pytest.raises(Refused) as caught:
            place.join().set("fan", True, 3.0, "c1")
        guard.terminate()
        guard.wait()
        return caught.value.rule

    resting(120)
    assert refused(place.up()) == "guard.min_off"
    resting(1)
    time.sleep(1.1)  # the rest began before this
    guard = place.up()
    agent = place.join()
    assert agent.set("fan", True, 60.0, "c1")["state"] is True
    agent.safe_all()
    guard.kill()
    guard.wait()
    resting(120)
    assert refused(place.up()) == "guard.min_off"


def test_what_is_held_without_anybody_knowing_since_when_is_written_down(place):
    place.settings.write_text(place.settings.read_text().replace('on_exit = "hold"', "max_on = 60"))
    guard = place.up()
    agent = place.join()
    agent.set("fan", True, 30.0, "c1")
    eventually(lambda: rows(place))
    guard.kill()
    guard.wait()
    os.unlink(place.state / "guard" / "board.jsonl")
    for _ in range(2):
        guard = place.up()
        eventually(lambda: rows(place))
        guard.kill()
        guard.wait()
    assert [(row["name"], row["state"], row["why"]) for row in rows(place)] == [("fan", True, "board started anew")]


def test_usr1_makes_everything_safe_and_ends_nothing(place):
    process = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    board.set("fan", True, 30.0, "c2")
    process.send_signal(signal.SIGUSR1)
    eventually(lambda: not place.level(PUMP) and not place.level(FAN))
    assert {event["why"] for event in eventually(board.events)} == {"safe-all"}
    assert board.set("pump", True, 10.0, "c3")["state"] is True


# Agents


def test_a_killed_agent_takes_down_what_it_held_and_nothing_else(place):
    place.up()
    mine, other = place.join("mine"), place.join("other")
    mine.set("pump", True, 30.0, "c1")
    other._socket.close()
    assert mine.states()["pump"]["state"] is True
    mine._socket.close()
    eventually(lambda: [row["why"] for row in rows(place)][-1:] == ["agent gone"])
    assert place.level(PUMP) is False


def test_at_most_so_many_agents_and_the_rest_are_told(place):
    process = place.up()
    boards = [place.join(f"run-{number}") for number in range(sessions.AGENTS)]
    with pytest.raises(HardwareFault, match=f"{sessions.AGENTS} agents are at this guard already"):
        place.join("one too many")
    assert all(board.states() for board in boards)
    boards[0].close()
    eventually(lambda: len(place.ask("show")["agents"]) == sessions.AGENTS - 1)
    place.join("now").close()
    assert process.poll() is None


def test_nobody_to_join_is_said(tmp_path):
    with pytest.raises(HardwareFault, match=r"no guard listens at .*guard run"):
        Board.join(str(tmp_path / "nowhere.sock"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_comes_in_when_named_and_else_not(place):
    os.chmod(os.path.dirname(place.socket), 0o755)
    place.up("--users", "nobody")
    assert _reached(place.socket, "nobody")
    assert not _reached(place.socket, "daemon")


def _reached(path, user):
    """True when `user` gets an answer. It stands in the folder already: those above are closed to others here."""
    import pwd

    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.chdir(os.path.dirname(path))
            os.setuid(pwd.getpwnam(user).pw_uid)
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(os.path.basename(path))
                peer.sendall(b'{"do":"show"}\n')
                code = 0 if peer.recv(100) else 2
        except OSError:
            code = 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_an_agent_that_starts_in_the_same_state_folder_joins_the_service(place):
    from edge.cli import settle
    from edge.cli.args import Options
    from edge.cli.board import choose

    process = place.up()
    chosen = choose(settle.settings(Options(config=str(place.settings)), {}))
    board = Board.start(str(place.state), owned=chosen.owned, run="started")
    assert (board.pid, board.started) == (process.pid, 0)
    board.set("pump", True, 30.0, "c1")
    board.close()
    assert alive(process.pid) and place.level(PUMP) is False


def test_a_guard_that_was_started_again_is_found_by_the_next_request_and_that_is_told(place):
    first = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    first.kill()
    first.wait()
    with pytest.raises(HardwareFault, match=r"whether pump was switched is unknown.*its supervisor starts it"):
        board.set("pump", True, 30.0, "c2")
    with pytest.raises(HardwareFault, match="unknown until they are read back"):
        board.states()
    assert not board.beat()
    second = place.up()
    assert board.states()["pump"]["state"] is False
    assert board.pid == second.pid and board.beat()
    assert f"runs again (process {second.pid})" in board.events()[-1]["why"]
    assert board.set("pump", True, 30.0, "c3")["state"] is True
    board.close()
    assert place.level(PUMP) is False


def test_a_guard_that_runs_again_and_lets_nobody_in_is_asked_anew_by_each_request(place):
    first = place.up()
    board = place.join()
    first.kill()
    first.wait()
    second = place.up()
    others = [place.join(f"run-{number}") for number in range(sessions.AGENTS)]
    with pytest.raises(HardwareFault, match="let this agent go"):
        board.states()
    for _ in range(2):
        with pytest.raises(HardwareFault, match="agents are at this guard"):
            board.states()
    others[0].close()
    assert board.states()["pump"]["state"] is False
    assert f"runs again (process {second.pid})" in board.events()[-1]["why"]


# Stop, overrides, safe-all


def test_a_stop_in_the_folder_of_an_agent_stops_the_guard_it_joined(place, tmp_path):
    from edge import stop

    place.up()
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    board = Board.join(place.socket, "run", str(theirs))
    board.set("pump", True, 30.0, "c1")
    assert place.ask("show", state=str(theirs))["watched"] is True
    stop.set_(str(theirs), stop.One("all", "smoke"))
    eventually(lambda: not place.level(PUMP))
    with pytest.raises(Refused, match="smoke"):
        board.set("pump", True, 10.0, "c2")
    stop.lift(str(theirs))
    assert board.set("pump", True, 10.0, "c3")["state"] is True


def test_the_command_stop_hears_a_service_confirm(place, tmp_path):
    from tests.support import agent

    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    place.settings.write_text(place.settings.read_text() + f'[guard]\nsocket = "{place.socket}"\n')
    process = place.up()
    board = Board.join(place.socket, "run", str(theirs))
    board.set("pump", True, 30.0, "c1")
    done = agent.run("stop", "--config", str(place.settings), "--state", str(theirs), home=tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"safe, says the board (process {process.pid}): pump, fan" in done.stdout
    assert f"process {process.pid}) is not stopped" not in done.stdout
    assert place.level(PUMP) is False


def test_the_command_stop_makes_a_service_safe_that_does_not_look_into_its_folder_and_says_that(place, tmp_path):
    from tests.support import agent

    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    place.settings.write_text(place.settings.read_text() + f'[guard]\nsocket = "{place.socket}"\n')
    process = place.up()
    board = place.join()
    board.set("pump", True, 50.0, "c1")
    done = agent.run("stop", "--config", str(place.settings), "--state", str(other), home=tmp_path)
    assert done.returncode == 1 and f"the guard at {place.socket} (process {process.pid}) was told" in done.stdout
    assert "NOT stopped (fieldhand stop --state FOLDER" in done.stdout
    assert not place.ask("show")["stopped"] and place.level(PUMP) is False


def test_a_service_that_is_frozen_is_not_called_safe_by_the_command_stop(place, tmp_path):
    from tests.support import agent

    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    place.settings.write_text(place.settings.read_text() + f'[guard]\nsocket = "{place.socket}"\n')
    process = place.up()
    os.kill(process.pid, signal.SIGSTOP)
    try:
        done = agent.run("stop", "--config", str(place.settings), "--state", str(other), home=tmp_path)
    finally:
        os.kill(process.pid, signal.SIGCONT)
    assert done.returncode == 1 and f"NOT  outputs: UNKNOWN: the guard at {place.socket} did not answer" in done.stdout


def test_a_lab_line_that_nobody_drove_hinders_no_stop_and_a_wire_that_is_on_is_not_called_safe(place, tmp_path):
    from tests.support import agent

    told = place.settings.read_text().replace("[gpio]\n", '[gpio]\nlines = ["GPIO22"]\nlab = true\n')
    place.settings.write_text(f'{told}[guard]\nsocket = "{place.socket}"\n')
    place.up()
    words = ("stop", "--config", str(place.settings), "--state", str(place.state))
    done = agent.run(*words, home=tmp_path)
    assert done.returncode == 0, done.stdout
    place.chips.outside().stick("pinctrl-bcm2835", PUMP, True)  # a short circuit
    done = agent.run(*words, home=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "has not obeyed; on: pump (pump was driven to 0 and reads back 1)" in done.stdout


def test_a_foreign_service_is_told_once_to_be_safe(place, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    place.up()
    asked, ask = [], door.ask

    def counted(path, message, *more):
        asked.append(message["do"])
        return ask(path, message, *more)

    monkeypatch.setattr(door, "ask", counted)
    seen = stop._wait(str(other), True, place.socket)
    assert [one.safe for one in seen] == [False] and asked.count("safe_all") == 1


def test_a_word_in_the_override_folder_wins_over_the_agents(place):
    place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    folder = place.state / "guard" / "override"
    (folder / "pump").write_text("safe\n")
    eventually(lambda: not place.level(PUMP))
    with pytest.raises(Refused) as caught:
        board.set("pump", True, 10.0, "c2")
    assert caught.value.rule == "guard.override"
    (folder / "pump").write_text("on")
    eventually(lambda: place.level(PUMP))
    assert board.states()["pump"]["override"]
    os.unlink(folder / "pump")
    eventually(lambda: not place.level(PUMP))
    eventually(lambda: not board.states()["pump"]["override"])


def test_safe_all_asks_the_guard_and_prints_what_is_read_back(place):
    process = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    done = place.safe_all()
    assert done.returncode == 0, done.stderr
    assert f"safe    pump: off (guard, process {process.pid})" in done.stdout
    assert place.level(PUMP) is False
    assert eventually(board.events)[0]["why"] == "safe-all"


def test_safe_all_without_a_guard_takes_the_lines_itself(place):
    first = place.up()
    board = place.join()
    board.set("pump", True, 30.0, "c1")
    board.set("fan", True, 30.0, "c2")
    first.kill()
    first.wait()
    assert (place.level(PUMP), place.level(FAN)) == (True, True)
    done = place.safe_all(SERVICE_RESULT="success")
    assert (done.returncode, place.level(PUMP), place.level(FAN)) == (0, False, True), done.stderr
    done = place.safe_all("--json")
    assert done.returncode == 0, done.stderr
    assert place.level(FAN) is False
    assert {row["output"]: row["safe"] for row in json.loads(done.stdout)} == {"pump": True, "fan": True}
    place.settings.write_text("board = [")
    done = place.safe_all()
    assert done.returncode == 0 and "what was declared last is taken" in done.stderr
    assert "safe    pump: off" in done.stdout


def test_safe_all_names_who_holds_a_line_and_says_what_hangs(place):
    from edge.peripherals.gpiochip.chip import Settings
    from edge.peripherals.gpiochip.find import find

    held = find(place.chips.remote()).request(PUMP, Settings("output", True), "somebody")
    done = place.safe_all()
    assert done.returncode == 7
    assert "UNKNOWN pump" in done.stdout and "somebody" in done.stdout
    assert "safe    fan" in done.stdout
    held.close()
    process = place.up()
    process.send_signal(signal.SIGSTOP)
    done = place.safe_all()
    assert done.returncode == 7
    assert "did not answer" in done.stdout


def test_a_service_can_have_a_simulated_board(place, tmp_path):
    place.settings.write_text('board = "sim"')
    place.up()
    board = place.join()
    assert board.speed == 60.0
    assert board.set("fan", True, 600.0, "c1")["state"] is True
    assert door.ask(place.socket, {"do": "set", "name": "temperature", "value": "40"})["said"] == "temperature is 40 C"
