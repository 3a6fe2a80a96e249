"""Watch an input line for edges for a time. The line stays what it is."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.text import span
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    from edge.gate.lines import resolve

    kind, name = resolve(args["line"], scene)
    if kind != "line":
        told = "sensor_read tells its state" if kind == "sensor" else "output_list tells its state"
        thing = "contact" if kind == "sensor" else kind
        raise UsageFault(f"{args['line']} is the {thing} {name}; the guard holds it and hands out no edges", told)
    return (Effect("sense", f"line:{name}", detail=f"for {span(args['seconds'])}"),)


def words(args: Args, scene: Scene) -> str:
    from edge.gate.lines import called, meant

    return f"watch the line {called(meant(args['line'], scene), scene)} for edges, {span(args['seconds'])} long"


def run(args: Args, hands: Hands) -> Observation:
    from edge.gate.lines import called, meant

    name = meant(args["line"], hands.scene)
    debounce = args.get("debounce_ms", 0) / 1000
    found = hands.lines.watch(name, float(args["seconds"]), args.get("edges", "both"), debounce)
    shown = [{"edge": _edge(rising), "at": round(at, 6)} for rising, at in found["edges"]]
    return Observation(
        True, _say(called(name, hands.scene), found, args.get("edges", "both")), {**found, "edges": shown}
    )


def _edge(rising: bool) -> str:
    return "rising" if rising else "falling"


def _say(line: str, found: Mapping[str, Any], edges: str) -> str:
    which = "edges" if edges == "both" else f"{edges} edges"
    count = f"{found['count']} {which}" if found["count"] != 1 else f"1 {which[:-1]}"
    each = f" ({found['rising']} rising, {found['falling']} falling)" if edges == "both" and found["count"] else ""
    levels = f"{_level(found['before'])} before, {_level(found['after'])} after"
    lines = [f"{line}: {count}{each} in {found['seconds']:.1f} s; {levels}"]
    if found["why"]:
        lines[0] += f"; it ended early: {found['why']}"
    if found["lost"]:
        lines.append(f"{found['lost']} more edges were lost: they came faster than they could be taken")
    if found["edges"]:
        lines.append(", ".join([f"{at:.4f} s {_edge(rising)}" for rising, at in found["edges"]]))
    if found["count"] > len(found["edges"]):
        more = found["count"] - len(found["edges"])
        lines.append(f"{more} later ones are counted only, the last at {found['last']:.4f} s")
    return "\n".join(lines)


def _level(high: bool) -> str:
    return "high" if high else "low"


TOOL = Tool(
    name="gpio_watch",
    about="Count the edges of a GPIO input for a time, with their moments and the level.",
    schema={
        "type": "object",
        "properties": {
            "line": {"type": "string", "minLength": 1, "maxLength": 64, "description": "GPIO17 or pin 11"},
            "seconds": {"type": "number", "minimum": 0.1, "maximum": 600},
            "edges": {"type": "string", "enum": ["both", "rising", "falling"]},
            "debounce_ms": {"type": "number", "minimum": 0, "maximum": 1000},
        },
        "required": ["line", "seconds"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("line=GPIO17 seconds=5", "line=GPIO17 seconds=5 edges=falling debounce_ms=20"),
)
