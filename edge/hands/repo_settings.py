"""What a repository's own settings and attributes say, as far as it matters here. Nothing they name is run or opened.

Source: git-config(1), gitattributes(5). Rules:
1. Only the file `config` of the repository itself is read. An include is not followed.
2. What lets objects, refs or files lie elsewhere or in another form refuses the repository: better than half of it.
3. Filters, hooks, signing programs, external differences: never run. Where one would have changed what is kept, the
   operation is refused or the result says so.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.hands.repo_names import shown
from edge.record import Record

MOST = 1 << 20
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
_TRUE = ("true", "yes", "on", "1", "")
_MODULES = ("filter", "ident", "working-tree-encoding")
_TEXT = ("text", "eol", "crlf")


class Settings(Record):
    """user: `Name <mail>`, or nothing. modes: does the executable bit count. crlf: line ends are changed by git.

    signed: commits would be signed by git.
    """

    user: str = ""
    modes: bool = True
    crlf: str = ""
    signed: bool = False


def settings(data: bytes) -> Settings:
    """The settings of the text of `config`. ToolFault for what this tool cannot work with (rule 2)."""
    found = parsed(data.decode("utf-8", "replace"))
    version = found.get("core.repositoryformatversion", "0")
    if version not in ("0", "1"):
        raise ToolFault(f"the repository has format {version[:20]}", "formats 0 and 1 are known")
    for key, value in found.items():
        if key.startswith("extensions.") and (key, value.lower()) not in (
            ("extensions.objectformat", "sha1"),
            ("extensions.refstorage", "files"),
            ("extensions.noop", value.lower()),
            ("extensions.preciousobjects", value.lower()),
        ):
            raise ToolFault(f"the repository uses {key[:60]} = {value[:40]}", "git can work with it, this tool cannot")
    if "core.worktree" in found:
        raise ToolFault("core.worktree of the repository puts its files elsewhere", "tools do not look there")
    name, mail = found.get("user.name", ""), found.get("user.email", "")
    crlf = found.get("core.autocrlf", "").lower()
    return Settings(
        f"{name} <{mail}>" if name and mail else "",
        _true(found, "core.filemode", True),
        "" if crlf in ("", "false", "no", "off", "0") else crlf,
        _true(found, "commit.gpgsign", False),
    )


def _true(found: dict[str, str], key: str, default: bool) -> bool:
    return found[key].lower() in _TRUE if key in found else default


def parsed(text: str) -> dict[str, str]:
    """`section.key` -> the last value; with a subsection `section.NAME.key`. Lines that are none are left out."""
    found: dict[str, str] = {}
    section = ""
    lines = iter(text.split("\n"))
    for line in lines:
        line = line.strip()
        if line.startswith("["):
            inner, end, rest = line[1:].partition("]")
            head, _, sub = inner.partition(" ")
            section = head.strip().lower() + (f".{sub.strip().strip(chr(34))}" if sub.strip() else "")
            line = rest.strip() if end else ""
        if not line or line[0] in "#;" or not section:
            continue
        key, mark, value = line.partition("=")
        while value.endswith("\\") and not value.endswith("\\\\"):
            value = value[:-1] + next(lines, "")
        found[f"{section}.{key.strip().lower()}"] = _value(value.strip()) if mark else "true"
    return found


def _value(text: str) -> str:
    kept: list[str] = []
    quoted = False
    letters = iter(text)
    for letter in letters:
        if letter == '"':
            quoted = not quoted
        elif letter == "\\":
            kept.append(_ESCAPES.get(next(letters, ""), ""))
        elif letter in "#;" and not quoted:
            break
        else:
            kept.append(letter)
    value = "".join(kept)
    return value if quoted or text.endswith('"') else value.rstrip()


def attributes(texts: list[tuple[bytes, bytes]]) -> tuple[str, str]:
    """What files of attributes change: a sentence for filters and one for line ends, "" where there is none."""
    filters = ends = ""
    for path, data in texts:
        for line in data.decode("utf-8", "replace").split("\n"):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            for word in words[1:]:
                name, _, value = word.partition("=")
                if name in _MODULES and value not in ("false",):
                    filters = f"{shown(path)} sets {name}, which is not run here"
                elif name in _TEXT:
                    ends = f"{shown(path)} sets {name}"
    return filters, ends
