"""The authority table: which effect, on which kind of thing, is how risky and gets which verdict.

Rules:
1. One row per (verb, kind of thing, place). A row carries a verdict for each preset (row.py).
2. What has no row is denied by `decide`; there is no row for "anything".
3. `readonly` never changes anything, not even towards the safe value: `stop` and `safe-all` are acts of
   the operator, not tools.
4. Low: observing what is declared, the workspace and readable places, listed hosts. Medium: writes in the workspace,
   declared outputs, programs known to be harmless. High: secrets, reads outside, sends, what is not understood,
   outputs declared high, files that something else runs by itself.
5. Authority grows from readonly to full, with two exceptions that the design names: what is known to be destructive
   can be asked for in `supervised` where the profile says so, and never in `guarded`; `disk` only in `full`.
6. Files stand in rules_files.py, shell text and network in rules_run.py, lines in rules_lines.py, serial ports in
   rules_ports.py, the rest here.
"""

from __future__ import annotations

from edge.gate.row import ALLOW, ALWAYS, ASK, DENY, HIGH, MEDIUM, NAMED, NEVER, Row
from edge.gate.rules_files import FILES
from edge.gate.rules_lines import LINES
from edge.gate.rules_ports import PORTS
from edge.gate.rules_run import NETWORK, RUN

__all__ = ("ALLOW", "ASK", "DENY", "NAMED", "RULES", "Row")

# (verb, kind of thing, place) -> row
RULES = {
    ("sense", "sensor", "declared"): Row("sense.declared", "low", ALWAYS, "reads the declared sensor {what}"),
    ("list", "sensor", "all"): Row("list.sensors", "low", ALWAYS, "lists the declared sensors"),
    ("list", "output", "all"): Row("list.outputs", "low", ALWAYS, "lists the declared outputs"),
    ("actuate", "output", "low"): Row(
        "output.low", "low", (DENY, ALLOW, ALLOW, ALLOW), "switches {what}, declared low risk"
    ),
    ("actuate", "output", "medium"): Row("output.medium", "medium", MEDIUM, "switches {what}"),
    ("actuate", "output", "high"): Row("output.high", "high", HIGH, "switches {what}, declared high risk"),
    ("read", "memory", "tape"): Row("read.memory", "low", ALWAYS, "searches this conversation's own record"),
    ("read", "memory", "catalogue"): Row(
        "read.catalogue", "low", ALWAYS, "looks for tools; finding one grants nothing"
    ),
    ("read", "memory", "jobs"): Row("read.jobs", "low", ALWAYS, "reads what a background shell of its own wrote"),
    ("write", "memory", "jobs"): Row(
        "end.job", "low", (DENY, ALLOW, ALLOW, ALLOW), "ends a background shell of its own"
    ),
    # What the tools that tell facts of the board read beside files: the ring of messages, which keeps them; addresses;
    # states of services, pid files and clocks below /run, which is otherwise no readable place.
    ("read", "facts", "kernel"): Row("read.kernel", "low", ALWAYS, "reads the kernel's messages, which stay there"),
    ("read", "facts", "network"): Row("read.network", "low", ALWAYS, "reads the addresses of this board"),
    ("read", "facts", "board"): Row("read.board", "low", ALWAYS, "asks who holds which GPIO line and takes none"),
    ("read", "facts", "run"): Row("read.run", "low", ALWAYS, "reads the state of services and clock, in /run"),
    ("read", "nothing", "arithmetic"): Row("read.nothing", "low", ALWAYS, "computes and touches nothing"),
    ("read", "memory", "spill"): Row("read.spill", "low", ALWAYS, "reads a long result of this conversation"),
    ("read", "memory", "store"): Row("read.remembered", "low", ALWAYS, "looks into what was remembered"),
    ("write", "memory", "store"): Row(
        "write.remembered", "low", (DENY, ALLOW, ALLOW, ALLOW), "changes what is remembered"
    ),
    **FILES,
    **LINES,
    **PORTS,
    **RUN,
    **NETWORK,
}

NO_RULE = Row("default.deny", "high", NEVER, "no rule allows {what}")
NOT_DECLARED = Row("default.undeclared", "high", NEVER, "the board declares no {what}")
NO_EFFECTS = Row("default.no-effects", "high", NEVER, "a call that declares nothing may touch nothing")
NO_TAPE = Row(
    *("tape.none", "high", NEVER),
    "{what} is refused because nothing can be recorded: no state folder, or the record there failed (a full card)",
)
ODD_PATH = Row(
    "path.odd", "high", NEVER, "{what} is refused as a path: it holds characters that cannot be seen, or is too long"
)
ADRIFT = Row(
    "path.adrift", "high", NEVER, "{what} leads nowhere: the folder of the start is gone; give an absolute path"
)
CALLS_USED_UP = Row("budget.calls", "low", NEVER, "the budget of {what} tool calls per hour is used up")
STOPPED = Row("stop.all", "high", NEVER, "the operator has stopped everything; `fieldhand resume` ends that")
STOPPED_NETWORK = Row(
    "stop.network", "high", NEVER, "the operator has stopped the network; {what} waits for `fieldhand resume`"
)
STOPPED_TOOL = Row("stop.tool", "high", NEVER, "the operator has stopped the tool {what}; `fieldhand resume` ends that")
DENIES_ALL = Row("profile.deny-all", "high", NEVER, "the risk profile says deny_all_tools; {what} is a tool")
NOT_GIVEN = Row("run.not-given", "high", NEVER, "{what} is not in the list of tools that this run was given")
EXCLUDED = Row("profile.excluded", "high", NEVER, "{what} is in excluded_tools, and this is not the command line")
NOT_ALLOWED = Row("profile.not-allowed", "high", NEVER, "{what} is not in allowed_tools of the risk profile")
# What decides before any effect is looked at, in its order.
BEFORE = (STOPPED, STOPPED_TOOL, STOPPED_NETWORK, DENIES_ALL, NOT_GIVEN, EXCLUDED, NOT_ALLOWED, CALLS_USED_UP)
ANYWHERE = (NO_RULE, NOT_DECLARED, NO_EFFECTS, NO_TAPE, ODD_PATH, ADRIFT)
