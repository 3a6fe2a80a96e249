"""The settings of U-Boot: its own form, the length it was built for, and a start that no key holds."""

from __future__ import annotations

from binascii import crc32

import pytest

from images import environment


@pytest.mark.parametrize(("bits", "high"), [(32, "ffffffff"), (64, "ffffffffffffffff")])
def test_the_settings_are_in_the_form_that_uboot_reads(bits: int, high: str) -> None:
    data = environment.made(bits)
    assert len(data) == environment.SIZE and int.from_bytes(data[:4], "little") == crc32(data[4:])
    text, _, rest = data[4:].partition(b"\0\0")
    assert not rest.strip(b"\0")
    names = dict(line.split("=", 1) for line in text.decode("ascii").split("\0"))
    assert list(names) == sorted(names)
    assert (names["fdt_high"], names["initrd_high"]) == (high, high)
    assert names["bootdelay"] == "-2" and "preboot" not in names and "usb" not in " ".join(names.values())
