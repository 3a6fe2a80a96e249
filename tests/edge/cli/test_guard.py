"""`fieldhand guard` and `safe-all`: what a supervisor is told, and what is said when the command is wrong.

The guard that runs as a service is tried in tests/peripherals/guard/test_service.py.
"""

from __future__ import annotations

import os

import pytest

from edge.cli import guard, settle
from edge.cli.args import Options, parse
from edge.cli.board import choose
from edge.cli.guard import main
from edge.cli.guard_units import unit
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.guard import folder, owned
from tests.support import agent
from tests.support.chips import ChipServer


def sections(text):
    """section -> [(key, value), ...] of a unit."""
    found = {}
    for line in text.splitlines():
        if line.startswith("["):
            found[line.strip("[]")] = rows = []
        elif line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            assert equals and key.isidentifier(), line
            rows.append((key, value))
    return found


def test_a_systemd_unit_starts_watches_and_ends_it(tmp_path):
    said = sections(unit("systemd", parse(["guard", "unit", "systemd", "--config", "/etc/f.toml", "--users", "pi"])))
    service = dict(said["Service"])
    assert service["ExecStart"].endswith("guard run --config /etc/f.toml --users pi")
    assert service["ExecStopPost"].startswith("-/") and service["ExecStopPost"].endswith(
        "safe-all --config /etc/f.toml"
    )
    assert (service["Type"], service["Restart"]) == ("notify", "always")
    assert float(service["WatchdogSec"]) > 0 and service["OOMScoreAdjust"] == "-900"
    assert (service["CPUSchedulingPolicy"], service["CPUSchedulingPriority"]) == ("rr", "1")
    assert ("DeviceAllow", "char-gpiochip rw") in said["Service"]
    assert service["RestrictAddressFamilies"] == "AF_UNIX"
    assert dict(said["Unit"])["StartLimitIntervalSec"] == "0"


def test_folders_that_options_name_stay_writable_for_the_unit():
    given = ["guard", "unit", "systemd", "--state", "/srv/fh", "--socket", "/srv/run/g.sock"]
    service = dict(sections(unit("systemd", parse(given)))["Service"])
    assert service["ReadWritePaths"] == "/srv/fh /srv/run"
    assert "ReadWritePaths" not in unit("systemd", Options()) + unit("busybox", parse(["guard", *given[1:]]))


@pytest.mark.parametrize("kind", ["systemd", "busybox"])
def test_paths_are_those_of_the_folder_in_which_the_unit_is_printed(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["--config", "c.toml", "--state", "st", "--board", "b.toml", "--socket", "g.sock", "--users", "pi"]
    said = unit(kind, parse(["guard", "unit", kind, *given]))
    lines = [line for line in said.splitlines() if "guard run" in line or "safe-all" in line]
    for line in [one for one in lines if " --config " in one]:
        told = f"--config {tmp_path}/c.toml --state {tmp_path}/st --board {tmp_path}/b.toml --socket {tmp_path}/g.sock"
        assert told in line
    assert len([line for line in lines if " --config " in line]) == 2
    assert said.count("--users pi") == 1
    assert " --board sim:yard" in unit(kind, Options(board="sim:yard"))


def test_a_folder_made_for_the_socket_lets_others_pass_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        guard._parent(f"{tmp_path}/others/g.sock", True)
        guard._parent(f"{tmp_path}/own/g.sock", False)
    finally:
        os.umask(before)
    modes = [os.stat(f"{tmp_path}/{name}").st_mode & 0o777 for name in ("others", "own")]
    assert modes == [0o755, 0o700]


def test_busybox_lines_respawn_it_and_make_safe_at_a_shutdown():
    said = unit("busybox", Options())
    lines = [line.split(":") for line in said.splitlines() if not line.startswith("#")]
    assert [(fields[0], fields[1], fields[2]) for fields in lines] == [("", "", "respawn"), ("", "", "shutdown")]
    assert lines[0][3].endswith("guard run --state /var/lib/fieldhand")
    assert lines[1][3].endswith("safe-all --state /var/lib/fieldhand")


@pytest.mark.parametrize("value", ["/a b", "/a'b", "/a$b", "/a%b", "/a\nb"])
def test_what_a_supervisor_would_read_otherwise_is_refused(value):
    with pytest.raises(UsageFault, match="cannot stand in a unit"):
        unit("systemd", Options(config=value))


@pytest.mark.parametrize("words", [(), ("frob",), ("run", "x"), ("unit",), ("unit", "upstart"), ("unit", "a", "b")])
def test_what_it_does_not_know_is_usage(words):
    with pytest.raises(UsageFault, match="guard unit"):
        main(Options(words=words))


def test_options_of_the_guard_are_for_the_guard():
    with pytest.raises(UsageFault, match="--users is for guard"):
        parse(["doctor", "--users", "pi"])
    assert parse(["safe-all", "--socket", "/x"]).socket == "/x"


def test_a_user_that_does_not_exist_is_configuration(tmp_path):
    settings = tmp_path / "s.toml"
    settings.write_text('board = "auto"\n[outputs.pump]\nline = "GPIO17"\n')
    done = agent.run("guard", "run", "--config", str(settings), "--users", "nobody-here", home=tmp_path)
    assert done.returncode == 3
    assert "no user 'nobody-here'" in done.stderr


def test_a_fault_of_our_own_while_settings_are_read_starts_a_guard_that_makes_safe(tmp_path, monkeypatch):
    where = folder.make(str(tmp_path), "lines")
    said = owned.text(owned.Owned("lines"))
    folder.keep(where, said, "/run/x/guard.sock", (7,))
    started = []

    def broken(*_words):
        raise RuntimeError("a bug")

    monkeypatch.setattr(guard, "planned", broken)
    monkeypatch.setattr(guard, "_become", started.append)
    with pytest.raises(HardwareFault):
        main(Options(words=("run",), state=str(tmp_path), socket=f"{tmp_path}/s"))
    (one,) = started
    assert (one.kind, one.said, one.users, one.socket) == ("lines", said, (7,), f"{tmp_path}/s")
    assert "a fault of its own: RuntimeError: a bug" in one.why
    os.unlink(f"{where}/{folder.LAST}")
    with pytest.raises(RuntimeError):
        main(Options(words=("run",), state=str(tmp_path)))


def test_the_page_about_the_guard_shows_settings_that_load(tmp_path):
    page = (agent.ROOT / "docs" / "guard.md").read_text()
    shown = page[page.index('    board = "auto"') : page.index("Lines are found by")]
    settings = tmp_path / "s.toml"
    settings.write_text("\n".join(line[4:] for line in shown.splitlines()))
    chosen = choose(settle.settings(Options(config=str(settings)), {}))
    assert [output.name for output in chosen.owned.outputs] == ["pump", "fan"]
    assert chosen.users == ("pi",)


def test_safe_all_where_nothing_runs_and_nothing_is_declared_says_so(tmp_path):
    done = agent.run("safe-all", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "there is nothing to make safe" in done.stdout


def test_safe_all_reaches_a_simulated_board(tmp_path):
    from edge.peripherals.guard.client import Board

    folder = agent.state(tmp_path)
    folder.mkdir(parents=True, mode=0o700)
    board = Board.start(str(folder))
    try:
        board.set("fan", True, None, "c1")
        done = agent.run("safe-all", home=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"safe    fan: off (guard, process {board.pid})" in done.stdout
        assert board.states()["fan"]["why"] == "safe-all"
    finally:
        board.close()


def test_safe_all_without_a_guard_drives_what_is_an_output_already_and_no_unwritten_lab_line(tmp_path):
    server = ChipServer(tmp_path, "pi3")
    try:
        outside, seam = server.outside(), server.remote()
        config = tmp_path / "config.toml"
        lab = 'lines = ["GPIO22", "GPIO23"]\nlab = true\n'
        config.write_text(f'board = "auto"\n[gpio]\nchips = "{server.chips}"\n{lab}[outputs.pump]\nline = 17\n')
        chip = find(seam)
        for line in (17, 23):
            chip.request(line, Settings("output", True), "before").close()
        chip.close()
        done = agent.run("safe-all", "--config", str(config), home=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "safe    GPIO22: nobody wrote this lab line" in done.stdout and "safe    GPIO23: off" in done.stdout
        assert not outside.level("pinctrl-bcm2835", 17) and not outside.level("pinctrl-bcm2835", 23)
        assert not [one for one in outside.record() if one["what"] == "GET_LINE" and one["line"] == 22]
    finally:
        server.close()


def test_it_asks_to_come_first_before_the_settings_are_read(monkeypatch, tmp_path):
    asked = []

    def planned(*_):
        assert asked == ["lead"]
        raise HardwareFault("nothing is kept either")

    monkeypatch.setattr("edge.peripherals.guard.ending.lead", lambda: asked.append("lead"))
    monkeypatch.setattr(guard, "planned", planned)
    with pytest.raises(HardwareFault, match="nothing is kept either"):
        guard.run(parse(["guard", "run", "--state", str(tmp_path / "state")]))
