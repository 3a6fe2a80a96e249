"""U-Boot's script decides as the table of the boot state does: each row of the table, each way a slot can be damaged.

The script is run by sh, with U-Boot's commands as functions over files: hush and sh agree on what stands in it. That
U-Boot itself runs it so is shown on emulated boards (tests/hil/test_slots.py).
"""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from edge.card import layout, state

SCRIPT = Path(__file__).resolve().parents[2] / "images" / "board" / "boot.cmd"
# Where each command of U-Boot's leaves what it did: lines on stdout. 9: given up, 8: reset, 0: bootm.
COMMANDS = r"""
setenv() { name=$1; shift; eval "$name=\$*"; }
run() { eval "set -- \"\$$1\""; eval "$1"; }
setexpr() {
    if [ "$2" = sub ]; then eval "$1=\${5##*/}"; else eval "$1=\$(($2 $3 $4))"; fi
}
mmc() { [ "$1" != read ] || place=$3; [ "$1" != write ] || echo "write $3 $kept"; }
env() {
    if [ "$1" = export ]; then kept="slot=$slot prev=$prev good=$good tries=$tries data=$data why=$why"; return; fi
    if [ "$2" = -t ]; then cmdline=$words_of_file; return; fi
    case $whole in *"$place"*) ;; *) return 1 ;; esac
    slot=$s_slot prev=$s_prev good=$s_good tries=$s_tries data=$s_data why=$s_why
}
load() {
    filesize=10
    case $2:$4 in
    0:1:cmdline.txt) [ -n "$words_of_file" ] ;;
    *) loaded=$2:$4; case " $absent " in *" ${2#0:}:${4##*/} "*) return 1 ;; esac ;;
    esac
}
iminfo() { case " $torn " in *" ${loaded#0:} "*) return 1 ;; esac; }
fdt() { [ "$1" = addr ] || words=$words_of_tree; [ -n "$words_of_tree" ] || [ "$1" = addr ]; }
mw() { :; }
alias mw.l=mw
sleep() { exit 9; }
reset() { exit 8; }
bootm() { echo "bootm $part $bootargs"; exit "$bootm_code"; }
"""


class Ran(NamedTuple):
    """code: how it ended. writes: (sector, state) in order. part: of the slot that was started, words: its kernel's."""

    code: int
    writes: list[tuple[str, str]]
    part: str
    words: list[str]
    said: str


def ran(
    before: state.State | None = None,
    whole: str = "400 408",
    absent: str = "",
    torn: str = "",
    tree_words: str = "",
    file_words: str = "",
) -> Ran:
    """Run the script. before: what the copies that are `whole` hold; absent, torn: `PART:FILE` in words."""
    held = before or state.State()
    given = {
        **{f"s_{name}": getattr(held, name) for name in ("slot", "prev", "data", "why")},
        **{"s_good": str(int(held.good)), "s_tries": str(held.tries), "whole": whole, "absent": absent, "torn": torn},
        **{"words_of_tree": tree_words, "words_of_file": file_words, "fdt_addr": "8000000" if tree_words else ""},
        **{"fdtfile": "broadcom/bcm2837-rpi-3-b.dtb", "devtype": "mmc", "devnum": "0", "bootm_code": "0"},
    }
    text = COMMANDS + SCRIPT.read_text("utf-8").replace("mw.l ", "mw ")
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=given, check=False)
    lines = done.stdout.splitlines()
    writes = [(line.split()[1], line.split(" ", 2)[2]) for line in lines if line.startswith("write ")]
    started = next((line.split(" ", 2)[1:] for line in lines if line.startswith("bootm ")), ["", ""])
    assert not done.stderr, done.stderr
    return Ran(done.returncode, writes, started[0], started[1].split(), done.stdout)


def shown(one: state.State) -> str:
    return f"slot={one.slot} prev={one.prev} good={int(one.good)} tries={one.tries} data={one.data} why={one.why}"


def in_order(one: state.State) -> list[tuple[str, str]]:
    """Both copies, copy 2 first."""
    return [(f"{place:x}", shown(one)) for place in reversed(layout.STATE_PLACES)]


ROWS = [
    state.State(slot, prev, good, tries, "new" if tries == 9 else "made", "update")
    for slot, prev, good, tries in itertools.product("ab", "ab", (False, True), (0, 1, 9))
]


@pytest.mark.parametrize("before", ROWS, ids=shown)
def test_the_script_follows_the_table(before: state.State) -> None:
    after = state.booting(before)
    found = ran(before)
    assert (found.code, found.part) == (0, str(layout.SLOTS[after.slot]))
    assert found.writes == ([] if after == before else in_order(after))
    told = {f"fieldhand.{word}" for word in shown(after).split()}
    assert told <= set(found.words) and "panic=10" in found.words


@pytest.mark.parametrize("before", ROWS, ids=shown)
def test_a_slot_that_cannot_be_loaded_is_rotten(before: state.State) -> None:
    chosen = state.booting(before)
    name = ("bcm2837-rpi-3-b.dtb", "initrd", "kernel")[before.tries % 7]
    after = state.rotten(chosen)
    found = ran(before, absent=f"{layout.SLOTS[chosen.slot]}:{name}")
    if after.slot == chosen.slot:
        assert (found.code, found.writes, found.part) == (9, [], "")
        assert "no slot of this card can be started" in found.said
    else:
        assert (found.code, found.part) == (0, str(layout.SLOTS[after.slot]))
        assert found.writes == in_order(after)


@pytest.mark.parametrize("name", ["initrd", "kernel"])
def test_a_wrong_checksum_is_as_bad_as_an_absent_file(name: str) -> None:
    before = state.State("b", "a", good=True, why="confirmed")
    found = ran(before, torn=f"3:{name}")
    assert found.part == "2" and found.writes == in_order(state.rotten(before))


@pytest.mark.parametrize("damage", ["absent", "torn"])
def test_where_no_slot_can_be_loaded_nothing_is_written_and_nothing_tried_again(damage: str) -> None:
    found = ran(state.flashed(), **{damage: "2:kernel 3:kernel"})
    assert (found.code, found.writes, found.part) == (9, [], "")


def test_the_second_copy_counts_when_the_first_is_torn() -> None:
    before = state.State("b", "a", good=True, why="confirmed")
    assert ran(before, whole="408").part == "3"
    assert "the first copy of the boot state is torn" in ran(before, whole="408").said


def test_without_a_copy_slot_a_starts_and_nothing_is_written() -> None:
    found = ran(whole="")
    assert (found.part, found.writes) == ("2", [])
    assert {f"fieldhand.{word}" for word in shown(state.State()).split()} <= set(found.words)


def test_words_of_the_firmware_come_before_those_of_the_file() -> None:
    assert ran(tree_words="smsc95xx.macaddr=B8 loglevel=4").words[-2:] == ["smsc95xx.macaddr=B8", "loglevel=4"]
    assert ran(file_words="loglevel=7").words[-1] == "loglevel=7"
    assert ran().words[-1].startswith("fieldhand.why=")


def test_the_sectors_are_those_of_the_layout() -> None:
    text = SCRIPT.read_text("utf-8")
    for place in layout.STATE_PLACES:
        assert text.count(f"${{at_state}} {place:x} 1") == 2
    assert f"env export -c -s {layout.STATE_BYTES:x} " in text
