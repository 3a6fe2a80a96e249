"""Arguments against a JSON schema, with the repairs that lose nothing.

Rules:
1. A repair is done only when the value says exactly one thing in another spelling ("3" for 3, "false" for
   false, 3.0 for 3, null for an argument that may be left out), and it is told in words. Anything else is
   refused: an action must not rest on a guess.
2. What leaves `fit` holds declared arguments only, of the declared types, finite, encodable as UTF-8.
3. The part of JSON schema that counts: type (string, integer, number, boolean, array, object), properties,
   required, enum, minimum, maximum, minLength, maxLength, items. A rule without a type takes any JSON value.
4. Sentences show at most 40 characters of a value, in ASCII, so that look-alike characters are seen.
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    N = TypeVar("N", int, float)
    Schema = Mapping[str, Any]
    Told = list[str]

DEPTH = 64  # levels of lists and objects in one argument
DIGITS = 40  # no number a tool takes is longer; int() of a long text is quadratic
_EXACT = 2**53  # whole floats up to here are exact (IEEE 754 binary64)
_LARGEST = 1.7976931348623157e308  # beyond it a whole number is no float any more


def fit(args: Mapping[str, Any], schema: Schema) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The checked arguments and the repairs in words. UsageFault says what is wrong and shows the right form."""
    told: list[str] = []
    try:
        return _object(args, schema, "", told), tuple(told)
    except UsageFault as fault:
        raise UsageFault(fault.sentence, f"usage: {form(schema)}") from None


def form(schema: Schema) -> str:
    """The arguments as JSON: `{"name": <string>, "offset": <integer, optional>}`."""
    needed = schema.get("required", ())
    parts = []
    for name, rule in schema.get("properties", {}).items():
        kind = "|".join(_shown(one) for one in rule["enum"]) if "enum" in rule else rule.get("type", "any value")
        parts.append(f'"{name}": <{kind}>' if name in needed else f'"{name}": <{kind}, optional>')
    return "{" + ", ".join(parts) + "}"


def wire(schema: Schema) -> dict[str, Any]:
    """A schema as a model is sent it: types, choices and words, without the bounds that `fit` checks anyway.

    An argument that is any object stays `{"type": "object"}`: servers that hold a model to the schema take empty
    `properties` for an object that must be empty.
    """
    kept = {key: schema[key] for key in ("type", "description", "enum") if schema.get(key)}
    if "items" in schema:
        kept["items"] = wire(schema["items"])
    properties = schema.get("properties") or {}
    if schema.get("type") == "object" and (properties or schema.get("additionalProperties") is False):
        kept["properties"] = {name: wire(rule) for name, rule in properties.items()}
        if schema.get("required"):
            kept["required"] = list(schema["required"])
    return kept


def near(name: str, names: Iterable[str]) -> str:
    """The one of `names` that `name` probably means, or "". Look-alike and invisible characters count as slips."""
    from difflib import get_close_matches
    from unicodedata import category, normalize

    plain = "".join(c for c in normalize("NFKC", name[:200]) if category(c) != "Cf").lower().strip()
    found = get_close_matches(plain, list(names), n=1, cutoff=0.6)
    return found[0] if found else ""


def encodable(text: str) -> bool:
    """False when the text holds half of a surrogate pair: it cannot be written to a file or sent."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _shown(value: Any) -> str:
    """A value as JSON would spell it, cut to 40 characters, for a sentence."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple)):
        return "a list"
    if hasattr(value, "items"):
        return "an object"
    if isinstance(value, int) and value.bit_length() > 4 * DIGITS:
        return "a number of too many digits"  # int to text is quadratic, and refused by Python from 4,300 digits on
    text = '"' + ascii(value[:40])[1:-1] + '"' if isinstance(value, str) else ascii(value)
    return text if len(text) <= 42 else text[:40] + "..."


def _object(given: Any, schema: Schema, where: str, told: Told) -> dict[str, Any]:
    if type(given) is not dict and not hasattr(given, "items"):
        raise UsageFault(f"{where[:-1] or 'the arguments'} must be an object, not {_shown(given)}")
    rules = schema.get("properties") or {}
    needed = schema.get("required", ())
    out = {}
    for name, value in given.items():
        rule = rules.get(name)
        if rule is None:
            raise _unknown(name, rules, where)
        if value is None:
            if name in needed:
                raise UsageFault(f"{where}{name} must not be null")
            told.append(f"{where}{name} was null, read as not given")
            continue
        out[name] = _value(value, rule, where + name if where else name, told)
    for name in needed:
        if name not in out:
            missing = [where + name for name in needed if name not in out]
            raise UsageFault(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return out


def _unknown(name: Any, rules: Schema, where: str) -> UsageFault:
    meant = near(name, rules) if isinstance(name, str) else ""
    hint = f"did you mean {meant}?" if meant else f"known: {', '.join(rules) or 'none'}"
    shown = ascii(name[:40])[1:-1] if isinstance(name, str) else _shown(name)
    return UsageFault(f"{where}{shown} is not an argument; {hint}")


def _value(value: Any, rule: Schema, where: str, told: Told) -> Any:
    check = _CHECKS.get(rule.get("type", ""))
    if check is None:
        return _free(value, where, 0)
    value = check(value, rule, where, told)
    if "enum" in rule and not any(_same(value, one) for one in rule["enum"]):
        raise _enum_fault(value, rule["enum"], where)
    return value


def _same(value: Any, other: Any) -> bool:
    """Equal as JSON values: 1 is 1.0, but 1 is not true."""
    return bool(value == other and isinstance(value, bool) is isinstance(other, bool))


def _enum_fault(value: Any, choices: Iterable[Any], where: str) -> UsageFault:
    words = [one for one in choices if isinstance(one, str)]
    meant = near(value, words) if isinstance(value, str) else ""
    hint = f"; did you mean {meant}?" if meant else ""
    return UsageFault(f"{where} must be one of {', '.join(_shown(one) for one in choices)}, not {_shown(value)}{hint}")


def _string(value: Any, rule: Schema, where: str, told: Told) -> str:
    if type(value) is int and -_EXACT <= value <= _EXACT:
        told.append(f'{where} {value} was read as the text "{value}"')
        value = str(value)
    if not isinstance(value, str):
        raise UsageFault(f"{where} must be a string, not {_shown(value)}")
    if not value.isascii() and not encodable(value):
        raise UsageFault(f"{where} holds half of a surrogate pair, which is not text")
    if "minLength" in rule and len(value) < rule["minLength"]:
        raise UsageFault(f"{where} must have at least {rule['minLength']} characters, not {len(value)}")
    if "maxLength" in rule and len(value) > rule["maxLength"]:
        raise UsageFault(f"{where} must have at most {rule['maxLength']} characters, not {len(value)}")
    return value


def _boolean(value: Any, rule: Schema, where: str, told: Told) -> bool:
    if isinstance(value, str) and value.isascii() and value.lower() in ("true", "false"):
        told.append(f"{where} {_shown(value)} was read as {value.lower()}")
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise UsageFault(f"{where} must be true or false, not {_shown(value)}")
    return value


def _integer(value: Any, rule: Schema, where: str, told: Told) -> int:
    number = spelled_number(value) if isinstance(value, str) else value
    if type(number) is float and number.is_integer() and abs(number) <= _EXACT:
        number = int(number)
    if type(number) is not int or not abs(number) <= _LARGEST:
        raise UsageFault(f"{where} must be an integer, not {_shown(value)}")
    if type(value) is not int:
        told.append(f"{where} {_shown(value)} was read as {number}")
    return _within(number, rule, where)


def _number(value: Any, rule: Schema, where: str, told: Told) -> float:
    number = spelled_number(value) if isinstance(value, str) else value
    if type(number) not in (int, float) or not abs(number) <= _LARGEST:
        raise UsageFault(f"{where} must be a finite number, not {_shown(value)}")
    if number is not value:
        told.append(f"{where} {_shown(value)} was read as {number}")
    checked: float = _within(number, rule, where)
    return checked


def _within(number: N, rule: Schema, where: str) -> N:
    if "minimum" in rule and number < rule["minimum"]:
        raise UsageFault(f"{where} must be at least {rule['minimum']}, not {_shown(number)}")
    if "maximum" in rule and number > rule["maximum"]:
        raise UsageFault(f"{where} must be at most {rule['maximum']}, not {_shown(number)}")
    return number


def spelled_number(text: str) -> Any:
    """The number a text spells by JSON's grammar, else None: no blanks, no hex, no other digits, no leading 0."""
    digits = text[1:] if text[:1] == "-" else text
    if not 0 < len(digits) <= DIGITS or digits.strip("0123456789.eE+-") or not digits[0].isdecimal():
        return None
    if digits[0] == "0" and digits[1:2].isdecimal():
        return None
    try:
        return int(text) if digits.isdecimal() else float(text)
    except ValueError:
        return None


def _array(value: Any, rule: Schema, where: str, told: Told) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise UsageFault(f"{where} must be a list, not {_shown(value)}")
    items = rule.get("items", {})
    return [_value(one, items, f"{where}[{place}]", told) for place, one in enumerate(value)]


def _nested(value: Any, rule: Schema, where: str, told: Told) -> Any:
    if rule.get("properties"):
        return _object(value, rule, where + ".", told)
    if not hasattr(value, "items"):
        raise UsageFault(f"{where} must be an object, not {_shown(value)}")
    return _free(value, where, 0)


def _free(value: Any, where: str, depth: int) -> Any:
    """Any JSON value, as plain lists and dicts; UsageFault when it is none."""
    if depth > DEPTH:
        raise UsageFault(f"{where} is nested deeper than {DEPTH} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and abs(value) <= _LARGEST:
        return value
    if isinstance(value, str) and encodable(value):
        return value
    if isinstance(value, (list, tuple)):
        return [_free(one, where, depth + 1) for one in value]
    if hasattr(value, "items") and all(isinstance(name, str) and encodable(name) for name in value):
        return {name: _free(one, where, depth + 1) for name, one in value.items()}
    raise UsageFault(f"{where} holds {_shown(value)}, which is not a JSON value")


_CHECKS: dict[str, Callable[[Any, Schema, str, Told], Any]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "array": _array,
    "object": _nested,
}
