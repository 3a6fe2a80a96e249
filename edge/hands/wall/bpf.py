"""An assembler for the classic BPF of seccomp filters (Documentation/userspace-api/seccomp_filter.rst).

Rules:
1. A program is a list of instructions (code, jt, jf, k); `packed` makes the bytes of struct sock_filter from it.
2. Code is put together from pieces that end in a return on every way, so that pieces can follow each other.
3. Jumps of a condition reach 255 instructions; what is farther goes over an unconditional jump.
4. Words of an argument are taken as on a little-endian machine: all that Fieldhand runs on are.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Instruction = tuple[int, int, int, int]
    Code = list[Instruction]

LOAD, AND, RETURN, JUMP = 0x20, 0x54, 0x06, 0x05  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K, BPF_JMP|JA
EQUAL, ABOVE_OR_EQUAL, ANY_BIT = 0x15, 0x35, 0x45  # BPF_JMP|JEQ|K, JGE, JSET
NUMBER, ARCH = 0, 4  # offsets in struct seccomp_data
ALLOW, KILL = 0x7FFF0000, 0x80000000
LONGEST = 4096  # instructions; BPF_MAXINSNS


def low(argument: int) -> int:
    """The offset of the low 32 bits of an argument, counted from 0."""
    return 16 + 8 * argument


def high(argument: int) -> int:
    """The offset of the high 32 bits of an argument."""
    return low(argument) + 4


def refuse(errno: int) -> Code:
    """A piece that answers the call with an error."""
    return [(RETURN, 0, 0, 0x00050000 | errno)]


def allow() -> Code:
    """A piece that lets the call through."""
    return [(RETURN, 0, 0, ALLOW)]


def load(offset: int) -> Instruction:
    """Take a word of the call."""
    return (LOAD, 0, 0, offset)


def mask(bits: int) -> Instruction:
    """Keep only these bits of the word."""
    return (AND, 0, 0, bits)


def choose(code: int, value: int, yes: Code, no: Code) -> Code:
    """A condition on the word with a piece for each answer."""
    if len(no) <= 255:
        return [(code, len(no), 0, value), *no, *yes]
    return [(code, 0, 1, value), (JUMP, 0, 0, len(no)), *no, *yes]


def one_of(values: Sequence[int], yes: Code, no: Code) -> Code:
    """A piece for a word that is one of `values`, another for all else."""
    code = no
    for value in reversed(values):
        code = choose(EQUAL, value, yes, code)
    return code


def search(spans: Sequence[tuple[int, Code]]) -> Code:
    """A binary search: `spans` are (first value, piece) in rising order, the first value being 0."""
    if len(spans) == 1:
        return list(spans[0][1])
    middle = len(spans) // 2
    return choose(ABOVE_OR_EQUAL, spans[middle][0], search(spans[middle:]), search(spans[:middle]))


def shared(code: Code) -> Code:
    """The same program with one copy of each return, at its end; `code` itself where a jump would be too long.

    A third of the instructions of a filter are returns, and the kernel checks, compiles and simulates each.
    """
    returns = {instruction: None for instruction in code if instruction[0] == RETURN}
    kept = [at for at, instruction in enumerate(code) if instruction[0] != RETURN]
    ends = {instruction: len(kept) + number for number, instruction in enumerate(returns)}
    moved = {at: number for number, at in enumerate(kept)}

    def place(at: int) -> int:
        return ends[code[at]] if code[at][0] == RETURN else moved[at]

    made: Code = []
    for number, at in enumerate(kept):
        what, yes, no, value = code[at]
        if what == JUMP:
            made.append((what, 0, 0, place(at + 1 + value) - number - 1))
        elif what in (EQUAL, ABOVE_OR_EQUAL, ANY_BIT):
            made.append((what, place(at + 1 + yes) - number - 1, place(at + 1 + no) - number - 1, value))
        elif code[at + 1][0] == RETURN:
            return code  # what is loaded is not looked at: no piece here is made so
        else:
            made.append((what, yes, no, value))
    return code if any(max(one[1:3]) > 255 for one in made) else [*made, *returns]


def packed(code: Code) -> bytes:
    """The bytes the kernel takes; ValueError when the program is longer than it allows."""
    if len(code) > LONGEST:
        raise ValueError(f"a filter of {len(code)} instructions is longer than {LONGEST}")
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
