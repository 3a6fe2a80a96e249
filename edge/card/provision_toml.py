"""provision.toml -> what it asks of a board, and every wrong line of it.

Rules:
1. Nothing is done here: text in, `Asked` and faults out, on a laptop as on a board. All faults are found before any is
   told, each with its line; a fault never shows a secret.
2. A line that is no TOML is noted and left out, and the rest is read all the same.
3. What is understood and not there on this image (Wi-Fi, SSH, a schedule) is said, and the rest is taken. What is not
   understood is a fault: then nothing is taken.
"""

from __future__ import annotations

from edge.card import hidden
from edge.card.asked import LATER, NO_WIFI, OWN, WITHIN, Asked, Reader
from edge.card.written import TAKEN, Written, Wrong, read, without_secrets
from edge.faults import ConfigFault
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "provision.toml"
MOST = 50  # lines that are no TOML
LAST_LINE = 57  # GPIO57 is the last one of a BCM2711, and no other model has more


def asked(raw: bytes, here: bool, name: str = FILE) -> tuple[Asked, list[Wrong]]:
    """What a file of these bytes asks, and what is wrong with it. here: on the board that it is for."""
    try:
        written = read(raw, name)
    except ConfigFault as fault:
        return Asked(), [wrong_of(fault, name)]
    data, lines, wrong = _tables(written.text, name)
    untold = hidden.values(data)
    unused = hidden.sought({table: data[table] for table in ("wifi", *LATER) if table in data})
    reader = Reader(name, lines)
    kind = _flat(data, reader)
    found = reader.own(data)
    if kind is not None:
        data["board"] = kind
    found = _elsewhere(data, found, reader)
    _names(data, reader)
    from edge.card import provision_settings

    _lines_there(data, reader)
    settings = provision_settings.check(data, reader, here)
    for sentence in settings.warnings if settings is not None else ():
        reader.wrong.append(Wrong(name, 0, sentence, only_said=True))
    found = replace(found, named=(*found.named, *data), settings=data, hidden=untold)
    wrong += reader.wrong
    if all(one.only_said for one in wrong):
        wrong += _uncleaned(written, (*found.secrets, *(one for one in unused if one != TAKEN)), name)
    return found, sorted(wrong, key=lambda one: (one.only_said, one.line))


def wrong_of(fault: ConfigFault, name: str) -> Wrong:
    """A fault with `where` = name:line as what is noted."""
    sentence = fault.sentence[len(fault.where) + 2 :] if fault.where else fault.sentence
    number = fault.where.rpartition(":")[2]
    return Wrong(name, int(number) if number.isdecimal() else 0, sentence, fault.fix)


def _tables(text: str, name: str) -> tuple[dict[str, Any], dict[str, int], list[Wrong]]:
    """Tables, lines, and the lines that are no TOML; below a header that is none, nothing is read."""
    from edge import toml

    wrong: list[Wrong] = []
    rows = text.split("\n")
    for _ in range(MOST):
        try:
            data, lines = toml.load("\n".join(rows), name)
            return data, dict(lines), wrong
        except ConfigFault as fault:
            found = wrong_of(fault, name)
            wrong.append(_straight(found, rows))
            if not 0 < found.line <= len(rows) or not rows[found.line - 1].strip():
                return {}, {}, wrong
            _leave_out(rows, found.line - 1)
    return {}, {}, wrong


def _straight(found: Wrong, rows: list[str]) -> Wrong:
    """With the likely reason: quotation marks that a word processor made round."""
    row = rows[found.line - 1] if 0 < found.line <= len(rows) else ""
    curled = any(mark in row for mark in "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb")
    return replace(found, fix='write straight quotation marks: "..."') if curled else found


def _leave_out(rows: list[str], at: int) -> None:
    """Empty the line; with a header also what stands below it, which else would be another table's."""
    header = rows[at].lstrip().startswith("[")
    rows[at] = ""
    at += 1
    while header and at < len(rows) and not rows[at].lstrip().startswith("["):
        rows[at] = ""
        at += 1


def _flat(data: dict[str, Any], reader: Reader) -> Any:
    """`[settings]` is the top of a settings file: its keys, and tables below it, go where they belong.

    None, or which board is worked with, where there is a table [board] that says who this one is.
    """
    table = data.pop("settings", {})
    if not isinstance(table, dict):
        reader.note("settings", "settings is a table", "write [settings] and its keys below it")
        return None
    within = len("settings.")
    moved = {key[within:]: line for key, line in reader.lines.items() if key.startswith("settings.")}
    reader.lines = {**moved, **reader.lines}
    kind = table.pop("board", None) if isinstance(data.get("board"), dict) else None
    for key, value in table.items():
        if key in data:
            reader.note(f"settings.{key}", f"settings.{key} says again what {key} says", "keep one of them")
        else:
            data[key] = value
    return kind


def _elsewhere(data: dict[str, Any], found: Asked, reader: Reader) -> Asked:
    """What this image does not do: Wi-Fi is said, tables of later versions are kept and said."""
    from edge.config_keys import BOARD_TABLES, TABLES

    if data.pop("wifi", None) is not None:
        reader.note("wifi", NO_WIFI, only_said=True)
    later = {}
    for name in LATER:
        if name in data and name not in (*BOARD_TABLES, *TABLES):
            later[name] = data.pop(name)
            reader.note(name, f"[{name}] is kept for a version that knows it; this one does not use it", only_said=True)
    return replace(found, later=later, named=(*found.named, *later))


def _names(data: dict[str, Any], reader: Reader) -> None:
    """Take out what no table is called, and keys of shared tables that nobody knows, with a near name for each."""
    from edge.config_keys import BOARD_TABLES, KEYS, TABLES
    from edge.schema import near

    top = [key for key in KEYS if "." not in key]
    known = (*OWN, "network", "wifi", *LATER, *TABLES, *BOARD_TABLES, "risk_profiles", "settings", *top)
    for name in [name for name in data if name not in known]:
        home = next((table for table, keys in OWN.items() if name in keys), "")
        meant = near(name, known)
        shown = ascii(name[:60])[1:-1]
        fix = f"did you mean {meant}?" if meant else f"there are: {', '.join(dict.fromkeys(known))}"
        what = "table" if isinstance(data.pop(name), (dict, list)) else "key"
        sentence = f"there is no table [{shown}]" if what == "table" else f"there is no key {shown}"
        reader.note(name, sentence, f"{name} stands below [{home}]" if home else fix)
    for name, own in (("network", ("wired",)), ("model", tuple(WITHIN["model"]))):
        table = data.get(name)
        below = [key.partition(".")[2] for key in KEYS if key.startswith(name + ".")]
        for key in [key for key in table if key not in below] if isinstance(table, dict) else ():
            if near(key, own):
                reader.unknown(f"{name}.{key}", key, dict.fromkeys((*own, *below)))
                del data[name][key]


def _lines_there(data: dict[str, Any], reader: Reader) -> None:
    """Lines that no board of ours has: the guard would start for none of the outputs over one of them."""
    for kind in ("outputs", "inputs"):
        tables = data.get(kind)
        for name, table in tables.items() if isinstance(tables, dict) else ():
            line = table.get("line") if isinstance(table, dict) else None
            number = line[4:] if isinstance(line, str) and line[:4] == "GPIO" else ""
            if number.isdecimal() and (len(number) > 2 or int(number) > LAST_LINE):
                key = f"{kind}.{name}.line"
                sentence = f"{key}: no Raspberry Pi has a line GPIO{number[:16]}"
                reader.note(key, sentence, "the header has GPIO2 to GPIO27")


def _uncleaned(written: Written, secrets: tuple[str, ...], name: str) -> list[Wrong]:
    """Secrets that could not be taken out of the file: what is left must be TOML still, without any of them."""
    from edge import toml

    sentence = "a secret stands where it cannot be erased"
    fix = 'write it once, on a line of its own: password = "..." or key = "..."'
    cleaned = read(without_secrets(written), name).text
    try:
        toml.load(cleaned, name)
    except ConfigFault as fault:
        return [replace(wrong_of(fault, name), sentence=sentence, fix=fix)]
    for number, row in enumerate(cleaned.split("\n"), 1):
        if any(secret in row for secret in secrets):
            return [Wrong(name, number, sentence, fix)]
    if any(secret in cleaned for secret in secrets):
        return [Wrong(name, 0, sentence, fix)]
    return []
