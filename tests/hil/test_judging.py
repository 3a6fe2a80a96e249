"""What judges a disk after a cut finds what is missing: a disk with nothing on it fails for all acknowledged."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.tape.audit import Audit
from images.host import missing, run
from tests.support.lost_writes import Recorded, judged

pytestmark = pytest.mark.skipif(bool(missing(["mke2fs", "e2fsck", "debugfs"])), reason="e2fsprogs are not here")


def disk(folder: Path) -> Path:
    """A file system with what stands in folder/tree."""
    part = folder / "part"
    run("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-d", folder / "tree", part, "16384k")
    return part


def test_what_was_acknowledged_and_is_nowhere_is_told_and_what_was_not_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    told = Recorded(tmp_path, tmp_path, (100, 200), (150,))
    part = disk(tmp_path)
    assert judged(told, part, 99, tmp_path) == []
    found = judged(told, part, 150, tmp_path)
    assert found == [
        "note 1 was acknowledged and is not there",
        "note 1 was acknowledged and is not in the audit log",
        "note 1 was acknowledged and is not on a tape",
        "turn 1 was answered and is not in the audit log",
        "turn 1 was answered and is not on a tape",
    ]
    assert len(judged(told, part, 200, tmp_path)) == 8


def test_a_torn_note_and_a_record_that_was_taken_away_are_told(tmp_path: Path) -> None:
    (tmp_path / "tree/notes").mkdir(parents=True)
    (tmp_path / "tree/notes/note-1").write_text("text-")
    state = tmp_path / "tree/state"
    state.mkdir()
    audit = Audit.open(str(state))
    for text in ("one", "two", "three"):
        audit.note("note", {"text": text}, sync=True)
    audit.close()
    log = next(state.glob("audit/*.jsonl"))
    log.write_bytes(b"".join(line for line in log.read_bytes().splitlines(True) if b'"two"' not in line))
    found = judged(Recorded(tmp_path, tmp_path, ()), disk(tmp_path), 0, tmp_path)
    assert any(one.startswith("the audit log: ") for one in found) and "note-1 is torn: 'text-'" in found
