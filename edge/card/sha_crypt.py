"""The `$6$` hash of a password, as login of busybox and glibc read it: SHA-512 crypt by Ulrich Drepper's specification
(https://www.akkadia.org/drepper/SHA-crypt.txt). Python 3.13 has no `crypt`, a laptop may have no busybox.
"""

from __future__ import annotations

ROUNDS = 5000
MOST_ROUNDS = 999_999_999
_LETTERS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def sha512_crypt(password: bytes, salt: str, rounds: int = ROUNDS) -> str:
    """`$6$salt$hash`. salt: up to 16 of the letters ./0-9A-Za-z; rounds from 1000 on, told in it unless 5000."""
    import hashlib

    seed = salt[:16].encode("ascii")
    other = hashlib.sha512(password + seed + password).digest()
    first = hashlib.sha512(password + seed + _repeated(other, len(password)))
    length = len(password)
    while length:
        first.update(other if length & 1 else password)
        length >>= 1
    digest = first.digest()
    word = _repeated(hashlib.sha512(password * len(password)).digest(), len(password))
    grain = _repeated(hashlib.sha512(seed * (16 + digest[0])).digest(), len(seed))
    for turn in range(rounds):
        mixed = (word if turn & 1 else digest) + (grain if turn % 3 else b"") + (word if turn % 7 else b"")
        digest = hashlib.sha512(mixed + (digest if turn & 1 else word)).digest()
    told = "" if rounds == ROUNDS else f"rounds={rounds}$"
    return f"$6${told}{seed.decode('ascii')}${_text(digest)}"


def fits(password: bytes, hashed: str) -> bool:
    """True when `hashed` is the SHA-512 crypt of this password."""
    parts = hashed.split("$")
    rounds = ROUNDS
    if len(parts) == 5 and parts[2].startswith("rounds=") and parts[2][7:].isdecimal():
        rounds = int(parts.pop(2)[7:])
    if len(parts) != 4 or parts[:2] != ["", "6"] or not 1000 <= rounds <= 100_000:
        return False
    return sha512_crypt(password, parts[2], rounds) == hashed


def new_salt() -> str:
    """Sixteen letters that nobody can guess."""
    import os

    return "".join([_LETTERS[byte & 63] for byte in os.urandom(16)])


def _repeated(block: bytes, length: int) -> bytes:
    return (block * (length // len(block) + 1))[:length] if length else b""


def _text(digest: bytes) -> str:
    """The specification's order: three bytes from thirds of the digest that turn, the last byte alone."""
    groups = []
    first, second, third = 0, 21, 42
    for _ in range(21):
        groups.append((digest[first] << 16 | digest[second] << 8 | digest[third], 4))
        first, second, third = second + 1, third + 1, first + 1
    groups.append((digest[63], 2))
    return "".join([_LETTERS[value >> 6 * place & 63] for value, count in groups for place in range(count)])
