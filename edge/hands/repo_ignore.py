"""What `.gitignore` leaves out. Source: gitignore(5). Pure.

Rules:
1. The last pattern that fits decides, those of a deeper folder after those above.
2. A pattern is compared by a set of places in it, letter by letter: the time is its length times that of the name,
   whatever stands in it.
3. At most PATTERNS of at most LENGTH bytes count in one file.
"""

from __future__ import annotations

PATTERNS, LENGTH = 2000, 512
_STAR, _ALL, _DIRS = -1, -2, -3
_CLASSES = {
    b"alnum": b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"alpha": b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"digit": b"0123456789",
    b"lower": b"abcdefghijklmnopqrstuvwxyz",
    b"upper": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"space": b" \t\n\r\v\f",
    b"xdigit": b"0123456789abcdefABCDEF",
    b"blank": b" \t",
    b"punct": b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}


class Pattern:
    """One line. keeps: it begins with `!`. folders: it fits folders only. whole: it fits the path, not the name."""

    __slots__ = ("_end", "_tokens", "_word", "folders", "keeps", "whole")

    def __init__(self, line: bytes) -> None:
        self.keeps = line[:1] == b"!"
        line = line[self.keeps :]
        self.folders = line.endswith(b"/") and not line.endswith(b"\\/")
        line = line[:-1] if self.folders else line
        self.whole = b"/" in line
        line = line[line[:1] == b"/" :]
        self._word = line if not set(line) & set(b"*?[\\") else None
        rest = line[1:]
        self._end = rest if line[:1] == b"*" and rest and not set(rest) & set(b"*?[\\/") else None
        self._tokens = _tokens(line)

    def fits(self, path: bytes, name: bytes) -> bool:
        text = path if self.whole else name
        if self._word is not None:
            return text == self._word
        if self._end is not None and not self.whole:
            return name.endswith(self._end)
        return matches(self._tokens, text)


def patterns(data: bytes) -> list[Pattern]:
    """The patterns of one file, in order."""
    found = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = line[:-1] if line.endswith(b"\r") else line
        bare = line.rstrip(b" ")
        line = bare + b" " if bare.endswith(b"\\") and bare != line else bare
        if not line or line[:1] == b"#" or len(line) > LENGTH or line in (b"!", b"/"):
            continue
        found.append(Pattern(line))
        if len(found) >= PATTERNS:
            break
    return found


def ignored(levels: list[tuple[bytes, list[Pattern]]], path: bytes, folder: bool) -> bool:
    """Is `path` left out? levels: (folder with a slash behind or nothing, its patterns), from the top down."""
    name = path.rpartition(b"/")[2]
    for base, found in reversed(levels):
        below = path[len(base) :]
        for pattern in reversed(found):
            if (folder or not pattern.folders) and pattern.fits(below, name):
                return not pattern.keeps
    return False


def _tokens(text: bytes) -> list[object]:
    """Bytes, sets of bytes, and the marks of what may be longer."""
    found: list[object] = []
    at = 0
    while at < len(text):
        letter = text[at : at + 1]
        if letter == b"*":
            stop = at
            while text[stop : stop + 1] == b"*":
                stop += 1
            alone = stop - at == 2 and (at == 0 or text[at - 1 : at] == b"/")
            if alone and text[stop : stop + 1] == b"/":
                found.append(_DIRS)
                stop += 1
            else:
                found.append(_ALL if alone and stop == len(text) else _STAR)
            at = stop
        elif letter == b"?":
            found.append(frozenset(range(256)) - {47})
            at += 1
        elif letter == b"[":
            some, at = _set(text, at)
            found.append(some)
        else:
            at += letter == b"\\" and at + 1 < len(text)
            found.append(frozenset(text[at : at + 1]))
            at += 1
    return found


def _set(text: bytes, at: int) -> tuple[frozenset[int], int]:
    """A set in brackets and where it ends; one that is not closed fits nothing."""
    at += 1
    other = text[at : at + 1] in (b"!", b"^")
    at += other
    some: set[int] = set()
    first = True
    while at < len(text) and (text[at : at + 1] != b"]" or first):
        first = False
        if text[at : at + 2] == b"[:" and b":]" in text[at:]:
            stop = text.index(b":]", at)
            some.update(_CLASSES.get(text[at + 2 : stop], b""))
            at = stop + 2
            continue
        at += text[at : at + 1] == b"\\"
        low = high = text[at] if at < len(text) else 0
        at += 1
        if text[at : at + 1] == b"-" and text[at + 1 : at + 2] not in (b"]", b""):
            at += 1
            at += text[at : at + 1] == b"\\"
            high = text[at] if at < len(text) else low
            at += 1
        some.update(range(low, high + 1))
    if at >= len(text):
        return frozenset(), len(text)
    return (frozenset(range(256)) - some if other else frozenset(some)) - {47}, at + 1


def matches(tokens: list[object], text: bytes) -> bool:
    """True when all of `text` fits. A place is twice its number, plus one in the middle of a name for _DIRS."""
    places = _spread({0}, tokens)
    for byte in text:
        after: set[int] = set()
        for place in places:
            token = tokens[place >> 1] if place >> 1 < len(tokens) else None
            if token is None:
                continue
            if token == _DIRS:
                after.add(place & ~1 if byte == 47 else place | 1)
            elif token == _ALL or (token == _STAR and byte != 47):
                after.add(place)
            elif isinstance(token, frozenset) and byte in token:
                after.add((place & ~1) + 2)
        places = _spread(after, tokens)
        if not places:
            return False
    return 2 * len(tokens) in places


def _spread(places: set[int], tokens: list[object]) -> set[int]:
    """The places with those that are reached from them without a letter."""
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place & 1 or place >> 1 >= len(tokens):
            continue
        if tokens[place >> 1] in (_STAR, _ALL, _DIRS) and place + 2 not in places:
            places.add(place + 2)
            waiting.append(place + 2)
    return places
