"""Remember a text under a key, beyond this conversation."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    for name in ("key", "content", "category"):
        if not args.get(name, "core").strip():
            raise UsageFault(f"{name} must hold more than blanks", "for example key=pump content='runs at 12 V'")
    for name in ("key", "category"):
        if not args.get(name, "core").isprintable():
            raise UsageFault(f"{name} must be one line of characters that can be seen", "put long text into content")
    return (Effect("write", "memory:store"),)


def words(args: Args, scene: Scene) -> str:
    from edge.text import visible

    return f"remember {visible(args['key'])}: {visible(args['content'])}"


def run(args: Args, hands: Hands) -> Observation:
    done = hands.memory.store(args["key"].strip(), args["content"], args.get("category", "core").strip())
    said = [f"remembered {done['key']} ({done['category']})"]
    if done["replaced"]:
        said.append("[replaced what was there; older versions leave the file when it is forgotten or out of room]")
    if done["dropped"]:
        said.append(f"[to make room the {done['dropped']} oldest of daily and conversation were dropped]")
    if done["redacted"]:
        said.append("[known secrets were left out]")
    if done["source"]:
        said.append("[kept as untrusted: it was stored after untrusted words were heard]")
    return Observation(True, "\n".join(said), dict(done))


TOOL = Tool(
    name="memory_store",
    about="Remember a fact under a key for later talks.",
    schema={
        "type": "object",
        "properties": {
            "key": {"type": "string", "minLength": 1, "maxLength": 200},
            "content": {"type": "string", "minLength": 1, "maxLength": 16384},
            # core when absent; daily and conversation make room for others.
            "category": {"type": "string", "minLength": 1, "maxLength": 40},
        },
        "required": ["key", "content"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("key=pump content='the pump runs at 12 V'", "key=visit content='bed 3 was dry' category=daily"),
)
