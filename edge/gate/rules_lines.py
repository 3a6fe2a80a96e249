"""The rows for lines of GPIO chips that no output and no contact is wired to.

Rules:
1. Looking at a free line of the header, or at one that the settings name, is low: it changes nothing, whatever the
   line is (edge/hands/gpio.py). Other lines are nobody's to look at.
2. Driving a line is high in every preset, and only where the settings say `lab = true` and name it. No row drives any
   other line: an output is switched by its name, and the guard holds it.
"""

from __future__ import annotations

from edge.gate.row import ALWAYS, HIGH, NEVER, Row

_NONE = Row("line.none", "high", NEVER, "this board gives no lines to tools, so {what} is not there")

# (verb, kind of thing, place): `free` to look at, `lab` to drive, `own` where neither, `none` without lines at all.
LINES = {
    ("sense", "line", "free"): Row("sense.line", "low", ALWAYS, "looks at the line {what}"),
    ("sense", "line", "own"): Row(
        "sense.line-own",
        "high",
        NEVER,
        "{what} may not be looked at: free are GPIO4 to GPIO27 without 14 and 15, and what `lines` of [gpio] names",
    ),
    ("sense", "line", "none"): _NONE,
    ("actuate", "line", "lab"): Row("line.lab", "high", HIGH, "drives the line {what}"),
    ("actuate", "line", "own"): Row(
        "line.not-lab",
        "high",
        NEVER,
        "{what} is no lab line: tools drive only what [gpio] names with `lab = true`; outputs have output_set",
    ),
    ("actuate", "line", "none"): _NONE,
}
