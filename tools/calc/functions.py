"""What can be called in an expression.

Each takes quantities; how many, and of which kind, stands in the table. Statistics follow the usual definitions:
`variance` and `stdev` are of a sample (n - 1), `pvariance` and `pstdev` of a population; `percentile` interpolates
linearly between the nearest ranks (NIST handbook 7.2.6.2 calls it the inclusive form, as spreadsheets do).
"""

from __future__ import annotations

import math
from fractions import Fraction

from edge.faults import ToolFault
from edge.tools.calc.quantity import Quantity, added, bounded, divided, floating, number, power, times, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from edge.tools.calc.quantity import Number

    Made = Callable[[Sequence[Quantity]], Quantity]

FACTORIAL = 1000
_HALF = number(Fraction(1, 2))


def call(name: str, given: Sequence[Quantity]) -> Quantity:
    """The function `name` of these quantities. ToolFault for an unknown one, and for what it does not take."""
    row = TABLE.get(name.lower())
    if row is None:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), list(TABLE), 1, 0.6)
        raise ToolFault(f"there is no function {name[:40]}" + (f"; did you mean {near[0]}?" if near else ""))
    least, most, made = row
    if not least <= len(given) <= most:
        wanted = f"{least}" if least == most else f"at least {least}" if most > 99 else f"{least} to {most}"
        raise ToolFault(f"{name} takes {wanted} values, not {len(given)}")
    return made(given)


def _float(function: Callable[[float], float], name: str) -> Made:
    """A function of the reals, of a number without unit."""

    def made(given: Sequence[Quantity]) -> Quantity:
        if not given[0].plain:
            raise ToolFault(f"{name} takes a number without a unit")
        try:
            return number(function(floating(given[0].value)))
        except ValueError as error:
            raise ToolFault(f"{name} of {float(given[0].value):g} is not defined") from error
        except OverflowError as error:
            raise ToolFault("the result is too large for a number") from error

    return made


def _kept(function: Callable[[Number], Number | int]) -> Made:
    """A function of the value alone, which keeps the unit."""
    return lambda given: Quantity(bounded(function(given[0].value)), given[0].dimension, given[0].unit)


def _magnitude(value: Number) -> Number:
    return -value if value < 0 else value


def _log(given: Sequence[Quantity]) -> Quantity:
    base = given[1] if len(given) > 1 else number(10)
    if not given[0].plain or not base.plain or given[0].value <= 0 or base.value <= 0 or base.value == 1:
        raise ToolFault("log takes a positive number without a unit, and a base other than 1")
    if isinstance(given[0].value, Fraction):  # exact where it can be, also beyond the floats
        top = math.log(given[0].value.numerator) - math.log(given[0].value.denominator)
    else:
        top = math.log(given[0].value)
    found = top / math.log(base.value)
    near = round(found)
    if abs(near) < 10_000 and isinstance(base.value, Fraction) and base.value**near == given[0].value:
        return number(near)
    return number(found)


def _round(given: Sequence[Quantity]) -> Quantity:
    """Half away from nought, as people round; in the unit that was written."""
    places = whole(given[1], "the places of round") if len(given) > 1 else 0
    if abs(places) > 300:
        raise ToolFault("round takes -300 to 300 places")
    value, scale = given[0].value, _scale(given[0])
    scaled = Fraction(value) / scale * Fraction(10) ** places
    found = Fraction(math.floor(abs(scaled) + Fraction(1, 2))) * (1 if scaled >= 0 else -1)
    return Quantity(bounded(found / Fraction(10) ** places * scale), given[0].dimension, given[0].unit)


def _scale(given: Quantity) -> Fraction:
    from edge.tools.calc.units import find

    unit = find(given.unit) if given.unit else None
    return Fraction(unit.factor) if unit is not None and not unit.offset else Fraction(1)


def _all(given: Sequence[Quantity]) -> Sequence[Quantity]:
    for one in given[1:]:
        added(given[0], one)  # says what does not fit
    return given


def _sum(given: Sequence[Quantity]) -> Quantity:
    total = given[0]
    for one in given[1:]:
        total = added(total, one)
    return total


def _mean(given: Sequence[Quantity]) -> Quantity:
    return divided(_sum(given), number(len(given)))


def _sorted(given: Sequence[Quantity]) -> list[Quantity]:
    return sorted(_all(given), key=lambda one: one.value)


def _median(given: Sequence[Quantity]) -> Quantity:
    found = _sorted(given)
    middle = len(found) // 2
    return found[middle] if len(found) % 2 else _mean(found[middle - 1 : middle + 1])


def _mode(given: Sequence[Quantity]) -> Quantity:
    counts: dict[object, int] = {}
    for one in _all(given):
        counts[one.value] = counts.get(one.value, 0) + 1
    return max(given, key=lambda one: counts[one.value])


def _variance(less: int) -> Made:
    def made(given: Sequence[Quantity]) -> Quantity:
        mean = _mean(given)
        squares = [power(added(one, mean, -1), number(2)) for one in given]
        return divided(_sum(squares), number(len(given) - less))

    return made


def _deviation(less: int) -> Made:
    return lambda given: power(_variance(less)(given), _HALF)


def _percentile(given: Sequence[Quantity]) -> Quantity:
    share, found = given[-1], _sorted(given[:-1])
    if not share.plain or not 0 <= share.value <= 100:
        raise ToolFault("percentile takes the values and then a number from 0 to 100")
    place = Fraction(share.value) * (len(found) - 1) / 100
    low = int(place)
    step = added(found[min(low + 1, len(found) - 1)], found[low], -1)
    return added(found[low], times(step, number(place - low)))


def _clamp(given: Sequence[Quantity]) -> Quantity:
    value, low, high = _all(given)
    if low.value > high.value:
        raise ToolFault("clamp takes a value, the least and the most")
    return low if value.value < low.value else high if value.value > high.value else value


def _change(given: Sequence[Quantity]) -> Quantity:
    return times(divided(added(given[1], given[0], -1), given[0]), number(100))


def _factorial(given: Sequence[Quantity]) -> Quantity:
    count = whole(given[0], "factorial")
    if not 0 <= count <= FACTORIAL:
        raise ToolFault(f"factorial takes 0 to {FACTORIAL}")
    return number(math.factorial(count))


def _gcd(given: Sequence[Quantity]) -> Quantity:
    found = 0
    for one in given:
        found = math.gcd(found, whole(one, "gcd"))
    return number(found)


def _lcm(given: Sequence[Quantity]) -> Quantity:
    found = 1
    for one in given:
        value = abs(whole(one, "lcm"))
        found = found * value // math.gcd(found, value) if value else 0
        bounded(found)
    return number(found)


def _xor(given: Sequence[Quantity]) -> Quantity:
    return number(whole(given[0], "xor") ^ whole(given[1], "xor"))


def _hypot(given: Sequence[Quantity]) -> Quantity:
    return power(_sum([power(one, number(2)) for one in given]), _HALF)


_MANY = 10_000
TABLE: dict[str, tuple[int, int, Made]] = {
    "sqrt": (1, 1, lambda given: power(given[0], _HALF)),
    "abs": (1, 1, _kept(_magnitude)),
    "round": (1, 2, _round),
    "floor": (1, 1, _kept(lambda value: math.floor(value))),
    "ceil": (1, 1, _kept(lambda value: math.ceil(value))),
    "min": (1, _MANY, lambda given: _sorted(given)[0]),
    "max": (1, _MANY, lambda given: _sorted(given)[-1]),
    "range": (1, _MANY, lambda given: added(_sorted(given)[-1], _sorted(given)[0], -1)),
    "count": (1, _MANY, lambda given: number(len(given))),
    "sum": (1, _MANY, _sum),
    "add": (1, _MANY, _sum),
    "subtract": (2, 2, lambda given: added(given[0], given[1], -1)),
    "multiply": (2, 2, lambda given: times(given[0], given[1])),
    "divide": (2, 2, lambda given: divided(given[0], given[1])),
    "mean": (1, _MANY, _mean),
    "average": (1, _MANY, _mean),
    "median": (1, _MANY, _median),
    "mode": (1, _MANY, _mode),
    "variance": (2, _MANY, _variance(1)),
    "stdev": (2, _MANY, _deviation(1)),
    "pvariance": (1, _MANY, _variance(0)),
    "pstdev": (1, _MANY, _deviation(0)),
    "percentile": (2, _MANY, _percentile),
    "percentage_change": (2, 2, _change),
    "clamp": (3, 3, _clamp),
    "pow": (2, 2, lambda given: power(given[0], given[1])),
    "log": (1, 2, _log),
    "log10": (1, 1, _log),
    "log2": (1, 1, lambda given: _log([given[0], number(2)])),
    "ln": (1, 1, _float(math.log, "ln")),
    "exp": (1, 1, _float(math.exp, "exp")),
    "sin": (1, 1, _float(math.sin, "sin")),
    "cos": (1, 1, _float(math.cos, "cos")),
    "tan": (1, 1, _float(math.tan, "tan")),
    "asin": (1, 1, _float(math.asin, "asin")),
    "acos": (1, 1, _float(math.acos, "acos")),
    "atan": (1, 1, _float(math.atan, "atan")),
    "degrees": (1, 1, _float(math.degrees, "degrees")),
    "radians": (1, 1, _float(math.radians, "radians")),
    "factorial": (1, 1, _factorial),
    "gcd": (1, _MANY, _gcd),
    "lcm": (1, _MANY, _lcm),
    "xor": (2, 2, _xor),
    "hypot": (1, _MANY, _hypot),
}
CONSTANTS = {
    "pi": number(math.pi),
    "tau": number(math.tau),
    "e": number(math.e),
}
