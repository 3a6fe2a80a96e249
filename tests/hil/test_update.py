"""An update on an emulated board: taken, confirmed, gone back from, refused, fallen back from; and cut at any moment.

A cut is the end of QEMU (SIGKILL): what the board synced is on its card, what it had in memory is gone. What a real
card loses of writes that it had acknowledged is not in this. Cuts go on on one card, each from where the one before it
left the board, so each also shows that the update can be taken again. FIELDHAND_SOAK=1: all CUTS with each of SEEDS,
else a few.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.card import layout, state
from hil import card
from hil.drivers.qemu import LOGIN, Machine
from tests.support.emulated import holding, shell
from tests.support.updating import BROKEN, MACHINE, ONE, TWO, confirmed, prepared, status, words

pytestmark = [pytest.mark.emulated, pytest.mark.long]
WITHIN = 20_000_000  # the byte of an update that is damaged
SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
# Cut at a percentage of what is told.
PARTS = {"check": "checking it", "write": "writing the other slot", "read": "reading it back"}
FULL = r"\s+\S+ of \S+ MB\s+100 %"
# Cut at most so many seconds after a text came.
AFTER = {
    "flip": (PARTS["read"] + FULL, 1.5),
    "reboot": ("starting over", 10.0),
    "loader": (r"Fieldhand: slot \w \(good 0", 10.0),
    "kernel": (r"Fieldhand: slot \w on /dev", 30.0),
    "health": (LOGIN, 30.0),
    "confirm": (LOGIN, 4.0),
}
STARTS = "starts"  # the new slot is cut in each start that it has
CUTS = (*PARTS, *AFTER, STARTS)
FEW = ("write", "flip", "kernel")
SEEDS = (6, 7) if SOAK else (6,)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A confirmed board in a shell, with the updates in its folder. One for all tests here: each leaves it so again."""
    folder = tmp_path_factory.mktemp("board")
    made = prepared(folder)
    with holding(MACHINE, made, folder) as found:
        made.unlink()
        began = time.monotonic()
        found.boot()
        ready(found)
        print(f"\n{MACHINE} was in its shell after {time.monotonic() - began:.0f} s")
        try:
            yield found
        finally:
            (folder / "console.txt").write_text(found.transcript, "utf-8")
            print(f"\nthe whole console: {folder / 'console.txt'}")


def ready(board: Machine) -> None:
    """A shell where the updates are; what the kernel says stays in its log."""
    shell(board)
    board.console.run("dmesg -n 1; cd /data")


def test_what_nobody_trusted_signed_or_what_is_damaged_is_refused(board: Machine) -> None:
    before = (slot_b(board.card), card.boot_state(board.card))
    run = board.console.run
    turned = f"printf '\\{{0}}' | dd of={TWO}.update bs=1 seek={WITHIN} conv=notrunc 2>/dev/null"
    byte = int(run(f"dd if={TWO}.update bs=1 skip={WITHIN} count=1 2>/dev/null | od -An -to1")[1].split()[0], 8)
    assert run(turned.format(f"{byte ^ 0xFF:03o}"))[0] == 0
    assert run(f"head -c 1000000 {ONE}.update >part.update; head -c 2000 /dev/zero >zero.update")[0] == 0
    for name, wanted in (
        ("foreign", "key"),
        (TWO, "was changed or damaged"),
        ("part", "ends in the middle of slot.img"),
        ("zero", "this is no update"),
    ):
        code, text = run(f"fieldhand update {name}.update --yes </dev/null", 900)
        assert code == 1 and wanted in text and "Traceback" not in text, text
    assert run(turned.format(f"{byte:03o}"))[0] == 0
    assert (slot_b(board.card), card.boot_state(board.card)) == before and board.resets == 0


def test_an_update_is_taken_and_confirmed_and_gone_back_from(board: Machine) -> None:
    resets = board.resets
    version = status(board)["version"]
    board.console.line(f"fieldhand update {ONE}.update --yes")
    board.console.expect(r"is in slot b and is started next", 900)
    board.console.expect(LOGIN, 900)
    ready(board)
    assert board.resets == resets + 1
    confirmed(board)
    found = status(board)
    assert (found["running"], found["version"], words(found)) == ("b", ONE, "slot b prev a good 1 tries 0 confirmed")
    assert "slot b" in board.console.run("fieldhand update status | grep ', runs'")[1]
    board.console.line("fieldhand update back --yes")
    board.console.expect("slot a is started next", 300)
    board.console.expect(LOGIN, 900)
    ready(board)
    confirmed(board)
    found = status(board)
    assert (found["running"], found["version"], words(found)) == (
        "a",
        version,
        "slot a prev b good 1 tries 0 confirmed",
    )
    assert board.console.run("fieldhand audit verify --state /data/state", 600)[0] == 0
    told = board.console.run("fieldhand audit show --state /data/state", 600)[1]
    assert "update taken" in told and "update back" in told


def well(board: Machine) -> None:
    """Confirm the slot that runs, where its health check did not yet."""
    assert board.console.run("fieldhand update confirm", 300)[0] == 0


@pytest.mark.skipif(not SOAK, reason="five starts of a board: FIELDHAND_SOAK=1")
def test_a_slot_that_fails_its_health_check_is_left_by_itself(board: Machine) -> None:
    version = status(board)["version"]
    board.console.line(f"fieldhand update {BROKEN}.update --yes")
    board.console.expect("is in slot b and is started next", 900)
    for tries in reversed(range(state.TRIES)):
        board.console.expect(rf"Fieldhand: slot b \(good 0, tries {tries}, update\)", 900)
        board.console.expect("this slot is not confirmed, its health check failed: the board starts again", 900)
    board.console.expect("slot b was never confirmed, back to slot a", 900)
    board.console.expect(LOGIN, 900)
    ready(board)
    found = status(board)
    assert (found["running"], found["version"]) == ("a", version)
    assert words(found) == "slot a prev a good 1 tries 0 fellback"


@pytest.mark.parametrize("seed", SEEDS)
def test_an_update_that_is_cut_at_any_moment_leaves_a_good_slot_and_can_be_taken_again(
    board: Machine, seed: int
) -> None:
    drawn = random.Random(seed)
    for number, phase in enumerate(CUTS if SOAK else FEW, 1):
        began = time.monotonic()
        before = status(board)
        if not before["state"]["good"]:
            well(board)
        wanted = TWO if before["version"] == ONE else ONE
        board.console.line(f"fieldhand update {wanted}.update --yes")
        moment = cut(board, phase, drawn)
        board.boot()
        ready(board)
        after = status(board)
        told = f"cut {number} (seed {seed}): {phase} at {moment}; {before['running']} -> {after['running']}, "
        print(f"\n{told}{words(after)}, {time.monotonic() - began:.0f} s")
        judged(phase, before, after, wanted)
    print(f"restarts of the emulation: {board.notes}")


def cut(board: Machine, phase: str, drawn: random.Random) -> str:
    """Let the update go on to a moment of this phase, and take the power away; the moment."""
    if phase in PARTS:
        least, seen = drawn.randint(0, 99), -1
        while seen < least:
            seen = int(board.console.expect(rf"{PARTS[phase]}\s+\S+ of \S+ MB\s+(\d+) %", 900)[1])
        board.cut()
        return f"{seen} %"
    if phase == STARTS:
        for start in range(state.TRIES):
            if start:
                board.power_on()
            board.console.expect(AFTER["kernel"][0], 900)
            board.cut()
        return f"{state.TRIES} starts"
    text, most = AFTER[phase]
    board.console.expect(text, 900)
    if phase == "confirm":
        shell(board)
        board.console.line("fieldhand update confirm")
    seconds = drawn.uniform(0, most)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        board.console.pump(end - time.monotonic())
    board.cut()
    return f"{seconds:.1f} s"


def judged(phase: str, before: dict[str, Any], after: dict[str, Any], wanted: str) -> None:
    """The board runs a whole slot that its state names: the old one until the flip, then the new one."""
    old, running, found = before["running"], after["running"], after["state"]
    assert running == found["slot"] and after["slots"][running]["version"] == after["version"]
    assert after["version"] == (wanted if running != old else before["version"])
    if phase in PARTS or phase == STARTS:
        assert running == old and found["good"] and (phase in PARTS or found["why"] == "fellback")
    elif phase != "flip":
        assert running != old and (found["good"] or found["tries"] > 0)
    assert after["copies"][0] or after["copies"][1]


def slot_b(path: Path) -> str:
    """The hash of slot B's partition."""
    begin, count, _ = layout.PARTS[layout.SLOT_B]
    with path.open("rb") as file:
        file.seek(begin * layout.SECTOR)
        return hashlib.sha256(file.read(count * layout.SECTOR)).hexdigest()
