"""The settings in a provision file, checked by the code that reads settings (edge/config.py), fault after fault.

That code stops at the first fault. So what was wrong is noted and taken out, and it is asked again, until nothing is
wrong; what is wrong only because something was taken out (a table without its line, a name of a table that is gone)
is not noted. Line numbers are those of the provision file.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.card.asked import Reader
    from edge.config import Settings
    from edge.faults import ConfigFault

MOST = 200  # faults of one file


def check(data: dict[str, Any], reader: Reader, here: bool) -> Settings | None:
    """Note what is wrong with these tables; the settings when nothing is. here: on the board that they are for.

    `data` is left as it is.
    """
    if not data:
        return None
    wrong = len(reader.wrong)
    left = _copy(data)
    taken: set[str] = set()  # tables that miss what was taken out of them
    gone: set[str] = set()  # names of tables that were taken out
    for _ in range(MOST):
        found = _load(left)
        if not isinstance(found, tuple):
            return found if not any(not one.only_said for one in reader.wrong[wrong:]) else None
        fault, key = found
        if key in taken or any(repr(name) in fault.sentence for name in gone):
            gone.add(key.rpartition(".")[2])
        else:
            _note(fault, key, reader, here)
        if not key or not _drop(left, key):
            return None
        taken.add(key.rpartition(".")[0])
    return None


def _load(data: dict[str, Any]) -> Settings | tuple[ConfigFault, str]:
    """The settings, or the fault and the dotted key that it is about."""
    import os
    import tempfile

    from edge.card import toml_text
    from edge.config import load
    from edge.faults import ConfigFault

    text, keys = toml_text.write(data)
    handle, path = tempfile.mkstemp(suffix=".toml")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        return load(path)
    except ConfigFault as fault:
        number = fault.where[len(path) + 1 :] if fault.where.startswith(path) else ""
        key = keys[int(number) - 1] if number.isdecimal() and 0 < int(number) <= len(keys) else ""
        return fault, _longest(data, fault.key or key, key)
    finally:
        os.unlink(path)


def _longest(data: dict[str, Any], told: str, key: str) -> str:
    """The dotted key that the fault names as far as it is there; else the one of its line."""
    while told:
        if _at(data, told) is not None:
            return told
        told = told.rpartition(".")[0]
    return key


def _at(data: dict[str, Any], dotted: str) -> tuple[dict[str, Any], str] | None:
    """The table that holds a dotted key, and the key's last word. Quoted keys may hold dots themselves."""
    if dotted in data:
        return data, dotted
    for name, value in data.items():
        if dotted.startswith(name + ".") and isinstance(value, dict):
            found = _at(value, dotted[len(name) + 1 :])
            if found is not None:
                return found
    return None


def _drop(data: dict[str, Any], dotted: str) -> bool:
    found = _at(data, dotted)
    if found is None:
        return False
    del found[0][found[1]]
    return True


def _copy(table: dict[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, dict) else value for key, value in table.items()}


def _note(fault: ConfigFault, key: str, reader: Reader, here: bool) -> None:
    sentence = fault.sentence[len(fault.where) + 2 :] if fault.where else fault.sentence
    if not here and key.rpartition(".")[2] == "roots" and "folders that exist" in sentence:
        reader.note(key, f"whether the folders of {key} are there, only the board can say", only_said=True)
        return
    reader.note(key, sentence, fault.fix)
