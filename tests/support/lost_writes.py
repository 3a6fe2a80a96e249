"""A board at work whose every write is logged, and what a disk that a cut left has to hold.

The board writes to two disks: its card, which knows no flush, and a stick at USB with a cache, which is told to flush
(hil/writes.py, rules 1 and 2). On each the agent keeps its state and writes notes, one start after the other.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from edge.card import layout
from edge.record import Record
from edge.tape.audit_check import check
from edge.tape.audit_key import peek
from hil import card, data, writes
from hil.drivers.qemu import Machine
from images.host import run
from tests.support.emulated import holding, image, shell

MACHINE = "raspi3b"
NOTES, TURNS = 5, 3
TORN = 8  # exit code of `audit verify`: the last record is torn, all before it is sound
STICK_BYTES = 64 << 20
STICK = "/data/work/stick"
ON_STICK = (
    "modprobe -a usb-storage sd_mod",
    "until [ -b /dev/sda ]; do sleep 1; done",
    f"/usr/sbin/mke2fs -q -F -t ext4 -b 4096 /dev/sda && mkdir {STICK} && mount -t ext4 -o noatime /dev/sda {STICK}",
)
# ACK stands on the console when the program has ended, and it ends when what it did is on the disk.
WRITE = "fieldhand --yes --state {0}/state tool file_write path=note-{1} content=text-{1} >/dev/null && echo A''CK-{1}"
TALK = "fieldhand --board sim --model offline --yes --config /data/config/config.toml --state /data/state"


class Recorded(Record):
    """A disk before its log began, the log, and how long that was when each note or turn was acknowledged."""

    base: Path
    log: Path
    notes: tuple[int, ...]
    turns: tuple[int, ...] = ()


def recorded(folder: Path) -> tuple[Recorded, Recorded]:
    """One run of a board: what is known of its card and of its stick. The power went while it wrote to both."""
    stick, stick_log, before, log = (folder / name for name in ("stick", "stick.log", "before", "card.log"))
    card.insert(image(MACHINE), folder / "started")
    card.started(folder / "started")
    for path in (stick, folder / "stick-before"):
        path.write_bytes(b"")
        os.truncate(path, STICK_BYTES)
    more = ("-drive", writes.drive(stick, stick_log, "if=none,id=stick"), "-device", "usb-storage,drive=stick")
    drive = writes.drive(folder / "card.img", log, "if=sd")
    with holding(MACHINE, folder / "started", folder, more=more, drive=drive) as board:
        run("cp", "--sparse=always", board.card, before)
        board.boot()
        shell(board)
        board.console.run("dmesg -n 1")
        turns = talk(board, log)
        notes = write(board, "/data", log)
        for command in ON_STICK:
            assert board.console.run(command)[0] == 0, command
        on_stick = write(board, STICK, stick_log)
        for place in ("/data", STICK):
            board.console.line(f"cd {place}/notes; " + WRITE.format(place, NOTES + 1))
        board.console.expect(f"ACK-{NOTES + 1}\\b")
        board.console.pump(2.0)
        board.cut()
    return Recorded(before, log, notes, turns), Recorded(folder / "stick-before", stick_log, on_stick)


def replay(told: Recorded, folder: Path) -> writes.Replay:
    """Its writes, to be done again on a copy of the disk, which lies in that folder."""
    run("cp", "--sparse=always", told.base, folder / "disk")
    return writes.Replay(folder / "disk", told.log)


def talk(board: Machine, log: Path) -> tuple[int, ...]:
    """A conversation of so many turns, each of which is an act."""
    board.console.line(TALK)
    board.console.expect("fieldhand> ")
    seen = []
    for turn in range(1, TURNS + 1):
        board.console.line(f"turn the fan on for {30 + turn} seconds")
        board.console.expect(r"The fan is on for [0-9 mins]+, confirmed")
        board.console.expect("fieldhand> ")
        seen.append(log.stat().st_size)
    board.console.send("\x04")
    board.console.expect("# $")
    return tuple(seen)


def write(board: Machine, place: str, log: Path) -> tuple[int, ...]:
    """So many notes, each by a start of the agent of its own."""
    assert board.console.run(f"mkdir -p {place}/state {place}/notes && cd {place}/notes && sync")[0] == 0
    seen = []
    for note in range(1, NOTES + 1):
        board.console.line(WRITE.format(place, note))
        board.console.expect(f"ACK-{note}\\b")
        seen.append(log.stat().st_size)
    return tuple(seen)


# --- what has to be there ---


def judged(told: Recorded, part: Path, length: int, folder: Path) -> list[str]:
    """What is missing or wrong on a data partition (or stick) after a cut when its log had that length."""
    data.mend(part)
    notes, turns = (sum(seen <= length for seen in kind) for kind in (told.notes, told.turns))
    state = _folder(part, "state", folder / "state")
    found = [f"the audit log: {problem}" for problem in _unsound(state)]
    acts, said = _acts(state), "".join(path.read_text("utf-8", "replace") for path in state.glob("tapes/*.jsonl"))
    kept = _folder(part, "notes", folder / "notes")
    texts = {path.name: path.read_text("utf-8", "replace") for path in kept.glob("note-*")}
    for note in range(1, notes + 1):
        if f"note-{note}" not in texts:
            found.append(f"note {note} was acknowledged and is not there")
        if not any(one["args"].get("path") == f"note-{note}" for one in acts):
            found.append(f"note {note} was acknowledged and is not in the audit log")
        if f"wrote 6 bytes to note-{note}" not in said:
            found.append(f"note {note} was acknowledged and is not on a tape")
    for turn in range(1, turns + 1):
        if not any(one["args"].get("for_seconds") == 30 + turn for one in acts):
            found.append(f"turn {turn} was answered and is not in the audit log")
        if not re.search(rf'"kind":"answer".*fan is on for {30 + turn} s', said):
            found.append(f"turn {turn} was answered and is not on a tape")
    found += [f"{name} is torn: {text!r}" for name, text in texts.items() if text != f"text-{name[5:]}"]
    return found


def boots(cut: Path, before: Path) -> list[str]:
    """What a cut did to the parts of a card that a start needs."""
    found = [] if card.boot_state(cut).why != "lost" else ["both copies of the boot state are torn"]
    for name in ("boot.scr", "config.txt", "cmdline.txt", "u-boot-rpi_3.bin"):
        if card.get(cut, layout.CONFIG, name) != card.get(before, layout.CONFIG, name):
            found.append(f"{name} on the first partition is not what it was")
    return found


def in_slots(log: Path) -> list[int]:
    """Sectors of the two slots that were written: there must be none without an update."""
    first, end = layout.PARTS[layout.SLOT_A][0], layout.PARTS[layout.DATA][0]
    return [one.sector for one in writes.read(log) if first <= one.sector < end and one.count]


def _folder(part: Path, name: str, into: Path) -> Path:
    """A folder of the partition, copied; an empty one where it was not there yet."""
    run("rm", "-rf", into)
    if b"Type: directory" in run("debugfs", "-R", f"stat /{name}", part):
        return data.folder(part, name, into)
    into.mkdir()
    return into


def _unsound(state: Path) -> tuple[str, ...]:
    report = check(f"{state}/audit", peek(str(state)))
    return () if report.code in (0, TORN) else (*report.problems, f"code {report.code}")


def _acts(state: Path) -> list[dict[str, Any]]:
    """The outcomes in the audit log that went well."""
    lines = [line for path in sorted(state.glob("audit/*.jsonl")) for line in path.read_bytes().splitlines()]
    whole = [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"}")]
    return [one for one in whole if one["kind"] == "outcome" and one["ok"]]
