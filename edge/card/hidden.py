"""What may be a secret although it stands where none belongs, and lines without it. Pure.

Rules:
1. A fault may quote the value that is wrong. Under a name that sounds like a secret, and under every key of [model]
   with "key" in its name, that value may be one: a key that was written behind key_file, a password behind a name that
   is none. So it is hidden whatever it is, a plain path too: the line and the key say enough.
2. Faults clip what they quote: CLIPPED letters of a value tell it as well as all of them.
3. A short value is hidden where it stands in quotation marks alone: three letters are found in every word.
"""

from __future__ import annotations

from edge.redact import MARK, SHORTEST, Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

CLIPPED = 40
WORDS = ("pass", "pasw", "pwd", "psk", "secret", "token", "credential")
PUBLIC = ("keys", "public_key", "public_keys", "ssh_authorized_keys")


def values(table: Mapping[str, Any], within: str = "") -> tuple[str, ...]:
    """The texts below names that sound like a secret, in tables as they are written. within: the table's own name."""
    return tuple(_values(table, within))


def sought(table: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of `values` that can be looked for in a text, because they are too long for a chance word."""
    return tuple(one for one in values(table) if len(one) >= SHORTEST)


def _values(table: Mapping[str, Any], within: str) -> Iterator[str]:
    for name, value in table.items():
        if _telling(name, within):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _values(value, name)
        elif isinstance(value, list):
            for one in value:
                yield from _values(one, name) if isinstance(one, dict) else ()


def _telling(name: str, within: str) -> bool:
    return (within == "model" and "key" in name.lower()) or telling(name)


def telling(name: str) -> bool:
    """Whether a key is called as one that holds a secret."""
    plain = name.strip().lower().replace("-", "_")
    return any(word in plain for word in WORDS) or (plain.endswith("key") and plain not in PUBLIC)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def clean(lines: Iterable[str], secrets: Iterable[str]) -> tuple[str, ...]:
    """The lines without any of the secrets, nor what has the shape of one (edge/redact.py)."""
    found = sorted({one for one in secrets if one.strip()}, key=len, reverse=True)
    redact = Redactor(found).text
    return tuple(redact(_clipped(line, found)) for line in lines)


def _clipped(line: str, secrets: list[str]) -> str:
    for secret in secrets:
        for form in (secret, repr(secret)[1:-1]):
            if len(form) > CLIPPED:
                line = _without_start(line, form)
            elif len(form) < SHORTEST:
                line = line.replace(f"'{form}'", MARK).replace(f'"{form}"', MARK)
    return line


def _without_start(line: str, secret: str) -> str:
    """Without the first CLIPPED letters of a secret and all that follows of it."""
    at = line.find(secret[:CLIPPED])
    while at >= 0:
        end = CLIPPED
        while end < len(secret) and line[at + end : at + end + 1] == secret[end]:
            end += 1
        line = f"{line[:at]}{MARK}{line[at + end :]}"
        at = line.find(secret[:CLIPPED], at + len(MARK))
    return line
