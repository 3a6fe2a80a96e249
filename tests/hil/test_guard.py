"""An agent switches a line of a board and dies: the guard makes it safe because the connection ended.

What the line carries is asked of the kernel itself (debugfs), not of the program that drives it. One board is enough:
the guard is the same on all, and how the lines of each look from outside others see to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from edge.card.layout import CONFIG
from hil import card
from tests.support.emulated import inserted, shell

pytestmark = [pytest.mark.emulated, pytest.mark.long]
MACHINE = "raspi3b"
# The heartbeat is the longest there is: what is safe before it is over was made so for another reason.
WISHES = b"""[guard]
heartbeat = 60

[outputs.fan]
line = "GPIO27"
max_on = 900

[outputs.pump]
line = "GPIO22"
active = "low"
max_on = 900
"""
# A conversation that switches two outputs on and is killed; then what the guard wrote down, and levels by the kernel.
DIES = r"""
import json, os, pty, re, select, signal, time
child, terminal = pty.fork()
if not child:
    os.execvp("sh", ["sh", "-c", ". /etc/fieldhand/common.sh; exec fieldhand $(options) --yes"])
def told():
    try:
        lines = open("/data/state/guard/board.jsonl").read().splitlines()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]
def until(done, said=b""):
    end = time.monotonic() + 240
    while not done(said) and time.monotonic() < end:
        try:
            said += os.read(terminal, 4096) if select.select([terminal], [], [], 0.2)[0] else b""
        except OSError:  # nobody is there any more
            time.sleep(0.2)
    return said
def levels():
    text = open("/sys/kernel/debug/gpio").read()
    return dict(re.findall(r"(?m)^ gpio-\d+ \(GPIO(22|27) .*\) out (hi|lo)", text))
until(lambda said: b"fieldhand> " in said and len(levels()) == 2)  # the guard has both lines
print("LEVELS", json.dumps(["before", levels()]))
begun = len(told())
said = b""
for name in ("fan", "pump"):
    before = len(told())
    os.write(terminal, f",output_set name={name} state=on for=10m\r".encode())
    said += until(lambda said: len(told()) > before)
print("LEVELS", json.dumps(["on", levels()]))
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
until(lambda said: len(told()) >= begun + 4)
print("LEVELS", json.dumps(["after", levels()]))
print("SAID", ascii(said.decode(errors="replace")))
for row in told()[begun:]:
    print("ROW", json.dumps([row["name"], row["state"], row["why"]]))
"""


class Died:
    """What came of it. `rows`: name, state and reason of each change; `levels`: when -> line -> hi or lo."""

    def __init__(self, text: str) -> None:
        self.rows: list[Any] = [json.loads(row) for row in re.findall(r"(?m)^ROW (.*)$", text)]
        self.levels: dict[str, Any] = dict(json.loads(row) for row in re.findall(r"(?m)^LEVELS (.*)$", text))


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Died]:
    with inserted(MACHINE, tmp_path_factory.mktemp("guard")) as board:
        card.put(board.card, CONFIG, "provision.toml", WISHES)
        card.put(board.card, CONFIG, "dies.py", DIES.encode())  # too long a line for the board's shell
        board.boot()
        shell(board)
        assert board.console.run("mount -t debugfs debugfs /sys/kernel/debug")[0] == 0
        code, text = board.console.run("mount -o ro /dev/mmcblk0p1 /mnt && python3 -I /mnt/dies.py", 1200)
        print(text)
        assert code == 0, text
        yield Died(text)


def test_what_an_agent_held_is_safe_because_its_connection_ended(died: Died) -> None:
    assert [row[:2] for row in died.rows] == [["fan", True], ["pump", True], ["fan", False], ["pump", False]]
    reasons = {row[2] for row in died.rows[2:]}
    assert reasons == {"agent gone"}, f"the guard says another reason: {reasons}"


def test_a_line_carries_what_was_declared_for_its_output(died: Died) -> None:
    safe, on = {"27": "lo", "22": "hi"}, {"27": "hi", "22": "lo"}
    assert died.levels == {"before": safe, "on": on, "after": safe}, f"the lines carry {died.levels}"
