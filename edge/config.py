"""Settings: defaults, the settings file, the key of the model's server.

Rules:
1. Every default stands in the records below, nowhere else.
2. A key that is not in edge/config_keys.py is a fault with file, line and a near name: nothing is silently ignored.
   Types and ranges are checked there, once; what leaves `load` is valid.
3. A secret never stands in the file, in a record, in a repr or in a fault: the file names an environment variable
   or a file that only its owner can read.
4. Parsed anew at each start. A cached policy would be a hole in the authority.
5. Loaded before the prompt: nothing may be imported at module level but records and posix. `os` would be as much as
   all of this again, where a start is without `site`; faults are loaded when there is one.
"""

from __future__ import annotations

import posix

from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from edge.config_board import Declared
    from edge.faults import ConfigFault
    from edge.gate.profile import Profile

_LARGEST_FILE = 1 << 20  # bytes
_LONGEST_KEY = 4096  # bytes
_SECRETS = ("api_key", "apikey", "key", "token", "api_token", "secret", "password", "authorization", "bearer")


class ModelSettings(Record):
    """Which model, and how it is asked.

    spec: `offline`, `scripted:FILE` or `chat:NAME`. mode: `native` tool calls or `json` steps. seconds: the whole
    of one request, retries included. retries: further attempts before anything arrived. max_tokens: of one reply.
    ca_file: certificates of an authority that is trusted beside those of the system, by tools too.
    """

    spec: str = "offline"
    base_url: str = ""
    mode: str = "native"
    stream: bool = True
    key_env: str = "FIELDHAND_API_KEY"
    key_file: str = ""
    seconds: float = 120.0
    retries: int = 3
    temperature: float | None = None
    max_tokens: int = 1024
    ca_file: str = ""


class Budgets(Record):
    """What one turn may use up. calls_per_hour counts tool calls; 0 forbids all. The rest is seconds and steps.

    job_seconds: how long a shell may go on in the background of a conversation.
    """

    steps: int = 32
    calls_per_hour: int = 120
    turn_seconds: float = 900.0
    tool_seconds: float = 30.0
    approval_seconds: float = 120.0
    job_seconds: float = 3600.0


class ToolSettings(Record):
    """Which tools there are and how they are shown.

    optional: names beside the minimal ones, "*" for all. deferred: most are loaded by the model
    when it needs them. plugins: entry points of other packages that may be loaded. locale: the language of what they
    say of themselves. spill_threshold: characters of a result from which on it is kept aside; 0 for never.
    """

    optional: tuple[str, ...] = ("*",)
    deferred: bool = False
    plugins: tuple[str, ...] = ()
    locale: str = "en"
    spill_threshold: int = 4096


class Settings(Record):
    """All settings. state: the folder for tapes and simulation, absolute; "" leaves the choice to the environment.

    roots: the folders that tools may write in, absolute and without links; none: the folder of the start.
    profile: the name of the risk profile in force, "" without one. block_internal: tools refuse internal hosts that
    no profile lists. proxy: what tools go through to public hosts, "" for none. wait: without a terminal, questions
    wait for `fieldhand approvals`. receipts: a success gets one. declared: the outputs, inputs and lines of a real
    board. warnings: sentences on what in the file changes nothing, or less than it seems to.
    """

    preset: str = "guarded"
    board: str = "sim"
    model: ModelSettings = ModelSettings()
    budgets: Budgets = Budgets()
    state: str = ""
    roots: tuple[str, ...] = ()
    profile: str = ""
    profiles: tuple[Profile, ...] = ()
    block_internal: bool = True
    proxy: str = ""
    wait: bool = False
    receipts: bool = True
    tools: ToolSettings = ToolSettings()
    declared: Declared | None = None
    warnings: tuple[str, ...] = ()


def load(path: str) -> Settings:
    """The settings of a file over the defaults. ConfigFault with `file:line` and key for all that is wrong in it."""
    from edge import toml
    from edge.config_keys import BOARD_TABLES, CHECKS, CONFINED, KEYS

    data, lines = toml.load(_text(path), path)
    tables = data.pop("risk_profiles", None)
    board = {name: data.pop(name) for name in BOARD_TABLES if name in data}
    given: dict[str, dict[str, Any]] = {"": {}, "model": {}, "budgets": {}, "tools": {}, "said": {}}
    for key, value in _flat("", data):
        where = _where(path, lines, key)
        row = KEYS.get(key)
        if row is None:
            raise _unknown(key, isinstance(value, dict), where)
        group, field, check, limits = row
        if field in given[group]:
            raise _wrong(f"{key} says again what another key says", "keep one of them", where, key)
        try:
            given[group][field] = check(value, *limits)
        except ValueError as fault:
            sentence = getattr(fault, "sentence", f"{key} {fault}")  # a ConfigFault has one of its own
            raise _wrong(sentence, getattr(fault, "fix", ""), where, key) from None
    found = Settings(
        **given[""],
        model=ModelSettings(**given["model"]),
        budgets=Budgets(**given["budgets"]),
        tools=ToolSettings(**given["tools"]),
    )
    warnings: tuple[str, ...] = () if given["said"].get("confine_writes", True) else (CONFINED,)
    if tables is not None:
        from edge.config_profiles import read

        profiles, said = read(tables, lines, path, CHECKS, _budget)
        found, warnings = replace(found, profiles=profiles), warnings + said
    if board:
        from edge import config_board

        found = replace(found, declared=config_board.read(board, lines, path, CHECKS))
    if found.profile:
        where = f"{path}:{lines['profile']}" if "profile" in lines else path
        profile(found, found.profile, where)
        if "preset" in given[""]:
            warnings += (f"mode is not used: the risk profile {found.profile} has a level of its own",)
    return replace(found, warnings=warnings) if warnings else found


def _wrong(sentence: str, fix: str = "", where: str = "", key: str = "") -> ConfigFault:
    from edge.faults import ConfigFault

    return ConfigFault(sentence, fix, where, key)


def _where(path: str, lines: Mapping[str, int], key: str) -> str:
    """`path:line` of a key, or of the first below it: a table that only has tables has no line of its own."""
    found = [line for name, line in lines.items() if name == key or name.startswith(key + ".")]
    return f"{path}:{min(found)}" if found else path


def profile(settings: Settings, name: str, where: str = "") -> Profile:
    """The risk profile of that name; ConfigFault with a near name when there is none."""
    for found in settings.profiles:
        if found.name == name:
            return found
    from edge.schema import near

    names = [found.name for found in settings.profiles]
    meant = near(name, names)
    fix = f"known: {', '.join(names)}" if names else "write [risk_profiles.NAME]"
    fix = f"did you mean {meant}?" if meant else fix
    raise _wrong(f"there is no risk profile {name[:60]!r}", fix, where, "profile")


def board_file(path: str) -> tuple[dict[str, Any], dict[str, int]]:
    """The tables of a board file and the line of each key. ConfigFault when it cannot be read."""
    from edge import toml

    return toml.load(_text(path, "board file"), path)


def _budget(key: str, value: Any) -> tuple[str, float]:
    """A key of `[budgets]` in a risk profile: the field and its checked value."""
    from edge.config_keys import KEYS

    row = KEYS.get(f"budgets.{key}")
    if row is None:
        from edge.schema import near

        names = [known.partition(".")[2] for known in KEYS if known.startswith("budgets.")]
        meant = near(key, names)
        fix = f"did you mean {meant}?" if meant else f"known: {', '.join(names)}"
        raise _wrong(f"there is no budget {ascii(key[:60])[1:-1]}", fix)
    return row[1], row[2](value, *row[3])


def read_key(settings: ModelSettings, environ: Mapping[str, str]) -> str:
    """The key for the model's server: the content of key_file, else the variable key_env; "" when neither is set.

    A key file is a regular file that group and others cannot touch (mode 0600 or 0400). ConfigFault never holds
    the key, and neither does any record.
    """
    if settings.key_file:
        raw = _key_bytes(settings.key_file)
        where = settings.key_file
    else:
        raw = environ.get(settings.key_env, "").encode("utf-8", "surrogateescape")
        where = f"the variable {settings.key_env}"
    key = raw.strip()
    if any(byte <= 32 or byte >= 127 for byte in key):
        raise _wrong(f"the key in {where} is not one word of ASCII", "write the key alone, in one line")
    if settings.key_file and not key:
        raise _wrong(f"the key file {where} is empty", "write the key into it", key="model.key_file")
    return key.decode("ascii")


def _key_bytes(path: str) -> bytes:
    status, raw = _read(path, _LONGEST_KEY, "model.key_file", "key file")
    if status.st_mode & 0o077:
        raise _wrong(f"the key file {path} can be used by others", f"run: chmod 600 {path}", key="model.key_file")
    return raw


def _read(path: str, most: int, key: str, what: str) -> tuple[posix.stat_result, bytes]:
    """Status and content of a regular file. O_NONBLOCK: a named pipe in its place must not hang the start."""
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC | posix.O_NOCTTY)
        try:
            status = posix.fstat(handle)
            if status.st_mode & 0o170000 != 0o100000:  # S_IFMT, S_IFREG
                raise _wrong(f"the {what} {path} is not a regular file", "name another", key=key)
            if status.st_size > most:
                raise _wrong(f"the {what} {path} has more than {most} bytes", "name another", key=key)
            return status, posix.read(handle, most + 1)[:most]
        finally:
            posix.close(handle)
    except (OSError, ValueError) as fault:
        if hasattr(fault, "sentence"):  # a ConfigFault from above
            raise
        why = (getattr(fault, "strerror", None) or str(fault)).lower()
        raise _wrong(f"the {what} {path} cannot be read: {why}", _unread(fault), key=key) from fault


def _unread(fault: Exception) -> str:
    """What to do about a file that cannot be read."""
    if isinstance(fault, PermissionError):
        return "let this user read it and pass its folders, or name another"
    if getattr(fault, "errno", 0) == 5:  # EIO
        return "the card may be failing: see dmesg, and start the board again"
    return "name one that exists"


def _text(path: str, what: str = "settings file") -> str:
    raw = _read(path, _LARGEST_FILE, "", what)[1]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise _wrong("this line is not UTF-8", "save the file as UTF-8", f"{path}:{line}") from fault


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; an empty or an unknown table is yielded as a whole."""
    from edge.config_keys import TABLES

    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict) and (key not in TABLES or prefix):
            yield key, value
        elif isinstance(value, dict):
            yield from _flat(key + ".", value)
        else:
            yield key, value


def _unknown(key: str, table: bool, where: str) -> ConfigFault:
    from edge.config_keys import BOARD_TABLES, KEYS, TABLES

    if key.rpartition(".")[2].lower().replace("-", "_") in _SECRETS:
        fix = "set model.key_env to the name of a variable, or model.key_file to a file with mode 0600"
        return _wrong(f"{key}: a key does not belong in the settings file", fix, where, key)
    if key in TABLES:
        return _wrong(f"{key} is a table", f"write [{key}] once and its keys below it", where, key)
    from edge.schema import near

    group, dot, last = key.rpartition(".")
    if table or (dot and group not in TABLES):
        shown = ascii(key[:60])[1:-1]
        tables = (*TABLES, *BOARD_TABLES, "risk_profiles")
        meant = near(key, tables)
        fix = f"did you mean [{meant}]?" if meant else f"tables: {', '.join(tables)}"
        return _wrong(f"there is no table [{shown}]", fix, where, key)
    names = [known.rpartition(".")[2] for known in KEYS if known.rpartition(".")[0] == group]
    meant = next((known for known in KEYS if known.rpartition(".")[2] == last), "") or near(last, names)
    fix = f"did you mean {meant}?" if meant else f"known here: {', '.join(names)}"
    if last not in names and _of_profiles(last):
        fix = f"{last} stands below a [risk_profiles.NAME], which profile = NAME or --profile NAME puts in force"
    return _wrong(f"there is no key {ascii(key[:60])[1:-1]}", fix, where, key)


def _of_profiles(key: str) -> bool:
    from edge.gate.profile import Profile

    return key in Profile.__fields__ and key not in ("name", "said")
