"""From a model's reply to a Step, or to a fault the model can mend.

Rules:
1. Pure: `read` decides what a reply says, never whether it may happen. It returns a StepFault, it raises none.
2. Mode `json`: exactly one object {"thought", "action", "action_input"} on lines of its own (edge.framing says
   where). `final` ends the turn, `parallel` (edge.parallel) makes several reads of one step: they are no tools. `bash`
   and `final` take text as action_input. Free text is never a step.
3. Mode `native`: the tool calls of an assistant message; a message without calls is the answer.
4. A tool's name is exact but for the case of ASCII letters, or an alias (edge.dialects). An unknown member of a step
   is a fault: dropping it would lose something. What is null is as if it were not there.
5. Arguments fit the tool's schema (edge.schema), with lossless repairs, each told in Step.repairs.
6. The sentence of a StepFault is sent back to the model: it says what is wrong and how to do it right.
"""

from __future__ import annotations

from edge import parallel
from edge.call import Call
from edge.faults import StepFault, UsageFault
from edge.framing import answer, step_object
from edge.lenient import attempt, flat, whole
from edge.record import Record, replace
from edge.schema import encodable, form, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Schema = Mapping[str, Any]
    Tools = Mapping[str, Schema]

LONGEST = 1 << 20  # characters of one reply
MOST_CALLS = 64  # calls in one reply

TEXT_INPUT = {"bash": "command"}  # the tools whose action_input is plain text, and the argument it fills
MESSAGE = ('{"role":"assistant"', '{"tool_calls":[')  # how an assistant message begins, blanks aside
MEMBERS = frozenset(("thought", "action", "action_input"))
GRAMMAR = ("final", parallel.NAME)  # what is an action and no tool
FINAL = ("text", "answer")  # the members of which one may hold the answer when `final` is given an object
ASK = (
    "Reply with exactly one JSON object on lines of its own: "
    '{"thought": "<one line>", "action": "<tool>", "action_input": {<arguments>}}, '
    'or with "action": "final" and the answer as text in "action_input"'
)


class Step(Record):
    """What the model wants: calls (ids are still ""), or a final answer (then no calls). Repairs are in words."""

    thought: str
    calls: tuple[Call, ...]
    final: str | None
    repairs: tuple[str, ...] = ()


def read(raw: str | Mapping[str, Any], mode: str, tools: Tools) -> Step | StepFault:
    """The step a reply says. `tools` maps names to JSON schemas; `mode` is "json" or "native".

    `raw` is the reply's text, or in native mode also the assistant message as a mapping or as its JSON text.
    At most 1 MiB of characters. Returns a StepFault for all that is not a step. UsageFault for another mode.
    """
    if mode not in ("json", "native"):
        raise UsageFault(f"mode {mode!r} is not known", "use json or native")
    try:
        return _native(raw, tools) if mode == "native" else _json(_text(raw), tools)
    except StepFault as fault:
        fault.__context__ = None  # with the frames it would keep the reply alive
        return fault.with_traceback(None)
    except RecursionError:  # the caller stands near the interpreter's limit
        return StepFault("too_deep", "the reply is nested too deeply")


def step_schema(tools: Tools) -> dict[str, Any]:
    """A JSON schema of one step, for servers that constrain what is generated.

    One branch per tool and one for `final`, members in the order they are to be written. Only what llama.cpp's
    converter takes (const, enum, properties, required, items, anyOf); bounds are left to `fit`, for a large
    maxLength makes a grammar explode.
    """
    branches = [_branch(name, _bare(schema)) for name, schema in tools.items() if name not in ("final", *TEXT_INPUT)]
    several = parallel.branch(tools)
    if several is not None:
        branches.append(_branch(parallel.NAME, several))
    branches += [_branch(name, {"type": "string"}) for name in (*filter(tools.__contains__, TEXT_INPUT), "final")]
    return {"anyOf": branches}


def _branch(name: str, given: Schema) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"thought": {"type": "string"}, "action": {"const": name}, "action_input": given},
        "required": ["thought", "action", "action_input"],
        "additionalProperties": False,
    }


def _bare(schema: Schema) -> dict[str, Any]:
    """A schema without words and bounds."""
    kept = {key: schema[key] for key in ("type", "enum", "required") if schema.get(key)}
    if "items" in schema:
        kept["items"] = _bare(schema["items"])
    if schema.get("type") == "object" and "properties" in schema:
        kept["properties"] = {name: _bare(rule) for name, rule in schema["properties"].items()}
        kept["additionalProperties"] = False
    return kept


def _text(raw: Any) -> str:
    """The reply's text: of a mapping its content, where a list of text parts is joined."""
    text = raw.get("content") if hasattr(raw, "get") else raw
    if isinstance(text, (list, tuple)):
        text = "".join(str(part.get("text") or "") for part in text if hasattr(part, "get"))
    if text is None:
        return ""
    if not isinstance(text, str):
        raise StepFault("not_text", f"the reply is {type(text).__name__}, not text")
    if len(text) > LONGEST:
        raise StepFault("too_long", f"the reply has {len(text)} characters; at most {LONGEST} are read")
    return text


def _json(text: str, tools: Tools) -> Step:
    body = text.strip()
    if body[:1] == "{" and flat(body):  # the whole reply is one object: the common case, kept short
        value, end, repairs, fault = attempt(body, 0, True)
        if end == len(body) and not fault:
            return _step(value, tools, repairs)
    try:
        value, repairs = step_object(text)
    except StepFault as fault:
        raise StepFault(fault.why, f"{fault.sentence}. {ASK}") from None
    return _step(value, tools, repairs)


def _step(value: Any, tools: Tools, repairs: tuple[str, ...]) -> Step:
    if not isinstance(value, dict):
        raise StepFault("not_a_step", f"the reply is not one JSON object. {ASK}")
    if not value.keys() <= MEMBERS:
        for name in value:
            if name not in MEMBERS and value[name] is not None:
                raise StepFault("not_a_step", f"a step has no member {name[:40]!a}. {ASK}")
    action = value.get("action")
    if not isinstance(action, str) or not action:
        why = "no_action" if not action else "bad_action"
        raise StepFault(why, f'"action" must be the name of one tool, or final. {ASK}')
    told = list(repairs)
    thought = _thought(value.get("thought"), told)
    given = value.get("action_input")
    tool = _tool(action, tools)
    if tool == "final":
        return Step(thought, (), _answer(given), tuple(told))
    if tool == parallel.NAME:
        return Step(thought, _several(given, tools, told), None, tuple(told))
    return Step(thought, (_call(tool, given, tools, told, True),), None, tuple(told))


def _several(given: Any, tools: Tools, told: list[str]) -> tuple[Call, ...]:
    """The inner calls of `parallel`, each knowing how many there are."""
    try:
        asked = parallel.inner(_object_in(given, told) if isinstance(given, str) else given)
        calls = [_call(_tool(name, tools), args, tools, told) for name, args in asked]
        for number, call in enumerate(calls, 1):
            if parallel.changes(call.tool, call.args):
                raise UsageFault(f"call {number} of parallel does not only read; make it a step of its own")
    except UsageFault as fault:
        raise StepFault("bad_args", str(fault)) from None
    return tuple([replace(call, parent=parallel.parent(len(calls))) for call in calls])


def _thought(thought: Any, told: list[str]) -> str:
    """The thought as text. It decides nothing, so its absence is a repair, and another value is kept as JSON."""
    if thought is None:
        told.append("the thought was missing")
        return ""
    if not isinstance(thought, str):
        import json

        told.append("the thought was not text; its JSON was kept")
        thought = json.dumps(thought, ensure_ascii=False)
    if not encodable(thought):
        raise StepFault("not_text", 'half of a surrogate pair stands in "thought"; write the character itself')
    return str(thought)


def _answer(given: Any) -> str:
    """The text of `final`: given as text, or as an object with exactly one of text and answer."""
    if isinstance(given, dict) and len(given) == 1 and next(iter(given)) in FINAL:
        given = next(iter(given.values()))
    if type(given) is int:
        given = str(given)
    if not isinstance(given, str):
        raise StepFault("bad_args", 'final takes the answer as text: {"action": "final", "action_input": "<answer>"}')
    if not encodable(given):
        raise StepFault("not_text", "half of a surrogate pair stands in the answer; write the character itself")
    if not _seen(given):
        raise StepFault("empty", "the answer is empty; write the answer as text in action_input")
    return given


def _seen(text: str) -> bool:
    """True when anything of a text can be seen: blanks, control and invisible characters alone are no answer."""
    return any(letter.isprintable() and not letter.isspace() for letter in text)


def _tool(name: str, tools: Tools) -> str:
    """The tool or the alias that `name` is: exact, but for the case of ASCII letters. `final` is always there."""
    if name in tools or name in GRAMMAR:
        return name
    if name.isascii():  # lower() makes a k of the Kelvin sign: only ASCII may differ in case
        lower = name.lower()
        for known in (*tools, *GRAMMAR):
            if known.lower() == lower:
                return known
        from edge.gate.names import canonical

        if name == name.strip() and canonical(name) in tools:
            return name
    meant = near(name, (*tools, "final"))
    hint = f"did you mean {meant}? The" if meant else "the"
    listed = ", ".join(sorted({*tools, "final"}))
    raise StepFault("unknown_tool", f'there is no tool "{ascii(name[:40])[1:-1]}"; {hint} tools are: {listed}')


def _call(name: str, given: Any, tools: Tools, told: list[str], text: bool = False) -> Call:
    """One call with checked arguments. `given` is an object, its JSON text, or nothing.

    `name` is a tool or an alias; with `text` a tool of TEXT_INPUT may be given its text itself.
    """
    from edge import dialects
    from edge.gate.names import canonical

    if text and isinstance(given, str) and canonical(name) in TEXT_INPUT:
        given = {TEXT_INPUT[canonical(name)]: given}
    try:
        if isinstance(given, str):
            given = _object_in(given, told)
        if given is None:
            given = {}
        tool, args, repairs = dialects.meant(name, given, tools)
    except UsageFault as fault:
        stop = "" if fault.sentence.endswith("?") else "."
        shown = form(dialects.form(name, tools))
        raise StepFault("bad_args", f"{name}: {fault.sentence}{stop} Its arguments are {shown}") from None
    except StepFault as fault:
        shown = form(dialects.form(name, tools))
        raise StepFault(fault.why, f"the arguments of {name}: {fault.sentence}. They are {shown}") from None
    told += repairs
    return Call(tool, args)


def _object_in(text: str, told: list[str]) -> Any:
    """The arguments that a text holds as JSON; an empty text holds none."""
    if len(text) > LONGEST:
        raise StepFault("too_long", f"they have {len(text)} characters; at most {LONGEST} are read")
    if not text.strip():
        return None
    value, repairs = whole(text)
    if isinstance(value, str):  # encoded twice
        value, more = whole(value)
        repairs += more
    told += repairs
    return value


def _native(raw: Any, tools: Tools) -> Step:
    message = _message(raw)
    calls = message.get("tool_calls") if message is not None else None
    if calls:
        return _called(calls, message, tools)
    text = answer(_text(raw if message is None else message))
    if not encodable(text):
        raise StepFault("not_text", "half of a surrogate pair stands in the answer; write the character itself")
    if not _seen(text):
        raise StepFault("empty", "the reply is empty; call a tool or answer with text")
    return Step("", (), text)


def _message(raw: Any) -> Mapping[str, Any] | None:
    """The assistant message that `raw` is or spells as JSON; None when it is plain text."""
    if hasattr(raw, "get"):
        return raw  # type: ignore[no-any-return]
    text = _text(raw).strip()
    head = "".join(text[:64].split())
    if head[:1] != "{":
        return None
    sure = any(head.startswith(start) or start.startswith(head) for start in MESSAGE)
    if not sure and '"role"' not in text and '"tool_calls"' not in text:
        return None
    try:
        value, _ = whole(text)
    except StepFault:
        if sure:  # a message that was cut must not become an answer in words
            raise
        return None
    if not isinstance(value, dict):
        return None
    return value if value.get("role") == "assistant" or isinstance(value.get("tool_calls"), list) else None


def _called(calls: Any, message: Any, tools: Tools) -> Step:
    if not isinstance(calls, (list, tuple)) or len(calls) > MOST_CALLS:
        raise StepFault("bad_action", f"tool_calls must be a list of at most {MOST_CALLS} calls")
    told: list[str] = []
    thought = _remark(message)
    asked = [_function(call) for call in calls]
    tool = [_tool(name, tools) for name, _ in asked]
    if tool == [parallel.NAME]:
        return Step(thought, _several(asked[0][1], tools, told), None, tuple(told))
    if "final" not in tool:
        if parallel.NAME in tool:
            raise StepFault("bad_action", "parallel cannot stand beside other calls: they run side by side as they are")
        made = tuple([_call(name, given, tools, told) for name, (_, given) in zip(tool, asked)])
        return Step(thought, made, None, tuple(told))
    if len(tool) > 1:
        raise StepFault("bad_action", "final cannot stand beside other calls; call the tools first, then answer")
    given = asked[0][1]
    return Step(thought, (), _answer(_object_in(given, told) if isinstance(given, str) else given), tuple(told))


def _remark(message: Any) -> str:
    """The text beside calls, mostly none; what of it cannot be read is left out."""
    try:
        text = _text(message)
        text = text and answer(text)
    except StepFault:
        return ""
    return text if encodable(text) else text.encode("utf-8", "replace").decode()


def _function(call: Any) -> tuple[str, Any]:
    """Name and arguments of one entry of tool_calls."""
    function: Any = call.get("function") if hasattr(call, "get") else None
    if hasattr(function, "get"):
        name = function.get("name")
        if isinstance(name, str) and name:
            return name, function.get("arguments")
    raise StepFault("no_action", "a tool call has no function name; call one of the tools by its name")
