"""A value with a dimension. Exact as long as nothing irrational comes in.

Rules:
1. A value is a Fraction as long as it is exact, else a float; never NaN and never infinite.
2. A dimension is the exponents of BASES; the value counts in their units (m, kg, s, A, K, cd, B).
3. Bounds: DIGITS digits in an exact number, exponents up to POWER. What is beyond is a ToolFault.
"""

from __future__ import annotations

import math
from fractions import Fraction

from edge.faults import ToolFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Number = Union[Fraction, float]
    Dimension = tuple[int, ...]

BASES = ("m", "kg", "s", "A", "K", "cd", "B")
NONE: Dimension = (0,) * len(BASES)
DIGITS = 4000
POWER = 10_000
_BITS = int(DIGITS * 3.33)


class Quantity(Record):
    """`value` in base units. `unit`: the name under which it is best shown, "" for the base units."""

    value: Number
    dimension: Dimension = NONE
    unit: str = ""

    @property
    def plain(self) -> bool:
        """True for a number without a dimension."""
        return self.dimension == NONE


def number(value: Number | int) -> Quantity:
    """A number without a dimension; ToolFault beyond the bounds."""
    return Quantity(bounded(value))


def bounded(value: Number | int) -> Number:
    """`value`, when it is a number within the bounds."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ToolFault("the result is too large for a number" if value == value else "the result is no number")
        return value
    found = Fraction(value)
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _BITS:
        raise ToolFault(f"the result has more than {DIGITS} digits")
    return found


def floating(value: Number) -> float:
    """`value` as a float; ToolFault when it is too large for one."""
    try:
        return float(value)
    except OverflowError as error:
        raise ToolFault("this is too large for anything but whole arithmetic") from error


def whole(given: Quantity, what: str) -> int:
    """The whole number that `given` is; ToolFault naming `what` wants one."""
    if not given.plain or given.value != int(given.value):
        raise ToolFault(f"{what} takes whole numbers without a unit")
    return int(given.value)


def added(left: Quantity, right: Quantity, sign: int = 1) -> Quantity:
    """left + sign * right; ToolFault when their dimensions differ."""
    if left.dimension != right.dimension:
        from edge.tools.calc.units import named

        verb = "added to" if sign > 0 else "subtracted from"
        raise ToolFault(f"{named(right.dimension)} cannot be {verb} {named(left.dimension)}")
    return Quantity(bounded(left.value + sign * right.value), left.dimension, left.unit or right.unit)


def times(left: Quantity, right: Quantity) -> Quantity:
    dimension = tuple([one + other for one, other in zip(left.dimension, right.dimension)])
    unit = left.unit if right.plain else right.unit if left.plain else ""
    return Quantity(bounded(left.value * right.value), dimension, unit)


def divided(left: Quantity, right: Quantity) -> Quantity:
    if right.value == 0:
        raise ToolFault("division by zero")
    dimension = tuple([one - other for one, other in zip(left.dimension, right.dimension)])
    return Quantity(bounded(left.value / right.value), dimension, left.unit if right.plain else "")


def floored(left: Quantity, right: Quantity) -> Quantity:
    """How many whole times `right` goes into `left`."""
    return number(math.floor(_ratio(left, right)))


def modulo(left: Quantity, right: Quantity) -> Quantity:
    """What remains of `left`, with the sign of `right`."""
    count = math.floor(_ratio(left, right))
    return Quantity(bounded(left.value - count * right.value), left.dimension, left.unit)


def _ratio(left: Quantity, right: Quantity) -> Number:
    found = divided(left, right)
    if not found.plain:
        raise ToolFault("whole division wants two quantities of the same kind")
    return found.value


def power(left: Quantity, right: Quantity) -> Quantity:
    if not right.plain:
        raise ToolFault("an exponent has no unit")
    exponent = right.value
    if not -POWER <= exponent <= POWER:
        raise ToolFault(f"an exponent is from -{POWER} to {POWER}")
    if exponent == int(exponent):
        return _whole_power(left, int(exponent))
    if not left.plain and exponent * 2 != int(exponent * 2):
        raise ToolFault("a quantity with a unit takes whole and half exponents")
    if left.value < 0:
        raise ToolFault("a negative number has no such power")
    halves = [one * int(exponent * 2) for one in left.dimension]
    if any(one % 2 for one in halves):
        raise ToolFault("the root of this unit is no unit")
    return Quantity(bounded(_float_power(left.value, exponent)), tuple([one // 2 for one in halves]))


def _whole_power(left: Quantity, exponent: int) -> Quantity:
    if left.value == 0 and exponent < 0:
        raise ToolFault("division by zero")
    dimension = tuple([one * exponent for one in left.dimension])
    if isinstance(left.value, float):
        return Quantity(bounded(_float_power(left.value, float(exponent))), dimension)
    size = max(left.value.numerator.bit_length(), left.value.denominator.bit_length())
    if left.value not in (0, 1, -1) and size * abs(exponent) > _BITS * 2:
        raise ToolFault(f"the result has more than {DIGITS} digits")
    return Quantity(bounded(Fraction(left.value) ** exponent), dimension)


def _float_power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and exponent == Fraction(1, 2):
        top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
        if top * top == base.numerator and bottom * bottom == base.denominator:
            return Fraction(top, bottom)
    try:
        return float(math.pow(floating(base), floating(exponent)))
    except (OverflowError, ValueError) as error:
        raise ToolFault("the result is too large for a number") from error
