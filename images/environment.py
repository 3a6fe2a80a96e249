"""uboot.env on p1: the settings that U-Boot takes in place of those it was built with.

Rules:
1. A key that somebody pressed, or noise on an open serial line, does not hold a start: bootdelay=-2 does not look
   (U-Boot's doc/README.autoboot). Who needs U-Boot's own prompt takes uboot.env away: then it has its own settings,
   which run boot.scr too, after two seconds in which a key is looked for.
2. USB is not started (its own settings do): nothing of a start is on it, and the search takes seconds of each.
3. The script is run from the first card that has one; where none has, that is said and U-Boot's prompt stands there.
4. Nothing is relocated (`*_high`, as in U-Boot's own settings for these boards): boot.cmd chose the addresses.
5. The file is as long as the boards' CONFIG_ENV_SIZE and in the form of include/env_internal.h: CRC32 of the rest,
   little endian, `name=value\\0` in the order of the alphabet, zeros to the end. U-Boot only ever reads it.
"""

from __future__ import annotations

from binascii import crc32

FILE = "uboot.env"
SIZE = 0x4000
_SCRIPT = "0x02400000"  # scriptaddr of U-Boot's own settings
_START = (
    "for devnum in 0 1 2; do "
    f"if load mmc ${{devnum}}:1 {_SCRIPT} boot.scr; then setenv devtype mmc; setenv devnum ${{devnum}}; "
    f"source {_SCRIPT}; fi; done; "
    'echo "Fieldhand: there is no boot.scr on the first partition of a card that started it"'
)


def made(bits: int) -> bytes:
    """The file for boards of 32 or 64 bits."""
    high = "f" * (bits // 4)
    return packed(
        {
            **{"bootcmd": _START, "bootdelay": "-2", "baudrate": "115200"},
            **{"fdt_high": high, "initrd_high": high, "loadaddr": "0x1000000"},
            **{"stdin": "serial", "stdout": "serial,vidconsole", "stderr": "serial,vidconsole"},
        }
    )


def packed(names: dict[str, str]) -> bytes:
    """Rule 5."""
    body = b"".join(f"{name}={value}\0".encode("ascii") for name, value in sorted(names.items()))
    body = body.ljust(SIZE - 4, b"\0")
    return crc32(body).to_bytes(4, "little") + body
