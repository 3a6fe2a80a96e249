"""The tags and texts of a web page, in one pass, whatever the page is.

Rules:
1. Linear in the length of the page. The standard library's html.parser is not, in the Pythons that boards have: 60 KB
   of `<a ` take it a minute. Every mark is looked for from where it was last found.
2. It follows the tokenizer of the HTML standard (section 13.2.5) where pages rely on it: a tag ends at the first `>`
   outside of quotes, comments at `-->`, the content of script, style and the like at their own end tag only.
3. What is broken is text or nothing, never an error: a `<` that begins no tag is a letter, and what a tag, comment or
   script without an end would hold is left out.
4. At most MOST tags; what follows them is not looked at, and `cut` says so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Token = tuple[str, str, str]

TEXT, OPEN, CLOSE = "text", "open", "close"
MOST = 60_000  # tags; large pages have a third of that, and a small board reads some thousand in a second
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BLANKS = " \t\n\r\f"
_LOWER = {code: code + 32 for code in range(65, 91)}
_RAW_ATTRIBUTES = 8192  # characters of a tag that are read for attributes


class Tags:
    """Iterate over (kind, name or text, attributes as they stand) once. `cut`: there were more than MOST tags."""

    def __init__(self, page: str) -> None:
        self._page = page
        self._folded = ""
        self._end = len(page)
        self._found: dict[str, int] = {}
        self._quotes = True
        self.cut = False

    def __iter__(self) -> Iterator[Token]:
        at = seen = 0
        while at < self._end:
            start = self._next("<", at)
            if start > at:
                yield TEXT, self._page[at:start], ""
            if start >= self._end:
                return
            if seen >= MOST:
                self.cut = True
                return
            seen += 1
            at, token = self._markup(start)
            if token is not None:
                yield token
                if token[0] == OPEN and token[1] in _RAW:
                    end = self._raw_end(token[1], at)
                    if token[1] == "title" and end >= self._end:
                        continue
                    if end > at:
                        yield TEXT, self._page[at:end], ""
                    at = end

    def _next(self, mark: str, at: int, page: str = "") -> int:
        """Where `mark` stands at or after `at`; the length of the page when nowhere (rule 1)."""
        found = self._found.get(mark, -1)
        if found < at:
            found = (page or self._page).find(mark, at)
            self._found[mark] = found = self._end if found < 0 else found
        return found

    def _markup(self, start: int) -> tuple[int, Token | None]:
        """What the `<` at `start` begins, and where to go on."""
        page = self._page
        first = page[start + 1 : start + 2]
        if first in _LETTERS:
            return self._tag(start + 1, OPEN)
        if first == "/" and page[start + 2 : start + 3] in _LETTERS:
            return self._tag(start + 2, CLOSE)
        if page.startswith("<!--", start):
            return min(self._end, self._next("-->", start + 2) + 3), None
        if first and first in "!?/":
            return min(self._end, self._next(">", start) + 1), None
        return start + 1, (TEXT, "<", "")

    def _tag(self, start: int, kind: str) -> tuple[int, Token | None]:
        end = self._tag_end(start)
        if end >= self._end:
            return self._end, None
        inside = self._page[start : min(end, start + _RAW_ATTRIBUTES)]
        name = inside
        for number, letter in enumerate(inside[:33]):
            if letter in _BLANKS or letter == "/":
                name = inside[:number]
                break
        return end + 1, (kind, name[:32].translate(_LOWER), inside[len(name) :])

    def _tag_end(self, at: int) -> int:
        """The `>` that ends a tag; one between quotes does not, as long as quotes come in pairs."""
        start = at
        while True:
            end = self._next(">", at)
            if not self._quotes or end >= self._end:
                return end
            quote = min(self._next('"', at), self._next("'", at))
            if quote >= end:
                return end
            at = self._next(self._page[quote], quote + 1) + 1
            if at > self._end or self._next(">", at) >= self._end:
                # No pairs from here on: once for a page, so that looking back costs no more than the page itself.
                self._quotes = False
                self._found.clear()
                return self._next(">", start)

    def _raw_end(self, name: str, at: int) -> int:
        """Where the end tag of an element with raw content begins."""
        if not self._folded:
            self._folded = self._page.translate(_LOWER)
        mark = f"</{name}"
        while True:
            end = self._next(mark, at, self._folded)
            after = self._folded[end + len(mark) : end + len(mark) + 1]
            if end >= self._end or after in _BLANKS + "/>":
                return end
            at = end + 1


def attribute(inside: str, wanted: str) -> str | None:
    """The value of an attribute as it stands in a tag (`inside`: what follows the name); None when it is not there."""
    at, end = 0, len(inside)
    while at < end:
        while at < end and inside[at] in _BLANKS + "/":
            at += 1
        start = at
        while at < end and inside[at] not in _BLANKS + "/=":
            at += 1
        name = inside[start:at].translate(_LOWER)
        while at < end and inside[at] in _BLANKS:
            at += 1
        value, at = _value(inside, at + 1) if inside[at : at + 1] == "=" else ("", at)
        if name == wanted:
            return value
    return None


def _value(inside: str, at: int) -> tuple[str, int]:
    """The value that begins at `at`, and where it is over."""
    while inside[at : at + 1] and inside[at] in _BLANKS:
        at += 1
    quote = inside[at : at + 1]
    if quote and quote in "\"'":
        end = inside.find(quote, at + 1)
        end = len(inside) if end < 0 else end
        return inside[at + 1 : end], end + 1
    end = at
    while end < len(inside) and inside[end] not in _BLANKS:
        end += 1
    return inside[at:end], end
