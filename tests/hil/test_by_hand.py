"""What docs/images.md lets people paste is what is run here: the same files of the card, the same words for QEMU."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.card import layout
from hil.card import size
from hil.drivers import qemu
from hil.resources import having, named
from tests.support.sources import ROOT

TEXT = (ROOT / "docs/images.md").read_text("utf-8").partition("by hand")[2]


def pasted(machine: str) -> list[str]:
    """The words of the command for a board."""
    (command,) = (
        line for line in TEXT.replace("\\\n", " ").splitlines() if line.startswith(f"    {qemu.QEMU} -M {machine} ")
    )
    return command.split()


@pytest.mark.parametrize("machine", having("loader"))
def test_the_command_of_a_board_is_the_one_that_is_run_here(machine: str, tmp_path: Path) -> None:
    board, words = named(machine).emulated(), pasted(machine)
    run = qemu.command(named(machine), qemu.plain(Path("try.img")), tmp_path)
    own = {str(tmp_path / "uboot"), str(tmp_path / "tree")}
    told = [word for word in run[: run.index("-chardev")] if word not in own]
    assert [word for word in told if word not in words] == []
    assert words.count("null") == board.console and words[-2:] == ["-serial", "mon:stdio"]
    assert board.tree in words or board.way == "bios"


@pytest.mark.parametrize("machine", having("loader"))
def test_its_files_are_taken_from_where_the_card_has_them(machine: str) -> None:
    board = named(machine).emulated()
    at, slot = (layout.PARTS[part][0] * layout.SECTOR >> 20 for part in (layout.CONFIG, layout.SLOT_A))
    assert f"    mcopy -n -i try.img@@{at}M ::{board.uboot} ." in TEXT
    assert f"    mcopy -n -i try.img@@{slot}M ::dtb/{board.tree} ." in TEXT or board.way == "bios"
    assert f"s/$/ {' '.join(board.words)}/" in TEXT
    assert f"-a {qemu.TEXT:#x} -e {qemu.TEXT:#x}" in TEXT
    assert f"truncate -s {size(layout.IMAGE_SECTORS * layout.SECTOR) >> 20}M" in TEXT
