"""`fieldhand image VERB ...`: the builder of card images, which is a program of its own in a checkout (images/).

Rules:
1. It takes this process over (exec): signals, terminal and exit code are its own, nothing stands between.
2. It starts isolated (-I) with the checkout alone added to the search path, as bin/fieldhand does it.
"""

from __future__ import annotations

import os
import sys

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options

_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('images', run_name='__main__', alter_sys=True)"
)


def image(options: Options) -> int:
    """Run `python -m images` with the words behind the verb. UsageFault where there is no checkout."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if not os.path.isfile(os.path.join(root, "images", "__main__.py")):
        raise UsageFault(
            f"{root} is no checkout of the project, and images are built and flashed from one",
            "clone it and run bin/fieldhand image there",
        )
    try:
        os.execv(sys.executable, [sys.executable, "-I", "-c", _START, root, *options.words])
    except OSError as error:
        told = sys.executable or "a Python that does not know its own path"
        raise UsageFault(f"{told} cannot be started again: {error.strerror}", "start it by its full path") from error
