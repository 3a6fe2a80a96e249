"""What one step of the loop costs in processor time of the agent's own process, the HTTP exchange included.

The anchors do the same exchanges without an agent: bodies of the same sizes as the agent sent in a run before, replies
of 300 bytes, one connection kept alive, over the standard library's http.client and over httpx. The scripted server is
a process of its own and is not counted.

Step 1,000 against step 10 is taken from one long turn. Its request is then hundreds of kilobytes long, and carrying
those over the loopback interface is the kernel's work, which the bare exchange of the same size also costs: the rows
"own" are less that cost.
"""

from __future__ import annotations

import importlib.util
import json
import sys

from bench import agent
from bench.harness import Absent, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness import Measure

TITLE = "One step of the loop: own processor time"
UNIT = "us"
ROUNDS = 11
WARM = True
SHORT, LONG = 60, 1000

HTTP_CLIENT, HTTPX, STEP = "bare exchange, http.client", "bare exchange, httpx", "a whole step of the agent"
TENTH, THOUSANDTH = "step 10 of a long turn", "step 1,000 of a long turn"
TARGETS = {
    STEP: (Target(ratio=1.6), Target(ratio=0.3334, anchor=HTTPX)),
    THOUSANDTH: (Target(ratio=1.3, anchor=TENTH),),
}


def exchanged(client: str, sizes: Callable[[], tuple[int, ...]]) -> Callable[[], float]:
    """A measure of bare exchanges by `client` of requests of `sizes` in a fresh process."""

    def measure() -> float:
        if importlib.util.find_spec(client) is None:
            raise Absent(f"{client} is not installed")
        with agent.Server() as server:
            wanted = json.dumps(sizes())
            argv = [sys.executable, "-m", "bench.exchange", client, str(server.port), str(agent.SKIP), wanted]
            return float(agent.told(argv))

    return measure


def rows() -> list[tuple[str, Measure]]:
    """The anchors take the sizes of their requests from the agent's latest short run."""
    short, long = agent.Runs(SHORT), agent.Runs(LONG)
    return [
        (HTTP_CLIENT, exchanged("http.client", lambda: short.last().sizes)),
        (HTTPX, exchanged("httpx", lambda: short.last().sizes)),
        (STEP, lambda: short.run().mean),
        (TENTH, lambda: long.run().first),
        (THOUSANDTH, lambda: long.last().last),
    ]
