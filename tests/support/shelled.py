"""A shell of this machine at a terminal, in place of the one of a board."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hil.console import Console
from hil.drivers.link import Link


@contextmanager
def console(home: Path) -> Iterator[Console]:
    """The console of a shell that has come to its prompt `# `."""
    ours, theirs = os.openpty()
    shell = subprocess.Popen(
        ["setsid", "-c", "sh", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "PS1": "# ", "HOME": str(home)},
        cwd=home,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as held:
        found = Console(Link(held))
        found.expect("# ", 60)
        yield found
        shell.kill()
        shell.wait()
