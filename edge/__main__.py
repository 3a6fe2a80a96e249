"""`python3 -m edge` from the folder of a checkout.

Only there: with `-m` the working folder is searched before the standard library, and nothing written
here can undo that. Everywhere else the way in is `fieldhand` (bin/fieldhand), which isolates itself.
"""

from __future__ import annotations

import os
import sys


def start() -> int:
    """Check what a checkout can get wrong, then hand over to the command line; its exit code."""
    home = os.path.dirname(os.path.abspath(__file__))
    if sys.version_info < (3, 9):  # noqa: UP036 (said here because a checkout has no installer that would say it)
        wrong = "Python 3.9 or later is needed, this is {}.{} ({})".format(*sys.version_info[:2], sys.executable)
    elif not (os.path.isdir(home + "/tools") and os.path.isdir(home + "/peripherals")):
        wrong = (
            f"{home}/tools and {home}/peripherals must be links to folders, and one of them is not: this checkout "
            "was made without symbolic links (clone again with: git clone -c core.symlinks=true)"
        )
    else:
        from edge.cli import main

        return main(sys.argv[1:])
    sys.stderr.write(f"fieldhand: {wrong}\n")
    return 3


if __name__ == "__main__":
    sys.exit(start())
