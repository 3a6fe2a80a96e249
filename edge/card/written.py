"""What a person wrote on a laptop -> text with its lines; and the same bytes again with the secrets taken out.

Rules:
1. UTF-8 with or without a mark, and UTF-16 as Notepad saves it ("Unicode"). Anything else is a fault with the line.
2. A fault is a `Wrong`: the file, the line from 1 (0: the file as a whole), a sentence, what to do. All of them are
   found before anything is said, and none of them shows a secret.
3. Secrets stand on a line of their own: `key = "secret"`, under a name of SECRETS or one that sounds like a secret
   (hidden.py). `without_secrets` puts "(taken)" in their place and keeps the place of every other byte, so that the
   file is overwritten where it lies: a torn overwrite still has its lines, and doing it again finishes it. Comments
   that hold such a line are cleaned too.
"""

from __future__ import annotations

from edge.card.hidden import telling
from edge.faults import ConfigFault
from edge.record import Record

LARGEST = 1 << 18  # bytes of a file that a person writes
TAKEN = "(taken)"
# Last words of the keys that hold a secret, as people spell them.
SECRETS = ("key", "api_key", "password", "password_hash", "psk", "secret", "token")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class Written(Record):
    """A file: its text with its own line ends, how it is encoded, the mark that it begins with."""

    raw: str
    encoding: str
    mark: bytes = b""

    @property
    def text(self) -> str:
        """With "\\n" at the end of each line."""
        return self.raw.replace("\r\n", "\n").replace("\r", "\n")

    def encoded(self, text: str) -> bytes:
        """The bytes that hold `text` in the way of this file."""
        return self.mark + text.encode(self.encoding)


class Wrong(Record):
    """One thing that is wrong, or that this image does not do (`only_said`: the rest is taken all the same)."""

    file: str
    line: int
    sentence: str
    fix: str = ""
    only_said: bool = False

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.sentence}" + (f" ({self.fix})" if self.fix else "")


def read(raw: bytes, name: str) -> Written:
    """The text of a file. ConfigFault with `where` = name:line when it is too large or no text."""
    if len(raw) > LARGEST:
        raise ConfigFault(f"has more than {LARGEST} bytes", "a provision file is some kilobytes", name)
    mark, encoding = next(((mark, name) for mark, name in _MARKS if raw.startswith(mark)), (b"", ""))
    body = raw[len(mark) :]
    encoding = encoding or _guess(body)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as fault:
        line = body.count(b"\n", 0, fault.start) + 1
        told = "UTF-8" if encoding == "utf-8" else "UTF-16"
        raise ConfigFault(f"this line is not {told}", "save the file as UTF-8", f"{name}:{line}") from fault
    found = Written(text, encoding, mark)
    zero = found.text.find("\0")
    if zero >= 0:
        number = found.text.count("\n", 0, zero) + 1
        raise ConfigFault("this line holds a NUL, so it is no text", "save it as UTF-8 text", f"{name}:{number}")
    return found


def _guess(body: bytes) -> str:
    """UTF-16 without a mark has a zero in every second byte of plain words."""
    start = body[:64]
    if len(start) >= 4 and not any(start[1::2]):
        return "utf-16-le"
    return "utf-16-be" if len(start) >= 4 and not any(start[::2]) else "utf-8"


def without_secrets(found: Written) -> bytes:
    """The bytes of a TOML file with "(taken)" instead of each secret: as many bytes, line ends where they were."""
    return found.encoded("".join([_cleaned(line, found.encoding) for line in found.raw.splitlines(True)]))


def _cleaned(line: str, encoding: str) -> str:
    body = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    end = line[len(body) :]
    key, equals, value = body.partition("=")
    name = key.strip(" \t#").rpartition(".")[2].strip(" \t\"'").lower().replace("-", "_")
    told = value.partition("#")[0].strip()
    secret = name in SECRETS or (telling(name) and told[:1] in ('"', "'"))
    if not equals or not secret or told.isdecimal() or told in ("", "true", "false"):
        return line
    size = len(value.encode(encoding)) // len(" ".encode(encoding))
    word = next((word for word in (f' "{TAKEN}"', ' ""') if len(word) <= size), "")
    return key + equals + word.ljust(size) + end
