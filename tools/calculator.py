"""Compute an expression: arithmetic, units, statistics. Nothing is evaluated as code."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import ToolFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.tool import Hands

VALUES = 10_000


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "nothing:arithmetic"),)


def words(args: Args, scene: Scene) -> str:
    return f"compute {args['expression']}"


def run(args: Args, hands: Hands) -> Observation:
    from fractions import Fraction

    from edge.tools.calc.parse import compute
    from edge.tools.calc.quantity import number
    from edge.tools.calc.show import show

    text, values = args["expression"].strip(), args.get("values", ())
    if len(values) > VALUES:
        raise ToolFault(f"values holds {len(values)} numbers; at most {VALUES} are taken")
    # A number as it was written: 0.1 is a tenth, not the float next to it.
    names = {"x": [number(Fraction(repr(value))) for value in values]} if "values" in args else {}
    if names and text.isidentifier() and text != "x":
        text = f"{text}(x)"
    said, facts = show(*compute(text, names))
    return Observation(True, said, facts)


TOOL = Tool(
    name="calculator",
    about="Compute arithmetic, units and statistics exactly: 12 V * 0.35 A in W, percentile(x, 90).",
    schema={
        "type": "object",
        "properties": {
            "expression": {"type": "string", "minLength": 1, "maxLength": 4000},
            "values": {
                "type": "array",
                "items": {"type": "number"},
                "description": "the list x; then expression may be a function: median",
            },
        },
        "required": ["expression"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=('expression="12 V * 0.35 A in W"', "expression=stdev values='[20.1, 20.4, 19.8]'"),
)
