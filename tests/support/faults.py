"""A board with an output on a real line, in a shell: what the tests of faults share."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from edge.card import layout
from hil import card
from hil.drivers.qemu import LOGIN, Machine
from tests.support.emulated import UNTIL, holding, image, shell

MACHINE = "raspi3b"
LINE = 17
PROVISION = f'[outputs.fan]\nline = "GPIO{LINE}"\n'
TORN = 8  # exit code of `audit verify`: the last record is torn, all before it is sound
WAIT = 120.0
FILL = "fallocate -l $(df -k /data | awk 'END {print $4 - 64}')k /data/fill; dd if=/dev/zero of=/data/rest bs=1k; sync"
TURN = "fieldhand $(options) --yes -e 'turn the fan on for 60 seconds' 2>&1"
GAVE_UP = "echo fault > /sys/fs/ext4/mmcblk0p4/trigger_fs_error"
GUARD, SUPERVISOR, HOLDER, WRITER = "[g]uard.process", "[s]upervise.process", "-e [t]urn the fan", "tool [f]ile_write"


class Guarded:
    """The board, and what an engineer with a meter and a console finds out."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def run(self, command: str, seconds: float = 600.0) -> tuple[int, str]:
        return self.machine.console.run(command, seconds)

    def level(self) -> int:
        """The level of the line, read outside of the guest."""
        return self.machine.lines.level(LINE)

    def settles(self, wanted: int) -> None:
        """Wait for the level."""
        end = time.monotonic() + WAIT
        while self.level() != wanted:
            assert time.monotonic() < end, f"the output did not become {wanted} within {WAIT:.0f} s"
            self.machine.console.pump(0.5)

    def hold(self) -> None:
        """An agent of its own switches the output on, says so, and holds it."""
        self.run("(cd /data/work; fieldhand $(options) --yes -e 'turn the fan on for 600 seconds' >/tmp/held 2>&1 &)")
        self.settles(1)
        assert self.run(UNTIL.format("grep -q 'fan is on' /tmp/held", 120))[0] == 0, self.run("cat /tmp/held")[1]

    def idle(self) -> None:
        """Nobody holds the output, whatever was before."""
        self.kill(HOLDER)
        self.settles(0)

    def write(self, note: int) -> bool:
        """A note by the agent; whether it is acknowledged."""
        told = f"path=note-{note} content=text-{note}"
        return self.run(f"fieldhand --yes --state /data/state tool file_write {told}")[0] == 0

    def kill(self, who: str) -> bool:
        """kill -9 to the processes whose command line has that; False when there was none."""
        found = f"found=$(ps -o pid,args | grep '{who}' | awk '{{print $1}}')"
        return self.run(f'{found}; kill -9 $found; [ -n "$found" ]')[0] == 0

    def guarded(self) -> None:
        """Wait until a guard answers again."""
        asked = "fieldhand safe-all $(options) 2>&1 | grep -q 'fan: off (guard'"
        assert self.run(UNTIL.format(asked, 60))[0] == 0

    def come(self) -> None:
        """Log in as rescue; what the kernel says stays in its log."""
        shell(self.machine)
        self.run("dmesg -n 1; cd /data/work")

    def again(self) -> None:
        """Start over, in order."""
        self.machine.console.line("reboot")
        self.machine.console.expect(LOGIN, 900)
        self.come()

    def audit(self) -> str:
        """The audit log, which is sound."""
        code, text = self.run("fieldhand audit verify --state /data/state")
        assert code in (0, TORN), text
        return self.run("fieldhand audit show all --state /data/state 2>/dev/null | cat")[1]

    def kept(self) -> list[int]:
        """The notes that are there, whole, and in the audit log as done."""
        there = self.run("for i in note-*; do echo $i $(cat $i); done")[1]
        whole = {found[1] for found in re.finditer(r"(?m)^note-(\d+) text-\1$", there)}
        return sorted(int(one) for one in whole & set(re.findall(r'"path": "note-(\d+)".*-> done', self.audit())))

    def missing(self, notes: list[int]) -> list[int]:
        """What of the notes that were acknowledged is not kept."""
        return sorted(set(notes) - set(self.kept()))


def update(machine: str) -> Path:
    """The update that was made with the image of a board."""
    (found,) = image(machine).parent.glob("*.update")
    return found


@contextmanager
def guarded(
    folder: Path, words: tuple[str, ...] = (), file: Path | None = None, name: str = MACHINE
) -> Iterator[Guarded]:
    """A board that came up with the output declared; `file` is /data/new.update on it."""
    source = folder / "source"
    card.insert(image(name), source)
    card.started(source)
    if file is not None:
        card.put_data(source, file, "new.update")
    card.put(source, layout.CONFIG, "provision.toml", PROVISION.encode())
    with holding(name, source, folder, words) as machine:
        source.unlink()
        machine.boot()
        board = Guarded(machine)
        board.come()
        yield board
