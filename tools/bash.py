"""Run a shell command behind the wall and wait for its end.

Rules:
1. The whole text is one effect: the gate reads it, the hand runs it byte for byte by /bin/sh.
2. Both streams come back, stdout first, without terminal escapes, overwritten progress lines and runs of blank
   lines; each is clipped. How it ended is said in brackets when it was not with code 0.
3. A code other than 0, a signal and a deadline make the call fail and keep the output.
4. What the output shows otherwise than it is, and that no wall held the files, is said with every result.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import clip, plain
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

SECONDS = 30
CLIP = 2048  # bytes of each stream
_FACTS = ("code", "signal", "ended", "seconds", "wall", "killed", "cut")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("run", "shell:sh", detail=args["command"]),)


def words(args: Args, scene: Scene) -> str:
    return f"run in a shell: {args['command']}"


def run(args: Args, hands: Hands) -> Observation:
    found = hands.run.shell(args["command"], float(args.get("timeout_seconds", SECONDS)))
    out, err = tidy(found["stdout"]), tidy(found["stderr"])
    parts = [clip(out, CLIP)] if out else []
    if err:
        parts.append("[stderr]\n" + clip(err, CLIP))
    good = found["ended"] == "exit" and found["code"] == 0
    # What the wall keeps closed beyond the permit explains a failure; a success needs no word about it.
    told = (*_ending(found), *(() if good else found["said"]), *found["notes"])
    parts += [f"[{sentence}]" for sentence in told]
    facts = {name: found[name] for name in _FACTS}
    return Observation(good, "\n".join(parts) or "(no output)", facts, untrusted=True)


def tidy(text: str) -> str:
    """`text` as it stands on a screen in the end: no escapes, of a progress line its last state, no runs of blanks."""
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        shown = plain(line.rstrip("\r").rpartition("\r")[2]).rstrip()
        if shown or (lines and lines[-1]):
            lines.append(shown)
    return "\n".join(lines).rstrip("\n")


def _ending(found: Mapping[str, Any]) -> list[str]:
    said = []
    if found["ended"] == "deadline":
        said.append(f"its time of {round(found['seconds'], 1):g} s was over: it and all it started were ended")
    elif found["ended"] == "stopped":
        said.append("it was stopped, with all it started")
    elif found["signal"]:
        said.append(f"ended by {found['signal']}")
    elif found["code"]:
        said.append(f"exit code {found['code']}")
    if found["ended"] == "exit" and found["killed"]:
        said.append(f"what it left running was ended ({found['killed']})")
    if found["cut"]:
        said.append(f"{found['cut']} bytes of output were not kept")
    return said


TOOL = Tool(
    name="bash",
    about="Run a shell command by /bin/sh (POSIX syntax only) and wait for its end. For files, search and HTTP there "
    "are tools of their own.",
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1, "description": "the whole text, as for sh -c"},
            "timeout_seconds": {
                "type": "integer",
                "minimum": 1,
                "maximum": 3600,
                "description": f"{SECONDS} if absent; then it is ended, and never later than a tool may run",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=('command="uptime; free -m"', 'command="dmesg | tail -n 20" timeout_seconds=10'),
)
