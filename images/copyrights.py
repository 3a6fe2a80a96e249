"""The copyright files of Debian packages: their text, and the licences they name.

Rules:
1. A package says its terms in usr/share/doc/NAME/copyright (Debian policy 12.5). The folder may be a link to that of
   another package; then the terms are that package's.
2. Short names come from the `License:` fields of machine-readable files (DEP-5). A file that is not machine-readable
   names none: the text itself says it, and nothing is guessed from it.
3. What was read from a package is kept under its hash, for a kernel takes seconds to unpack.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from edge.record import Record
from images import debian, debs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "images" / "copyrights"
_DOC = "usr/share/doc/"
_COMMON = "usr/share/common-licenses/"


class Terms(Record):
    """What one package says about its licences. `text` is its copyright file ("" when it has none), `link` the
    package whose folder stands for its own, `common` the texts of usr/share/common-licenses by name."""

    text: str
    link: str
    common: dict[str, str]


def terms(deb: Path, sha256: str, cache: Path = CACHE) -> Terms:
    """The terms of a package, from the cache when it was read before."""
    kept = cache / f"{sha256}.json"
    try:
        data = json.loads(kept.read_bytes())
        return Terms(data["text"], data["link"], data["common"])
    except (OSError, ValueError, KeyError, TypeError):
        found = _read(deb)
    _keep(kept, json.dumps({"text": found.text, "link": found.link, "common": found.common}))
    return found


def _keep(path: Path, text: str) -> None:
    """Keep it; a folder that takes nothing (a checkout of somebody else's) costs the next build its time, no more."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()


def text_of(name: str, found: Mapping[str, Terms]) -> str:
    """The copyright file of a package, or of the one that its folder leads to; "" when neither is among `found`."""
    passed: set[str] = set()
    while name in found and name not in passed:
        if found[name].text:
            return found[name].text
        passed.add(name)
        name = found[name].link
    return ""


def _read(deb: Path) -> Terms:
    with tempfile.TemporaryDirectory(prefix="fieldhand-terms-") as folder:
        tree = Path(folder)
        debs.unpack(deb, tree, _wanted)
        own = tree / _DOC / deb.name.partition("_")[0]
        link = Path(os.readlink(own)).name if own.is_symlink() else ""
        texts = sorted((tree / _DOC).glob("*/copyright")) if (tree / _DOC).is_dir() else []
        found = [path for path in texts if path.is_file()]
        text = found[0].read_text("utf-8", "replace") if found else ""
        if found and found[0].is_symlink():
            link, text = Path(os.readlink(found[0])).parent.name, ""
        common = {
            path.name: path.read_text("utf-8", "replace")
            for path in sorted((tree / _COMMON).glob("*"))
            if path.is_file()  # a link (GPL -> GPL-3) stands for the text it leads to
        }
        return Terms(text, link, common)


def _wanted(inner: str) -> bool:
    if inner.startswith(_DOC):
        rest = inner[len(_DOC) :].split("/")
        return len(rest) == 1 or rest[1:] == ["copyright"]
    return inner.startswith(_COMMON)


def names_in(text: str) -> tuple[str, ...]:
    """The short names in a machine-readable copyright file, sorted; `A or B` and `A and B` count as two names."""
    found: set[str] = set()
    stanzas = list(debian.stanzas(text))
    if not stanzas or "Format" not in stanzas[0]:
        return ()
    for stanza in stanzas:
        line = stanza.get("License", "").split("\n")[0]
        found.update(_split(line))
    return tuple(sorted(found))


def _split(line: str) -> list[str]:
    """`GPL-2+ and/or Expat, with exceptions` -> ["GPL-2+", "Expat"]; what is no single word is kept as it is."""
    for joint in (" and/or ", " and ", " or ", " AND ", " OR ", " WITH ", ","):
        line = line.replace(joint, " with " if joint == " WITH " else "|")
    parts = [part.strip(" ()") for part in line.split("|")]
    return [part.partition(" with ")[0].strip(" ()") for part in parts if part and not part.startswith("with ")]


def referred(text: str, common: dict[str, str]) -> list[str]:
    """The common licences that a copyright file points to by their path."""
    found = set()
    for piece in text.split("common-licenses/")[1:]:
        name = ""
        for char in piece:
            if not (char.isalnum() or char in "-.+"):
                break
            name += char
        name = name.rstrip(".")
        if name in common:
            found.add(name)
    return sorted(found)
