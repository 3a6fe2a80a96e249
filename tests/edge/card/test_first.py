from __future__ import annotations

from pathlib import Path

import pytest

from edge.card import first, slots
from edge.card.first import First
from edge.faults import CardFault


def test_a_board_that_runs_from_no_card_of_ours_says_so(tmp_path: Path) -> None:
    if "fieldhand.slot=" in Path("/proc/cmdline").read_text():
        pytest.skip("this board runs from such a card")
    with pytest.raises(CardFault, match="no card of ours"), First(str(tmp_path)):
        pass


def test_nobody_but_root_reads_what_lies_there_and_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(slots, "disk", lambda: "/dev/mmcblk0")
    monkeypatch.setattr(first.programs, "run", lambda words, seconds: (asked.append(words), (0, []))[1])
    with First(str(tmp_path / "first")) as folder:
        assert folder == str(tmp_path / "first")
    mount, unmount = asked
    assert {"umask=077", "nosuid", "nodev", "noexec"} <= set(mount[4].split(",")) and mount[5] == "/dev/mmcblk0p1"
    assert unmount == ["umount", folder]
