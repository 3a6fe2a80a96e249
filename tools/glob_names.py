"""Patterns of file names, as `glob` and the filters of `grep` take them. Pure.

Rules:
1. `*`, `?` and `[...]` match within one name and never a slash; `**` as a whole part matches any number of folders, and
   at the end everything below. `**` beside other letters is `*`.
2. `[abc]`, `[a-z]`, `[!a]` or `[^a]`, `[[:digit:]]`; a `]` that comes first is itself; what is not closed is a letter.
   `\\` takes the next letter as it is. `{a,b}` is expanded before all else, nested too; without a comma it is letters.
3. A name that begins with a dot is matched where the pattern has that dot, or with `hidden`; `**` passes none.
4. Case counts. Names are compared as Python has them: bytes that are no UTF-8 stay single letters.
5. Linear: between two stars the first place that fits is taken for good (an atomic group, written as a look-ahead and
   a reference, as Python 3.9 has no other), so no pattern can make a match long.
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Keep = Callable[[list[str]], list[str]]

ALTERNATIVES = 256
_CLASSES = {
    "digit": "0-9",
    "alpha": "a-zA-Z",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": " \\t-\\r",
    "xdigit": "0-9a-fA-F",
    "punct": "!-/:-@\\[-`{-~",
}
_WILD = frozenset("*?[\\")


class Part:
    """One part of a pattern, between slashes. `keep` filters names by it."""

    def __init__(self, text: str, hidden: bool) -> None:
        self.deep = text == "**"
        self.literal = None if self.deep else literal(text)
        # Rule 3: only a dot that stands there matches one.
        self.dots = hidden or (self.literal or text.lstrip("\\"))[:1] == "."
        self.tail = ("" if self.deep else self.literal or (literal(text[1:]) if text[0] == "*" else "")) or ""
        self.by_end = bool(self.tail) and self.literal is None  # a star, and then only letters
        self.keep = self._keep(text)

    def fits(self, name: str) -> bool:
        """True when the name of a folder is matched; by `**` too."""
        return bool(self.keep([name]))

    def _keep(self, text: str) -> Keep:
        found = self._filter(text)
        if self.dots:
            return found
        return lambda names: [name for name in found(names) if name[:1] != "."]

    def _filter(self, text: str) -> Keep:
        if self.deep or not text.strip("*"):
            return lambda names: names
        if self.literal is not None:
            only = self.literal
            return lambda names: [name for name in names if name == only]
        tail = self.tail
        if tail:
            return lambda names: [name for name in names if name.endswith(tail)]
        match = _compiled(text)
        return lambda names: [name for name in names if match(name)]


class Glob:
    """All alternatives of one pattern, relative to one start.

    everywhere: it may match in every folder. by_end: all names there that end with `suffix`.

    start: the folder that all of them share as letters, "" when there is none or without `rooted`. absolute: it
    begins at `/`.
    """

    def __init__(self, pattern: str, hidden: bool = False, rooted: bool = True) -> None:
        ways = [_split(one) for one in expanded(pattern)]
        self.absolute = pattern.startswith("/") or ways[0][0]
        if any(way[0] != self.absolute for way in ways):
            raise UsageFault(f"{pattern!r} begins partly at / and partly not", "give two patterns")
        self.folders = all(way[2] for way in ways)
        lists = [way[1] for way in ways]
        shared = 0
        while rooted and all(len(one) > shared + 1 and literal(one[shared]) is not None for one in lists):
            if len({literal(one[shared]) for one in lists}) > 1:
                break
            shared += 1
        self.start = "/".join([literal(part) or "" for part in lists[0][:shared]])
        self._ways = [[Part(part, hidden) for part in one[shared:]] for one in lists]
        self.hidden = hidden or any(part.dots for way in self._ways for part in way)
        deep = any(part.deep for way in self._ways for part in way)
        self.depth = 0 if deep else max(map(len, self._ways))
        self.suffix = self._suffix()
        self.everywhere = hidden == self.hidden and all(len(way) == 2 and way[0].deep for way in self._ways)
        self.by_end = self.everywhere and len(self._ways) == 1 and self._ways[0][1].by_end
        self._folder, self._filters = "\0", [way[-1].keep for way in self._ways]

    def keep(self, where: str, names: list[str]) -> list[str]:
        """Those of the names in the folder `where` ("" or with a slash at its end) that the pattern matches."""
        if where != self._folder and not self.everywhere:
            parts = where.split("/")[:-1]
            self._filters = [way[-1].keep for way in self._ways if len(way) - 1 in _reached(way[:-1], parts)]
            self._folder = where
        if len(self._filters) == 1:
            return self._filters[0](names)
        found = {name for keep in self._filters for name in keep(names)}
        return [name for name in names if name in found]

    def enter(self, where: str, names: list[str]) -> list[str]:
        """Those of the folders in the folder `where` below which the pattern may match something."""
        if self.everywhere:
            return names
        parts = where.split("/")[:-1]
        ways = [(way[:-1], _reached(way[:-1], parts)) for way in self._ways]
        return [name for name in names if any(_stepped(way, at, name) for way, at in ways)]

    def _suffix(self) -> str:
        """How every name ends that is matched, "" when that is not known."""
        tails = {way[-1].tail for way in self._ways}
        return tails.pop() if len(tails) == 1 else ""


def _reached(way: list[Part], parts: list[str]) -> set[int]:
    """How many parts of the way may be used up when these folders were passed; empty when they do not fit."""
    at = _closed(way, {0})
    for part in parts:
        at = _stepped(way, at, part)
        if not at:
            break
    return at


def _stepped(way: list[Part], at: set[int], part: str) -> set[int]:
    """The same after one folder more."""
    return _closed(way, {now + (not way[now].deep) for now in at if now < len(way) and way[now].fits(part)})


def _closed(way: list[Part], at: set[int]) -> set[int]:
    """Also the places after each `**`, which may match no folder at all."""
    found = set(at)
    for now in at:
        while now < len(way) and way[now].deep:
            now += 1
            found.add(now)
    return found


def filtering(pattern: str) -> Callable[[str, list[str]], list[str]]:
    """A filter of names for `include` and `exclude`: without a slash the pattern is of a name in any folder."""
    plain = pattern[2:] if pattern.startswith("./") else pattern
    return Glob(plain if "/" in plain.rstrip("/") else f"**/{plain}", True, False).keep


def expanded(pattern: str) -> list[str]:
    """The alternatives of a pattern with braces, at most ALTERNATIVES; UsageFault beyond."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        found = _braces(text)
        if found is None:
            done.append(text)
        else:
            before, choices, after = found
            waiting += [f"{before}{choice}{after}" for choice in reversed(choices)]
        if len(done) + len(waiting) > ALTERNATIVES:
            raise UsageFault(f"the braces of {pattern[:80]!r} stand for more than {ALTERNATIVES} patterns", "use fewer")
    return list(dict.fromkeys(done))


def literal(text: str) -> str | None:
    """The name that a part stands for when it has no wildcard; None when it has one."""
    if _WILD.isdisjoint(text):
        return text
    found = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter in "*?" or (letter == "[" and _class(text, at)[0] > at):
            return None
        if letter == "\\" and at + 1 < len(text):
            at += 1
        found.append(text[at])
        at += 1
    return "".join(found)


def _split(pattern: str) -> tuple[bool, list[str], bool]:
    """Absolute?, the parts, only folders?"""
    parts: list[str] = []
    for part in pattern.split("/"):
        if part == "..":
            raise UsageFault(f"{pattern[:80]!r} goes up by `..`", "give the folder as root")
        if part not in ("", ".") and not (part == "**" and parts[-1:] == ["**"]):
            parts.append(part)
    if not parts:
        raise UsageFault(f"{pattern[:80]!r} names nothing", "give a pattern such as **/*.py")
    if parts[-1] == "**":
        parts.append("*")
    return pattern.startswith("/"), parts, pattern.endswith(("/", "/."))


def _braces(text: str) -> tuple[str, list[str], str] | None:
    """What stands before the first braces with a comma, their choices, and what stands after; None without any."""
    opened: list[int] = []
    commas: list[list[int]] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == "{":
            opened.append(at)
            commas.append([])
        elif letter == "," and opened:
            commas[-1].append(at)
        elif letter == "}" and opened:
            start, cuts = opened.pop(), commas.pop()
            if cuts:
                edges = [start, *cuts, at]
                choices = [text[one + 1 : other] for one, other in zip(edges, edges[1:])]
                return text[:start], choices, text[at + 1 :]
        at += 1
    return None


def _class(text: str, at: int) -> tuple[int, str]:
    """Where the class that opens at `at` ends (its bracket), and what it holds for `re`; `at` itself when none does."""
    import re

    now = at + 1
    negated = text[now : now + 1] in ("!", "^")
    now += negated
    first = now
    items: list[str] = []
    while now < len(text) and (text[now] != "]" or now == first):
        name = text[now + 2 : text.find(":]", now)] if text.startswith("[:", now) else ""
        if name in _CLASSES:
            items.append(_CLASSES[name])
            now += len(name) + 4
            continue
        now += text[now] == "\\" and now + 1 < len(text)
        low, now = text[now], now + 1
        if text[now : now + 1] == "-" and text[now + 1 : now + 2] not in ("", "]"):
            now += 1 + (text[now + 1] == "\\" and now + 2 < len(text))
            high, now = text[now], now + 1
            if high < low:
                raise UsageFault(f"the range {low}-{high} of {text[:80]!r} is the wrong way round")
            items.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            items.append(re.escape(low))
    if now >= len(text):
        return at, ""
    return now, f"[{'^' * negated}{''.join(items)}]"


def _compiled(text: str) -> Callable[[str], object]:
    """The match of one part by `re` (rule 5)."""
    import re

    pieces = [""]
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "*":
            pieces.append("")
        elif letter == "?":
            pieces[-1] += "."
        elif letter == "[" and _class(text, at)[0] > at:
            at, found = _class(text, at)
            pieces[-1] += found
        else:
            at += letter == "\\" and at + 1 < len(text)
            pieces[-1] += re.escape(text[at])
        at += 1
    middle = [f"(?=(?P<g{n}>.*?{piece}))(?P=g{n})" for n, piece in enumerate(pieces[1:-1]) if piece]
    last = f".*{pieces[-1]}" if len(pieces) > 1 else ""
    return re.compile(f"(?s:{pieces[0]}{''.join(middle)}{last})\\Z").match
