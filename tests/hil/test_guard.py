"""An agent dies on a board while its output is on: the guard of the image makes it safe because the connection ended.

One board is enough for it: the guard is the same on all, and how a line of each looks from outside others see to.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from edge.card.layout import CONFIG
from hil import card
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
MACHINE = "raspi3b"
WISHES = b"""[outputs.fan]
line = "GPIO27"
max_on = 900
"""
# A conversation that switches the fan on and is killed; then what the guard wrote down of the fan, and when.
DIES = r"""
import json, os, pty, select, signal, time
child, terminal = pty.fork()
if not child:
    os.execvp("sh", ["sh", "-c", ". /etc/fieldhand/common.sh; exec fieldhand $(options) --yes"])
def told():
    try:
        lines = open("/data/state/guard/board.jsonl").read().splitlines()
    except FileNotFoundError:
        return []
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row.get("name") == "fan"]
def until(done, said=b""):
    end = time.monotonic() + 300
    while not done(said) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:
                break
    return said
until(lambda said: b"fieldhand> " in said)
before = len(told())
os.write(terminal, b",output_set name=fan state=on for=10m\r")
said = until(lambda said: len(told()) > before)
on = told()[before:]
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
until(lambda said: len(told()) > before + len(on))
print("SAID", ascii(said.decode(errors="replace")))
for row in told()[before:]:
    print("ROW", json.dumps(row))
"""


def test_what_an_agent_held_is_safe_because_its_connection_ended(tmp_path: Path) -> None:
    with inserted(MACHINE, tmp_path) as board:
        card.put(board.card, CONFIG, "provision.toml", WISHES)
        board.boot()
        shell(board)
        code, text = board.console.run(f"python3 -I -c {shlex.quote('exec(' + repr(DIES) + ')')}", 900)
        rows = re.findall(r"(?m)^ROW (.*)$", text)
        assert code == 0 and len(rows) == 2, text
        assert '"agent gone"' in rows[1], f"the guard says another reason: {rows[1]}"
