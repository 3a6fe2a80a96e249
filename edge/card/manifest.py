"""What an image or an update is, and who says so: the manifest, its signature, the keys. Text and arithmetic only.

Rules:
1. The text is canonical: JSON with sorted names, no blanks, UTF-8, one newline at the end. What is not byte for byte
   what `pack` makes of it is refused, so that there is one text for one manifest and nothing hidden in it.
2. The signature is Ed25519 over "fieldhand-manifest-1" and a newline, then the text. It stands in a file of one line:
   the id of the key (16 hex digits of the sha256 of the public key), a blank, the signature in Base64.
3. Nothing of a manifest is used before its signature holds (`signed`). A key that is not in the list is not trusted,
   however well it signs.
4. Hashes are sha256 in lower-case hex, sizes are bytes, `epoch` is seconds since 1970.
"""

from __future__ import annotations

from edge.faults import CardFault
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

FORMAT = 1
LARGEST = 1 << 16  # bytes of a manifest
MOST_FILES = 64
DOMAIN = b"fieldhand-manifest-1\n"
SIGNATURE_TEXT = 16 + 1 + 88 + 1  # bytes of the signature's file
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+~")
_SIGNED_WITH = "ask who made it, and with which key; --key names those trusted here, `update status` those of a board"


class File(Record):
    """A file beside the manifest."""

    size: int
    sha256: str


class Slot(Record):
    """The content of a slot as a file: the FAT cut behind its last used cluster. `root` is the hash of root.sqfs."""

    size: int
    sha256: str
    root: str


class Manifest(Record):
    """What one build made. `machines` are names of boards it starts on, `data_schema` the form of /data it writes."""

    product: str
    version: str
    arch: str
    suite: str
    machines: tuple[str, ...]
    epoch: int
    data_schema: int
    slot: Slot
    files: Mapping[str, File]


class Key(Record):
    """A public key that is trusted, and what people call it."""

    name: str
    public: bytes

    @property
    def id(self) -> str:
        """What signatures name it by."""
        return key_id(self.public)


def pack(manifest: Manifest) -> bytes:
    """The text of a manifest. CardFault when it holds what no manifest can."""
    _checked(manifest)
    return _text(manifest)


def read(text: bytes) -> Manifest:
    """The manifest of a text; CardFault when it is none, or not in the one right form."""
    import json

    if len(text) > LARGEST:
        raise CardFault(f"the manifest has {len(text)} bytes, {LARGEST} are the most")
    try:
        found = json.loads(text.decode("utf-8"))
        made = _of(found)
    except CardFault:
        raise
    except RecursionError as error:
        raise CardFault("the manifest is no manifest: too deep") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CardFault("the manifest is no manifest of this kind") from error
    _checked(made)
    if _text(made) != text:
        raise CardFault("the manifest is not in the form that a build writes", "take the one of the build")
    return made


def _text(manifest: Manifest) -> bytes:
    import json

    named = {"format": FORMAT, **as_dict(manifest)}
    named["files"] = {name: as_dict(file) for name, file in manifest.files.items()}
    return (json.dumps(named, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode("utf-8")


def _of(found: Any) -> Manifest:
    if found["format"] != FORMAT:
        fix = "update in steps: a version between the two reads both"
        raise CardFault(f"the manifest has format {str(found['format'])[:9]}, this Fieldhand reads {FORMAT}", fix)
    return Manifest(
        product=found["product"],
        version=found["version"],
        arch=found["arch"],
        suite=found["suite"],
        machines=tuple(found["machines"]),
        epoch=found["epoch"],
        data_schema=found["data_schema"],
        slot=Slot(**found["slot"]),
        files={name: File(**file) for name, file in found["files"].items()},
    )


def _checked(manifest: Manifest) -> None:
    slot = manifest.slot
    words = (manifest.product, manifest.version, manifest.arch, manifest.suite, *manifest.machines, *manifest.files)
    sizes = (slot.size, *(file.size for file in manifest.files.values()))
    hashes = (slot.sha256, slot.root, *(file.sha256 for file in manifest.files.values()))
    for word in words:
        if not is_word(word):
            raise CardFault(f"{str(word)[:60]!r} in the manifest is no plain word")
    for number in (manifest.epoch, manifest.data_schema, *sizes):
        if type(number) is not int or not 0 <= number < 1 << 53:
            raise CardFault(f"{str(number)[:60]} in the manifest is no size or number")
    for digest in hashes:
        if not is_digest(digest):
            raise CardFault(f"{str(digest)[:80]!r} in the manifest is no sha256")
    if len(manifest.files) > MOST_FILES or len(manifest.machines) > MOST_FILES:
        raise CardFault(f"the manifest names more than {MOST_FILES} files or machines")


def is_word(word: object) -> bool:
    """Whether it can be a product, a version or the name of a file: 1 to 64 letters, digits and -_.+~, no dot first."""
    return isinstance(word, str) and 0 < len(word) <= 64 and word[0] != "." and _WORD.issuperset(word)


def is_digest(digest: object) -> bool:
    """Whether it is a sha256 as it is written here: 64 hex digits in lower case."""
    return isinstance(digest, str) and len(digest) == 64 and frozenset("0123456789abcdef").issuperset(digest)


# --- keys and signatures ---


def key_id(public: bytes) -> str:
    """The id of a public key: 16 hex digits."""
    import hashlib

    return hashlib.sha256(public).hexdigest()[:16]


def read_key(text: str, name: str) -> Key:
    """The key of a NAME.pub: 64 hex digits, then maybe its name. CardFault when it is none."""
    words = text.split()
    if len(words) not in (1, 2) or not is_digest(words[0].lower()):
        raise CardFault(f"{name} is no public key", "it is one line: 64 hex digits, a blank, a name")
    return Key(words[1] if words[1:] else name, bytes.fromhex(words[0]))


def sign(text: bytes, seed: bytes) -> bytes:
    """The content of manifest.sig for the text of a manifest. CardFault when the seed is not 32 bytes."""
    from base64 import b64encode

    from edge.card import ed25519

    signature = b64encode(ed25519.sign(seed, DOMAIN + text))
    return key_id(ed25519.public_key(seed)).encode("ascii") + b" " + signature + b"\n"


def signer(text: bytes, signature: bytes, keys: Iterable[Key]) -> Key:
    """The key of `keys` that signed a text. CardFault, in words, when none did."""
    from edge.card import ed25519

    named, made = _signature(signature)
    trusted = [key for key in keys if key.id == named]
    if not trusted:
        raise CardFault(f"it is signed with the key {named}, which is not trusted here", _SIGNED_WITH)
    if not ed25519.verify(trusted[0].public, DOMAIN + text, made):
        raise CardFault(
            f"its signature with the key {trusted[0].name} ({named}) does not hold: it was changed or damaged",
            "take it anew from where it was made",
        )
    return trusted[0]


def signed(text: bytes, signature: bytes, keys: Iterable[Key]) -> tuple[Manifest, Key]:
    """The manifest of a text that one of `keys` signed, and the key; CardFault before anything of it is read."""
    key = signer(text, signature, keys)
    return read(text), key


def _signature(line: bytes) -> tuple[str, bytes]:
    """The id and the 64 bytes of a line. CardFault."""
    from base64 import b64decode, b64encode

    named, _, coded = line[:-1].decode("latin-1").partition(" ")
    if len(line) == SIGNATURE_TEXT and line[-1:] == b"\n" and frozenset("0123456789abcdef").issuperset(named):
        try:
            made = b64decode(coded, validate=True)
        except ValueError as error:
            raise CardFault("its signature is no signature") from error
        # Base64 of 64 bytes has bits that mean nothing: in one spelling alone it is taken.
        if len(named) == 16 and len(made) == 64 and b64encode(made).decode("ascii") == coded:
            return named, made
    raise CardFault("its signature is no signature", "one line: the id of the key, a blank, 88 letters of Base64")


# --- versions ---


def order(version: str) -> tuple[tuple[int, int, str], ...]:
    """What versions are compared by: numbers by value, 1.0~x and 1.0rc1 before 1.0, 1.0+x behind it, then 1.0.1."""
    parts = [(2, int(run), "") if run.isdigit() else (_RANKS.get(run, -1), 0, run) for run in _runs(version)]
    return (*parts, (0, 0, ""))


_RANKS = {"~": -2, "+": 1, "post": 1}


def _runs(version: str) -> list[str]:
    """Runs of digits and of letters, and each ~ and +; all else only parts them."""
    runs: list[str] = []
    last = ""
    for char in version:
        kind = "digit" if "0" <= char <= "9" else "letter" if char.isalpha() else char if char in "~+" else ""
        if kind and kind == last and kind in ("digit", "letter"):
            runs[-1] += char
        elif kind:
            runs.append(char)
        last = kind
    return runs
