"""From the words of a goal to the matches of its clauses: which pattern fits where. Pure.

Rules:
1. A sentence is understood when its clauses, joined by "and", "then", "but" or commas, take all its words.
2. "if" reaches over its whole sentence, to "otherwise". An "if" that comes last reaches over the orders before
   it. One sentence holds one "if" on each side of "otherwise".
3. "otherwise" may begin a sentence: it belongs to the "if" of the sentence before.
4. A time right behind a condition is not taken: nobody can tell whether it says how long that must have held.
5. A denial ("do not ...") reaches to the end of its sentence and must deny orders and nothing else.
6. A goal in which one clause is not understood has no meaning at all.
"""

from __future__ import annotations

from edge.model import phrases
from edge.model.names import Slots
from edge.model.tokens import sentences, word_at
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Union

    from edge.model.names import Bound, Vocabulary
    from edge.model.tokens import Sentence, Token

    Found = Union["Match", "Choice"]
    Table = tuple[tuple[str, tuple["Part", ...]], ...]

ORDERS = frozenset(("switch", "on", "off", "alloff"))
LONGEST_SENTENCE = 120


class Part(Record):
    """One place of a pattern: a slot, or words of which one must stand there."""

    slot: str
    words: frozenset[str]
    optional: bool


class Match(Record):
    """A pattern that fits: what its slots hold, its words, and what it denies when it is a denial."""

    kind: str
    bound: Bound
    text: str
    start: int
    then: bool = False
    denied: tuple[Found, ...] = ()


class Choice(Record):
    """A condition with what hangs on it. `last`: the condition was said behind its orders."""

    condition: Match
    body: tuple[Found, ...]
    text: str
    start: int
    then: bool = False
    otherwise: tuple[Found, ...] = ()
    when: bool = False
    last: bool = False


class Lost(Record):
    """A sentence that has no meaning, and where it was lost: the words from there to the end of the clause."""

    clause: str
    words: tuple[Token, ...]


class Said(Record):
    """A sentence that was understood."""

    found: tuple[Found, ...]
    question: bool


def compiled(table: Iterable[tuple[str, str]]) -> Table:
    """Patterns as they are matched."""
    return tuple((kind, tuple(map(_part, pattern.split()))) for kind, pattern in table)


def _part(text: str) -> Part:
    bare = text.rstrip("?")
    slot = bare if bare.isupper() else ""
    return Part(slot, frozenset() if slot else frozenset(bare.split("|")), text != bare)


class Tables:
    """All patterns, compiled once."""

    def __init__(self) -> None:
        self.clauses = compiled(phrases.CLAUSES + phrases.ORDERS)
        self.following = {before: compiled(table) for before, table in phrases.FOLLOWING.items()}
        self.questions = compiled(phrases.QUESTIONS)
        self.conditions = compiled(phrases.CONDITIONS)
        self.vague = compiled(phrases.VAGUE)
        self.unknown = compiled(phrases.UNKNOWN)


class Reader:
    """Reads the tokens of one sentence, or of a part of one."""

    def __init__(self, tables: Tables, slots: Slots, question: bool) -> None:
        self.tables = tables
        self.slots = slots
        self.tokens = slots.tokens
        self.question = question
        self.lost = 0
        self._known: dict[tuple[int, str], tuple[Found, ...] | None] = {}

    def part(self, tokens: Sequence[Token]) -> Reader:
        """A reader of some of the tokens."""
        return Reader(self.tables, Slots(self.slots.words, self.slots.text, tokens), self.question)

    # --- patterns ---

    def fitting(self, table: Table, at: int) -> Iterator[tuple[str, Bound, int]]:
        """Every pattern of the table that fits at a place, with where it ends; the longest first."""
        ways = [(kind, bound, end) for kind, parts in table for bound, end in self._ways(parts, 0, at, {})]
        yield from sorted((way for way in ways if agrees(way[1])), key=lambda way: -way[2])

    def _ways(self, parts: Sequence[Part], number: int, at: int, bound: Bound) -> Iterator[tuple[Bound, int]]:
        if number == len(parts):
            yield bound, at
            return
        part = parts[number]
        if part.slot:
            for value, end in self.slots.fill(part.slot, at):
                yield from self._ways(parts, number + 1, end, {**bound, part.slot: value})
        elif word_at(self.tokens, at) in part.words:
            yield from self._ways(parts, number + 1, at + 1, bound)
        if part.optional:
            yield from self._ways(parts, number + 1, at, bound)

    def _said(self, at: int, end: int) -> str:
        return self.slots.text[self.tokens[at].start : self.tokens[end - 1].end]

    # --- clauses ---

    def sequence(self, at: int, before: str = "", then: bool = False) -> tuple[Found, ...] | None:
        """The clauses from a place to the end; None when they are not all understood.

        `before`: what the clause before was, when that matters for this one (`_kind`), else empty.
        """
        key = (at, before)
        if key not in self._known:
            self._known[key] = self._denial(at, then) or self._sequence(at, before, then)
            if self._known[key] is None:
                self._lose(at)
        return self._known[key]

    def _lose(self, at: int) -> None:
        self.lost = max(self.lost, min(at, len(self.tokens) - 1))

    def _sequence(self, at: int, before: str, then: bool) -> tuple[Found, ...] | None:
        table = self.tables.clauses + self.tables.following.get(before, ())
        table += self.tables.questions if self.question else ()
        for kind, bound, end in self.fitting(table, at):
            match = Match(kind, bound, self._said(at, end), self.tokens[at].start, then)
            after, word, follows = self._joined(end)
            if after == len(self.tokens) and not word:
                return (match,)
            if after == end:
                continue
            rest = self.sequence(after, _kind(match), follows)
            if rest is not None:
                return (match, *rest)
        return None

    def _joined(self, at: int) -> tuple[int, bool, bool]:
        """Past commas and joining words: the place, whether a word was among them, whether it was "then"."""
        word = then = False
        while at < len(self.tokens):
            joiner = word_at(self.tokens, at)
            if joiner not in phrases.JOINERS and self.tokens[at].kind != "comma":
                break
            word, then = word or joiner != "", then or joiner == "then"
            at += 1
        return at, word, then

    def _denial(self, at: int, then: bool) -> tuple[Found, ...] | None:
        for words in phrases.NEGATIONS:
            end = at + len(words)
            if tuple(word_at(self.tokens, place) for place in range(at, end)) == words:
                lost = self.lost
                rest = self.sequence(end)
                self.lost = lost
                if rest and all(isinstance(found, Match) and found.kind in ORDERS for found in rest):
                    text = self._said(at, len(self.tokens))
                    return (Match("denied", {}, text, self.tokens[at].start, then, rest),)
        return None

    # --- conditions ---

    def meaning(self) -> tuple[Found, ...] | None:
        """What all the tokens mean: clauses, or clauses with one condition."""
        at, _, then = self._joined(0)
        if at == len(self.tokens):
            return None
        plain = self.sequence(at, "", then)
        if plain is not None:
            return plain
        ifs = [place for place in range(at, len(self.tokens)) if word_at(self.tokens, place) in phrases.IFS]
        return self._conditional(at, ifs[0], then) if len(ifs) == 1 else None

    def _conditional(self, at: int, place: int, then: bool) -> tuple[Found, ...] | None:
        before = self.part(self.tokens[at:place])
        when = word_at(self.tokens, place) == "when"
        fitting = list(self.fitting(self.tables.conditions, place + 1))
        for kind, bound, end in fitting:
            text = self._said(place, end)
            test = Match(kind, bound, text, self.tokens[place].start)
            choice = Choice(test, (), text, self.tokens[place].start, then, (), when)
            found = self._hung(choice, before, end)
            if found is not None:
                return found
        self._lose(at + before.lost if fitting else place)
        return None

    def _hung(self, choice: Choice, before: Reader, end: int) -> tuple[Found, ...] | None:
        """The condition with its clauses: those behind it, or when there are none those before it."""
        place, _, _ = self._joined(end)
        if place == len(self.tokens):
            return _backwards(choice, before.sequence(0)) if before.tokens else None
        if any(word_at(self.tokens, joiner) in ("and", "but") for joiner in range(end, place)):
            return None
        if place == end and any(self.slots.fill("FOR", place)):
            return None  # "is above 30 C for 5 minutes ...": a time there may belong to the condition
        earlier, then = before.joined_sequence() if before.tokens else ((), choice.then)
        body = self.sequence(place)
        return None if earlier is None or body is None else (*earlier, replace(choice, body=body, then=then))

    def joined_sequence(self) -> tuple[tuple[Found, ...] | None, bool]:
        """The clauses of tokens that end with a comma or a joining word (None without one); whether that is "then"."""
        end = len(self.tokens)
        while end and (self.tokens[end - 1].kind == "comma" or word_at(self.tokens, end - 1) in phrases.JOINERS):
            end -= 1
        reader = self.part(self.tokens[:end])
        found = reader.sequence(0) if end < len(self.tokens) else None
        self.lost = reader.lost
        return found, self._joined(end)[2]


def _backwards(choice: Choice, clauses: tuple[Found, ...] | None) -> tuple[Found, ...] | None:
    """`read A and turn B on if ...`: the condition reaches over everything from the first order on."""
    if clauses is None:
        return None
    ordered = [number for number, found in enumerate(clauses) if isinstance(found, Match) and found.kind in ORDERS]
    first = ordered[0] if ordered else 0
    return (*clauses[:first], replace(choice, body=clauses[first:], last=True))


def _kind(match: Match) -> str:
    """What the next clause may go on with, as a key of phrases.FOLLOWING."""
    if match.kind == "switch":
        return "switch on" if match.bound["STATE"] else "switch off"
    return "run" if match.kind == "on" else ""


def agrees(bound: Bound) -> bool:
    """True when the words for one sensor fit together; narrows the names to those that all of them fit."""
    names = bound.get("SENSOR")
    if "WARMER" in bound:
        names = (bound["WARMER"][0],)
    for slot in ("SAME", "PLACE"):
        if slot in bound:
            names = names or bound.get("SENSORS")
            if names is None:
                return slot == "PLACE"
            names = tuple(tuple(name for name in part if name in bound[slot]) for part in names)
            if not all(names):
                return False
    if names is not None:
        bound["SENSORS"] = names
    return True


def split(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """The tokens between the words for "otherwise"."""
    parts: list[tuple[Token, ...]] = []
    start = at = 0
    while at < len(tokens):
        words = next((w for w in phrases.ELSES if _stand(tokens, at, w)), ())
        if words:
            parts.append(tuple(tokens[start:at]))
            start = at + len(words)
        at += len(words) or 1
    return [*parts, tuple(tokens[start:])]


def _stand(tokens: Sequence[Token], at: int, words: Sequence[str]) -> bool:
    return all(word_at(tokens, at + place) == word for place, word in enumerate(words))


def attached(found: tuple[Found, ...], otherwise: tuple[Found, ...]) -> tuple[Found, ...] | None:
    """`found` with an "otherwise" for its last condition; None when there is none that lacks one."""
    if not found or not isinstance(found[-1], Choice):
        return None
    last = found[-1]
    inner = attached(last.otherwise, otherwise) if last.otherwise else otherwise
    return None if inner is None else (*found[:-1], replace(last, otherwise=inner))


def understood(tables: Tables, vocabulary: Vocabulary, text: str) -> list[Said] | Lost:
    """Every sentence of a goal, or the first that has no meaning."""
    said: list[Said] = []
    for sentence in sentences(text):
        lost = _add(tables, vocabulary, text, sentence, said)
        if lost is not None:
            return lost
    return said


def _add(tables: Tables, vocabulary: Vocabulary, text: str, sentence: Sentence, said: list[Said]) -> Lost | None:
    """Add one sentence to `said`; Lost when it has no meaning."""
    tokens = sentence.tokens
    if len(tokens) > LONGEST_SENTENCE:
        return _lost(text, tokens, 0)
    found: tuple[Found, ...] | None = None
    for number, part in enumerate(split(tokens)):
        if number == 0 and not part and said:
            last = said.pop()
            found, sentence = last.found, replace(sentence, question=sentence.question or last.question)
            continue
        reader = Reader(tables, Slots(vocabulary, text, _trimmed(part)), sentence.question)
        meaning = reader.meaning()
        if meaning is not None:
            found = meaning if number == 0 else attached(found or (), meaning)
        if meaning is None or found is None:
            base = tokens.index(part[0]) if part else number and len(tokens) - 1
            return _lost(text, tokens, base + reader.lost)
    said.append(Said(found or (), sentence.question))
    return None


def _trimmed(part: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without the comma or joiner before "otherwise"."""
    while part and (part[-1].kind == "comma"):
        part = part[:-1]
    return part


def _lost(text: str, tokens: Sequence[Token], at: int) -> Lost:
    """The clause that begins at a place, up to the next comma or joining word."""
    end = at + 1
    while end < len(tokens) and tokens[end].kind != "comma" and word_at(tokens, end) not in phrases.JOINERS:
        end += 1
    words = tuple(tokens[at:end])
    return Lost(text[words[0].start : words[-1].end] if words else text, words)
