"""The classic BPF of seccomp filters, run as the kernel runs it, so that a filter can be tried for any machine.

Only what filters may use: loads of 32-bit words of struct seccomp_data, masks, jumps, return
(kernel/seccomp.c, seccomp_check_filter; net/core/filter.c).
"""

from __future__ import annotations

import struct

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def run(program: bytes, number: int, arch: int, args: tuple[int, ...] = ()) -> tuple[int, int]:
    """What the filter answers to a call, and how many instructions that took. `args` are filled up with zeros."""
    filled = (*args, 0, 0, 0, 0, 0, 0)[:6]
    call = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *[one & 0xFFFFFFFFFFFFFFFF for one in filled])
    code = list(struct.iter_unpack("=HBBI", program))
    word = at = 0
    for steps in range(1, len(code) + 1):
        what, yes, no, value = code[at]
        at += 1
        if what == 0x06:
            return value, steps
        if what == 0x20:
            assert value % 4 == 0 and value + 4 <= len(call), f"a load of offset {value}"
            (word,) = struct.unpack_from("<I", call, value)
        elif what == 0x54:
            word &= value
        elif what == 0x05:
            at += value
        else:
            met = {0x15: word == value, 0x35: word >= value, 0x45: bool(word & value)}[what]
            at += yes if met else no
    raise AssertionError("the filter ran off its end")


def verdict(answer: int) -> str:
    """allow, kill, or the number of the error."""
    if answer == ALLOW:
        return "allow"
    return "kill" if answer == KILL else str(answer & 0xFFFF) if answer & 0xFFFF0000 == ERRNO else hex(answer)
