"""Damage to the data partition of a board that lived, a card that takes no writes, an update over a full card.

Whatever it is, the board comes up, and says what it has: all that was acknowledged; or, asked by `audit verify` or
`doctor`, where in the log a record is damaged; or that it mended the partition and lost some, for good in the audit log
too; or that /data is memory for this start, and then not a byte of the partition is changed but by e2fsck -p before it
gave up, which is told.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edge.card import layout
from hil import card, data
from hil.drivers.qemu import LOGIN, Machine
from images.hashes import sha256_of
from images.host import run
from tests.support.emulated import holding
from tests.support.faults import FILL, MACHINE, TORN, TURN, Guarded, guarded, update

pytestmark = [pytest.mark.emulated, pytest.mark.long]
SEED = 9
SEEDS = (9, 10, 11, 12) if os.environ.get("FIELDHAND_SOAK") == "1" else (9,)
BLOCK = 4096
NOTES = [1, 2, 3]
MEMORY = "/data is memory"
ACT = "fieldhand $(options) --yes -e 'turn the fan on for 7 seconds' 2>&1"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The card of a board that wrote notes, switched its output, and lost its power."""
    folder = tmp_path_factory.mktemp("lived")
    with guarded(folder) as board:
        for note in NOTES:
            assert board.write(note)
        board.hold()
        board.machine.cut()
        run("cp", "--sparse=always", board.machine.card, folder / "lived")
    yield folder / "lived"
    (folder / "lived").unlink()


def place(path: Path, request: str) -> int:
    """A block of the data partition, by what debugfs answers of a copy whose journal was replayed."""
    part = data.take(path, path.with_suffix(".part"))
    data.mend(part)
    said = run("debugfs", "-R", request, part)
    part.unlink()
    found = re.search(rb"(?m)(?:located at block |^)(\d+)", said)
    assert found, said
    return int(found[1]) * BLOCK


def spoil(path: Path, at: int, count: int, drawn: random.Random) -> None:
    """Random bytes at a place of the data partition."""
    with path.open("r+b") as file:
        file.seek(layout.PARTS[layout.DATA][0] * layout.SECTOR + at)
        file.write(drawn.randbytes(count))


def scattered(path: Path, drawn: random.Random) -> None:
    """200 sectors in the first 8 MiB; the block of the superblock is a kind of its own."""
    for _ in range(200):
        spoil(path, drawn.randrange(BLOCK // layout.SECTOR, 8 << 11) * layout.SECTOR, layout.SECTOR, drawn)


FORGETS = (
    "if=sd,driver=blkdebug,image.driver=raw,image.file.driver=file,image.file.filename={},"
    "inject-error.0.event=none,inject-error.0.iotype=write,inject-error.0.errno=5"
)
DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "superblock": lambda path, drawn: spoil(path, 0, BLOCK, drawn),
    "journal": lambda path, drawn: spoil(path, place(path, "bmap <8> 0"), 4 * BLOCK, drawn),
    "inodes": lambda path, drawn: spoil(path, place(path, "imap <2>"), 2 * BLOCK, drawn),
    "records": lambda path, drawn: spoil(path, place(path, "bmap /state/audit/audit-000001.jsonl 0") + 600, 64, drawn),
    "settings": lambda path, drawn: spoil(path, place(path, "bmap /config/config.toml 0") + 20, 16, drawn),
    "scattered": scattered,
}
CASES = [(kind, seed) for kind in sorted(DAMAGES) for seed in (SEEDS if kind == "scattered" else SEEDS[:1])]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_a_damaged_data_partition_is_mended_or_left_as_it_is_and_said(
    kind: str, seed: int, lived: Path, tmp_path: Path
) -> None:
    with holding(MACHINE, lived, tmp_path) as machine:
        DAMAGES[kind](machine.card, random.Random(seed))
        before = data_hash(machine.card, tmp_path)
        board = up(machine)
        facts = board.run("cat /run/fieldhand/boot.txt")[1]
        code, said = board.run(ACT)
        sound, text = board.run("fieldhand audit verify --state /data/state 2>&1")
        doctor = board.run("fieldhand doctor $(options) 2>&1 | grep '^wrong'")[1]
        print(f"\n{kind}: {facts}\n{code} {said}\naudit verify: {sound} {text}\n{doctor}")
        assert "Traceback" not in said + text + doctor
        done(board, said)
        assert (kind == "settings") == (code == 3 and "wrong  settings: /data/config/config.toml" in doctor)
        if "VOLATILE=1" in facts:
            assert MEMORY in said and "wrong  card: data" in doctor
            machine.cut()
            assert "CLEARED" in facts or data_hash(machine.card, tmp_path) == before
        elif sound in (0, TORN):
            assert mended(board, facts, said, doctor) or not board.missing(NOTES)
        else:
            assert kind in ("records", "scattered") and sound == 1 and re.search(r"audit-\d+\.jsonl:\d+: ", text)
            assert "wrong  audit log" in doctor


def mended(board: Guarded, facts: str, said: str, doctor: str) -> bool:
    """Whether the partition was mended with loss; wherever that is told, it is told everywhere."""
    told = "DATA_MENDED=the data partition was damaged" in facts
    assert told == ("damaged and mended" in said) == ("wrong  card: data" in doctor)
    assert told == ("alarm" in board.audit())
    return told


def done(board: Guarded, said: str) -> None:
    """What was done is in a record of acts and was done by this board, what was not done is not and has a reason."""
    board.settles(0)
    acts = board.run("fieldhand audit show all --state /data/state 2>/dev/null | cat")[1]
    assert "exhaust" not in said, "the simulated board answers for one whose settings are lost"
    acted = "fan is on for 7 s" in said
    assert acted == ('"for_seconds": 7' in acts) and (acted or re.search("no output called|settings|config", said)), (
        acts
    )


def test_a_card_that_forgets_what_it_is_given_starts_all_the_same(lived: Path, tmp_path: Path) -> None:
    """What a card does at the end of its life: it takes every write, and none is there. QEMU's card tells no error."""
    with holding(MACHINE, lived, tmp_path, drive=FORGETS.format(tmp_path / "card.img")) as machine:
        before = sha256_of(machine.card)
        board = up(machine)
        print("\n" + board.run("cat /run/fieldhand/boot.txt; dmesg | tail -20")[1])
        assert board.run("fieldhand $(options) -e 'which outputs do you have?'")[0] in (0, 3)
        machine.cut()
        assert sha256_of(machine.card) == before


def test_a_data_partition_that_can_only_be_read_is_read_and_nothing_real_is_done(lived: Path, tmp_path: Path) -> None:
    with holding(MACHINE, lived, tmp_path) as machine:
        part = data.take(machine.card, tmp_path / "part")
        data.mend(part)
        run("debugfs", "-w", "-R", "feature read-only", part)
        begin = layout.PARTS[layout.DATA][0] * layout.SECTOR >> 20
        run("dd", f"if={part}", f"of={machine.card}", "bs=1M", f"seek={begin}", "conv=notrunc", "status=none")
        board = up(machine)
        print("\n" + board.run("cat /run/fieldhand/boot.txt; grep /data /proc/mounts")[1])
        code, said = board.run(TURN)
        print(code, said)
        doctor = board.run("fieldhand doctor $(options) 2>&1")[1]
        print(doctor)
        assert "wrong  card: data" in doctor and "Traceback" not in said
        assert MEMORY in said or (code != 0 and board.level() == 0)


def test_an_update_over_a_full_card_is_taken_or_refused_whole(tmp_path: Path) -> None:
    with guarded(tmp_path, (), update(MACHINE)) as board:
        board.run(FILL)
        before = card.boot_state(board.machine.card)
        board.machine.console.line("fieldhand update /data/new.update --yes; echo EN''DED $?")
        code = int(board.machine.console.expect(r"ENDED (\d+)\n", 900)[1])
        print(f"\n{board.machine.console.transcript[-1500:]}")
        if code:
            assert card.boot_state(board.machine.card) == before
        else:
            board.machine.console.expect(LOGIN, 900)
            board.come()
        board.run("rm -f /data/fill /data/rest")
        assert not board.run("fieldhand doctor $(options) | grep '^wrong'")[1]


def up(machine: Machine) -> Guarded:
    machine.boot()
    board = Guarded(machine)
    board.come()
    assert machine.resets == 0
    return board


def data_hash(path: Path, folder: Path) -> str:
    begin = layout.PARTS[layout.DATA][0] * layout.SECTOR
    run("dd", f"if={path}", f"of={folder}/part", "bs=1M", f"skip={begin >> 20}", "conv=sparse", "status=none")
    return sha256_of(folder / "part")
