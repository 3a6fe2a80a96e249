"""End a background shell with all it started: SIGTERM first, SIGKILL to what is left after three seconds."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

_FACTS = ("shell_id", "status", "exit_code", "signal", "why", "length", "age")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("write", "memory:jobs"),)


def words(args: Args, scene: Scene) -> str:
    return f"end the background shell {args['shell_id']} and all it started"


def run(args: Args, hands: Hands) -> Observation:
    found = hands.jobs.kill(args["shell_id"])
    name = found["shell_id"]
    facts = {key: found[key] for key in _FACTS}
    if found["status"] == "running":
        return Observation(False, f"{name} was told to end and still runs: the system does not end it", facts)
    text = f"{found['words']}; it wrote {found['length']} characters, which bash_output still reads"
    return Observation(True, text, facts)


TOOL = Tool(
    name="bash_kill",
    about="End a background shell and all it started; tells its final status and exit code.",
    schema={
        "type": "object",
        "properties": {"shell_id": {"type": "string", "minLength": 1, "maxLength": 80}},
        "required": ["shell_id"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("shell_id=sh-3",),
)
