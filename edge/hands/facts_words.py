"""Secrets on command lines, found by what stands before them. Pure.

Rules:
1. A value is hidden when the name of its option, or of its variable, says that it is a secret: `--password x`,
   `--token=x`, `DB_PASSWORD=x`, `Authorization: Bearer x`, `user:x@host`, `sshpass -p x`.
2. The name stays, so that a person sees which option was given. A name of a file (`--password-file x`) is no secret.
3. What another program starts counts the same: `sudo mysql -px`, `sh -c "curl -u me:x ..."`.
"""

from __future__ import annotations

MARK = "[redacted]"
_TELLS = ("passw", "passphrase", "secret", "token", "apikey", "api-key", "api_key", "privatekey", "private-key", "psk")
_ENDS = ("-pass", "_pass", "-key", "_key", "-pwd", "_pwd", "-auth", "_auth", "-credentials")
_WHOLE = frozenset(("pass", "pwd", "pw", "key", "auth", "credentials", "proxy-user"))
_NO_SECRET = ("file", "path", "dir", "stdin", "fd", "prompt", "env", "id", "name", "type", "store", "command")
# Programs whose short option is a password: as a word of its own, or joined to it.
_SHORT = {
    "sshpass": ("-p",),
    "mysql": ("-p",),
    "mysqldump": ("-p",),
    "mariadb": ("-p",),
    "mosquitto_pub": ("-P",),
    "mosquitto_sub": ("-P",),
    "redis-cli": ("-a",),
    "ldapsearch": ("-w",),
    "curl": ("-u", "--user"),
    "wget": (),
    "smbclient": ("-U",),
    "htpasswd": (),
    "7z": ("-p",),
    "zip": ("-P",),
    "unzip": ("-P",),
    "ipmitool": ("-P",),
    "snmpwalk": ("-c", "-A", "-X"),
    "snmpget": ("-c", "-A", "-X"),
    "openssl": ("-k", "-K", "-pass", "-passin", "-passout"),
}
_HEADERS = ("authorization:", "cookie:", "x-api-key:", "proxy-authorization:", "private-token:", "x-auth-token:")


def hidden(words: list[str]) -> list[str]:
    """The words of a command line, with MARK for what must be a secret."""
    program = words[0].rpartition("/")[2] if words else ""
    found: list[str] = []
    after = False  # the word before said that this one is a secret
    for word in words:
        program = _started(word) or program
        if after and not (word.startswith("-") and _tells(word.lstrip("-"))):
            found.append(MARK)
            after = False
            continue
        short = _joined(program, word) if found else None
        after = False
        if short is not None:
            after = not short
            found.append(short or word)
        else:
            shown = _word(word)
            after = shown is word and word.startswith("-") and "=" not in word and _tells(word.lstrip("-"))
            found.append(shown)
    return found


def _started(word: str) -> str:
    """The program of _SHORT that a word names, "" for none."""
    name = word.rpartition("/")[2]
    return name if name in _SHORT else ""


def _joined(program: str, word: str) -> str | None:
    """For a program's own password option: the option with its joined value hidden, "" when the value follows."""
    for option in _SHORT.get(program, ()):
        if word == option:
            return ""
        if word.startswith(option) and not word.startswith("--") and len(option) == 2:
            return option + MARK
    return None


def _word(word: str) -> str:
    """One word; the same object when nothing in it is hidden."""
    name, parted, value = word.partition("=")
    if parted and value and "/" not in name and _tells(name.lstrip("-").rpartition(".")[2].rpartition(":")[2]):
        return f"{name}={MARK}"
    low = word.lower()
    for header in _HEADERS:
        at = low.find(header)
        if at >= 0:
            return f"{_word(word[:at])}{word[at : at + len(header)]} {MARK}"
    if " " not in word.strip():
        return _address(word)
    shown = " ".join(hidden(word.split(" ")))  # the text of a shell
    return word if shown == word else shown


def _address(word: str) -> str:
    """`scheme://user:secret@host` and what stands in its query."""
    at = word.find("://")
    if at < 0:
        return word
    end = next((place for place in range(at + 3, len(word)) if word[place] in "/?#"), len(word))
    who, signed, _ = word[at + 3 : end].rpartition("@")
    user, parted, secret = who.partition(":")
    shown = f"{word[: at + 3]}{user}:{MARK}{word[at + 3 + len(who) :]}" if signed and parted and secret else word
    head, asked, query = shown.partition("?")
    if not asked:
        return shown
    parts = [_word(part) if "://" not in part else part for part in query.split("&")]
    joined = "&".join(parts)
    return shown if joined == query else f"{head}?{joined}"


def _tells(name: str) -> bool:
    """True when the name of an option or variable says that its value is a secret."""
    low = name.lower()
    if low.endswith(_NO_SECRET):
        return False
    return low in _WHOLE or low.endswith(_ENDS) or any(word in low for word in _TELLS)
