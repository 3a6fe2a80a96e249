"""What was asked + what the board has -> the files that are to stand on its data partition. Pure.

    config/config.toml       the settings; the key of the model's server is in config/model.key (mode 600)
    config/later.toml        tables that this version does not know yet, as they were written
    etc/hostname  etc/id     one line each
    etc/TZ                   the rule of the time zone
    etc/network              WIRED=dhcp|off|static, ADDRESS=a.b.c.d/n, GATEWAY=a.b.c.d, DNS="a b": lines for a shell
    etc/time                 SERVERS="a b"
    etc/shadow               the whole of /etc/shadow, with the password's hash for operator and rescue
    etc/keys/provisioned-N.pub  public keys whose updates are taken beside the image's own: HEX NAME, one a file

Rules:
1. Of a table that is named, what it says is all that holds afterwards: a file of it that is not asked for goes. Tables
   that are not named, and their files, stay. The unit of settings is the first word of a table's name: `outputs`.
2. A secret that is "(taken)" stays as it is on the board; where the board has none that is a fault.
3. With outputs, inputs, sensors or lines declared, and no board named, the board is `auto`: what is declared is meant.
4. The same request gives the same files again: a password that the hash on the board fits keeps that hash.
"""

from __future__ import annotations

from edge.card.names import MOST_KEYS
from edge.card.written import TAKEN, Wrong
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.card.asked import Asked, Network

CONFIG, KEY, LATER_FILE = "config/config.toml", "config/model.key", "config/later.toml"
HOSTNAME, ID, ZONE, NETWORK, TIME = "etc/hostname", "etc/id", "etc/TZ", "etc/network", "etc/time"
SHADOW = "etc/shadow"
KEYS = tuple([f"etc/keys/provisioned-{number}.pub" for number in range(1, MOST_KEYS + 1)])
USERS = ("operator", "rescue")
# own table -> its files
FILES = {
    "board": (HOSTNAME, ID, ZONE, *KEYS),
    "login": (SHADOW,),
    "wired": (NETWORK,),
    "time": (TIME,),
    "model": (KEY,),
    "schedule": (LATER_FILE,),
    "sensors": (LATER_FILE,),
}
PRIVATE = (KEY, SHADOW)
DECLARED = ("outputs", "inputs", "sensors", "gpio", "ports")
HEAD = "# Written from provision.toml on the card's first partition; see fieldhand config show.\n"


class Board(Record):
    """What the board has: its settings as tables, its later tables, its files' texts ("" for none)."""

    settings: dict[str, Any]
    later: dict[str, Any]
    shadow: str = ""
    key: str = ""


class File(Record):
    """Below the data partition: where, what, and who may read it."""

    path: str
    text: str

    @property
    def mode(self) -> int:
        return 0o600 if self.path in PRIVATE else 0o644


class Plan(Record):
    """Files to stand there, and those that go. `said`: lines for status.txt, without secrets."""

    files: tuple[File, ...] = ()
    gone: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    settings: dict[str, Any] | None = None


def plan(asked: Asked, board: Board, data: str, file: str) -> tuple[Plan, list[Wrong]]:
    """What is to be written. data: where the board sees its data partition, as /data. file: for faults."""
    wrong = _missing(asked, board, file)
    if wrong:
        return Plan(), wrong
    texts = _texts(asked, board)
    settings = _settings(asked, board.settings, data, bool(texts.get(KEY)))
    if settings != board.settings:
        from edge.card import toml_text

        texts[CONFIG] = HEAD + toml_text.write(settings)[0]
    owned = dict.fromkeys([path for name in asked.named for path in FILES.get(name, ())])
    gone = tuple(path for path in owned if not texts.get(path))
    files = tuple(File(path, text) for path, text in sorted(texts.items()) if text)
    return Plan(files, gone, tuple(_said(asked, board, texts)), settings), []


def _missing(asked: Asked, board: Board, file: str) -> list[Wrong]:
    told = {"password": asked.password, "password_hash": asked.password_hash, "key": asked.key}
    has = {"password": board.shadow, "password_hash": board.shadow, "key": board.key}
    return [
        Wrong(file, 0, f"{name} is {TAKEN}, and this board has taken none", "write it again")
        for name, value in told.items()
        if value == TAKEN and not has[name]
    ]


def _texts(asked: Asked, board: Board) -> dict[str, str]:
    """Path -> text, "" for a file that the named tables do not ask for."""
    texts = {path: "" for name in asked.named for path in FILES.get(name, ())}
    if "board" in asked.named:
        texts.update({HOSTNAME: _line(asked.hostname), ID: _line(asked.id), ZONE: _line(asked.zone)})
        texts.update({path: _line(key) for path, key in zip(KEYS, asked.keys)})
    if "login" in asked.named:
        texts[SHADOW] = _shadow(asked, board.shadow)
    if "wired" in asked.named and asked.network is not None:
        texts[NETWORK] = network_text(asked.network)
    if "time" in asked.named:
        texts[TIME] = f'SERVERS="{" ".join(asked.servers)}"\n' if asked.servers else ""
    if "model" in asked.named or asked.key:
        texts[KEY] = board.key if asked.key == TAKEN else _line(asked.key)
    if asked.later:
        from edge.card import toml_text

        texts[LATER_FILE] = toml_text.write({**board.later, **asked.later})[0]
    return texts


def _line(text: str) -> str:
    return f"{text}\n" if text else ""


def network_text(network: Network) -> str:
    """Lines that a shell reads; no value needs more quoting than this: they are checked addresses."""
    rows = [f"WIRED={network.kind}"]
    if network.kind == "static":
        rows += [f"ADDRESS={network.address}", f"GATEWAY={network.gateway}", f'DNS="{" ".join(network.dns)}"']
    return "".join([f"{row}\n" for row in rows])


def hash_of(shadow: str) -> str:
    """The operator's hash in a text of /etc/shadow, "" when there is none."""
    rows = [row.split(":") for row in shadow.split("\n") if row.startswith(USERS[0] + ":")]
    return rows[0][1] if rows and len(rows[0]) > 1 else ""


def _shadow(asked: Asked, before: str) -> str:
    """The lines of shadow(5): name, hash, and that nobody is ever asked to change it. "": the image's own."""
    from edge.card.sha_crypt import fits, new_salt, sha512_crypt

    if TAKEN in (asked.password, asked.password_hash):
        return before
    hashed = asked.password_hash
    if asked.password:
        word = asked.password.encode("utf-8")
        old = hash_of(before)
        hashed = old if fits(word, old) else sha512_crypt(word, new_salt())
    users = {"root": "*", **dict.fromkeys(USERS, hashed), "nobody": "*"}
    return "".join([f"{user}:{word}:19000:0:99999:7:::\n" for user, word in users.items()]) if hashed else ""


def _settings(asked: Asked, before: Mapping[str, Any], data: str, keyed: bool) -> dict[str, Any]:
    """The tables of config.toml afterwards."""
    asked_for = asked.settings or {}
    merged = {**before, **asked_for}
    if "model" in asked.named or keyed:
        model = dict(merged.get("model", {}))
        if keyed:
            model["key_file"] = f"{data}/{KEY}"
        merged["model"] = model
    if any(name in asked_for for name in DECLARED) and "board" not in asked_for:
        merged["board"] = "auto"
    return {key: value for key, value in merged.items() if value != {}}


def _said(asked: Asked, board: Board, texts: Mapping[str, str]) -> list[str]:
    said = []
    told = {"host name": asked.hostname, "board id": asked.id, "time zone": asked.zone}
    said += [f"{what}: {value}" for what, value in told.items() if value]
    if asked.keys:
        said.append(f"keys whose updates are taken beside the image's own: {len(asked.keys)}")
    if "login" in asked.named:
        said.append("password: set" if texts[SHADOW] else "password: the image's default again")
    if asked.network is not None:
        said.append(f"wired network: {asked.network.address or asked.network.kind}")
    if asked.servers:
        said.append(f"time servers: {' '.join(asked.servers)}")
    if texts.get(KEY):
        said.append("key of the model's server: kept in a file of its own")
    elif KEY in texts and board.key:
        said.append("key of the model's server: taken away, because [model] names none")
    tables = list(asked.settings or {})
    said += [f"settings: {', '.join(tables)}"] * bool(tables)
    said += [f"kept for a later version: {', '.join(asked.later)}"] if asked.later else []
    return said
