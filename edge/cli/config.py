"""`fieldhand config show|init [FILE]`: what is set and where it comes from; a first settings file.

Rules:
1. No secret is printed: a settings file holds none, and of a variable that holds one only the name is told.
2. What a first file says is taken from the defaults (edge/config.py) and the table of keys (edge/config_keys.py).
3. A file that is there is never written over.
"""

from __future__ import annotations

import os

from edge.cli import put, settle
from edge.faults import ConfigFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.cli.args import Options
    from edge.config import Settings

_USAGE = "config show [FILE], or config init [FILE]"
# Key -> what is said of it; a key without a default has what could stand there before it, after a bar.
SAYS = {
    "mode": "readonly, supervised, guarded or full",
    "board": "the simulated greenhouse; or sim:NAME, auto (what is declared below), a file",
    "state": "/var/lib/fieldhand|else STATE_DIRECTORY, XDG_STATE_HOME, ~/.local/state/fieldhand",
    "roots": "/srv/garden|the workspace: existing folders; else the folder it was started in",
    "profile": "field|a [risk_profiles.NAME] of this file",
    "model.name": "or chat:NAME, scripted:FILE",
    "model.base_url": "where chat:NAME is: http://127.0.0.1:8080/v1",
    "model.replies": "native tool calls, or json: one JSON step a reply",
    "model.stream": "read a reply while it comes",
    "model.key_env": "the variable that holds the key",
    "model.key_file": "/etc/fieldhand/key|instead of it: a file with mode 0600",
    "model.seconds": "one request with its retries",
    "model.retries": "further attempts before anything arrived",
    "model.temperature": "0.2|else the server's own",
    "model.max_tokens": "of one reply",
    "model.ca_file": "/etc/ssl/own.pem|an authority that is trusted beside the system's, by tools too",
    "budgets.steps": "model replies in one turn",
    "budgets.tool_calls_per_hour": "0 forbids all",
    "budgets.turn_seconds": "one turn, whatever it does",
    "budgets.tool_seconds": "one call of a tool",
    "budgets.approval_seconds": "how long a question waits for its answer",
    "tools.job_seconds": "a shell in the background of a conversation ends then",
    "tools.block_internal_http": "false: internal hosts ask instead of being refused",
    "tools.confine_writes": "writes stay inside the workspace; false changes nothing, and says so",
    "tools.optional": "every tool that is here; [] is the minimal set, names are added to it",
    "tools.deferred_builtin_tools": "true: most tools are loaded by the model when it needs them",
    "tools.plugins": "entry points of other packages whose tools may be loaded",
    "tools.locale": "or de: the language of what tools say of themselves",
    "tools.spill_threshold": "characters of a result from which on it is kept aside; 0 for never",
    "network.proxy": "http://10.0.0.1:3128|tools reach public hosts through it; or socks5://",
    "approvals.wait": "as --ask",
    "audit.receipts": "a receipt for every success",
}
BOARD = """
# What is wired to a real board (board auto). fieldhand wire shows it and what answers, fieldhand guard keeps it safe.
# An output needs a line (a name of the kernel's, or its number on the chip); what else it may say, with the defaults:
#
# [outputs.pump]
# line = "GPIO17"
# label = "irrigation pump, relay 2"
# active = "high"                   # or low: a relay board that switches on at 0 V
# safe = "off"                      # what it is when nobody holds it; on for a cooling fan
# max_on = 600                      # seconds away from safe without a break
# min_off = 0                       # seconds at safe before it may leave it again
# max_per_hour = 0                  # how often it may leave safe; 0 for no limit
# interlock = ["not door == open"]  # or none: what must hold while it is away from safe
# max_age = 10                      # seconds: no older may be what an interlock goes by
# feedback = "pump_runs"            # or none: the input that shows whether it obeyed
# settle = 0.5                      # seconds until it has to show it
# override = "by_hand"              # or none: the input that holds it safe whoever asks
# on_start = "safe"                 # or hold: what the guard finds at its start stays
# on_exit = "safe"                  # or hold: it stays when the guard ends
# risk = "medium"                   # low, medium, high: what the gate makes of it
#
# [inputs.door]
# line = "GPIO22"                   # a contact to ground; cut, it reads open
# states = ["closed", "open"]       # words for 0 and 1
# active = "high"                   # or low: 1 is a line at 0 V, a contact that closes to ground
# bias = "up"                       # up, down, off; else as it is
# debounce = 0.02                   # seconds
#
# [inputs.pump_runs]
# line = "GPIO23"                   # an auxiliary contact of the relay, closed to ground while it is on
# active = "low"
# bias = "up"
#
# [inputs.by_hand]
# line = "GPIO25"                   # a switch on the box that opens to hold the pump; cut, it holds it too
# bias = "up"
#
# [sensors.box]                     # docs/sensors.md; board_info lists what the kernel has
# hwmon = "lm75"                    # or iio, thermal, onewire = "28-...", or i2c = "1/0x48" with part = "tmp105"
# at = "1-0048"                     # which one, where several have that name
# channel = "temp1"                 # of hwmon and iio
# label = "air in the box"
# unit = "C"                        # or F, K: what the quantity has
# low = -20                         # what it can be where it hangs; beyond, it is doubted
# high = 70
#
# [gpio]
# lines = ["GPIO24"]                # may be read beside the header's
# lab = false                       # true: they may be written too (gpio_write)
#
# [guard]
# socket = "/run/fieldhand/guard.sock"   # where fieldhand guard run listens
# users = ["pi"]                    # who may use it beside its own user and root
# heartbeat = 3                     # seconds without an agent's sign of life
"""
# Key -> the option that says the same.
OPTIONS = {
    **{"mode": "mode", "board": "board", "state": "state", "profile": "profile", "model.name": "model"},
    "model.base_url": "base_url",
}


def main(options: Options) -> int:
    """0; UsageFault for other words, ConfigFault for what is wrong with the file."""
    words = options.words or ("show",)
    if words[0] not in ("show", "init") or len(words) > 2:
        raise UsageFault(f"config knows: {_USAGE}", "fieldhand config show")
    told = words[1] if len(words) == 2 else options.config
    if words[0] == "init":
        return _init(told)
    return _show(options, told)


# --- a first file ---


def _init(told: str) -> int:
    from edge.config import Settings

    path = os.path.abspath(told or _own(os.environ))
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise ConfigFault(f"{path} is there already, and is not written over", "fieldhand config show") from error
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise ConfigFault(f"{path} cannot be written: {why}", "name another file: config init FILE") from error
    _fill(handle, path, template(Settings()).encode())
    put(f"{path} is written; fieldhand config show tells what is in force")
    return 0


def _fill(handle: int, path: str, data: bytes) -> None:
    """Write all of it and have it on the card; a file that is not whole goes again."""
    try:
        try:
            os.fchmod(handle, 0o600)
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        os.unlink(path)
        raise ConfigFault(f"{path} cannot be written: {(error.strerror or 'unknown error').lower()}") from error


def _own(environ: Mapping[str, str]) -> str:
    """The file that the next start reads, of those that belong to this user."""
    folders = [environ.get("XDG_CONFIG_HOME", ""), environ.get("HOME", "") + "/.config" if environ.get("HOME") else ""]
    found = environ.get("FIELDHAND_CONFIG", "")
    for folder in folders:
        if not found and folder[:1] == "/":
            found = folder + "/fieldhand/config.toml"
    if not found:
        raise UsageFault("there is no HOME, so there is no usual place for settings", "name one: config init FILE")
    return found


def template(settings: Settings) -> str:
    """A settings file that says what holds without it, with a remark to each key."""
    lines = ["# Settings of Fieldhand. What is not here has its default, as these lines show it."]
    table = ""
    for key, says in SAYS.items():
        head, _, name = key.rpartition(".")
        if head != table:
            lines += ["", f"[{head}]"]
            table = head
        value, sample, remark = value_of(settings, key), *_parts(says)
        shown = f"{name} = {_toml(value)}" if value not in ("", (), None) or not sample else f"# {name} = {sample}"
        lines.append(f"{shown:<34}# {remark}")
    return "\n".join(lines) + "\n" + BOARD


def _parts(says: str) -> tuple[str, str]:
    """What could stand there, as TOML ("" where there is a default), and the remark."""
    sample, bar, remark = says.partition("|")
    if not bar:
        return "", says
    plain = sample.replace(".", "", 1).isdecimal()
    return (sample if plain else _toml((sample,) if remark.startswith("the workspace") else sample)), remark


def value_of(settings: Settings, key: str) -> Any:
    """The value that a key of the file has in these settings."""
    from edge.config_keys import KEYS

    group, field = KEYS[key][:2]
    if group == "said":
        return True  # it changes nothing, and stands for what always holds
    return getattr(getattr(settings, group) if group else settings, field)


def _toml(value: Any) -> str:
    """A value as everyday TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else str(value)
    if isinstance(value, int):
        return str(value)
    import json

    return json.dumps("" if value is None else value, ensure_ascii=False)


# --- what is in force ---


def _show(options: Options, told: str) -> int:
    from edge.cli import say
    from edge.record import replace

    options = replace(options, config=told)
    settings = settle.settings(options, os.environ)
    path = told or settle.find(os.environ)
    for sentence in settings.warnings:
        say(f"fieldhand: {sentence}")
    lines = _lines(path)
    found = {key: (value_of(settings, key), _source(key, settings, options, lines)) for key in SAYS}
    if options.json:
        import json

        keys = {key: {"value": value, "from": source} for key, (value, source) in found.items()}
        profiles = [one.name for one in settings.profiles]
        shown = {"file": path, "settings": keys, "risk_profiles": profiles, "declared": _declared(settings)}
        put(json.dumps(shown, ensure_ascii=False))
    else:
        put(_text(found, settings, path))
    return 0


def _text(found: Mapping[str, tuple[Any, str]], settings: Settings, path: str) -> str:
    lines = [f"# {path}" if path else "# there is no settings file: these are the defaults"]
    table = ""
    for key, (value, source) in found.items():
        head, _, name = key.rpartition(".")
        if head != table:
            lines += ["", f"[{head}]"]
            table = head
        unset = value in ("", None) or (value == () and "|" in SAYS[key])
        shown = f"# {name} is not set" if unset else f"{name} = {_toml(value)}"
        lines.append(f"{shown:<34}# {source}")
    for one in settings.profiles:
        lines.append(f"\n[risk_profiles.{one.name}]" + "  # in force" * (one.name == settings.profile))
        lines.append("# fieldhand policy explain shows it")
    lines += [f"\n[{name}]" for name in _declared(settings)]
    lines += ["# fieldhand wire shows them"] * (settings.declared is not None)
    return "\n".join(lines)


def _declared(settings: Settings) -> list[str]:
    """The tables of the file's board."""
    if settings.declared is None:
        return []
    owned = settings.declared.owned
    lab = settings.declared.gpio.lab
    found = [f"outputs.{one.name}" for one in owned.outputs if one.name not in lab]
    found += [f"inputs.{one.name}" for one in owned.sensors]
    found += [f"sensors.{one.name}" for one in settings.declared.sensors]
    return found + [f"ports.{one.name}" for one in settings.declared.ports]


def _source(key: str, settings: Settings, options: Options, lines: Mapping[str, str]) -> str:
    """Where a value comes from: an option, a variable, a risk profile, a line of the file, or nowhere."""
    option = OPTIONS.get(key)
    if option and getattr(options, option):
        return f"--{option.replace('_', '-')}"
    if key == "tools.spill_threshold" and os.environ.get(settle.SPILL):
        return settle.SPILL
    if settings.profile and _of_profile(key, settings):
        return f"[risk_profiles.{settings.profile}]"
    source = lines.get(key, "default")
    if key == "model.key_env" and not settings.model.key_file:
        source += f"; the variable is {'set' if os.environ.get(settings.model.key_env) else 'not set'}"
    return source


def _of_profile(key: str, settings: Settings) -> bool:
    """True when the risk profile that is in force says it."""
    from edge.config import profile
    from edge.config_keys import KEYS

    said = profile(settings, settings.profile)
    if key in ("mode", "roots"):
        return key == "mode" or bool(said.roots)
    return KEYS[key][0] == "budgets" and KEYS[key][1] in dict(said.budgets)


def _lines(path: str) -> Mapping[str, str]:
    """`file:line` of each setting of a file that was loaded before; a setting that has two names stands for both."""
    if not path:
        return {}
    from edge import toml
    from edge.config_keys import KEYS

    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        text = os.read(handle, 1 << 20).decode("utf-8", "replace")
    finally:
        os.close(handle)
    said = toml.load(text, path)[1]
    found: dict[str, str] = {}
    for key in SAYS:
        for other in KEYS:
            if KEYS[other][:2] == KEYS[key][:2] and other in said:
                found[key] = f"{path}:{said[other]}"
    return found
