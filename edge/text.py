"""Text for people and models: spans of time in words, terminal hygiene, clipping.

Rules:
1. Built-in modules only: this file stands on the way to the prompt.
2. What leaves `plain` can be written to a terminal and encoded as UTF-8, whatever came in.
3. A cut is always stated in the text that was cut, and never breaks a character.
"""

from __future__ import annotations

# Deleted one by one: C0 but newline and tab, DEL, C1, and the marks that turn the direction of what a person
# reads (U+202A..202E, U+2066..2069), by which a command can be made to look like another.
_DROPPED = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
# The C1 controls that open or end a sequence, in their 7-bit spelling: DCS, SOS, CSI, ST, OSC, PM, APC (ECMA-48 5.3).
_SEVEN_BIT = {code: "\x1b" + chr(code - 64) for code in (0x90, 0x98, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F)}


def span(seconds: float) -> str:
    """A duration as a person says it: `2 min`, `1 h 30 min`, `45 s`, `1.5 s`."""
    if seconds < 60:
        return f"{seconds:g} s" if seconds == int(seconds) else f"{seconds:.1f} s"
    whole = int(seconds + 0.5)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    said = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(said[:2])


def visible(text: str, limit: int = 400) -> str:
    """`text` on one line with everything a terminal would act on written out (`\\x1b`, `\\n`, `\\u202e`), not deleted.

    For what a person decides upon: nothing is hidden, nothing can look like another line. At most `limit` characters,
    the cut stated.
    """
    told = "".join(letter if letter.isprintable() else _written(letter) for letter in text[: limit + 1])
    return told if len(text) <= limit else f"{told[:limit]}... ({len(text)} characters in all)"


def _written(letter: str) -> str:
    code = ord(letter)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return short or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}")


def fold(text: str, width: int, indent: str = "") -> str:
    """`text` broken at blanks into lines of at most `width` characters; the later lines begin with `indent`.

    A word longer than a line stands alone and is broken by the terminal.
    """
    first, *words = text.split(" ")
    lines = [first]
    for word in words:
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > width:
            lines.append(indent + word)
        else:
            lines[-1] += " " + word
    return "\n".join(lines)


def plain(text: str) -> str:
    """`text` without terminal escapes and control characters; newline and tab stay.

    Whole sequences go, with their parameters and strings. A string that never ends loses only its opening, so
    that nothing readable is hidden. A lone surrogate becomes U+FFFD. O(n).
    """
    if text.isascii():
        return (_without_escapes(text) if "\x1b" in text else text).translate(_DROPPED)
    text = text.translate(_SEVEN_BIT)
    text = (_without_escapes(text) if "\x1b" in text else text).translate(_DROPPED)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _without_escapes(text: str) -> str:
    kept = []
    ends = _Ends(text)
    start = 0
    at = text.find("\x1b")
    while at >= 0:
        kept.append(text[start:at])
        start = _past(text, at + 1, ends)
        at = text.find("\x1b", start)
    kept.append(text[start:])
    return "".join(kept)


def _past(text: str, at: int, ends: _Ends) -> int:
    """Where the sequence is over whose ESC stands before `at` (ECMA-48 5.3 to 5.6)."""
    kind = text[at : at + 1]
    if kind == "[":
        return _past_final(text, at + 1, " ", "?", "@")
    if kind and kind in "PX]^_":
        return ends.after(at + 1)
    return _past_final(text, at, " ", "/", "0")


def _past_final(text: str, at: int, low: str, high: str, first: str) -> int:
    """Skip characters low..high, then one of first..~ when it follows."""
    while at < len(text) and low <= text[at] <= high:
        at += 1
    return at + 1 if at < len(text) and first <= text[at] <= "~" else at


class _Ends:
    """Finds the end of control strings: BEL, CAN, SUB, or an ESC (of ST, or of whatever cuts the string off).

    Each kind of end is looked for from where it was last found, so that many openings cost O(n) together.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = dict.fromkeys("\x07\x18\x1a\x1b", -1)

    def after(self, at: int) -> int:
        """Past the nearest end, or at it when it is an ESC; `at` itself when the string never ends."""
        never = len(self._text)
        for mark, place in self._next.items():
            if place < at:
                found = self._text.find(mark, at)
                self._next[mark] = never if found < 0 else found
        nearest = min(self._next.values())
        if nearest == never:
            return at
        return nearest + (self._text[nearest] != "\x1b")


def clip(text: str, limit: int, without: int = 0) -> str:
    """`text` in at most `limit` bytes of UTF-8: its head and its tail, and between them how much was cut.

    Two thirds of the room go to the head. Under about 60 bytes there is no room to say so: the head alone. `without`:
    bytes that were taken out of its middle before; head and tail must be longer than `limit` then, each.
    """
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= limit:
        return text
    room = limit - len(f"\n[... {len(raw) + without} bytes cut ...]\n")
    if room < 32:
        return _whole(raw[: max(0, limit)])
    head = _whole(raw[: room - room // 3])
    start = len(raw) - room // 3
    while start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    cut = start - len(head.encode("utf-8", "surrogatepass")) + without
    return f"{head}\n[... {cut} bytes cut ...]\n{raw[start:].decode('utf-8', 'surrogatepass')}"


def _whole(raw: bytes) -> str:
    """`raw`, a beginning of valid UTF-8, without the bytes of a character that was cut."""
    end = len(raw)
    while end and raw[end - 1] & 0xC0 == 0x80:
        end -= 1
    # `end` now stands behind the last lead byte; it stays when all its followers are there.
    if end and raw[end - 1] >= 0xC0:
        lead = raw[end - 1]
        width = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        end = end - 1 + width if len(raw) >= end - 1 + width else end - 1
    return raw[:end].decode("utf-8", "surrogatepass")


def letters(raw: bytes, end: int) -> int:
    """`end`, or up to 3 less, so that raw[:end] does not end within a character of UTF-8. Never 0 for more than 0."""
    for back in (1, 2, 3):
        if back >= end or raw[end - back] < 0x80:
            return end
        if raw[end - back] >= 0xC0:
            width = 2 if raw[end - back] < 0xE0 else 3 if raw[end - back] < 0xF0 else 4
            return end - back if back < width else end
    return end
