"""The board as hardware: model, header with what is wired where, GPIO lines and who holds them, buses."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]

ROOM = 8000  # bytes of text
_BUSES = {
    **{
        "i2c": "I2C",
        "i2c_parts": "I2C parts",
        "spi": "SPI",
        "serial": "serial",
        "one_wire": "1-wire",
        "hwmon": "hwmon",
    },
    **{"iio": "iio", "thermal": "thermal", "pwm": "PWM", "watchdog": "watchdog"},
}


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    return (Effect("read", "file:/proc", True), Effect("read", "file:/sys", True), Effect("read", "facts:board"))


def words(args: Args, scene: Scene) -> str:
    return "look at the board: model, header, GPIO lines and who holds them, buses"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded, fitted

    found = dict(hands.board.look())
    name = "lines" if "lines" in found else "parts"
    # Names of lines and holders are what other programs chose.
    return Observation(True, fitted(shown(found), ROOM), bounded(found, name), untrusted=True)


def shown(found: Facts) -> list[str]:
    """All of it as lines, the most wanted first."""
    from edge.tools.fact_text import named

    lines = named([*_board(found), *_chips(found), *_nodes(found.get("nodes", {})), *_sensors(found)])
    if "parts" in found:
        return [*lines, *_parts(found)]
    return [*lines, *_header(found), *_lines(found)]


def _board(found: Facts) -> list[tuple[str, str]]:
    from edge.tools.fact_text import size

    board = found.get("board", {})
    more = [str(board[name]) for name in ("family", "soc") if name in board and board[name] != board.get("model")]
    told = " ".join([str(board.get("model", "not told by this kernel")), *([f"({', '.join(more)})"] if more else [])])
    fitted = size(board["memory_fitted_mib"] << 20) if "memory_fitted_mib" in board else ""
    seen = size(found["memory_bytes"]) if "memory_bytes" in found else ""
    memory = f"{fitted} fitted" + (f", {seen} for the system" if seen else "") if fitted else seen
    return [
        ("simulated", "yes: the parts below are a simulation; the rest is the computer it runs on")
        if found.get("simulated")
        else ("", ""),
        ("board", told),
        ("revision", str(board.get("revision", ""))),
        ("memory", memory),
        ("kernel", " ".join(str(found[name]) for name in ("kernel", "architecture") if name in found)),
    ]


def _chips(found: Facts) -> list[tuple[str, str]]:
    if "chips" not in found:
        return []
    told = [
        f"{one['label'] or one['name']} ({one['lines']} lines{', the header' if one['header'] else ''})"
        for one in found["chips"]
    ]
    rows = [("gpio chip", one) for one in told or ["none"]]
    rows += [("trouble", one) for one in found.get("troubles", ())]
    rows += [("lab lines", ", ".join(found["lab"]))] if found.get("lab") else []
    return rows


def _nodes(nodes: Facts) -> list[tuple[str, str]]:
    return [(told, _few(nodes[kind])) for kind, told in _BUSES.items() if nodes.get(kind)]


def _sensors(found: Facts) -> list[tuple[str, str]]:
    """Those that are read without a line of the header."""
    from edge.tools.fact_text import line

    rows = [f"{one['name']}: {line(one['label'])} ({line(one['where'])})" for one in found.get("sensors", ())]
    return [("sensor", one) for one in rows]


def _few(names: list[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _parts(found: Facts) -> list[str]:
    """The simulated board as a drawing: the guard, and what hangs at it."""
    from edge.tools.fact_text import line

    if not found["parts"]:
        return ["the board declares nothing"]
    lines = ["", "[guard]"]
    for one in found["parts"]:
        arrow = "-->" if one["kind"] == "output" else "<--"
        lines.append(f"  |{arrow} {one['name']:<16} {line(one['label'])} ({line(one['where'])})")
    return lines


def _header(found: Facts) -> list[str]:
    from edge.tools.board_drawing import drawn

    header = found.get("header", {})
    drawing = drawn(header.get("pins", ()))
    if drawing:
        return ["", f"header ({len(header['pins'])} pins, {header['chip'] or 'its chip was not found'}):", *drawing]
    return ["", "the pins of this board's header are not known here; its lines go by their names"]


def _lines(found: Facts) -> list[str]:
    """The lines that somebody holds or that are declared, then the free ones of the header's chip."""
    from edge.tools.fact_text import table

    rows = [
        (
            one["name"] or f"line {one['offset']}",
            one["chip"],
            one["direction"],
            f"held by {one['held_by']}" if "held_by" in one else "free",
            f"declared as {one['declared']}" if "declared" in one else "",
        )
        for one in found.get("lines", ())
    ]
    free = list(found.get("free", ()))
    return [
        "",
        f"{len(rows)} lines held or declared:" if rows else "no line is held",
        *table(rows),
        *(["free to declare:"] if free else ["no line of the header is free to declare"]),
        *[f"  {', '.join(free[at : at + 8])}" for at in range(0, min(len(free), 64), 8)],
        *([f"  and {len(free) - 64} more"] if len(free) > 64 else []),
    ]


TOOL = Tool(
    name="board_info",
    about="This board's hardware: model, header drawing, GPIO lines free or held and by whom, I2C, SPI, serial.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
    most=8192,
)
