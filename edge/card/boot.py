"""What the steps of a boot found, as KEY=value lines of /run/fieldhand/boot.txt: for doctor, status.txt and scripts.

Rules:
1. One line per key; whoever writes a key writes it over. Scripts append: of two lines with one key the last counts.
2. A value is one line of plain text; what would break the line becomes a blank.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RUN = "/run/fieldhand"
FILE = "boot.txt"


def facts(run: str = RUN) -> dict[str, str]:
    """All there is, {} when nothing was written."""
    from edge.tape.disk import small_file

    lines = small_file(f"{run}/{FILE}").decode("utf-8", "replace").splitlines()
    return {name: value for name, equals, value in (line.partition("=") for line in lines) if equals}


def tell(more: Mapping[str, str], run: str = RUN) -> None:
    """Add or change facts. OSError."""
    found = {**facts(run), **{name: _line(value) for name, value in more.items()}}
    path = f"{run}/{FILE}"
    handle = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        os.write(handle, "".join(f"{name}={value}\n" for name, value in found.items()).encode("utf-8"))
    finally:
        os.close(handle)
    os.rename(f"{path}.new", path)


def _line(text: str) -> str:
    from edge.text import plain

    return " ".join(plain(text).split())
