"""The form of a tape: one record, one line.

    {"seq":7,"boot":"1f0c33d2","mono":12.345678,"wall":1700000000.123,"kind":"line","text":"...","crc":"5c2f10aa"}

Rules:
1. A line is written by `encode` and judged by `decode`, nowhere else. `crc` is CRC-32 over the bytes before
   its own member: every line can be judged by itself, from either end of the tape, and a changed byte is found.
2. Numbers are written 1, 2, 3, ... without a gap. What counts when reading is every line that is whole, has
   the right checksum and a number above those before it. Whatever else stands between two such lines is damage:
   it is passed over, costs nothing behind it, and shows as a gap in the numbers.
3. A value that JSON cannot hold is refused before anything is written. Text is kept whatever is in it: a
   lone surrogate becomes its \\u escape, which is valid JSON, and comes back as it was.
4. A field called like a member of the line itself (a fault's own `kind`) is kept with `_` behind its name.
5. JSON is read and written by edge/compact.py, which makes its encoder and decoder at the first record.
6. `read(count, offset)` stands for a file: at most `count` bytes from `offset`. Nothing here needs more
   memory than two lines.
"""

from __future__ import annotations

from binascii import crc32

from edge.compact import apart, decoder, encoders
from edge.faults import TapeFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from edge.compact import Parts

    Read = Callable[[int, int], bytes]

KINDS = frozenset(
    ("open", "line", "step", "repair", "intent", "outcome", "answer", "fault", "board", "child", "note", "close")
)
RESERVED = frozenset(("seq", "boot", "mono", "wall", "kind", "crc"))
LINE = 4 << 20  # bytes; no record of a step comes near
DEPTH = 200  # lists and objects inside each other; json reads back about 900
BLOCK = 1 << 16
GIVE_UP = 16 * LINE  # bytes without the end of a line, behind which no further record is looked for
_MARK = len(b',"crc":"00000000"}')


def encode(seq: int, boot: str, mono: float, wall: float, kind: str, fields: Mapping[str, Any]) -> bytes:
    """One line with its newline. TapeFault when `kind` or `fields` cannot be a record."""
    if kind not in KINDS:
        raise TapeFault(f"{kind!r} is not a kind of record")
    if not RESERVED.isdisjoint(fields):
        fields = apart(fields, RESERVED)
    try:
        inner = "".join(_parts(fields, 0))
    except (TypeError, ValueError, RecursionError) as error:
        raise TapeFault(f"a {kind} record holds what cannot be kept: {error}") from error
    if len(inner) > 2 * DEPTH and inner.count("{") + inner.count("[") > DEPTH and _deeper(fields):
        raise TapeFault(f"a {kind} record holds more than {DEPTH} lists and objects inside each other")
    if inner[0] != "{":
        raise TapeFault(f"a {kind} record wants fields with names, not {type(fields).__name__}")
    comma = "," if len(inner) > 2 else ""
    text = '{"seq":%d,"boot":"%s","mono":%.6f,"wall":%.3f,"kind":"%s"%s%s' % (  # noqa: UP031 (half the time of format)
        seq, boot, mono, wall, kind, comma, inner[1:-1],
    )  # fmt: skip
    body = text.encode("utf-8", "backslashreplace")
    if len(body) > LINE:
        raise TapeFault(f"a {kind} record of {len(body)} bytes is longer than the {LINE} bytes a tape takes")
    return b'%s,"crc":"%08x"}\n' % (body, crc32(body))


def decode(line: bytes) -> dict[str, Any] | None:
    """The record of one line (without newline and checksum), or None when it is none."""
    body = line[:-_MARK]
    if line[-_MARK:] != b',"crc":"%08x"}' % crc32(body):
        return None
    try:
        record = _read(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not (isinstance(record, dict) and type(record.get("seq")) is int and isinstance(record.get("kind"), str)):
        return None
    if not (isinstance(record.get("boot"), str) and _number(record.get("mono")) and _number(record.get("wall"))):
        return None
    del record["crc"]
    return record


def kind_of(line: bytes) -> str:
    """The kind of a line that `encode` wrote, without reading it as JSON; empty when it has none."""
    start = line.find(b'"kind":"', 0, 160) + 8
    return line[start : line.find(b'"', start, start + 16)].decode("ascii", "replace") if start > 7 else ""


def valid(read: Read) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The records that count (rule 2), each with the offsets of its line and behind it."""
    seq = 0
    for end, line in _lines(read):
        record = decode(line)
        if record is not None and record["seq"] > seq:
            seq = record["seq"]
            yield end - len(line) - 1, end, record


def backward(read: Read, size: int) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines with their offsets, the last first; of the very last the end may be no whole line."""
    end, rest = size, b""
    while end > 0 and len(rest) <= LINE + BLOCK:
        start = max(0, end - BLOCK)
        block = _whole(read, end - start, start) + rest
        cut = block.find(b"\n") + 1 if start else 0
        if start and not cut:
            rest = block
        else:
            if block[cut:]:
                yield start + cut, block[cut:]
            rest = block[:cut]
        end = start


def last(read: Read, size: int) -> tuple[int, dict[str, Any] | None]:
    """The last record that can be read, and the offset behind it; (0, None) when there is none.

    Cheap: looks at the end only, so that a changed byte further up is not seen.
    """
    for offset, block in backward(read, size):
        end = block.rfind(b"\n")
        while end >= 0:
            start = block.rfind(b"\n", 0, end) + 1
            record = decode(block[start:end])
            if record is not None:
                return offset + end + 1, record
            end = start - 1
    return 0, None


def _whole(read: Read, count: int, offset: int) -> bytes:
    """`count` bytes from `offset`, also when they come in parts; fewer only when the file was cut meanwhile."""
    block = read(count, offset)
    while len(block) < count and (more := read(count - len(block), offset + len(block))):
        block += more
    return block


def _lines(read: Read) -> Iterator[tuple[int, bytes]]:
    """Whole lines with the offset behind each; one that is too long to be a record is left out."""
    offset = dropped = 0
    rest = b""
    while dropped < GIVE_UP and (block := read(BLOCK, offset)):
        offset += len(block)
        block = rest + block
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            if not dropped:
                yield offset - len(block) + end + 1, block[start:end]
            dropped = 0
            start = end + 1
        rest = block[start:]
        if dropped or len(rest) > LINE + _MARK:
            dropped += len(rest)
            rest = b""


def _number(value: object) -> bool:
    return type(value) is float or type(value) is int


def _deeper(fields: Mapping[str, Any]) -> bool:
    """True when there are more than DEPTH lists and objects inside each other."""
    level: list[Any] = [fields]
    for _ in range(DEPTH):
        parts = [part.values() if hasattr(part, "values") else part for part in level]
        level = [one for part in parts for one in part if isinstance(one, (list, tuple)) or hasattr(one, "values")]
    return bool(level)


def _first(fields: Any, level: int) -> tuple[str, ...]:
    """Make the encoder at the first record (rule 5) and take its place."""
    global _parts
    _parts, _ = encoders()
    return _parts(fields, level)


def _first_read(text: str) -> Any:
    """The same for the decoder."""
    global _read
    _read = decoder()
    return _read(text)


_parts: Parts = _first
_read: Callable[[str], Any] = _first_read
