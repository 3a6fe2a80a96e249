"""Debian's own forms: stanzas, versions, relations between packages. Text in, values out.

Rules:
1. Versions are ordered as deb-version(7) says; `compare` is checked against dpkg itself in the tests.
2. A relation is the list of its alternatives' names (deb-control(5), "Depends"); versions and architectures in it are
   left to apt, which has resolved them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SIGNED = "linux-signed-"


def stanzas(text: str) -> Iterator[dict[str, str]]:
    """Each paragraph of a control file (deb822(5)); a continued field keeps its line breaks, names keep their case."""
    found: dict[str, str] = {}
    last = ""
    for line in text.split("\n"):
        if not line.strip():
            if found:
                yield found
            found, last = {}, ""
        elif line[0] in " \t":
            if last:
                found[last] += "\n" + line[1:]
        elif line[0] != "#":
            last, _, value = line.partition(":")
            found[last] = value.strip()
    if found:
        yield found


def relations(text: str) -> list[list[str]]:
    """`a (>= 1) | b, c:any [armel]` -> [["a", "b"], ["c"]]."""
    found = []
    for part in text.split(","):
        names = [_name(alternative) for alternative in part.split("|")]
        if names != [""]:
            found.append(names)
    return found


def _name(alternative: str) -> str:
    for mark in "([<":
        alternative = alternative.partition(mark)[0]
    return alternative.strip().partition(":")[0]


def source(stanza: dict[str, str]) -> tuple[str, str]:
    """Name and version of the source package of a binary one.

    A signed kernel is built from a package of its own (`linux-signed-arm64`, `linux-signed-6.12-arm64`), which holds
    the code of `linux` or `linux-6.12` in the version that the binary package carries.
    """
    name, _, version = stanza.get("Source", stanza["Package"]).partition(" ")
    if name.startswith(_SIGNED):
        line = name[len(_SIGNED) :].rpartition("-")[0]
        return f"linux-{line}" if line else "linux", stanza["Version"].partition("+b")[0]
    return name, version.strip("() ") or stanza["Version"]


def newest(versions: Iterable[str]) -> str:
    """The newest of some versions; at least one is wanted."""
    best = ""
    for version in versions:
        if not best or compare(version, best) > 0:
            best = version
    return best


def compare(one: str, other: str) -> int:
    """-1, 0 or 1, as dpkg orders two versions (deb-version(7), "Sorting algorithm")."""
    first, second = _parts(one), _parts(other)
    if first[0] != second[0]:
        return 1 if first[0] > second[0] else -1
    return _compare(first[1], second[1]) or _compare(first[2], second[2])


def _parts(version: str) -> tuple[int, str, str]:
    """Epoch, upstream version, revision."""
    epoch, colon, rest = version.partition(":")
    if not colon or not epoch.isdecimal():
        epoch, rest = "0", version
    upstream, dash, revision = rest.rpartition("-")
    return (int(epoch), upstream, revision) if dash else (int(epoch), rest, "0")


def _compare(one: str, other: str) -> int:
    """Runs of other characters and runs of digits in turn."""
    while one or other:
        text_one, one = _run(one, digits=False)
        text_other, other = _run(other, digits=False)
        orders = _orders(text_one), _orders(text_other)
        if orders[0] != orders[1]:
            return 1 if orders[0] > orders[1] else -1
        digits_one, one = _run(one, digits=True)
        digits_other, other = _run(other, digits=True)
        numbers = int(digits_one or "0"), int(digits_other or "0")
        if numbers[0] != numbers[1]:
            return 1 if numbers[0] > numbers[1] else -1
    return 0


def _run(text: str, *, digits: bool) -> tuple[str, str]:
    end = 0
    while end < len(text) and (text[end] in "0123456789") == digits:
        end += 1
    return text[:end], text[end:]


def _orders(text: str) -> list[int]:
    """Letters before all else, the tilde before the end: the end of a run counts as 0."""
    return [-1 if char == "~" else ord(char) + (0 if char.isalpha() else 256) for char in text] + [0]
