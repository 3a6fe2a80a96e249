"""Memory that belongs to the process alone (RssAnon of /proc/PID/status), in MiB.

Read while the process waits: the bare interpreter in a read of its terminal, Fieldhand at its prompt. Both have a
terminal and the same environment. `ru_maxrss` is of no use here: a child inherits the high mark of its parent.

The run of 1,000 steps (bench/agent.py) reports its own figures: early, when everything is loaded, and at the end. What
is between them is what a long conversation keeps.
"""

from __future__ import annotations

import os

from bench import agent, forms, prompt, scratch
from bench.harness import Absent, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bench.harness import Measure

TITLE = "Private memory"
UNIT = "MiB"
ROUNDS = 9
WARM = True

AT_PROMPT, EARLY, LATE = "fieldhand at the prompt (wheel)", "agent after 10 steps", "agent after 1,000 steps"
TARGETS = {
    AT_PROMPT: (Target(plus=0.9),),
    LATE: (Target(plus=5.0, anchor=EARLY),),
}

_WAITS = "import sys; sys.stdout.write('fieldhand> '); sys.stdout.flush(); sys.stdin.readline()"


def private(pid: int) -> float:
    """RssAnon of a process in MiB. Absent where the kernel does not tell."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    raise Absent("/proc/PID/status has no RssAnon here")


def rows() -> list[tuple[str, Measure]]:
    """Install the wheel below a temporary folder and measure it there."""
    folder = scratch.folder()
    home = os.path.join(folder, "home")
    os.mkdir(home)
    bin_folder = forms.environment(os.path.join(folder, "env"), forms.wheel(folder))
    bare = [os.path.join(bin_folder, "python"), "-I", "-c", _WAITS]
    long = agent.Runs(1000)
    return [
        ("python -I, waiting for a line", lambda: prompt.visit(bare, home, look=private)),
        (AT_PROMPT, lambda: prompt.visit([os.path.join(bin_folder, "fieldhand")], home, look=private)),
        (EARLY, lambda: long.run().early_mib),
        (LATE, lambda: long.last().late_mib),
    ]
