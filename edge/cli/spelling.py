"""Arguments as a person types them: `name=fan state=on for=2m`, and back.

Rules:
1. The schema says what a word means: a word is never a number because it looks like one.
2. Booleans: on off true false yes no 1 0, in any case. Lists and objects: JSON.
3. An argument that ends in `_seconds` may be named without it and given with units (`for=1h30m`); a plain
   number is seconds.
4. One word without `=` fills the first required text argument. A word whose part before `=` is not the
   name of an argument is such a word only where it cannot be a slip: when it starts with / . ~ or a quotation.
5. `parse(shlex.split(say(args)))` is `args` again.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.schema import fit, near, spelled_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Schema = Mapping[str, Any]

_TRUTH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
_UNITS = {"d": 86400, "h": 3600, "min": 60, "m": 60, "s": 1, "ms": 0.001}
_SECONDS = "_seconds"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%")


def parse(words: Sequence[str], schema: Schema) -> dict[str, Any]:
    """The checked arguments that the words spell. UsageFault names the word and shows the right form."""
    rules = schema.get("properties") or {}
    found: dict[str, Any] = {}
    try:
        for word in words:
            name, text = _named(word, rules, schema)
            if name in found:
                hint = "" if "=" in word else "; quote a value that holds blanks"
                raise UsageFault(f"{name} is given twice, the second time as {word}{hint}")
            found[name] = _meant(name, text, rules[name])
        return fit(found, schema)[0]
    except UsageFault as fault:
        raise UsageFault(fault.sentence, f"usage: {usage(schema) or 'no arguments'}") from None


def usage(schema: Schema) -> str:
    """The arguments as words: `name=<string> state=on|off [for=<time, such as 2m>]`; may be ""."""
    rules = schema.get("properties") or {}
    parts = [(name in schema.get("required", ()), _form(name, rule, rules)) for name, rule in rules.items()]
    return " ".join(part if needed else f"[{part}]" for needed, part in parts)


def _form(name: str, rule: Schema, rules: Schema) -> str:
    """How one argument is typed."""
    kind = rule.get("type", "value")
    if "enum" in rule:
        return f"{name}={'|'.join(str(one) for one in rule['enum'])}"
    if name.endswith(_SECONDS) and kind in ("number", "integer"):
        return f"{_short(name, rules)}=<time, such as 2m>"
    forms = {"boolean": "on|off", "array": "<JSON list>", "object": "<JSON object>"}
    return f"{name}={forms.get(kind, f'<{kind}>')}"


def _short(name: str, rules: Schema) -> str:
    """The name less `_seconds`, where another argument does not have that name."""
    short = name[: -len(_SECONDS)]
    return name if short in rules else short


def say(args: Mapping[str, Any], schema: Schema) -> str:
    """The words that `parse` turns into `args`, quoted as in a shell."""
    rules = schema.get("properties") or {}
    return " ".join(_pair(name, value, rules) for name, value in args.items() if value is not None)


def duration(text: str) -> float | None:
    """Seconds that `90`, `2m`, `1h30m`, `1.5h` or `250ms` spell, None for anything else. Larger units first."""
    plain: float | None = spelled_number(text)
    if plain is not None:
        return plain
    total, rest, last = 0.0, text, 1e9
    while rest:
        digits, rest = _run(rest, "0123456789.")
        unit, rest = _run(rest, "abcdefghijklmnopqrstuvwxyz")
        number, size = spelled_number(digits), _UNITS.get(unit, last)
        if number is None or size >= last:
            return None
        total, last = total + number * size, size
    total = round(total, 3)
    return (int(total) if total == int(total) else total) if text else None


def _run(text: str, letters: str) -> tuple[str, str]:
    """The part of `text` that begins it and holds only `letters`, and the rest."""
    size = len(text) - len(text.lstrip(letters))
    return text[:size], text[size:]


def _named(word: str, rules: Schema, schema: Schema) -> tuple[str, str]:
    """The argument a word is for, and the text of its value."""
    key, equals, text = word.partition("=")
    if equals and key in rules:
        return key, text
    if equals and key + _SECONDS in rules:
        return key + _SECONDS, text
    if not equals or word[:1] in "/.~\"'":
        for name in schema.get("required", ()):
            if rules[name].get("type") == "string":
                return name, word
        raise UsageFault(f"{word[:40]} is not an argument of the form name=value; quote a value that holds blanks")
    known = [*rules, *(name[: -len(_SECONDS)] for name in rules if name.endswith(_SECONDS))]
    meant = near(key, known)
    raise UsageFault(f"{key[:40]} is not an argument; " + (f"did you mean {meant}?" if meant else "see the usage"))


def _meant(name: str, text: str, rule: Schema) -> Any:
    """The value that a text spells for an argument of this type."""
    kind = rule.get("type", "")
    if kind == "boolean":
        if text.lower() not in _TRUTH:
            raise UsageFault(f"{name} is on or off, not {text[:40]!r}")
        return _TRUTH[text.lower()]
    if kind in ("number", "integer"):
        number = duration(text) if name.endswith(_SECONDS) else spelled_number(text)
        if number is None:
            form = "a time such as 90, 90s, 2m or 1h30m" if name.endswith(_SECONDS) else "a number"
            raise UsageFault(f"{name} is {form}, not {text[:40]!r}")
        return number
    return text if kind == "string" else _json(name, text)


def _json(name: str, text: str) -> Any:
    from edge.faults import StepFault
    from edge.lenient import whole

    try:
        return whole(text)[0]
    except StepFault as fault:
        raise UsageFault(f"{name} is given as JSON: {fault}") from None


def _pair(name: str, value: Any, rules: Schema) -> str:
    if name.endswith(_SECONDS) and type(value) in (int, float) and _short(name, rules) != name:
        return f"{_short(name, rules)}={_span(value)}"
    if isinstance(value, bool):
        return f"{name}={'on' if value else 'off'}"
    if isinstance(value, (int, float)):
        return f"{name}={value}"
    if isinstance(value, str):
        return f"{name}={_quoted(value)}"
    import json

    return f"{name}={_quoted(json.dumps(value, ensure_ascii=False))}"


def _span(seconds: float) -> str:
    """`90s`, `2m`, `1h30m`: whole seconds from two minutes on in units, all else in seconds."""
    if not 0 <= seconds <= 1e9 or round(seconds, 3) != seconds:
        return str(seconds)
    if seconds != int(seconds) or seconds < 120:
        return f"{seconds}s"
    total = int(seconds)
    parts = ((total // 3600, "h"), (total // 60 % 60, "m"), (total % 60, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def _quoted(text: str) -> str:
    """A word as a shell would quote it."""
    if text and _SAFE.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
