"""What the steps of a boot found, as KEY=value lines of /run/fieldhand/boot.txt: for doctor, status.txt and scripts.

Rules:
1. Lines are only ever appended, each by one write, by scripts as by us: so nobody's line is lost. Of two lines with
   one key the last counts.
2. A value is one line of plain text of at most LONGEST letters; what would break the line becomes a blank.
3. What is so already is not told again, and beyond LARGEST nothing is taken: the file lies in memory, for one start.
"""

from __future__ import annotations

import os

from edge.card import pairs
from edge.card.places import RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "boot.txt"
LONGEST = 2000
LARGEST = 1 << 15  # bytes


def facts(run: str = RUN) -> dict[str, str]:
    """All there is, {} when nothing was written."""
    from edge.tape.disk import small_file

    return pairs.read(small_file(f"{run}/{FILE}").decode("utf-8", "replace"))


def tell(more: Mapping[str, str], run: str = RUN) -> None:
    """Add or change facts. OSError, EFBIG when there is no room for more."""
    from errno import EFBIG

    before = facts(run)
    told = {name: _line(value) for name, value in more.items()}
    text = "".join(f"{name}={value}\n" for name, value in told.items() if before.get(name) != value).encode("utf-8")
    if not text:
        return
    path = f"{run}/{FILE}"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        if os.fstat(handle).st_size + len(text) > LARGEST:
            raise OSError(EFBIG, f"there are more than {LARGEST} bytes already", path)
        os.write(handle, text)
    finally:
        os.close(handle)


def _line(text: str) -> str:
    from edge.text import plain

    return " ".join(plain(text).split())[:LONGEST]
