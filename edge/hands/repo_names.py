"""Which paths and names of a repository mean what they say. Pure.

Rules:
1. A path of an index or a tree is relative, has no empty part, no `.` and `..`, no NUL, at most DEPTH parts, and none
   that some file system takes for `.git`: whatever its case, with dots or spaces behind, with letters that HFS+ does
   not count, by its short name `GIT~1`, with a stream (`.git::$DATA`), or split by a backslash.
2. The name of a branch is as git-check-ref-format(1) has it, and does not begin with `-`.
"""

from __future__ import annotations

DEPTH = 128
LONGEST = 4096
# What HFS+ does not count in a name (git's utf8.c names the same range of marks).
_UNCOUNTED = {
    *range(0x200C, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x206A, 0x2070),
    0xFEFF,
}
_NOT_IN_REF = frozenset(" ~^:?*[\\\x7f")


def is_path(path: bytes) -> bool:
    """True for a path that may stand in a work tree (rule 1)."""
    if not path or len(path) > LONGEST or b"\0" in path:
        return False
    parts = path.split(b"/")
    return len(parts) <= DEPTH and all(is_name(part) for part in parts)


def is_name(name: bytes) -> bool:
    """True for one part of such a path."""
    if name in (b"", b".", b"..") or b"/" in name or b"\0" in name:
        return False
    if name[:1] not in (b".", b"g", b"G", b"\xe2", b"\xef") and b"\\" not in name:
        return True  # most are so: nothing of what follows fits them
    return not any(_as_git(part) for part in name.split(b"\\"))


def _as_git(part: bytes) -> bool:
    text = part.decode("utf-8", "surrogateescape").translate(dict.fromkeys(_UNCOUNTED))
    text = text.partition(":")[0].rstrip(". ").lower()
    return text in (".git", "git~1") or (not text and part in (b"..", b"."))


def is_ref(name: str) -> bool:
    """True for what may be the name of a branch (rule 2)."""
    if not name or len(name) > 200 or name.startswith("-") or name == "@" or name == "HEAD":
        return False
    if any(letter < " " or letter in _NOT_IN_REF or "\ud800" <= letter <= "\udfff" for letter in name):
        return False
    if ".." in name or "@{" in name or name.endswith("."):
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in name.split("/"))


def is_id(text: bytes) -> bool:
    """True for 40 hexadecimal digits in small letters."""
    return len(text) == 40 and not text.strip(b"0123456789abcdef")


def shown(path: bytes) -> str:
    """A path for a person: what is not seen, or is no text, is written out."""
    from edge.gate.paths import is_odd

    text = path.decode("utf-8", "surrogateescape")
    return ascii(text)[1:-1] if is_odd(text) or text != text.strip() else text
