"""The tape on the card: one line per write, syncs in groups, one writer, names and modes."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

from edge.faults import TapeFault, UsageFault
from edge.tape import journal
from edge.tape.disk import boot_id
from edge.tape.journal import Tape
from edge.tape.reader import Reader
from tests.support.tape_disks import QuickDisk


class Watched(QuickDisk):
    """Notes writes and syncs; its clocks are set by hand."""

    def __init__(self) -> None:
        self.ops: list[str] = []
        self.now = 100.0
        self.date = 1.7e9

    def write(self, fd: int, data: bytes) -> int:
        self.ops.append("write")
        return os.write(fd, data)

    def fdatasync(self, fd: int) -> None:
        self.ops.append("sync")

    def mono(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.date


@pytest.fixture
def disk() -> Watched:
    return Watched()


@pytest.fixture
def tape(tmp_path, disk: Watched):
    made = Tape.create(str(tmp_path / "state" / "tapes"), "watched", disk)
    disk.ops.clear()
    yield made
    made.close()


def test_a_record_is_one_write_of_one_line(tape: Tape, disk: Watched) -> None:
    tape.append("line", {"text": "a\nb"}, sync=True)
    assert disk.ops == ["write", "sync"]
    with open(tape.path, encoding="utf-8") as file:
        lines = file.readlines()
    assert len(lines) == 1
    record = json.loads(lines[0])
    assert (record["seq"], record["boot"], record["mono"], record["wall"]) == (1, boot_id(), 100.0, 1.7e9)


def test_reads_are_put_on_the_card_in_groups_of_twenty(tape: Tape, disk: Watched) -> None:
    for _ in range(45):
        tape.append("outcome", {"text": "33.0 C"})
    assert [n for n, op in enumerate(disk.ops) if op == "sync"] == [20, 41]


def test_reads_are_put_on_the_card_when_five_seconds_have_passed(tape: Tape, disk: Watched) -> None:
    for now in (101.0, 104.9, 105.0, 105.1, 109.9, 110.0):
        disk.now = now
        tape.append("outcome", {"text": "33.0 C"})
    assert disk.ops == ["write", "write", "write", "sync", "write", "write", "write", "sync"]


def test_sync_and_close_put_on_the_card_what_waits_and_only_that(tape: Tape, disk: Watched) -> None:
    tape.sync()
    tape.append("outcome", {"text": "33.0 C"})
    tape.sync()
    tape.sync()
    tape.append("outcome", {"text": "33.0 C"})
    tape.close()
    assert disk.ops == ["write", "sync", "write", "sync"]


def test_the_clock_may_go_back_and_the_order_stays(tape: Tape, disk: Watched) -> None:
    tape.append("note", {"text": "one"})
    disk.date = 0.0
    tape.append("note", {"text": "two"})
    tape.sync()
    assert [(r["seq"], r["wall"]) for r in Reader(tape.path)] == [(1, 1.7e9), (2, 0.0)]


def test_a_later_run_goes_on_with_the_next_number(tmp_path) -> None:
    folder = str(tmp_path)
    first = Tape.create(folder, disk=QuickDisk())
    first.append("close", {"code": 0})
    first.close()
    again = Tape.open(folder, first.name, QuickDisk())
    assert again.append("open", {"pid": 1}) == 2
    again.close()
    assert [record["kind"] for record in Reader(first.path)] == ["close", "open"]


def test_only_the_owner_may_read_a_tape(tmp_path) -> None:
    old = os.umask(0)
    try:
        tape = Tape.create(str(tmp_path / "state" / "tapes"), disk=QuickDisk())
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(tape.path).st_mode) == 0o600
    for folder in ("state", "state/tapes"):
        assert stat.S_IMODE(os.stat(tmp_path / folder).st_mode) == 0o700
    assert not os.get_inheritable(tape._fd)
    tape.close()


HOLD = """
import sys
from edge.tape.journal import Tape
tape = Tape.create(sys.argv[1], "held")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_writer_is_refused_and_told_who_writes(tmp_path) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
    try:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(TapeFault) as caught:
            Tape.open(str(tmp_path), "held", QuickDisk())
        assert "the tape held is being written by" in str(caught.value)
        assert str(other.pid) in str(caught.value) or "another process" in str(caught.value)
        assert "end that one first" in str(caught.value)
    finally:
        other.kill()
        other.communicate()
    Tape.open(str(tmp_path), "held", QuickDisk()).close()


def test_an_own_second_opening_is_refused_as_well(tape: Tape, tmp_path) -> None:
    with pytest.raises(TapeFault, match=f"written by process {os.getpid()}|written by another process"):
        Tape.open(os.path.dirname(tape.path), "watched", QuickDisk())


def test_what_cannot_be_opened_is_said_with_what_to_do(tmp_path) -> None:
    folder = str(tmp_path)
    Tape.create(folder, "there", QuickDisk()).close()
    with pytest.raises(TapeFault, match="there is a tape there already"):
        Tape.create(folder, "there", QuickDisk())
    with pytest.raises(TapeFault, match="No such file"):
        Tape.open(folder, "absent", QuickDisk())
    (tmp_path / "file").write_text("")
    with pytest.raises(TapeFault):
        Tape.create(str(tmp_path / "file" / "tapes"), disk=QuickDisk())
    os.symlink("there.jsonl", tmp_path / "link.jsonl")
    with pytest.raises(TapeFault, match="cannot be opened"):
        Tape.open(folder, "link", QuickDisk())
    for name in ("../there", "a/b", ".hidden", "x" * 65, "new\nline"):
        with pytest.raises(UsageFault, match="no name of a tape"):
            Tape.create(folder, name, QuickDisk())


def test_a_tape_that_could_not_be_started_leaves_no_file(tmp_path) -> None:
    class NoFolders(QuickDisk):
        def sync_folder(self, path: str) -> None:
            raise OSError(5, "Input/output error")

    (tmp_path / "tapes").mkdir()
    with pytest.raises(TapeFault, match=r"Input/output error \(the card may be failing"):
        Tape.create(str(tmp_path / "tapes"), disk=NoFolders())
    assert os.listdir(tmp_path / "tapes") == []


def test_a_tape_that_was_deleted_says_so_at_the_next_synced_record_and_takes_nothing_more(tmp_path) -> None:
    folder = tmp_path / "state" / "tapes"
    tape = Tape.create(str(folder), "gone", QuickDisk())
    tape.append("line", {"text": "kept"}, sync=True)
    shutil.rmtree(tmp_path / "state")
    tape.append("outcome", {"text": "waits"})
    with pytest.raises(TapeFault, match="the tape gone was deleted: its records end with this process"):
        tape.append("intent", {"call": "c1"}, sync=True)
    with pytest.raises(TapeFault, match="takes nothing more since it failed: it was deleted"):
        tape.append("intent", {"call": "c1"}, sync=True)
    tape.close()


def test_a_tape_that_was_deleted_says_so_in_a_group_and_at_its_close_too(tmp_path) -> None:
    tape = Tape.create(str(tmp_path), "one", QuickDisk())
    os.unlink(tape.path)
    tape.append("outcome", {"text": "33.0 C"})
    with pytest.raises(TapeFault, match="the tape one was deleted"):
        tape.close()
    tape.close()
    tape = Tape.create(str(tmp_path), "two", QuickDisk())
    os.unlink(tape.path)
    with pytest.raises(TapeFault, match="the tape two was deleted"):
        for _ in range(journal.GROUP):
            tape.append("outcome", {"text": "33.0 C"})
    tape.close()


def test_a_file_system_that_counts_no_names_is_let_pass(tmp_path) -> None:
    class NoNames(QuickDisk):
        def links(self, fd: int) -> int:
            return 0

    tape = Tape.create(str(tmp_path), disk=NoNames())
    assert tape.append("note", {"text": "x"}, sync=True) == 1
    tape.close()


def test_a_file_system_that_cannot_sync_folders_is_let_pass(tmp_path) -> None:
    class NoFolderSync(QuickDisk):
        def fsync(self, fd: int) -> None:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                raise OSError(22, "Invalid argument")

    tape = Tape.create(str(tmp_path / "tapes"), disk=NoFolderSync())
    assert tape.append("note", {"text": "x"}, sync=True) == 1
    tape.close()


def test_the_tape_imports_json_at_the_first_record_only() -> None:
    code = "import sys; import edge.tape.journal, edge.tape.unkept; sys.exit('json' in sys.modules)"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    assert subprocess.run([sys.executable, "-S", "-c", code], cwd=root).returncode == 0


def test_the_bounds_are_those_of_the_policy() -> None:
    assert (journal.GROUP, journal.SECONDS) == (20, 5.0)
