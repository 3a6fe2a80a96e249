"""No structured tool starts a program, wherever it runs: what starts one is noted by the interpreter itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from edge.registry import TOOLS
from tests.support.sources import ROOT

SHELLS = ("bash", "bash_output", "bash_kill")
# A call of each tool, with the audit events (PEP 578) of what would start a program.
LISTENING = """
import json, os, sys
sys.path.insert(0, {root!r})
from pathlib import Path
STARTS = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system")
begun = []
sys.addaudithook(lambda event, _: begun.append(event) if event in STARTS else None)
from tests.support import bare_calls
call = bare_calls._outcome
def alone(*args):
    begun.clear()  # what makes the place ready is no tool
    return {{**call(*args), "begun": [*begun]}}
bare_calls._outcome = alone
for line in bare_calls.outcomes(Path(os.environ["HOME"])):
    print(json.dumps(line))
"""


def test_no_tool_but_those_of_the_shell_starts_a_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", LISTENING.format(root=str(ROOT))],
        cwd=ROOT,
        env={"PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["tool"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert set(TOOLS) < set(rows) and rows["bash"]["begun"] != []
    for name in set(TOOLS) - set(SHELLS):
        assert rows[name]["begun"] == [], name
        assert rows[name]["ok"] or rows[name]["absent"], rows[name]
