"""Each board starts from the card of its image: over U-Boot to the login, to a shell, to the agent's answer.

Marked `emulated`: run by `make hil` with the images of `make images` (or of FIELDHAND_IMAGES). One start a board. What
the guest says of itself (time by its own clock, memory, doctor) is printed, and one line of it at the end of the run;
the transcript of a console stands below a failure.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import arm
from edge.card.layout import CONFIG
from hil import card
from hil.console import Console, Silence
from hil.drivers.qemu import Machine
from hil.resources import having
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
DOCTOR = "fieldhand doctor --config /data/config/config.toml"
COUNT = 'python3 -I -c "import ssl; print(len(ssl.create_default_context().get_ca_certs()))"'
ANSWER = "fieldhand --board sim --model offline -e 'How warm is it?'"
# Its largest resident set, in KiB (getrusage(2)): busybox's `time -v` tells four times as much.
PEAK = (
    "python3 -I -c 'import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
    'print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)\''
)
# Starts the agent as a login does, on a terminal of its own, and tells at its prompt what memory only it has, in KiB
# (proc(5), smaps), and how long that took by the board's clock.
AT_PROMPT = """
import os, pty, re, time
began = time.monotonic()
child, terminal = pty.fork()
if not child:
    os.execvp("sh", ["sh", "-c", ". /etc/fieldhand/common.sh; exec fieldhand $(options)"])
seen = b""
while b"fieldhand> " not in seen:
    seen += os.read(terminal, 4096)
took = time.monotonic() - began
with open(f"/proc/{child}/smaps_rollup") as file:
    private = sum(map(int, re.findall(r"(?m)^Private_(?:Clean|Dirty): +([0-9]+)", file.read())))
os.write(terminal, b"\\4")
print("private", private, "took", round(took, 2), "ended", os.waitpid(child, 0)[1])
"""
MOST = 1.5  # of the bare interpreter's instructions
LATE = 600  # turns of a loop in the guest until a thing that a start does behind its prompts has to be done


class Looked:
    """A board that came up, and what is known of it for its line in the summary."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.told: dict[str, str] = {}

    def run(self, command: str) -> tuple[int, str]:
        return self.machine.console.run(command, 900)


@pytest.fixture(scope="module", params=having("loader"))
def board(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, summary: list[str]
) -> Iterator[Looked]:
    """A board that has come up to its login, in a shell."""
    name = str(request.param)
    with inserted(name, tmp_path_factory.mktemp(name)) as machine:
        began = time.monotonic()
        machine.boot()
        shell(machine)
        looked = Looked(machine)
        looked.told["in a shell after"] = f"{time.monotonic() - began:.0f} s here"
        yield looked
        looked.told["the whole of it"] = f"{time.monotonic() - began:.0f} s"
        summary.append(f"{name}: " + ", ".join(f"{what} {value}" for what, value in looked.told.items()))
        summary.extend(machine.notes)


def test_a_board_comes_up_from_the_slot_that_was_chosen(board: Looked) -> None:
    code, text = board.run("cat /run/fieldhand/boot.txt")
    booted = re.search(r"(?m)^BOOTED=(\d+)$", text)
    assert code == 0 and "SLOT=a\n" in text and "VOLATILE" not in text and booted
    assert board.machine.resets == 0
    board.told["boot steps done"] = f"{booted[1]} s after the kernel began"


def test_the_root_cannot_be_written_and_the_data_can(board: Looked) -> None:
    assert board.run("touch /usr/x")[0] != 0
    assert board.run("touch /etc/x /data/work/x && rm /etc/x /data/work/x")[0] == 0
    assert board.run("grep ' /data ext4 ' /proc/mounts")[0] == 0


def test_logs_are_in_memory_and_no_boot_step_complained(board: Looked) -> None:
    code, text = board.run("logread | grep -c fieldhand; grep -v ' tmpfs ' /proc/mounts | grep -c /var")
    assert code == 1 and int(text.split()[0]) > 0 and text.split()[1] == "0"
    start = board.machine.transcript.rpartition("Starting kernel")[2].partition("login: ")[0]
    own = re.sub(r"(?m)^.?\[ *\d+\.\d+\] .*$", "", start)  # without the kernel's lines: the emulation lacks much
    assert not re.findall(r"(?i)not found|no such file|invalid option|can't|cannot|failed|read-only", own), own


def test_nothing_comes_between_what_somebody_types(board: Looked) -> None:
    """The supervisor starts behind the login: that no watchdog is armed here is in the log, and not at the prompt."""
    wait = f"i=0; until logread | grep -q 'no watchdog g[u]ards' || [ $i -gt {LATE} ]; do i=$((i+1)); sleep 1; done"
    assert board.run(f"{wait}; logread | grep -q 'no watchdog g[u]ards'")[0] == 0
    assert "no watchdog guards" not in board.machine.transcript


def test_certificates_are_there(board: Looked) -> None:
    code, text = board.run(COUNT)
    assert code == 0 and int(text.split()[-1]) > 100
    board.told["certificates"] = text.split()[-1]


def test_the_agent_answers_a_goal_and_keeps_what_it_did(board: Looked) -> None:
    code, text = board.run(f"{PEAK} {ANSWER} 2>/tmp/said")
    memory = re.search(r"(?m)^peak (\d+)$", text)
    assert code == 0 and " C (" in text and memory
    assert board.run("grep 'nothing is kept' /tmp/said")[0] == 1
    board.told["the agent's memory"] = f"{int(memory[1]) // 1024} MiB"


def test_the_agent_waits_at_its_prompt_in_little_memory(board: Looked) -> None:
    code, text = board.run(f"python3 -I -c {shlex.quote('exec(' + repr(AT_PROMPT) + ')')}")
    found = re.search(r"private (\d+) took ([\d.]+) ended 0\n", text)
    assert code == 0 and found, text
    board.told["at its prompt"] = f"{int(found[1]) / 1024:.1f} MiB of its own, {found[2]} s after it was started"


def test_a_start_is_at_most_half_more_than_the_interpreters(board: Looked, tmp_path: Path) -> None:
    counted = arm.Board(board.machine.board.product, tmp_path)
    counted.agent()  # the first start of all makes what the others find
    bare, agent = counted.bare(), counted.agent()
    board.told["prompt-ready"] = f"{agent:.1f} M instructions, {agent / bare:.2f} of the interpreter's {bare:.1f}"
    assert agent <= MOST * bare


def test_the_health_check_confirms_the_first_start_and_the_card_says_so(board: Looked) -> None:
    wait = f"i=0; while ! grep '^HEALTH=' /run/fieldhand/boot.txt && [ $i -lt {LATE} ]; do i=$((i+1)); sleep 1; done"
    text = board.run(wait)[1]  # what the check says comes over the same console
    assert "HEALTH=ok" in text.split(), text
    end = time.monotonic() + LATE  # the state is written, and status.txt after it, behind what the check says
    while not card.boot_state(board.machine.card).good:
        assert time.monotonic() < end, "the state on the card was not confirmed"
        board.machine.console.pump(2.0)
    while "HEALTH=ok" not in card.get(board.machine.card, CONFIG, "status.txt").decode():
        assert time.monotonic() < end, "status.txt did not come to say what the health check found"
        board.machine.console.pump(2.0)


def test_a_child_of_a_tool_is_a_user_of_its_own(board: Looked) -> None:
    code, text = board.run(
        "cd /data/work && fieldhand --mode full tool bash command='echo user $(id -u); touch by-a-tool'"
    )
    user = re.search(r"user (\d+)", text)  # beside what a spinner left on its line
    assert code == 0 and user and int(user[1]) >= 60000, text
    assert board.run("rm /data/work/by-a-tool")[0] == 0


def test_a_program_writes_nowhere_but_in_the_opened_folder_though_anybody_may(board: Looked) -> None:
    made = "mkdir -m 777 /data/open && cd /data/work && echo 'touch inside; touch /data/open/outside' >both.sh"
    assert board.run(made)[0] == 0
    code, text = board.run("fieldhand --mode full tool bash command='sh both.sh'")
    assert board.run("rm /data/work/inside /data/work/both.sh")[0] == 0, text
    assert board.run("rmdir /data/open")[0] == 0, f"a program wrote outside (exit code {code}): {text}"


def test_the_guard_and_the_supervisor_run(board: Looked) -> None:
    print(f"\n{board.machine.board.name}:\n{board.run('free | head -n 2; logread | tail')[1]}")
    there = "[ -S /run/fieldhand/guard.sock ] && [ -S /run/fieldhand/notify ]"  # init starts them beside the login
    code, _ = board.run(f"i=0; until {there} || [ $i -ge {LATE} ]; do i=$((i+1)); sleep 1; done; {there}")
    assert code == 0, board.run("ls -l /run/fieldhand; ps")[1]


def test_doctor_is_green_or_says_why(board: Looked) -> None:
    code, text = board.run(DOCTOR)
    print(f"\n{board.machine.board.name}: doctor ended with {code}\n{text}")
    words = [line.split()[0] for line in text.splitlines() if re.match(r"(ok|absent|wrong) ", line)]
    board.told["doctor"] = f"{words.count('ok')} ok, {words.count('absent')} absent, {words.count('wrong')} wrong"
    assert words.count("ok") > 10 and "wrong" not in words and "fault of its own" not in text
    assert code == 0


def _interrupted(console: Console) -> None:
    """Ctrl-C brings the prompt again. A key may be lost while a line editor sets the terminal: it is pressed again."""
    for _ in range(20):
        console.send("\x03")
        try:
            console.expect("fieldhand> ", 15)
        except Silence:
            continue
        return
    raise Silence("fieldhand> ", 300, "")


def test_a_login_lands_at_the_agents_prompt(board: Looked) -> None:
    console = board.machine.console
    console.line("exit")
    console.login("operator", "fieldhand", "fieldhand> ", 600)
    _interrupted(console)  # ends no session: the agent has one of its own
    console.line("How warm is it?")
    console.expect(r" C \(", 600)
    console.expect("fieldhand> ", 600)
    console.send("\x04")
    console.expect(r"login: ")
    shell(board.machine, come=False)


def test_an_orderly_stop_lets_the_data_go_whoever_has_them_open(board: Looked) -> None:
    console = board.machine.console
    console.line("cd /data/work; sleep 600 >held & sleep 1; poweroff")
    console.expect(r"reboot: (Power down|System halted)", LATE)
    board.machine.cut()
    assert not card.to_recover(board.machine.card)
