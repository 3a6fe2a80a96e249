"""What `glob` has to find, written slowly and plainly: every path is tried letter by letter against every pattern."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def alternatives(pattern: str) -> list[str]:
    """The patterns that braces stand for: the first group with a comma that holds no other group is expanded."""
    for start in range(len(pattern)):
        if pattern[start] != "{":
            continue
        end = pattern.find("}", start)
        inner = pattern[start + 1 : end]
        if end > 0 and "{" not in inner and "," in inner:
            found = [alternatives(pattern[:start] + one + pattern[end + 1 :]) for one in inner.split(",")]
            return [one for group in found for one in group]
    return [pattern]


@cache
def name_fits(name: str, pattern: str) -> bool:
    """One name against one part of a pattern, by recursion."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return name_fits(name, pattern[1:]) or (bool(name) and name_fits(name[1:], pattern))
    end = pattern.find("]", 2 + (pattern[1:2] in ("!", "^"))) if pattern[0] == "[" else -1
    if end > 0:
        return bool(name) and in_class(name[0], pattern[1:end]) and name_fits(name[1:], pattern[end + 1 :])
    return bool(name) and pattern[0] in ("?", name[0]) and name_fits(name[1:], pattern[1:])


def in_class(letter: str, inner: str) -> bool:
    """A letter against what stands in brackets."""
    negated = inner[:1] in ("!", "^")
    inner = inner[negated:]
    found = False
    while inner:
        if len(inner) > 2 and inner[1] == "-":
            found |= inner[0] <= letter <= inner[2]
            inner = inner[3:]
        else:
            found |= letter == inner[0]
            inner = inner[1:]
    return found != negated


def path_fits(parts: tuple[str, ...], pattern: tuple[str, ...], hidden: bool) -> bool:
    """All parts of a path against all parts of a pattern."""
    if not pattern:
        return not parts
    first, rest = pattern[0], pattern[1:]
    seen = bool(parts) and (hidden or parts[0][0] != "." or first[0] == ".")
    if first == "**":
        more = seen and path_fits(parts[1:], pattern, hidden)
        # As the last part it matches everything below, so at least one name.
        return more or (path_fits(parts, rest, hidden) if rest else len(parts) == 1 and seen)
    return seen and name_fits(parts[0], first) and path_fits(parts[1:], rest, hidden)


def found(root: Path, pattern: str, hidden: bool = False) -> list[str]:
    """The sorted files below `root` that the pattern matches."""
    files = []
    for folder, _, names in os.walk(root):
        files += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    patterns = [tuple(one.split("/")) for one in alternatives(pattern)]
    return sorted({path for path in files for one in patterns if path_fits(tuple(path.split("/")), one, hidden)})
