"""A tool of another package that never returns, as the text of its module; for tests of agents that hang.

The main thread loads it, so its handler of SIGUSR2 is put in place there and spins in the main thread itself, while all
other threads go on: `main` in the turn, `waiting` (a signal from outside) when the turn is over and the main thread
only waits for the end of its lease. `whole` is one call of the C part of `re` that would take years and lets no other
thread of the process run meanwhile. SPINS in the environment names a file that tells when it began (time.monotonic);
the tool begins once there is a file of that name and `.go`.
"""

from __future__ import annotations

SPIN = """
import os, re, signal, time
from edge.call import Effect, Observation
from edge.tool import Tool

def stamp(path):
    with open(path + ".new", "w") as file:
        file.write(repr(time.monotonic()))
    os.rename(path + ".new", path)

def spin(number, frame):
    stamp(os.environ["SPINS"])
    while True:
        pass

signal.signal(signal.SIGUSR2, spin)

def run(args, hands):
    while not os.path.exists(os.environ["SPINS"] + ".go"):
        time.sleep(0.05)
    if args["how"] == "main":
        os.kill(os.getpid(), signal.SIGUSR2)
        time.sleep(3600)
    stamp(os.environ["SPINS"])
    re.match("(a+)+$", "a" * 60 + "b")
    return Observation(True, "never")

TOOL = Tool(
    "spin", "Spins for ever.",
    {"type": "object", "properties": {"how": {"type": "string"}}, "required": ["how"], "additionalProperties": False},
    lambda args, scene: (Effect("read", "memory:tape"),), run, lambda args, scene: "spins", ("how=main",),
)
"""
