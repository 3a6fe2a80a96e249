"""One process that searches as the agent does: arguments, gate, permit, hands, tool; and tells what it took.

`python -m bench.search FOLDER TOOL JSON`: a loop over lines of stdin, one search for each; it answers each with a line
of JSON: wall and CPU (user and system) in seconds, the number of hits, the high mark of private memory in MiB.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time

from edge.call import Call, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.hands.world import World
from edge.registry import find
from edge.schema import fit
from edge.tape.unkept import Unkept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _no_board() -> Any:
    raise RuntimeError("a search needs no board")


class Searcher:
    """Searches below one folder, as calls of one run do."""

    def __init__(self, folder: str, seconds: float = 600.0) -> None:
        self._world = World(Scene(folder, "", (Root("work", folder),)), Unkept(), _no_board)
        self._policy = Policy("guarded", seconds=seconds)

    def search(self, tool: str, args: dict[str, Any]) -> tuple[float, float, dict[str, Any]]:
        """Wall and processor time in seconds, and the facts of what came."""
        found = find(tool)
        before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        call = Call(tool, fit(args, found.schema)[0], "c1")
        scene = self._world.scene
        decision = decide(call, found.effects(call.args, scene), self._policy, State(), scene)
        if decision.permit is None:
            raise RuntimeError(decision.sentence)
        seen = found.run(call.args, Hands(decision.permit, call, self._world))
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, used, dict(seen.data or {})


def high_mark() -> float:
    """The most private memory this process had, in MiB: what it had less what is of files, at its highest."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        told = {
            line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmHWM", "RssFile", "RssShm"))
        }
    return (int(told["VmHWM"]) - int(told["RssFile"]) - int(told["RssShmem"])) / 1024


def main() -> int:
    folder, tool, args = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    wall, used, facts = Searcher(os.path.abspath(folder)).search(tool, args)
    print(json.dumps({"wall": wall, "cpu": used, "hits": facts.get("hits", facts.get("total")), "mib": high_mark()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
