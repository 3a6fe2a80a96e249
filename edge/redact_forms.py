"""What a secret looks like: the forms a known one is written in, and the shapes of those nobody told us of. Pure.

Rules:
1. Forms of a known secret: as it is; in JSON; in a URL; in hex; in base64 at each of its three alignments, both
   alphabets. Of base64 only the letters that the secret alone decides are looked for.
2. Forms in `wrapped` are found across line ends too: base64 and hex are written in lines.
3. A shape is looked for only where one of its hints stands: a text without hints costs a few searches.
4. A shape must not fit hashes, UUIDs, paths, names or harmless base64: each asks for a word that tells, or for
   a prefix that only such keys have and a digit behind it.
5. Each pattern takes time in proportion to the text, whatever stands in it.
6. Not found: what is encoded twice, encrypted, compressed, spelled letter by letter or in parts.
"""

from __future__ import annotations

from edge.compact import encoders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHORTEST = 6
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Letters as they are usual in texts, the rarest first; what is not among them is rarer still.
_USUAL = "ZQXJVKqYWUGzFHBj97864ODNMRLPCSEAI532xTwv10gkbypmfu,.chldrnsiaote "
# Words before a value that is a secret.
_NAMES = (
    r"pass(?:word|wd|phrase|code)s?|psk|(?:client|app|shared|consumer)?[_-]?secret(?:[_-]?key)?|api[_-]?keys?"
    r"|(?:access|auth|private|signing|encryption)[_-]?keys?|(?:access|auth|api|bearer|refresh|bot|session)?[_-]?token"
)
_NOTHING = r"(?![$<%{*]|\[redacted|None\b|null\b|true\b|false\b|required\b|optional\b)"
# A letter that is quickly looked for, hints of which one must stand in the text, the pattern; group 1, where there is
# one, is the secret.
SHAPES = (
    ("-", ("PRIVATE KEY-----",), r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("-", ("sk-",), r"(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,99}\d)[A-Za-z0-9_-]{16,}"),
    ("-", ("glpat-",), r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}"),
    ("-", ("xox",), r"(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("_", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}"),
    ("_", ("github_pat_",), r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{30,}"),
    ("_", ("hf_",), r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
    ("A", ("AKIA", "ASIA"), r"(?<![A-Za-z0-9])A[KS]IA[0-9A-Z]{16}(?![A-Za-z0-9])"),
    ("z", ("AIza",), r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}"),
    ("J", ("eyJ",), r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    (
        " ",
        ("earer ", "EARER "),
        r"(?i)(?<![A-Za-z0-9])bearer[ \t]+(?=[A-Za-z._~+/-]{0,99}\d)([A-Za-z0-9._~+/-]{8,}=*)",
    ),
    (
        " ",
        ("uthorization", "UTHORIZATION"),
        r"(?i)authorization\W{1,6}(?:basic|digest|token|apikey)[ \t]+([A-Za-z0-9._~+/-]{6,}=*)",
    ),
    ("@", ("://",), r"://[^/\s:@\"']*:([^/\s@\"']{3,})@"),
)
WHOLE = 8  # no shape fits fewer characters: `://:abc@`
# What stands in each of WORDS; one of the first, or the letter of the others and one of those.
PARTS = ("pass", "secret")
LETTER, MORE = "k", ("key", "token", "psk")
WORDS = (
    *("passw", "passph", "passc", "psk", "secret", "token"),
    *("_key", "-key", "ikey", "skey", "hkey", "ekey", "gkey", "nkey"),
)
_BEFORE = r"(?i)(?<![A-Za-z0-9_-])[_-]*(?:[A-Za-z0-9]+[_-]+)*(?:" + _NAMES + ")"
_LETTER = r"[^\s\"'&,;()\[\]{}\\<>]"
NAMED = (
    # name="value", name: 'value', also inside JSON inside JSON
    _BEFORE + r"(?:\\?[\"'])?[ \t]*[=:][ \t]*\\?[\"']" + _NOTHING + r"([^\"'\\\n]{4,})",
    # name=value, but no call and no look-up. The look-ahead keeps what it found, so that nothing is tried twice.
    _BEFORE + "=" + _NOTHING + r"((?=(" + _LETTER + r"{6,999}))\2(?![(\[])" + _LETTER + "*)",
    # name: value, where a digit tells it from a sentence
    _BEFORE + r":[ \t]*" + _NOTHING + r"(?=[^\s\d]{0,99}\d)(" + _LETTER + "{6,})",
)


def forms(secret: str) -> tuple[set[str], set[str]]:
    """All forms of a known secret; and those among them that lines may break. None of one that is too short."""
    if len(secret) < SHORTEST:
        return set(), set()
    _, written = encoders()
    raw = secret.encode("utf-8", "surrogatepass")
    json = written(secret)[1:-1]
    plain = {secret, json, _ascii(json), _ascii(json).replace("/", "\\/")}
    for sign in ("%%%02X", "%%%02x"):
        quoted = "".join(chr(byte) if chr(byte) in _PLAIN else sign % byte for byte in raw)
        plain |= {quoted, quoted.replace("%20", "+"), quoted.replace("%2F", "/").replace("%2f", "/")}
    wrapped = {raw.hex(), raw.hex().upper()}
    for shift in range(3):
        wrapped |= _base64(raw, shift)
    return plain | wrapped, wrapped


def _ascii(json: str) -> str:
    """JSON text with \\u escapes for all that is not ASCII."""
    if json.isascii():
        return json
    told = ""
    for letter in json:
        units = "" if letter.isascii() else letter.encode("utf-16-be", "surrogatepass").hex()
        told += "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) or letter
    return told


def _base64(raw: bytes, shift: int) -> set[str]:
    """The letters of base64 that stand for nothing but `raw`, when `shift` bytes stand before it (modulo 3)."""
    from binascii import b2a_base64

    text = b2a_base64(bytes(shift) + raw + bytes(3)).decode("ascii")
    sure = text[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
    return {sure, sure.replace("+", "-").replace("/", "_")}


def probe(needle: str) -> str:
    """The letter of a needle that is least likely in a text: to look for one letter costs next to nothing."""
    return min(needle, key=_USUAL.find)


def compiled(pattern: str) -> Any:
    """A pattern, made ready at its first use; re keeps it."""
    from re import compile as ready

    return ready(pattern)
