"""Ed25519 (RFC 8032 section 5.1, the plain form without a context): what an update is signed with. Pure.

Rules:
1. A signature holds in the strict sense, without the cofactor: encode([S]B - [k]A) is byte for byte R. So R is
   canonical, and whoever else verifies by RFC 8032 takes what is taken here: the equation times 8 follows from it.
2. Refused beyond the RFC's wording, because no honest signer makes it and verifiers disagree about it: S >= L (the RFC
   refuses that too: else a signature could be changed into another one), a key or R that is not canonical (y >= p, or
   the sign of x = 0), a key of small order (with such a key one signature holds for many messages).
3. `verify` says True or False of any bytes of any length, and raises nothing. `sign` and `public_key` are for the
   machine that builds: their time depends on the secret, so they are not for a machine that strangers can time.
4. A point is (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z (section 5.1.4). One verification is 256 doublings and about 130
   additions over a table of sixteen sums of B and the key.
"""

from __future__ import annotations

from edge.faults import CardFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    Point = tuple[int, int, int, int]

KEY_BYTES = 32
SIGNATURE_BYTES = 64
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
TWO_D = 2 * D % P
ROOT = pow(2, (P - 1) // 4, P)  # a square root of -1
NOTHING: Point = (0, 1, 1, 0)


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) of `message` was made with the secret of the key `public` (32 bytes)."""
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    key = _point(public)
    s = int.from_bytes(signature[32:], "little")
    if key is None or s >= L or _is_small(key):
        return False
    k = _hashed(signature[:32], public, message) % L
    return _encoded(_sum_of(s, BASE, k, _negative(key))) == signature[:32]


def public_key(seed: bytes) -> bytes:
    """The public key of a secret of 32 bytes. CardFault when it has another length."""
    return _encoded(_times(_secret(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    """The signature of a message, 64 bytes; always the same one. CardFault when the secret is not 32 bytes."""
    scalar, prefix = _secret(seed)
    public = _encoded(_times(scalar, BASE))
    r = _hashed(prefix, message) % L
    point = _encoded(_times(r, BASE))
    s = (r + _hashed(point, public, message) * scalar) % L
    return point + s.to_bytes(32, "little")


def _secret(seed: bytes) -> tuple[int, bytes]:
    """The scalar and the prefix of a secret (section 5.1.5)."""
    import hashlib

    if len(seed) != KEY_BYTES:
        raise CardFault(f"a signing key is {KEY_BYTES} bytes, not {len(seed)}")
    wide = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(wide[:32], "little")
    return scalar & (1 << 254) - 8 | 1 << 254, wide[32:]


def _hashed(*parts: bytes) -> int:
    import hashlib

    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


# --- points ---


def _point(text: bytes) -> Point | None:
    """The point that 32 bytes encode (section 5.1.3); None when they encode none, or not in the one right way."""
    sign, y = text[31] >> 7, int.from_bytes(text, "little") & (1 << 255) - 1
    if y >= P:
        return None
    u, v = y * y - 1, D * y * y + 1
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * ROOT % P
    if (v * x * x - u) % P or (not x and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def _negative(point: Point) -> Point:
    x, y, z, t = point
    return P - x, y, z, P - t


def _is_small(point: Point) -> bool:
    """Whether eight times the point is nothing."""
    x, y, z, _ = _double(_double(_double(point)))
    return x == 0 and y == z


def _add(one: Point, two: Point) -> Point:
    """Section 5.1.4; holds for any two points of the curve, equal ones too."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = two
    a = (y1 - x1) * (y2 - x2) % P
    b = (y1 + x1) * (y2 + x2) % P
    c = t1 * TWO_D * t2 % P
    d = 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(point: Point) -> Point:
    x, y, z, _ = point
    a, b = x * x % P, y * y % P
    h = a + b
    e = h - (x + y) * (x + y) % P
    g = a - b
    f = 2 * z * z + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    return _sum_of(scalar, point, 0, NOTHING)


def _sum_of(one: int, first: Point, two: int, second: Point) -> Point:
    """one * first + two * second, two bits of both scalars (below 2**256) at a time."""
    table = [NOTHING]
    for _ in range(3):
        table.append(_add(table[-1], second))
    for _ in range(12):
        table.append(_add(table[-4], first))
    point = NOTHING
    for shift in range(254, -2, -2):
        index = (one >> shift & 3) << 2 | two >> shift & 3
        point = _double(_double(point))
        if index:
            point = _add(point, table[index])
    return point


# Section 5.1: the point whose y is 4/5 and whose x is even.
BASE: Point = _point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or NOTHING
