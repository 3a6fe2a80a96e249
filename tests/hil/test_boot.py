"""Each board starts from the card of its image: over U-Boot to the login, to a shell, to the agent's answer.

Marked `emulated`: run by `make hil` with the images of `make images` (or of FIELDHAND_IMAGES). What the guest says of
itself (time by its own clock, memory, doctor) is printed; the transcript of a console stands below a failure.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hil.boards import BOARDS
from hil.qemu import Machine
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
DOCTOR = "fieldhand doctor --config /data/config/config.toml --state /data/state"
COUNT = 'python3 -I -c "import ssl; print(len(ssl.create_default_context().get_ca_certs()))"'


@pytest.fixture(scope="module", params=sorted(BOARDS))
def board(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A board that has come up to its login, in a shell."""
    with inserted(request.param, tmp_path_factory.mktemp(request.param)) as machine:
        machine.boot()
        shell(machine)
        yield machine


def test_a_board_comes_up_from_the_slot_that_was_chosen(board: Machine) -> None:
    code, text = board.console.run("cat /run/fieldhand/boot.txt; cut -d' ' -f1 /proc/uptime")
    print(f"\n{board.board.machine}: {text.split()}, restarts of the emulation: {board.notes}")
    assert code == 0 and "SLOT=a" in text and board.resets == 0


def test_the_root_cannot_be_written_and_the_data_can(board: Machine) -> None:
    assert board.console.run("touch /usr/x")[0] != 0
    assert board.console.run("touch /etc/x /data/work/x && rm /etc/x /data/work/x")[0] == 0
    assert board.console.run("grep ' /data ext4 ' /proc/mounts")[0] == 0


def test_certificates_are_there(board: Machine) -> None:
    code, text = board.console.run(COUNT)
    assert code == 0 and int(text.split()[-1]) > 100


def test_the_agent_answers_a_goal(board: Machine) -> None:
    code, text = board.console.run("fieldhand --board sim --model offline -e 'How warm is it?' 2>/dev/null")
    assert code == 0 and " C (" in text


def test_the_guard_and_the_supervisor_run(board: Machine) -> None:
    code, text = board.console.run(
        "ls -l /run/fieldhand/guard.sock /run/fieldhand/notify; free | head -n 2; logread | tail"
    )
    print(f"\n{board.board.machine}:\n{text}")
    assert code == 0


def test_doctor_is_green_or_says_why(board: Machine) -> None:
    code, text = board.console.run(DOCTOR, 600)
    print(f"\n{board.board.machine}: doctor ended with {code}\n{text}")
    assert code in (0, 1) and "fault of its own" not in text


def test_a_login_lands_at_the_agents_prompt(board: Machine) -> None:
    board.console.line("exit")
    board.console.login("operator", "fieldhand", "fieldhand> ")
    board.console.line("How warm is it?")
    board.console.expect(r" C \(", 600)
    board.console.send("\x04")
    board.console.expect(r"login: ")
    shell(board, come=False)
