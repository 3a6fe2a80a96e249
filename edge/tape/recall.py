"""Finding messages on a tape: by text, or by number.

Rules:
1. A message is a line of the operator (role user), a step or an answer (assistant), or an outcome (tool).
2. Bytes first: only lines that hold the longest plain word of the query are read as JSON.
3. From the end: the newest come first and the search stops when it has enough; they are given oldest first.
4. What `recall` itself asked and found is no hit.
"""

from __future__ import annotations

from edge.tape.form import backward, decode, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from edge.tape.form import Read

    Message = dict[str, Any]

ROLES = {"line": "user", "step": "assistant", "outcome": "tool", "answer": "assistant"}
OWN = "recall"
# Bytes that stand in a line exactly as in the text, escaped nowhere, joined by nothing.
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")


def search(read: Read, size: int, query: str, limit: int) -> list[Message]:
    """The newest `limit` messages that hold `query` literally, whatever its case, the newest last."""
    wanted = query.lower()
    word = _longest_word(wanted)
    found: list[Message] = []
    for _, block in backward(read, size):
        for line in _holding(block, word):
            if len(found) >= limit:
                return found[::-1]
            message = _message(line)
            if message is not None and wanted in message["content"].lower():
                found.append(message)
    return found[::-1]


def around(read: Read, size: int, seq: int, context: int) -> list[Message]:
    """The message `seq` with at most `context` before and after; nothing when there is no such message."""
    after: list[bytes] = []
    upto: list[bytes] = []
    for _, block in backward(read, size):
        for line in _holding(block, b""):
            if kind_of(line) not in ROLES:
                continue
            number = _seq_of(line)
            if number > seq:
                after = [*after, line][-context:] if context > 0 else []
            elif not upto and number != seq:
                if decode(line) is not None:
                    return []
            else:
                upto.append(line)
                if len(upto) > context:
                    return _messages(after + upto)
    return _messages(after + upto) if upto else []


def said(record: Mapping[str, Any]) -> str:
    """What a record says, as text: its words, and its calls as `tool {arguments}`."""
    parts = [record.get(key) for key in ("thought", "text", "final", "sentence")]
    for call in record.get("calls") or ():
        if isinstance(call, dict) and call.get("tool") != OWN:
            parts.append(f"{call.get('tool')} {_json(call.get('args'))}")
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _holding(block: bytes, word: bytes) -> Iterator[bytes]:
    """The lines of `block` that hold `word` in lower or upper case, the last first."""
    low = block.lower() if word else block
    end = len(block)
    while end > 0:
        at = low.rfind(word, 0, end) if word else end - 1
        if at < 0:
            return
        end = block.rfind(b"\n", 0, at) + 1
        yield block[end : block.find(b"\n", at)]


def _message(line: bytes) -> Message | None:
    role = ROLES.get(kind_of(line))
    record = decode(line) if role else None
    if record is None or record.get("tool") == OWN:
        return None
    return {"seq": record["seq"], "role": role, "content": said(record)}


def _messages(lines: list[bytes]) -> list[Message]:
    """Messages of lines that come newest first, oldest first."""
    return [message for message in map(_message, lines[::-1]) if message is not None]


def _seq_of(line: bytes) -> int:
    digits = line[7 : line.find(b",", 7)]
    return int(digits) if digits.isdigit() else 0


def _longest_word(text: str) -> bytes:
    words = bytes(byte if byte in _WORD else 32 for byte in text.encode("utf-8", "replace")).split()
    return max(words, key=len, default=b"")


def _json(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, separators=(",", ":"))
