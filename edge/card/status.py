"""status.txt on the first partition: what a laptop can read of a board. For people: lines, CRLF, no secrets.

Rules:
1. The builder makes the file with SIZE bytes; from then on it is overwritten where it lies, blank lines to its end: no
   cluster is taken or freed, and a cut leaves at worst an old half of a text.
2. What is told is bounded: more than fits ends in a line that says so.
"""

from __future__ import annotations

import os

FILE = "status.txt"
SIZE = 8192  # bytes
_MORE = "... and more: fieldhand provision status on the board tells all\r\n"


def page(sections: list[tuple[str, list[str]]]) -> str:
    """Headings and their lines, as one text with "\\n"."""
    rows: list[str] = []
    for heading, lines in sections:
        if lines:
            rows += [*[""] * bool(rows), heading, *[f"  {line}" for line in lines]]
    return "\n".join(rows) + "\n"


def filled(text: str, size: int = SIZE) -> bytes:
    """The text with CRLF in exactly `size` bytes."""
    raw = text.replace("\n", "\r\n").encode("utf-8")
    if len(raw) > size:
        room = max(0, size - len(_MORE))
        kept = raw[:room]
        raw = (kept[: kept.rfind(b"\n") + 1] + _MORE.encode("ascii"))[:size]
    left = size - len(raw)
    return raw + b"\r\n" * (left // 2) + b" " * (left % 2)


def not_started() -> bytes:
    """The file as the builder puts it on the card."""
    return filled(
        page(
            [
                ("Fieldhand: this card was not started yet", ["Edit provision.toml here, then put it into the board."]),
                ("After the start", ["This file says what was taken from provision.toml, and what is wrong with it."]),
            ]
        )
    )


def put(folder: str, text: str) -> None:
    """Write it into the folder, over the one that is there. OSError."""
    path = f"{folder}/{FILE}"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(handle).st_size
        raw = filled(text, size if size >= SIZE // 2 else SIZE)
        if os.pread(handle, len(raw) + 1, 0) != raw:
            at = 0
            while at < len(raw):
                at += os.pwrite(handle, raw[at:], at)
            os.fsync(handle)
    finally:
        os.close(handle)
