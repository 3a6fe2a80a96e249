"""`fieldhand guard` and `safe-all`: what a supervisor is told, and what is said when the command is wrong.

The guard that runs as a service is tried in tests/peripherals/guard/test_service.py.
"""

from __future__ import annotations

import pytest

from edge.cli.args import Options, parse
from edge.cli.guard import main
from edge.cli.guard_units import unit
from edge.faults import UsageFault
from tests.support import agent


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
    assert ("DeviceAllow", "char-gpiochip rw") in said["Service"]
    assert service["RestrictAddressFamilies"] == "AF_UNIX"
    assert dict(said["Unit"])["StartLimitIntervalSec"] == "0"


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
