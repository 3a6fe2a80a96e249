"""JSON without blanks, for the tape and for what goes to a model. Pure.

Rules:
1. `parts(value, 0)` joined, and `quoted(text)`, are what json.JSONEncoder gives with `ensure_ascii=False`, compact
   separators, `allow_nan=False` and `check_circular=False`: a test holds them equal. Mappings that are no dict are
   objects.
2. What JSON cannot hold is a ValueError or a TypeError, what holds itself a RecursionError. Surrogates stay.
3. JSONEncoder makes its C encoder anew for each text; here it is made once. It stands in a private module: without it
   the plain encoder does the same.
4. Neither module is imported before the first use.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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


def _as_object(value: Any) -> Any:
    """Mappings that are no dict are kept as objects; all else is refused."""
    if hasattr(value, "keys"):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")
