"""What the board's declared things are called, and the slots of a sentence pattern. Pure.

Rules:
1. A thing answers to its name, its label and its declared words; to one word of a name of several; and to a
   synonym that no thing declares. The longest words win, then this order.
2. Words that fit several things alike name all of them: who uses the slot must ask which is meant.
3. A slot gives every way to fill it, the longest first.
"""

from __future__ import annotations

from edge.model import phrases
from edge.model.tokens import duration, number, sentences, unit, word_at
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from edge.call import Output, Scene, Sensor
    from edge.model.tokens import Token

    # Each part of a list: the names that its words fit.
    Names = tuple[tuple[str, ...], ...]
    Bound = dict[str, Any]

IT = ("it",)
THEM = ("them",)
_MOST = 48


class Test(Record):
    """A comparison as it was said. op: > < >= <= in; `unit` may be empty; `high` counts for `in` alone."""

    op: str
    low: float
    high: float
    unit: str
    said: str


class Index:
    """From words to the names they fit."""

    def __init__(self) -> None:
        self._first: dict[str, list[tuple[tuple[str, ...], int, str]]] = {}

    def add(self, phrase: str, name: str, rank: int) -> None:
        words = spelled(phrase)
        if words:
            self._first.setdefault(words[0], []).append((words, rank, name))

    def at(self, tokens: Sequence[Token], place: int) -> list[tuple[tuple[str, ...], int]]:
        """The names that words at `place` fit, and where these end; the longest words first."""
        if place >= len(tokens) or tokens[place].kind not in ("word", "number"):
            return []
        best: dict[int, tuple[int, set[str]]] = {}
        for words, rank, name in self._first.get(tokens[place].word, ()):
            if tuple(t.word for t in tokens[place : place + len(words)]) == words:
                top, names = best.get(len(words), (0, set()))
                if rank > top:
                    best[len(words)] = (rank, {name})
                elif rank == top:
                    names.add(name)
        return [(tuple(sorted(best[n][1])), place + n) for n in sorted(best, reverse=True)]

    def knows(self, word: str) -> tuple[str, ...]:
        """The names that this one word fits."""
        found = [(rank, name) for words, rank, name in self._first.get(word, ()) if words == (word,)]
        top = max(found, default=(0, ""))[0]
        return tuple(sorted({name for rank, name in found if rank == top}))


def _tokens(phrase: str) -> list[Token]:
    return [token for sentence in sentences(phrase) for token in sentence.tokens]


def spelled(phrase: str) -> tuple[str, ...]:
    """The words of a declared phrase; empty when it holds what no goal can say."""
    tokens = _tokens(phrase)
    if any(token.kind not in ("word", "number") for token in tokens):
        return ()
    return tuple(token.word for token in tokens)


def _links(tokens: Sequence[Token]) -> bool:
    return any(token.word in phrases.LINKS for token in tokens)


class Vocabulary:
    """The words of one board."""

    def __init__(self, scene: Scene) -> None:
        self.sensors = Index()
        self.outputs = Index()
        self.all_sensors = tuple(sensor.name for sensor in scene.sensors)
        self.all_outputs = tuple(output.name for output in scene.outputs)
        self.units = tuple((tuple(t.word for t in _tokens(s.unit)), s.unit) for s in scene.sensors)
        self.bags: dict[str, frozenset[str]] = {}
        self.uses: list[tuple[tuple[str, ...], str]] = []
        for sensor in scene.sensors:
            self._declare(self.sensors, sensor)
            said = " ".join((sensor.name, sensor.label, *sensor.words))
            self.bags[sensor.name] = frozenset(token.word for token in _tokens(said) if token.kind == "word")
        for output in scene.outputs:
            self._declare(self.outputs, output)
            self.outputs.add(output.name + "s", output.name, 1)
            self.uses += [(w, output.name) for w in map(spelled, output.words) if w and w[0] in phrases.USES]
        self._add_synonyms()

    def _declare(self, index: Index, thing: Sensor | Output) -> None:
        index.add(thing.name, thing.name, 4)
        for said in (thing.label, *thing.words):
            for phrase in said.split(","):
                index.add(phrase, thing.name, 3)
        for word in spelled(thing.name):
            if word.isalpha() and len(word) > 2:
                index.add(word, thing.name, 2)

    def _add_synonyms(self) -> None:
        for word, others in phrases.SYNONYMS.items():
            if not self.sensors.knows(word):
                for name in self.named(others):
                    self.sensors.add(word, name, 1)

    def named(self, words: Sequence[str]) -> tuple[str, ...]:
        """The sensors that the first known of `words` fits."""
        return next(filter(None, map(self.sensors.knows, words)), ())


class Slots:
    """Fills the slots of patterns from the tokens of one sentence of `text`."""

    def __init__(self, vocabulary: Vocabulary, text: str, tokens: Sequence[Token]) -> None:
        self.words = vocabulary
        self.text = text
        self.tokens = tokens
        self._fill: dict[str, Callable[[int], Iterator[tuple[Any, int]]]] = {
            "SENSOR": self._sensor,
            "SENSORS": self._sensors,
            "SUBJECT": self._subject,
            "SAME": self._same,
            "PLACE": self._place,
            "OUTPUTS": self._outputs,
            "STATE": self._state,
            "FOR": self._for,
            "USE": self._use,
            "TEST": self._test,
            "WARMER": self._warmer,
            "PATH": self._path,
            "DOTTED": self._dotted,
            "THING": self._thing,
        }

    def fill(self, slot: str, at: int) -> Iterator[tuple[Any, int]]:
        """Every value the slot can take at `at`, with the place behind it."""
        return self._fill[slot](at)

    def _says(self, at: int, words: Sequence[str]) -> bool:
        return all(word_at(self.tokens, at + place) == word for place, word in enumerate(words))

    def _past(self, at: int, words: Sequence[str]) -> int:
        return at + 1 if word_at(self.tokens, at) in words else at

    # --- declared things ---

    def _sensor(self, at: int) -> Iterator[tuple[Names, int]]:
        at = self._past(at, ("a", "an"))
        for names, end in self.words.sensors.at(self.tokens, at):
            tail = self._past(end, phrases.SENSOR_TAILS)
            for stop in (tail, end)[tail == end :]:
                for place, after in self._place(stop):
                    there = tuple(name for name in names if name in place)
                    if there:
                        yield (there,), after
                yield (names,), stop

    def _sensors(self, at: int) -> Iterator[tuple[Names, int]]:
        return self._list(at, self._sensor, phrases.ALL_SENSORS, self.words.all_sensors)

    def _subject(self, at: int) -> Iterator[tuple[Names, int]]:
        if word_at(self.tokens, at) == "it":
            yield (IT,), at + 1
        yield from self._sensor(at)

    def _output(self, at: int) -> Iterator[tuple[Names, int]]:
        if word_at(self.tokens, at) in ("it", "them"):
            yield (IT if word_at(self.tokens, at) == "it" else THEM,), at + 1
        for names, end in self.words.outputs.at(self.tokens, self._past(at, ("a", "an"))):
            yield (names,), end

    def _outputs(self, at: int) -> Iterator[tuple[Names, int]]:
        return self._list(at, self._output, phrases.ALL_OUTPUTS, self.words.all_outputs)

    def _list(
        self,
        at: int,
        one: Callable[[int], Iterator[tuple[Names, int]]],
        every: Sequence[Sequence[str]],
        names: Sequence[str],
    ) -> Iterator[tuple[Names, int]]:
        """`A`, `A and B`, `A, B and C`, or words for all of them."""
        found: dict[tuple[Names, int], None] = {}
        for words in every:
            if names and self._says(at, words):
                found[tuple((name,) for name in names), at + len(words)] = None
        todo: list[tuple[Names, int]] = [((), at)]
        while todo and len(found) < _MOST:
            before, place = todo.pop()
            for part, end in one(place):
                if (before + part, end) not in found:
                    found[before + part, end] = None
                    follow = self._joined(end)
                    if follow > end:
                        todo.append((before + part, follow))
        yield from sorted(found, key=lambda way: -way[1])

    def _joined(self, at: int) -> int:
        comma = at < len(self.tokens) and self.tokens[at].kind == "comma"
        return self._past(at + comma, ("and",))

    def _same(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        for length in (4, 3, 2, 1):
            words = [word_at(self.tokens, at + place) for place in range(length)]
            names = tuple(name for name, bag in self.words.bags.items() if all(word in bag for word in words))
            if names:
                yield names, at + length

    def _place(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        if word_at(self.tokens, at) in ("in", "inside", "at", "of"):
            yield from self._same(at + 1)
        for words in (("in", "here"), ("here",), ("inside",)):
            if self._says(at, words):
                yield self.words.all_sensors, at + len(words)

    def _use(self, at: int) -> Iterator[tuple[Names, int]]:
        """All words of a declared use. A use of one word needs one of USED_ON or a duration behind it."""
        for words, _name in self.words.uses:
            if self._says(at, words):
                names = tuple(sorted({name for other, name in self.words.uses if other == words}))
                end = at + len(words)
                if len(words) == 1 and word_at(self.tokens, end) in phrases.USED_ON:
                    yield (names,), end + 1
                elif len(words) > 1 or any(self._for(end)):
                    yield (names,), end

    def _thing(self, at: int) -> Iterator[tuple[str, int]]:
        """One to three words that name nothing here, for saying what is unknown."""
        for length in (3, 2, 1):
            words = [word_at(self.tokens, at + place) for place in range(length)]
            if all(word.isalpha() and word not in phrases.LINKS for word in words):
                yield self.text[self.tokens[at].start : self.tokens[at + length - 1].end], at + length

    # --- values ---

    def _state(self, at: int) -> Iterator[tuple[bool, int]]:
        if word_at(self.tokens, at) in ("on", "off"):
            yield word_at(self.tokens, at) == "on", at + 1

    def _for(self, at: int) -> Iterator[tuple[float, int]]:
        found = duration(self.tokens, self._past(at, ("for",)))
        if found is not None:
            yield found

    def _value(self, at: int) -> tuple[float, str, int] | None:
        found = number(self.tokens, at)
        if found is None:
            return None
        measure = unit(self.tokens, found[1], self.words.units)
        return (found[0], *measure) if measure is not None else (found[0], "", found[1])

    def _test(self, at: int) -> Iterator[tuple[Test, int]]:
        if word_at(self.tokens, at) == "between":
            yield from self._between(at)
        for words, op in phrases.COMPARISONS:
            if self._says(at, words):
                yield from self._bound(op, at, at + len(words))
                return
        value = self._value(at)
        if value is not None and word_at(self.tokens, value[2]) == "or":
            last = word_at(self.tokens, value[2] + 1)
            if last in phrases.TAIL_COMPARISONS:
                op, end = phrases.TAIL_COMPARISONS[last], value[2] + 2
                yield Test(op, value[0], value[0], value[1], self._said(at, end)), end

    def _bound(self, op: str, at: int, place: int) -> Iterator[tuple[Test, int]]:
        value = self._value(place)
        if value is not None:
            yield Test(op, value[0], value[0], value[1], self._said(at, value[2])), value[2]

    def _between(self, at: int) -> Iterator[tuple[Test, int]]:
        low = self._value(at + 1)
        if low is None or word_at(self.tokens, low[2]) != "and":
            return
        high = self._value(low[2] + 1)
        if high is not None and (not low[1] or not high[1] or low[1] == high[1]):
            yield Test("in", low[0], high[0], high[1] or low[1], self._said(at, high[2])), high[2]

    def _warmer(self, at: int) -> Iterator[tuple[tuple[tuple[str, ...], Test], int]]:
        op, words = phrases.COMPARATIVES.get(word_at(self.tokens, at), ("", ()))
        names = self.words.named(words)
        if op and names and word_at(self.tokens, at + 1) == "than":
            for test, end in self._bound(op, at, at + 2):
                yield (names, test), end

    def _said(self, at: int, end: int) -> str:
        return " ".join(self.text[self.tokens[at].start : self.tokens[end - 1].end].split())

    # --- paths ---

    def _path(self, at: int) -> Iterator[tuple[str, int]]:
        """A quotation, or all up to the next blank without the marks behind it."""
        if at >= len(self.tokens):
            return
        first = self.tokens[at]
        if first.kind == "quote":
            if first.word:
                yield first.word, at + 1
            return
        if first.kind == "comma":
            return
        stop = first.start
        while stop < self.tokens[-1].end and not self.text[stop].isspace():
            stop += 1
        path = self.text[first.start : stop].rstrip(".,:!?") or self.text[first.start : stop]
        end = at
        while end < len(self.tokens) and self.tokens[end].start < first.start + len(path):
            end += 1
        inside = self.tokens[at:end]
        # A bare word that joins or denies is no file: `read the file never and ...` must not swallow the denial.
        linking = "." not in path and "/" not in path and _links(inside)
        if not linking and all(token.kind != "quote" for token in inside):
            yield path, end

    def _dotted(self, at: int) -> Iterator[tuple[str, int]]:
        for path, end in self._path(at):
            quoted = self.tokens[at].kind == "quote"
            if quoted or (("." in path or "/" in path) and any(mark.isalpha() for mark in path)):
                yield path, end
