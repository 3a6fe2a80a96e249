"""Conditions that must hold while an output is away from safe: a small language, parsed once.

    condition := part ("or" part)*    part := bare ("and" bare)*    bare := "not" bare | "(" condition ")" | fact
    fact := NAME | NAME OP NUMBER | NAME OP WORD | "agree" "(" NAME "," NAME "," NUMBER ")"
    OP := < <= > >= == !=

Rules this file keeps:
1. NAME is an output or a sensor. Alone it says that it is on, or that the contact is active (not 0). WORD is a word of
   an output (off, on) or of a contact's states. `agree(a, b, 2)`: the two differ by 2 at most.
2. Three values: true, false, unknown. A reading that failed, is not `ok`, is older than it may be, or is no number is
   unknown, and so is an output in an unknown state. Unknown stays unknown under `not`; only true holds.
3. Every sensor is read at most once in one judgement (`Look`), however many conditions name it.
4. Text that is no condition never holds, and `check` says why when it is declared.
5. Pure, and without patterns: the guard's process loads no `re`. A condition has at most LENGTH characters and
   DEPTH levels of brackets and `not`.
"""

from __future__ import annotations

from edge.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Union

    from edge.call import Output, Reading, Sensor

    Tree = tuple[Any, ...]
    Words = Mapping[str, tuple[str, ...]]
    Found = Union[float, str]  # a value, or why there is none

LENGTH = 200
DEPTH = 20
OPS = ("<=", ">=", "==", "!=", "<", ">")
RESERVED = ("and", "or", "not", "agree")
ON_OFF = ("off", "on")


class Look:
    """One judgement's view of the world: each sensor is read at most once, each output looked at once."""

    __slots__ = ("_level", "_seen", "_sense", "units")

    def __init__(self, sense: Callable[[str], Reading], level: Callable[[str], float | None], outputs: Iterable[str]):
        self._sense = sense
        self._level = level
        self._seen: dict[str, Reading | float | str] = dict.fromkeys(outputs, "")
        self.units: dict[str, str] = {}

    def value(self, name: str, max_age: float) -> Found:
        """The value of a sensor or the level of an output; a sentence part when it cannot be used."""
        found = self._seen.get(name)
        if found == "":
            level = self._level(name)
            found = f"the state of {name} is unknown" if level is None else level
            self._seen[name] = found
        elif found is None:
            try:
                found = self._sense(name)
            except Fault as fault:
                found = fault.sentence
            self._seen[name] = found
        return found if isinstance(found, (float, str)) else self._used(found, max_age)

    def _used(self, reading: Reading, max_age: float) -> Found:
        name, value = reading.name, reading.value
        self.units[name] = reading.unit
        if reading.quality != "ok":
            return f"the reading of {name} is {reading.quality}"
        if value is None or value != value or value in (float("inf"), -float("inf")):
            return f"the reading of {name} is no number"
        if not reading.age <= max_age:
            return f"the reading of {name} is {reading.age:.0f} s old, {max_age:g} s at most are allowed"
        return float(value)


class Condition:
    """One parsed condition; `text` as it was declared. Text that is none has `wrong`, and never holds."""

    __slots__ = ("_tree", "_words", "names", "text", "wrong")

    def __init__(self, text: str, words: Words) -> None:
        self.text = " ".join(text[:LENGTH].split())
        self.names: tuple[str, ...] = ()
        self.wrong = ""
        self._words = words
        try:
            if len(text) > LENGTH:
                raise ValueError(f"it is longer than {LENGTH} characters")
            parser = _Parser(_tokens(text), words)
            self._tree: Tree = parser.whole()
            self.names = tuple(dict.fromkeys(parser.names))
        except ValueError as error:
            self.wrong = str(error)

    def fails(self, look: Look, max_age: float) -> str:
        """Why the condition does not hold now, "" when it does."""
        if self.wrong:
            return f"{self.text} is no condition: {self.wrong}"
        if _judge(self._tree, look, max_age):
            return ""
        return f"{self.text} does not hold: {', '.join([self._shown(name, look, max_age) for name in self.names])}"

    def _shown(self, name: str, look: Look, max_age: float) -> str:
        """What a name is now, for the sentence; the name stands beside it where there are several."""
        found = look.value(name, max_age)
        if isinstance(found, str):
            return found
        words = self._words.get(name, ())
        unit = look.units.get(name, "")
        said = words[int(found)] if found in (0.0, 1.0) and len(words) == 2 else f"{found:g} {unit}".rstrip()
        return said if len(self.names) == 1 else f"{name} {said}"


def vocabulary(outputs: Iterable[Output], sensors: Iterable[Sensor]) -> dict[str, tuple[str, ...]]:
    """What conditions may name: name -> the words of its values 0 and 1, none for a measured quantity."""
    words: dict[str, tuple[str, ...]] = {}
    for sensor in sensors:
        words[sensor.name] = sensor.states or (() if sensor.unit else ON_OFF)
    return {**words, **{output.name: ON_OFF for output in outputs}}


def check(text: str, names: Words) -> str:
    """What is wrong with a condition over these `names` (see vocabulary), "" when nothing is."""
    wrong = Condition(text, names).wrong
    return f"{text[:80]!r} is no condition: {wrong}" if wrong else ""


def _judge(tree: Tree, look: Look, max_age: float) -> bool | None:
    """True, false or unknown (None), as Kleene has it: an `or` is true when one side is, whatever the other."""
    kind = tree[0]
    if kind == "not":
        inner = _judge(tree[1], look, max_age)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        decides: bool = kind == "or"
        sides = [_judge(side, look, max_age) for side in tree[1]]
        if decides in sides:
            return decides
        return None if None in sides else not decides
    first = look.value(tree[1], max_age)
    second = look.value(tree[2], max_age) if kind == "agree" else tree[2]
    if isinstance(first, str) or isinstance(second, str):
        return None
    if kind == "agree":
        return bool(abs(first - second) <= tree[3])
    return _compare(kind, first, second)


def _compare(op: str, value: float, bound: float) -> bool:
    if op == "<":
        return value < bound
    if op == "<=":
        return value <= bound
    if op == ">":
        return value > bound
    if op == ">=":
        return value >= bound
    return (value == bound) == (op == "==")


def _tokens(text: str) -> list[str]:
    """Names, numbers, operators and brackets; ValueError at what is none."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        token = next((op for op in OPS if text.startswith(op, at)), text[at] if text[at] in "()," else "")
        if not token:
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] in "_.+-"):
                end += 1
            token = text[at:end]
        if not token:
            raise ValueError(f"{text[at]!r} at character {at + 1} means nothing here")
        tokens.append(token)
        at += len(token)
    return tokens


class _Parser:
    """Reads tokens from the left, one look ahead; ValueError with what was expected."""

    def __init__(self, tokens: list[str], words: Words) -> None:
        self._rest = tokens[::-1]
        self._words = words
        self._depth = 0
        self.names: list[str] = []

    def whole(self) -> Tree:
        tree = self._chain("or")
        if self._rest:
            raise ValueError(f"{self._rest[-1]!r} is too much: join conditions with and, or")
        return tree

    def _chain(self, word: str) -> Tree:
        one = self._bare if word == "and" else self._and
        sides = [one()]
        while self._rest and self._rest[-1] == word:
            self._rest.pop()
            sides.append(one())
        return sides[0] if len(sides) == 1 else (word, tuple(sides))

    def _and(self) -> Tree:
        return self._chain("and")

    def _bare(self) -> Tree:
        token = self._take("a name")
        if token in ("not", "("):
            return self._deeper(token)
        return self._agree() if token == "agree" else self._fact(self._name(token))

    def _deeper(self, token: str) -> Tree:
        self._depth += 1
        if self._depth > DEPTH:
            raise ValueError(f"it has more than {DEPTH} levels of brackets and not")
        tree: Tree = ("not", self._bare()) if token == "not" else self._chain("or")
        if token == "(":
            self._expect(")")
        self._depth -= 1
        return tree

    def _fact(self, name: str) -> Tree:
        if not self._rest or self._rest[-1] not in OPS:
            if not self._words[name]:
                raise ValueError(f"{name} is measured: compare it, such as {name} > 10")
            return ("!=", name, 0.0)
        op = self._rest.pop()
        token = self._take("a number or a word")
        words = self._words[name]
        if token not in words:
            return (op, name, self._number(token, words))
        if op not in ("==", "!="):
            raise ValueError(f"{token} is a word of {name}: compare it with == or !=")
        at = float(words.index(token))
        # an output is on at every level above 0
        return ("!=" if (op == "==") == (at == 1.0) else "==", name, 0.0) if len(words) == 2 else (op, name, at)

    def _agree(self) -> Tree:
        self._expect("(")
        first = self._name(self._take("a name"))
        self._expect(",")
        second = self._name(self._take("a name"))
        self._expect(",")
        most = self._number(self._take("a number"), ())
        self._expect(")")
        return ("agree", first, second, most)

    def _name(self, token: str) -> str:
        if token in RESERVED or not (token[0].isalpha() or token[0] == "_"):
            raise ValueError(f"a name is expected, not {token!r}")
        if token not in self._words:
            raise ValueError(f"there is no output or sensor {token!r}; there are {', '.join(self._words) or 'none'}")
        self.names.append(token)
        return token

    def _number(self, token: str, words: tuple[str, ...]) -> float:
        try:
            value = float(token) if token[0] in "0123456789.+-" else None
        except ValueError:
            value = None
        if value is None or not abs(value) < float("inf"):
            others = f" or one of {', '.join(words)}" if words else ""
            raise ValueError(f"a number{others} is expected, not {token!r}")
        return value

    def _take(self, expected: str) -> str:
        if not self._rest:
            raise ValueError(f"{expected} is expected at its end")
        return self._rest.pop()

    def _expect(self, token: str) -> None:
        found = self._take(repr(token))
        if found != token:
            raise ValueError(f"{token!r} is expected, not {found!r}")
