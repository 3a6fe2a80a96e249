"""Takes secrets out of whatever may leave: what is recorded, shown, traced, or sent to a model. Pure.

Rules:
1. Known secrets are found in every form of redact_forms.py, whatever stands around them. Others are found by shape, as
   far as that goes.
2. What is found becomes MARK. Nothing else of the text changes.
3. A known secret of less than SHORTEST characters is not looked for: it would be found everywhere.
4. A stream gives out a piece only when nothing in it can be the beginning of a secret. It holds at most HELD characters
   back, and a private key until its end: what is longer is given out by MARK alone.
"""

from __future__ import annotations

from edge.redact_forms import LETTER, MORE, NAMED, PARTS, SHAPES, SHORTEST, WHOLE, WORDS, compiled, forms, probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    # Where a secret stands, and from where on what tells that it is one.
    Span = tuple[int, int, int]

MARK = "[redacted]"
HELD = 4096
BEGIN = "-----BEGIN "
__all__ = ["MARK", "SHORTEST", "Redactor", "Stream"]


class Redactor:
    """Takes out the `secrets` it is told of, and what has the shape of one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known: set[str] = set()
        wrapped: set[str] = set()
        for secret in secrets:
            every, some = forms(secret)
            known |= every
            wrapped |= some
        self.needles = tuple(sorted(known - {"", MARK, MARK[1:-1]}))
        self.wrapped = tuple(sorted(wrapped))
        self._probes = tuple((probe(needle), needle) for needle in self.needles)
        self._least = min([WHOLE, *[len(needle) for needle in self.needles]])

    def text(self, text: str) -> str:
        """`text` without secrets; the same object when there is none."""
        if len(text) < self._least:
            return text
        spans = self.spans(text)
        return cut(text, spans) if spans else text

    def json(self, value: Any) -> Any:
        """A JSON value without secrets: every text in it, names too, and what stands under a name that tells."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (list, tuple)):
            return [self.json(part) for part in value]
        if hasattr(value, "items"):
            return {self.text(str(key)): self._named_value(str(key), part) for key, part in value.items()}
        return value

    def stream(self) -> Stream:
        """For a text that comes in pieces."""
        return Stream(self)

    def _named_value(self, key: str, value: Any) -> Any:
        clean = self.json(value)
        if isinstance(value, str) and clean is value and len(key) < 64:
            pair = f'{key}="{value}"'
            return value if self.text(pair) is pair else MARK
        return clean

    def spans(self, text: str) -> list[Span]:
        """Where secrets stand, in any order; they may overlap."""
        found: list[Span] = []
        for letter, needle in self._probes:
            if letter in text and needle in text:
                at = text.find(needle)
                while at >= 0:
                    found.append((at, at + len(needle), at))
                    at = text.find(needle, at + 1)
        if self.wrapped and "\n" in text:
            self._across_lines(text, found)
        self._by_shape(text, found)
        return found

    def _across_lines(self, text: str, found: list[Span]) -> None:
        joined = squeezed(text)
        hits = [needle for needle in self.wrapped if needle in joined]
        if not hits:
            return
        places = [at for at, letter in enumerate(text) if letter not in "\r\n"]
        for needle in hits:
            at = joined.find(needle)
            while at >= 0:
                found.append((places[at], places[at + len(needle) - 1] + 1, places[at]))
                at = joined.find(needle, at + 1)

    def _by_shape(self, text: str, found: list[Span]) -> None:
        for letter, hints, shape in SHAPES:
            if letter in text:
                for hint in hints:
                    if hint in text:
                        pattern = compiled(shape)
                        found += [(*hit.span(pattern.groups), hit.start()) for hit in pattern.finditer(text)]
                        break
        if ("=" in text or ":" in text) and told(text.lower()):
            for name in NAMED:
                found += [(*hit.span(1), hit.start()) for hit in compiled(name).finditer(text)]


class Stream:
    """A text in pieces: give each to `feed`, write what comes back, and in the end what `end` gives."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._inside = False

    def feed(self, chunk: str) -> str:
        """What may be shown after `chunk`."""
        text = self._held + chunk
        if self._inside:
            return self._until_end(text)
        spans = self._redactor.spans(text)
        keep = max(len(text) - HELD, self._safe(text))
        begun = text.find(BEGIN)
        while begun >= 0 and not self._opens_key(text, begun):
            begun = text.find(BEGIN, begun + 1)
        if begun >= 0 and "-----END " not in text[begun:]:
            keep = min(keep, begun)
            if len(text) - begun > HELD:
                self._inside, self._held = True, text[-64:]
                return cut(text[:begun], [span for span in spans if span[1] <= begun]) + MARK
        keep = _apart(spans, keep, len(text))
        self._held = text[keep:]
        return cut(text[:keep], [span for span in spans if span[1] <= keep])

    def end(self) -> str:
        """What was held back."""
        text, self._held = self._held, ""
        if self._inside:
            self._inside = False
            return ""
        return self._redactor.text(text)

    def _until_end(self, text: str) -> str:
        """Inside a private key that is too long to be held: nothing until its end."""
        at = text.find("-----END ")
        close = text.find("-----", at + 9) if at >= 0 else -1
        if close < 0:
            self._held = text[-64:] if at < 0 else text[at:][:256]
            return ""
        self._inside, self._held = False, ""
        return self.feed(text[close + 5 :])

    @staticmethod
    def _opens_key(text: str, at: int) -> bool:
        line = text[at + len(BEGIN) : at + 64].partition("\n")[0]
        return "PRIVATE KEY" in line or "-----" not in line

    def _safe(self, text: str) -> int:
        """Up to where no secret can have begun that is not whole yet."""
        start = text.rfind("\n") + 1
        low = text[start:].lower()
        if not any(word in low for word in (*WORDS, "bearer", "authorization")):
            start = max(start, *(text.rfind(blank) + 1 for blank in " \t"))
        return min(start, self._begun(text, self._redactor.needles), self._begun_across(text))

    def _begun(self, text: str, needles: tuple[str, ...]) -> int:
        """Where the longest end of `text` stands that a needle begins with."""
        first = len(text)
        for needle in needles:
            at = text.find(needle[0], max(0, len(text) - len(needle) + 1))
            while 0 <= at < first:
                if needle.startswith(text[at:]):
                    first = at
                at = text.find(needle[0], at + 1)
        return first

    def _begun_across(self, text: str) -> int:
        """The same across line ends."""
        if not self._redactor.wrapped or "\n" not in text:
            return len(text)
        joined = squeezed(text)
        behind = len(joined) - self._begun(joined, self._redactor.wrapped)
        at = len(text)
        while behind and at:
            at -= 1
            behind -= text[at] not in "\r\n"
        return at


def told(low: str) -> bool:
    """True when one of WORDS stands in a text in lower case; what they have in common is looked for first."""
    for part in PARTS:
        if part in low:
            break
    else:
        if LETTER not in low or not any(part in low for part in MORE):
            return False
    return any(word in low for word in WORDS)


def squeezed(text: str) -> str:
    """`text` without line ends."""
    return text.replace("\n", "").replace("\r", "")


def _apart(spans: list[Span], keep: int, size: int) -> int:
    """The last place up to `keep` that divides no secret from what tells that it is one."""
    moved = True
    while moved:
        moved = False
        for _, end, begin in spans:
            if begin < keep < end or (end == size <= begin + HELD and begin < keep):
                keep, moved = begin, True
    return keep


def cut(text: str, spans: list[Span]) -> str:
    """`text` with MARK for each run of spans that touch."""
    parts: list[str] = []
    done = 0
    for start, end, _ in sorted(spans):
        if end <= done:
            continue
        if start > done or not parts:
            parts += [text[done:start], MARK]
        done = end
    return "".join([*parts, text[done:]])
