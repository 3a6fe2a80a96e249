"""The authority table: which effect, on which kind of place, is how risky and gets which verdict.

Rules:
1. One row per (verb, place). A row carries a verdict for each preset, in the order of PRESETS.
2. What has no row is denied by `decide`; there is no row for "anything".
3. `readonly` never changes anything, not even towards the safe value: `stop` and `safe-all` are acts of
   the operator, not tools.
4. A write outside every opened root is never granted, so its rows deny in every preset and name `roots`.
   Nor is a change of what says what the agent may do: nothing that a model says can raise its authority.
5. Low: observing what is declared, the workspace and readable places. Medium: writes in the workspace,
   declared outputs. High: secrets, reads outside, outputs declared high, files that something else runs by itself.
"""

from __future__ import annotations

from edge.record import Record

ALLOW, ASK, DENY = "allow", "ask", "deny"


class Row(Record):
    """`sentence` may name {what}; `verdicts` stand for readonly, supervised, guarded, full."""

    id: str
    risk: str
    verdicts: tuple[str, str, str, str]
    sentence: str


_ALWAYS = (ALLOW, ALLOW, ALLOW, ALLOW)
_NEVER = (DENY, DENY, DENY, DENY)
_MEDIUM = (DENY, ASK, ASK, ALLOW)
_HIGH = (DENY, DENY, ASK, ALLOW)
_ROOTS = "{what} is outside every opened folder; only folders that `roots` in the settings names are written to"
_OWN = "{what} is the agent's own state or key, not for tools; `recall` searches what was said and done"
_SETTINGS = "{what} says what the agent may do; only the operator changes it"
_STARTUP = "writes {what}, which is run by itself later, outside of Fieldhand"

# (verb, kind of thing, place) -> row
RULES = {
    ("sense", "sensor", "declared"): Row("sense.declared", "low", _ALWAYS, "reads the declared sensor {what}"),
    ("list", "sensor", "all"): Row("list.sensors", "low", _ALWAYS, "lists the declared sensors"),
    ("list", "output", "all"): Row("list.outputs", "low", _ALWAYS, "lists the declared outputs"),
    ("actuate", "output", "low"): Row(
        "output.low", "low", (DENY, ALLOW, ALLOW, ALLOW), "switches {what}, declared low risk"
    ),
    ("actuate", "output", "medium"): Row("output.medium", "medium", _MEDIUM, "switches {what}"),
    ("actuate", "output", "high"): Row("output.high", "high", _HIGH, "switches {what}, declared high risk"),
    ("list", "file", "workspace"): Row("list.workspace", "low", _ALWAYS, "lists {what} in the workspace"),
    ("list", "file", "readable"): Row("list.readable", "low", _ALWAYS, "lists {what}, a readable place"),
    ("list", "file", "system"): Row("list.outside", "high", _HIGH, "lists {what} outside the workspace"),
    ("list", "file", "outside"): Row("list.outside", "high", _HIGH, "lists {what} outside the workspace"),
    ("list", "file", "secret"): Row("list.secret", "high", _HIGH, "lists {what}, a place that holds keys"),
    ("list", "file", "own"): Row("list.own", "high", _NEVER, _OWN),
    ("read", "file", "workspace"): Row("read.workspace", "low", _ALWAYS, "reads {what} in the workspace"),
    ("read", "file", "readable"): Row("read.readable", "low", _ALWAYS, "reads {what}, a readable place"),
    ("read", "file", "system"): Row("read.outside", "high", _HIGH, "reads {what} outside the workspace"),
    ("read", "file", "outside"): Row("read.outside", "high", _HIGH, "reads {what} outside the workspace"),
    ("read", "file", "secret"): Row("read.secret", "high", _HIGH, "reads {what}, which may hold keys"),
    ("read", "file", "own"): Row("read.own", "high", _NEVER, _OWN),
    ("write", "file", "workspace"): Row("write.workspace", "medium", _MEDIUM, "writes {what} in the workspace"),
    ("write", "file", "secret"): Row("write.secret", "high", _NEVER, "{what} may hold keys; tools do not write there"),
    ("write", "file", "own"): Row("write.own", "high", _NEVER, _OWN),
    ("write", "file", "settings"): Row("write.settings", "high", _NEVER, _SETTINGS),
    ("write", "file", "startup"): Row("write.startup", "high", _HIGH, _STARTUP),
    ("write", "file", "readable"): Row("write.system", "high", _NEVER, _ROOTS),
    ("write", "file", "system"): Row("write.system", "high", _NEVER, _ROOTS),
    ("write", "file", "outside"): Row("write.outside", "high", _NEVER, _ROOTS),
    ("read", "memory", "tape"): Row("read.memory", "low", _ALWAYS, "searches this conversation's own record"),
}

NO_RULE = Row("default.deny", "high", _NEVER, "no rule allows {what}")
NOT_DECLARED = Row("default.undeclared", "high", _NEVER, "the board declares no {what}")
NO_EFFECTS = Row("default.no-effects", "high", _NEVER, "a call that declares nothing may touch nothing")
NO_TAPE = Row(
    "tape.none", "high", _NEVER, "{what} is refused because nothing can be recorded: there is no state folder"
)
ODD_PATH = Row(
    "path.odd", "high", _NEVER, "{what} is refused as a path: it holds characters that cannot be seen, or is too long"
)
ADRIFT = Row(
    "path.adrift", "high", _NEVER, "{what} leads nowhere: the folder of the start is gone; give an absolute path"
)
CALLS_USED_UP = Row("budget.calls", "low", _NEVER, "the budget of {what} tool calls per hour is used up")
