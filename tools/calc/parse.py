"""An expression read and computed in one pass, by precedences.

Rules, the loosest first:
1. `EXPRESSION in UNIT` (or `to`), at the end and once: another unit, or hex, bin, oct for a whole number.
2. `|`, then `xor`, then `&`, then `<< >>`, then `+ -`, then `* / // %`, then the signs `+ - ~`, then `**` and `^`,
   which are powers and bind to the right.
3. A number and the unit behind it are one thing: `3 m / 2 s` is 1.5 m/s, `3/4 in` three quarters of an inch.
   Quantities in a row are added: `2 h 30 min`.
4. `%` is modulo before something, else a hundredth; `of` is times. `!` is the factorial.
5. A list `[1, 2]` may only be given to a function.
"""

from __future__ import annotations

from fractions import Fraction

from edge.faults import ToolFault
from edge.tools.calc import functions, units
from edge.tools.calc import quantity as q
from edge.tools.calc.words import Word, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from edge.tools.calc.quantity import Quantity

DEPTH = 50
BASES = ("hex", "bin", "oct")
_SHIFT = 4096  # bits


def _shifted(left: Quantity, right: Quantity, sign: int) -> Quantity:
    count = q.whole(right, "a shift")
    if not 0 <= count <= _SHIFT:
        raise ToolFault(f"a shift is by 0 to {_SHIFT} bits")
    value = q.whole(left, "a shift")
    return q.number(value << count if sign > 0 else value >> count)


_BINARY: dict[str, tuple[int, Callable[[Quantity, Quantity], Quantity]]] = {
    "|": (1, lambda left, right: q.number(q.whole(left, "|") | q.whole(right, "|"))),
    "xor": (2, lambda left, right: q.number(q.whole(left, "xor") ^ q.whole(right, "xor"))),
    "&": (3, lambda left, right: q.number(q.whole(left, "&") & q.whole(right, "&"))),
    "<<": (4, lambda left, right: _shifted(left, right, 1)),
    ">>": (4, lambda left, right: _shifted(left, right, -1)),
    "+": (5, lambda left, right: q.added(left, right)),
    "-": (5, lambda left, right: q.added(left, right, -1)),
    "*": (6, q.times),
    "of": (6, q.times),
    "/": (6, q.divided),
    "//": (6, q.floored),
    "%": (6, q.modulo),
}
_POWERS = ("**", "^")
_TIMES = 6


def compute(text: str, names: Mapping[str, Sequence[Quantity]] | None = None) -> tuple[Quantity, str]:
    """The value of an expression, and the unit or base that it asks for, "" without one.

    `names`: lists that may be given to functions by name. ToolFault says what is wrong, and where.
    """
    reader = _Reader(cut(text), names or {})
    found = reader.expression(0)
    wanted = ""
    if reader.next.kind == "name" and reader.next.text in ("in", "to"):
        reader.take()
        wanted = reader.wanted()
    if reader.next.kind != "end":
        raise reader.unexpected()
    return found, wanted


class _Reader:
    def __init__(self, words: list[Word], names: Mapping[str, Sequence[Quantity]]) -> None:
        self._words = words
        self._names = names
        self._at = 0
        self._depth = 0

    @property
    def next(self) -> Word:
        return self._words[self._at]

    def take(self) -> Word:
        word = self._words[self._at]
        self._at += word.kind != "end"
        return word

    def unexpected(self, wanted: str = "") -> ToolFault:
        word = self.next
        if word.kind == "name" and not wanted:
            units.must(word.text)  # a slip in a unit is told as one
        said = f"{word.text[:40]} at place {word.at} fits nothing"
        if word.kind == "end":
            said = "the expression ends too early"
        return ToolFault(said + (f"; {wanted} was expected" if wanted else ""))

    def _must(self, sign: str) -> None:
        if self.next.kind != "sign" or self.next.text != sign:
            raise self.unexpected(sign)
        self.take()

    def expression(self, least: int) -> Quantity:
        """What stands here, with all that binds at least as tightly as `least`."""
        self._depth += 1
        if self._depth > DEPTH:
            raise ToolFault(f"the expression is nested more than {DEPTH} deep")
        left = self._signed()
        while True:
            row = _BINARY.get(self.next.text) if self.next.kind in ("sign", "name") else None
            if row is None or row[0] < least:
                self._depth -= 1
                return left
            self.take()
            left = row[1](left, self.expression(row[0] + 1))

    def _signed(self) -> Quantity:
        signs = []
        while self.next.kind == "sign" and self.next.text in "+-~":
            signs.append(self.take().text)
        found = self._power()
        for sign in reversed(signs):
            if sign == "-":
                offset = self._offset(found)  # -40 degC is forty below, not the opposite of 313.15 K
                found = q.Quantity(2 * offset - found.value, found.dimension, found.unit)
            elif sign == "~":
                found = q.number(~q.whole(found, "~"))
        return found

    def _offset(self, found: Quantity) -> Fraction:
        unit = units.find(found.unit) if found.unit else None
        return unit.offset if unit is not None and unit.dimension == found.dimension else Fraction(0)

    def _power(self) -> Quantity:
        base = self._postfixed()
        if self.next.kind == "sign" and self.next.text in _POWERS:
            self.take()
            self._depth += 1
            if self._depth > DEPTH:
                raise ToolFault(f"the expression is nested more than {DEPTH} deep")
            base = q.power(base, self._signed())
            self._depth -= 1
        return base

    def _postfixed(self) -> Quantity:
        found = self._one()
        while self.next.kind == "sign" and self.next.text in "!%":
            if self.next.text == "%" and self._begins(self._words[self._at + 1]):
                break  # modulo
            sign = self.take().text
            found = functions.call("factorial", [found]) if sign == "!" else q.divided(found, q.number(100))
        return found

    def _begins(self, word: Word) -> bool:
        """True when `word` begins something that can be computed."""
        if word.kind == "name":
            return word.text not in ("in", "to", "of", "xor")
        return word.kind == "number" or (word.kind == "sign" and word.text in "([-~")

    def _one(self) -> Quantity:
        word = self.next
        if word.kind == "number":
            return self._measured()
        if word.kind == "sign" and word.text == "(":
            self.take()
            found = self.expression(0)
            self._must(")")
            return self._with_unit(found) if self._unit_follows() else found
        if word.kind == "name":
            return self._named()
        raise self.unexpected("a number")

    def _measured(self) -> Quantity:
        """Numbers with units in a row, added (rule 3)."""
        found = self._with_unit(self._literal())
        while not found.plain and self.next.kind == "number" and self._unit_at(self._at + 1):
            found = q.added(found, self._with_unit(q.number(self.take().value)))
        return found

    def _literal(self) -> Quantity:
        """A number, or a fraction written without blanks before a unit: `3/4 in`."""
        word = self.take()
        slash, below = self.next, self._words[min(self._at + 1, len(self._words) - 1)]
        tight = slash.at == word.at + len(word.text) and below.at == slash.at + 1
        if slash.text == "/" and below.kind == "number" and tight and below.value and self._unit_at(self._at + 2):
            self.take()
            self.take()
            return q.number(word.value / below.value)
        return q.number(word.value)

    def _unit_at(self, at: int) -> bool:
        word = self._words[at]
        if word.kind != "name" or word.text in ("to", "of", "xor") or word.text.lower() in functions.CONSTANTS:
            return False
        after = self._words[at + 1]
        if after.kind == "sign" and after.text == "(":
            return False
        if word.text == "in":  # the inch, where another `in` or `to` follows
            return after.kind == "name" and after.text in ("in", "to")
        return units.find(word.text) is not None

    def _unit_follows(self) -> bool:
        return self._unit_at(self._at)

    def _with_unit(self, found: Quantity) -> Quantity:
        if not self._unit_follows():
            return found
        name = self.take().text
        name = "inch" if name == "in" else name
        unit = units.must(name)
        value = q.bounded(found.value * unit.factor + unit.offset)
        made = q.Quantity(value, unit.dimension, name)
        if self.next.kind == "sign" and self.next.text in _POWERS and found.plain and not unit.offset:
            self.take()  # `5 m^2` is five square metres
            exponent = self._signed()
            made = q.times(found, q.power(q.Quantity(unit.factor, unit.dimension), exponent))
        return made

    def _named(self) -> Quantity:
        word = self.take()
        if self.next.kind == "sign" and self.next.text == "(":
            return functions.call(word.text, self._given())
        if word.text in self._names:
            raise ToolFault(f"{word.text} is a list; give it to a function, as in mean({word.text})")
        constant = functions.CONSTANTS.get(word.text.lower() if word.text != "E" else "E")
        if constant is not None:
            return constant
        unit = units.find(word.text)
        if unit is None:
            units.must(word.text)
        assert unit is not None
        if unit.offset:
            raise ToolFault(f"{word.text} needs a number before it")
        return q.Quantity(unit.factor, unit.dimension, word.text)

    def _given(self) -> list[Quantity]:
        """The arguments of a function; lists are taken apart."""
        self._must("(")
        found: list[Quantity] = []
        while not (self.next.kind == "sign" and self.next.text == ")"):
            found += self._argument()
            if self.next.kind == "sign" and self.next.text == ",":
                self.take()
            elif not (self.next.kind == "sign" and self.next.text == ")"):
                raise self.unexpected(", or )")
        self.take()
        return found

    def _argument(self) -> list[Quantity]:
        if self.next.kind == "name" and self.next.text in self._names and self._words[self._at + 1].text in (",", ")"):
            return list(self._names[self.take().text])
        if self.next.kind != "sign" or self.next.text != "[":
            return [self.expression(0)]
        self.take()
        found: list[Quantity] = []
        while not (self.next.kind == "sign" and self.next.text == "]"):
            found.append(self.expression(0))
            if self.next.kind == "sign" and self.next.text == ",":
                self.take()
            elif not (self.next.kind == "sign" and self.next.text == "]"):
                raise self.unexpected(", or ]")
        self.take()
        return found

    def wanted(self) -> str:
        """The text of the unit that is asked for: names with powers, `*` and `/` between them."""
        parts = []
        while self.next.kind != "end":
            word = self.take()
            if word.kind == "sign" and word.text not in ("*", "/", "^", "**", "-", "%"):
                raise ToolFault(f"{word.text} at place {word.at} belongs to no unit")
            parts.append(word.text)
        if not parts:
            raise self.unexpected("a unit")
        return "".join(parts)


def unit_of(text: str) -> tuple[Quantity, Fraction]:
    """One of the unit that `text` names (`km/h`, `m^2`, `degC`), and what its scale is shifted by, in K."""
    known = units.find("inch" if text == "in" else text)
    if known is not None:
        return q.Quantity(known.factor, known.dimension), known.offset
    reader = _Reader(cut(text.replace("in", "inch") if text in ("in^2", "in^3", "in**2", "in**3") else text), {})
    found = reader.expression(_TIMES)
    if reader.next.kind != "end" or not found.value:
        raise ToolFault(f"{text[:40]!r} is no unit")
    return found, Fraction(0)
