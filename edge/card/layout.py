"""Where things are on a card that `fieldhand image build` makes. Numbers only; builder and board share them.

    LBA 0          MBR: four primary partitions, a fixed disk id that every part is found by
    LBA 1024,1032  the boot state, twice (edge/card/state.py): raw sectors, so that no file system is in the way
    p1  FAT32      EDGECFG: firmware, U-Boot, its script, provision.toml, status.txt
    p2  FAT32      slot A: kernel, initramfs, device trees, root.sqfs and its hash
    p3  FAT32      slot B: byte for byte as slot A when flashed
    p4  ext4       data: shipped as an entry of 16 MiB, grown and made at the first boot

Rules:
1. Units are sectors of 512 bytes unless a name says otherwise. All parts begin at a multiple of 4 MiB, the erase block
   that cards are made for.
2. The number of a slot's partition is SLOTS[slot]; nothing finds a slot by a label, both have the same.
"""

from __future__ import annotations

SECTOR = 512
MIB = 1024 * 1024 // SECTOR
DISK_ID = 0xEDCE0001
STATE_PLACES = (1024, 1032)
STATE_BYTES = 512

CONFIG, SLOT_A, SLOT_B, DATA = 1, 2, 3, 4
SLOTS = {"a": SLOT_A, "b": SLOT_B}
FAT32, LINUX = 0x0C, 0x83
# number -> (first sector, sectors, type)
PARTS = {
    CONFIG: (4 * MIB, 40 * MIB, FAT32),
    SLOT_A: (44 * MIB, 64 * MIB, FAT32),
    SLOT_B: (108 * MIB, 64 * MIB, FAT32),
    DATA: (172 * MIB, 16 * MIB, LINUX),
}
IMAGE_SECTORS = 188 * MIB

# What the programs of this version make of /data; a version reads its own schema and older ones.
DATA_SCHEMA = 1

CONFIG_LABEL = "EDGECFG"
SLOT_LABEL = "EDGESLOT"
DATA_LABEL = "fhdata"


def device(disk: str, part: int) -> str:
    """The node of a partition: /dev/mmcblk0 -> /dev/mmcblk0p2, /dev/sda -> /dev/sda2."""
    return f"{disk}p{part}" if disk[-1].isdigit() else f"{disk}{part}"
