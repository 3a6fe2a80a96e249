"""The keys of the settings file, and how the value of each is checked. Loaded when there is a file to read.

A check takes the value of a key and its limits, gives what the field of the record holds, and raises ValueError with
the rest of a sentence that begins with the key.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_PROVIDERS = ("chat", "scripted")


def _kind(value: Any) -> str:
    names = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", list: "a list"}
    return names.get(type(value), "a table" if isinstance(value, dict) else "a date")


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {_kind(value)}")
    if not value.isprintable():
        raise ValueError("holds a control character")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {_kind(value)}")
    return value


def _whole(value: Any, low: int, high: int) -> int:
    if type(value) is not int:
        raise ValueError(f"must be a whole number, not {_kind(value)}")
    if not low <= value <= high:
        raise ValueError(f"must be from {low} to {high}, not {value if abs(value) < 10**18 else 'so large a number'}")
    return value


def _number(value: Any, low: float, high: float) -> float:
    if type(value) not in (int, float):
        raise ValueError(f"must be a number, not {_kind(value)}")
    if not low <= value <= high:
        raise ValueError(f"must be from {low:.10g} to {high:.10g}")
    return float(value)


def _milliseconds(value: Any, low: float, high: float) -> float:
    return _number(value, low, high) / 1000


def _one_of(value: Any, *words: str) -> str:
    word = _string(value).lower()
    if word not in words:
        raise ValueError(f"must be {' or '.join(words)}, not {value[:40]!r}")
    return word


def _preset(value: Any) -> str:
    from edge.gate.policy import preset

    return preset(_string(value))


def _spec(value: Any) -> str:
    provider, _, name = _string(value).partition(":")
    if value == "offline" or (provider in _PROVIDERS and name.strip() == name != ""):
        return str(value)
    raise ValueError(f"must be offline, chat:NAME or scripted:FILE, not {value[:40]!r}")


def _url(value: Any) -> str:
    """An address; "" is one that is not given."""
    if value == "":
        return ""
    scheme, _, rest = _string(value).partition("://")
    host = rest.partition("/")[0]
    if scheme.lower() not in ("http", "https") or not host or " " in value:
        raise ValueError("must be http://HOST or https://HOST, with a path such as /v1 where the server has one")
    if "@" in host:
        raise ValueError("holds a user name or key; use model.key_env or model.key_file")
    return str(value).rstrip("/")


def _proxy(value: Any) -> str:
    """`http://HOST:PORT`, or `socks5`; a user and password are not taken, as the file is no place for them."""
    from edge.gate.urls import read

    scheme, _, rest = _string(value).partition("://")
    socks = scheme.lower() in ("socks5", "socks5h")
    url = read(f"http://{rest}" if socks else value)
    portless = socks and ":" not in rest.rpartition("]")[2]  # it has no port that everybody knows
    if value and (url.kind == "bad" or url.scheme != "http" or url.target != "/" or portless):
        raise ValueError(
            f"must be http://HOST:PORT or socks5://HOST:PORT; {url.shown} {url.why or 'is something else'}"
        )
    return (url.origin.replace("http", "socks5", 1) if socks else url.origin) if value else ""


def _variable(value: Any) -> str:
    """A name of an environment variable. The value is not shown: it may be a key that was put in the wrong place."""
    name = _string(value)
    if not name.isascii() or not name.replace("_", "a").isalnum() or name[0].isdecimal():
        raise ValueError("must be the name of an environment variable, such as FIELDHAND_API_KEY, not the key itself")
    return name


def _path(value: Any) -> str:
    import os

    path = os.path.expanduser(_string(value))
    if path and not os.path.isabs(path):
        raise ValueError(f"must be an absolute path or begin with ~/, not {value[:60]!r}")
    return path


def _folders(value: Any) -> tuple[str, ...]:
    """Existing folders that may be a workspace, each by its real path."""
    import os

    from edge.gate.paths import is_workspace

    if not isinstance(value, list):
        raise ValueError(f"must be a list of folders, not {_kind(value)}")
    found = []
    for folder in value:
        path = os.path.realpath(_path(folder)) if folder != "" else ""
        if not os.path.isdir(path):
            raise ValueError(f"must name folders that exist, and {folder[:60]!r} is none")
        if not is_workspace(path):
            raise ValueError(
                f"must not name {path}, " + ("which is everything" if path == "/" else "a folder of the system")
            )
        found.append(path)
    return tuple(dict.fromkeys(found))


def _names(value: Any) -> tuple[str, ...]:
    """A list of names, each once."""
    if not isinstance(value, list):
        raise ValueError(f"must be a list of names, not {_kind(value)}")
    return tuple(dict.fromkeys(_string(name).strip() for name in value))


def _locale(value: Any) -> str:
    from edge.locales import LOCALES

    return _one_of(value, *LOCALES)


# dotted key -> (record, field, check, its limits)
KEYS: dict[str, tuple[str, str, Callable[..., Any], tuple[Any, ...]]] = {
    "mode": ("", "preset", _preset, ()),
    "board": ("", "board", _string, ()),
    "state": ("", "state", _path, ()),
    "roots": ("", "roots", _folders, ()),
    "profile": ("", "profile", _string, ()),
    "model.name": ("model", "spec", _spec, ()),
    "model.base_url": ("model", "base_url", _url, ()),
    "model.replies": ("model", "mode", _one_of, ("native", "json")),
    "model.stream": ("model", "stream", _flag, ()),
    "model.key_env": ("model", "key_env", _variable, ()),
    "model.key_file": ("model", "key_file", _path, ()),
    "model.seconds": ("model", "seconds", _number, (0.1, 3600)),
    "model.retries": ("model", "retries", _whole, (0, 20)),
    "model.temperature": ("model", "temperature", _number, (0, 2)),
    "model.max_tokens": ("model", "max_tokens", _whole, (1, 1_000_000)),
    "model.ca_file": ("model", "ca_file", _path, ()),
    "backend.ca_file": ("model", "ca_file", _path, ()),
    "budgets.steps": ("budgets", "steps", _whole, (1, 10_000)),
    "budgets.tool_calls_per_hour": ("budgets", "calls_per_hour", _whole, (0, 1_000_000)),
    "budgets.turn_seconds": ("budgets", "turn_seconds", _number, (1, 86_400)),
    "budgets.tool_seconds": ("budgets", "tool_seconds", _number, (0.1, 3600)),
    "budgets.approval_seconds": ("budgets", "approval_seconds", _number, (1, 86_400)),
    "network.proxy": ("", "proxy", _proxy, ()),
    "approvals.wait": ("", "wait", _flag, ()),
    "audit.receipts": ("", "receipts", _flag, ()),
    "tools.timeout_ms": ("budgets", "tool_seconds", _milliseconds, (100, 3_600_000)),
    "tools.job_seconds": ("budgets", "job_seconds", _number, (1, 86_400)),
    "tools.block_internal_http": ("", "block_internal", _flag, ()),
    "tools.confine_writes": ("said", "confine_writes", _flag, ()),
    "tools.optional": ("tools", "optional", _names, ()),
    "tools.deferred_builtin_tools": ("tools", "deferred", _flag, ()),
    "tools.plugins": ("tools", "plugins", _names, ()),
    "tools.locale": ("tools", "locale", _locale, ()),
    "tools.spill_threshold": ("tools", "spill_threshold", _whole, (0, 1 << 20)),
}
# For the tables that have readers of their own (edge/config_profiles.py, edge/config_board.py).
CHECKS: dict[str, Callable[..., Any]] = {
    **{"string": _string, "flag": _flag, "whole": _whole, "number": _number},
    **{"folders": _folders, "path": _path, "names": _names},
}
CONFINED = (
    "tools.confine_writes = false changes nothing: a write outside the opened folders is never granted, "
    "in no mode; name the folder in roots"
)
BOARD_TABLES = ("outputs", "inputs", "sensors", "gpio", "guard", "ports")
TABLES = ("model", "backend", "budgets", "tools", "network", "approvals", "audit")
