from __future__ import annotations

from pathlib import Path


def of_this_run(base: Path) -> list[str]:
    """The lines of the mount table, without what other runs of the suite mount in temporary folders of theirs.

    The table is the machine's: suites of several Pythons run side by side, and a card that one of them mounts
    for a moment is no mount that leaked out of a child of this one. `base` is the temporary folder of this run.
    """
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [line for line in lines if "/pytest-of-" not in line or f"{base}/" in line]
