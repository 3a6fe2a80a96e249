"""What the kernel says of its clock: adjtimex(2), read only.

`modes` is 0, so that nothing is set. The fields up to `status` lie alike in every C library: an unsigned int, four
longs, an int (linux/timex.h).
"""

from __future__ import annotations

_UNSYNCED = 0x0040  # STA_UNSYNC
_ERROR = 5  # TIME_ERROR
_ROOM = 512  # bytes; struct timex is 208 at most


def kernel_clock() -> dict[str, object]:
    """`synchronised`, `most_wrong_seconds` (the kernel's own bound, only when it is); empty when it cannot be asked."""
    try:
        import ctypes

        library = ctypes.CDLL(None, use_errno=True)
        room = ctypes.create_string_buffer(_ROOM)
        state = library.adjtimex(room)
    except (ImportError, OSError, AttributeError):
        return {}
    if state < 0:
        return {}
    return decoded(room.raw, ctypes.sizeof(ctypes.c_long), state)


def decoded(raw: bytes, long: int, state: int) -> dict[str, object]:
    """The facts of a struct timex with longs of `long` bytes, and the state that adjtimex gave."""
    from sys import byteorder

    def at(place: int, size: int) -> int:
        return int.from_bytes(raw[place : place + size], byteorder, signed=True)

    most, status = at(long + 2 * long, long), at(long + 4 * long, 4)
    fine = state != _ERROR and not status & _UNSYNCED
    return {"synchronised": fine, "most_wrong_seconds": round(most / 1e6, 6)} if fine else {"synchronised": False}
