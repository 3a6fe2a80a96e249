"""The rows of the authority table for files: what is done, in which kind of place (paths.py, judge.py).

Rules:
1. A write outside every opened root is never granted, so its rows deny in every preset and name `roots`.
   Nor is a change of what says what the agent may do: nothing that a model says can raise its authority.
2. What the operator forbids is closed in every preset, whatever else it is.
3. Hardware is reached by its own tools; its device files are listed, read with a question, never written.
"""

from __future__ import annotations

from edge.gate.row import ALWAYS, HIGH, HIGH_ASKS, MEDIUM, NEVER, Row

_ROOTS = "{what} is outside every opened folder; only folders that `roots` in the settings names are written to"
_OWN = "{what} is the agent's own state or key, not for tools; `recall` searches what was said and done"
_SETTINGS = "{what} says what the agent may do; only the operator changes it"
_HOOK = "{what} is run by itself whenever its repository or its agent is used; only the operator changes it"
_STARTUP = "writes {what}, which is run by itself later, outside of Fieldhand"
_FORBIDDEN = "{what} is closed by `forbidden_paths` of the risk profile"
_DEVICE = "{what} is a device file; hardware goes through the hardware tools"
_KNOB = "{what} sets the kernel or hardware; hardware goes through the hardware tools"
_REPO = "a repository in {what} is not changed by tools: only one in a plain folder that `roots` names"
_ELSEWHERE = ("system", "outside")
_NO_REPO = ("outside", "readable", "system", "own", "secret", "settings", "hook", "startup")


def _observed(verb: str, word: str) -> dict[tuple[str, str, str], Row]:
    """The rows of reading or listing."""
    elsewhere = Row(f"{verb}.outside", "high", HIGH, word + " {what} outside the workspace")
    return {
        (verb, "file", "workspace"): Row(f"{verb}.workspace", "low", ALWAYS, word + " {what} in the workspace"),
        (verb, "file", "readable"): Row(f"{verb}.readable", "low", ALWAYS, word + " {what}, a readable place"),
        **{(verb, "file", kind): elsewhere for kind in _ELSEWHERE},
        (verb, "file", "own"): Row(f"{verb}.own", "high", NEVER, _OWN),
        (verb, "file", "forbidden"): Row(f"{verb}.forbidden", "high", NEVER, _FORBIDDEN),
    }


FILES = {
    **_observed("list", "lists"),
    ("list", "file", "secret"): Row("list.secret", "high", HIGH, "lists {what}, a place that holds keys"),
    ("list", "file", "device"): Row("list.device", "low", ALWAYS, "lists {what}, names of devices"),
    **_observed("read", "reads"),
    ("read", "file", "secret"): Row("read.secret", "high", HIGH, "reads {what}, which may hold keys"),
    ("read", "file", "device"): Row("read.device", "high", HIGH_ASKS, "reads {what}, a device file"),
    ("write", "file", "workspace"): Row("write.workspace", "medium", MEDIUM, "writes {what} in the workspace"),
    ("write", "file", "secret"): Row("write.secret", "high", NEVER, "{what} may hold keys; tools do not write there"),
    ("write", "file", "own"): Row("write.own", "high", NEVER, _OWN),
    ("write", "file", "settings"): Row("write.settings", "high", NEVER, _SETTINGS),
    ("write", "file", "hook"): Row("write.hook", "high", NEVER, _HOOK),
    ("write", "file", "startup"): Row("write.startup", "high", HIGH, _STARTUP),
    ("write", "file", "device"): Row("write.device", "high", NEVER, _DEVICE),
    ("write", "file", "knob"): Row("write.knob", "high", NEVER, _KNOB),
    ("write", "file", "readable"): Row("write.system", "high", NEVER, _ROOTS),
    ("write", "file", "system"): Row("write.system", "high", NEVER, _ROOTS),
    ("write", "file", "outside"): Row("write.outside", "high", NEVER, _ROOTS),
    ("write", "file", "forbidden"): Row("write.forbidden", "high", NEVER, _FORBIDDEN),
    # A repository in the folder: its objects, refs, logs and index, by the hand that opens nothing else of it.
    ("write", "repo", "workspace"): Row("write.repo", "medium", MEDIUM, "records changes in the repository of {what}"),
    **{("write", "repo", kind): Row("write.repo-elsewhere", "high", NEVER, _REPO) for kind in _NO_REPO},
    ("write", "repo", "forbidden"): Row("write.forbidden", "high", NEVER, _FORBIDDEN),
}
