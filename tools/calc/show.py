"""A quantity as text and as plain values: in the unit that was asked for, else in the best known one."""

from __future__ import annotations

from fractions import Fraction

from edge.faults import ToolFault
from edge.tools.calc import units
from edge.tools.calc.parse import BASES, unit_of
from edge.tools.calc.quantity import Quantity, bounded, floating, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.tools.calc.quantity import Number

PLACES = 15  # digits of a number that is not shown whole
_WHOLE = 60  # digits of a whole number that is shown as it is


def show(found: Quantity, wanted: str) -> tuple[str, dict[str, Any]]:
    """The text `VALUE UNIT`, and `value unit exact` as plain values. ToolFault for a unit of another kind."""
    if wanted.lower() in BASES:
        digits = whole(found, wanted)
        text = {"hex": hex, "bin": bin, "oct": oct}[wanted.lower()](digits)
        return text, {"value": _plain(Fraction(digits)), "unit": "", "exact": True}
    value, unit = _in(found, wanted)
    text, exact = _text(value)
    rounded = "" if exact or isinstance(value, float) else " (rounded)"
    return f"{text} {unit}".rstrip() + rounded, {"value": _plain(value), "unit": unit, "exact": exact}


def _in(found: Quantity, wanted: str) -> tuple[Number, str]:
    if wanted == "%":
        wanted = "percent"
    name = wanted or found.unit
    if not name:
        return found.value, "" if found.plain else units.named(found.dimension)
    one, offset = unit_of(name)
    if one.dimension != found.dimension:
        if not wanted:  # the hint was of a part only
            return found.value, "" if found.plain else units.named(found.dimension)
        raise ToolFault(f"{units.named(found.dimension)} cannot be given in {wanted}")
    value = found.value - offset if offset else found.value
    return bounded(value / one.value), "%" if name == "percent" else name


def _text(value: Number) -> tuple[str, bool]:
    """A number as people write it, and whether that is all of it."""
    if isinstance(value, float):
        return f"{value:.12g}", False
    if value.denominator == 1:
        text = str(value.numerator)
        return (text, True) if len(text) <= _WHOLE else (_rounded(value), False)
    rest, places = value.denominator, 0
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest //= factor
            count += 1
        places = max(places, count)
    if rest == 1 and places <= PLACES:
        scaled = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        return ("-" if value < 0 else "") + f"{scaled[:-places]}.{scaled[-places:]}", True
    return _rounded(value), False


def _rounded(value: Fraction) -> str:
    from decimal import Context, Decimal

    context = Context(prec=PLACES)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    exponent = found.adjusted()
    return f"{found:f}" if -7 < exponent < PLACES else str(found).replace("E", "e")


def _plain(value: Number) -> int | float | str:
    """The value as JSON can hold it; a number beyond the floats as text."""
    if isinstance(value, float):
        return value
    if value.denominator == 1 and abs(value) < 2**53:
        return value.numerator
    try:
        return floating(value)
    except ToolFault:
        return _text(value)[0]
