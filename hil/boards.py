"""The boards that QEMU has and that images of ours start on, as data.

What was tried with QEMU 10.0.2: Debian's own U-Boot runs on all three, from the card and with the script of the card,
so that what is tested is the way a real board takes behind its firmware. The firmware itself (bootcode.bin, start.elf,
config.txt) is not in QEMU: it loads U-Boot itself (`way`), the 64-bit one with the device tree it would get.

raspi2b: with -bios all four processors run into U-Boot at once, and nothing comes. With -kernel QEMU keeps three of
them waiting at their mailboxes, as the firmware does; it loads a file to a place of its own in U-Boot's legacy form.

raspi0 needs -icount: without it its one timer was set in the past on a loaded host, and the board stood for ever.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.record import Record


class Board(Record):
    """`machine`: QEMU's name. `uboot`: the file on p1. `way`: bios, kernel, or
    wrapped: kernel, with the head that says 0x8000, where a 32-bit U-Boot was linked to. `tree`: the
    device tree, in dtb/ of a slot. `console`: which -serial the console is on (0 PL011, 1 mini UART). `accel`: of the
    emulation. `words`: for the kernel, because the model lacks something."""

    machine: str
    product: str
    uboot: str
    way: str
    tree: str
    console: int
    accel: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


# QEMU lacks the block that bcm2835-power asks (an external abort), and its watchdog resets as soon as it is armed.
_LACKS = ("initcall_blacklist=bcm2835_power_driver_init", "fieldhand.nowdt")
BOARDS = {
    board.machine: board
    for board in (
        Board(
            *("raspi0", "pi-armv6", "u-boot-rpi.bin", "bios", "bcm2835-rpi-zero.dtb", 0),
            accel=("-accel", "tcg", "-icount", "shift=2"),
            words=_LACKS,
        ),
        Board(*("raspi2b", "pi-armv7", "u-boot-rpi_2.bin", "wrapped", "bcm2836-rpi-2-b.dtb", 0), words=_LACKS),
        Board(*("raspi3b", "pi-arm64", "u-boot-rpi_3.bin", "kernel", "bcm2837-rpi-3-b.dtb", 1), words=_LACKS),
    )
}


def named(machine: str) -> Board:
    """The board of that name; UsageFault with those there are."""
    if machine not in BOARDS:
        raise UsageFault(f"QEMU boards that are driven here have no {machine[:40]!r}", ", ".join(BOARDS))
    return BOARDS[machine]
