"""JSON without blanks, for the tape and for what goes to a model, and reading what was written so. Pure.

Rules:
1. `parts(value, 0)` joined, and `quoted(text)`, are what json.JSONEncoder gives with `ensure_ascii=False`, compact
   separators, `allow_nan=False` and `check_circular=False`: a test holds them equal. Mappings that are no dict are
   objects.
2. What JSON cannot hold is a ValueError or a TypeError, what holds itself a RecursionError. Surrogates stay.
3. JSONEncoder makes its C encoder anew for each text; here it is made once. It stands in a private module: without it
   the plain encoder does the same.
4. Neither module is imported before the first use.
5. `decoder()` reads as json.loads does, by the private C scanner: json loads `re` and `enum`, which a short run needs
   for nothing else. What is not one JSON value without blanks around it is left to json.loads.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Parts = Callable[[Any, int], tuple[str, ...]]
    Quoted = Callable[[str], str]


def encoders() -> tuple[Parts, Quoted]:
    """`parts` for any value (its second argument is always 0) and `quoted` for text. Ask once and keep them."""
    return fast() or plain()


def fast() -> tuple[Parts, Quoted] | None:
    """By the private C encoder; None where Python has none or wants it otherwise."""
    try:
        from _json import encode_basestring, make_encoder

        return make_encoder(None, _as_object, encode_basestring, None, ":", ",", False, False, False), encode_basestring
    except (ImportError, TypeError):
        return None


def plain() -> tuple[Parts, Quoted]:
    """By the public encoder."""
    from json import JSONEncoder

    encode = JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False, default=_as_object
    ).encode
    return (lambda value, level: (encode(value),)), encode


def decoder() -> Callable[[str], Any]:
    """What reads a text of JSON; ValueError or RecursionError for what is none. Ask once."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads

        return loads
    numbers = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
    wants = {"strict": True, "object_hook": None, "object_pairs_hook": None, "parse_float": float, "parse_int": int}
    wanted: Any = type("Wants", (), {**wants, "parse_constant": numbers.__getitem__})
    scan = make_scanner(wanted)

    def read(text: str) -> Any:
        try:
            value, end = scan(text, 0)
            if end == len(text):
                return value
        except StopIteration:
            pass  # an empty text, or a blank before the value
        from json import loads

        return loads(text)

    return read


def _as_object(value: Any) -> Any:
    """Mappings that are no dict are kept as objects; all else is refused."""
    if hasattr(value, "keys"):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def apart(fields: Mapping[str, Any], reserved: frozenset[str]) -> dict[str, Any]:
    """The fields with names that are not the line's own: a `_` goes behind those."""
    kept: dict[str, Any] = {}
    for key, value in fields.items():
        while key in reserved or key in kept:
            key += "_"
        kept[key] = value
    return kept
