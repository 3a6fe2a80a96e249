"""`[risk_profiles.NAME]` of the settings file -> checked profiles. Loaded only when a file has them.

Rules:
1. A key that is not in _KEYS is a fault with file, line and a near name; so is a contradiction (edge/gate/profile.py).
2. In `excluded_tools` and `always_ask` a name that nothing bears is a fault: a slip there would leave open what was to
   be closed. In lists that open something it is a warning.
3. Names of tools load in every dialect and case, and stand here in their canonical form.
"""

from __future__ import annotations

import os

from edge.faults import ConfigFault
from edge.gate import profile as profiles
from edge.gate.names import ALIASES, KNOWN, canonical, known
from edge.gate.policy import SANDBOXES, preset
from edge.gate.profile import Profile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Check = Callable[[Any], Any]

CLOSING = ("excluded_tools", "always_ask")


def read(
    tables: Any, lines: Mapping[str, int], path: str, checks: Mapping[str, Check], budgets: Callable[[str, Any], Any]
) -> tuple[tuple[Profile, ...], tuple[str, ...]]:
    """The profiles and what to warn of. `checks` are those of edge.config: `string flag folders path`.

    `budgets(key, value)` gives (field, value) for a key of `[budgets]`. ConfigFault names file, line and key.
    """
    if not isinstance(tables, dict):
        raise ConfigFault("risk_profiles is a table", "write [risk_profiles.NAME]", _at(lines, path, "risk_profiles"))
    reader = _Reader(lines, path, checks, budgets)
    found = [reader.profile(name, table) for name, table in tables.items()]
    return tuple(found), tuple(reader.warnings)


def _at(lines: Mapping[str, int], path: str, key: str) -> str:
    """`path:line` of a key, or of the nearest table around it: keys of an inline table have no line of their own."""
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return f"{path}:{lines[key]}" if key else path


class _Reader:
    def __init__(
        self, lines: Mapping[str, int], path: str, checks: Mapping[str, Check], budgets: Callable[[str, Any], Any]
    ) -> None:
        self._lines = lines
        self._path = path
        self._budget = budgets
        self.warnings: list[str] = []
        string, flag, folders, path_ = (checks[name] for name in ("string", "flag", "folders", "path"))
        tools = self._texts(string, self._tool)
        # key -> check; the keys are the fields of Profile
        self._keys: dict[str, Check] = {
            "level": lambda value: preset(string(value)),
            "allowed_tools": tools,
            "excluded_tools": tools,
            "deny_all_tools": flag,
            "always_ask": tools,
            "auto_approve": tools,
            "ask_for": self._texts(string, _rule),
            "roots": folders,
            "forbidden_paths": lambda value: _both(self._texts(path_, _forbidden)(value)),
            "hosts": self._texts(string, lambda text: _host(text, False)),
            "internal_hosts": self._texts(string, lambda text: _host(text, True)),
            "programs": self._texts(string, _program),
            "sandbox": lambda value: _word(string(value), SANDBOXES),
            "unattended": lambda value: preset(string(value)),
        }
        self._key = ""

    def profile(self, name: str, table: Any) -> Profile:
        prefix = f"risk_profiles.{name}"
        if not isinstance(table, dict):
            raise self._fault(ConfigFault(f"{prefix} is a table", f"write [{prefix}] and its keys below it"), prefix)
        fields: dict[str, Any] = {}
        said = []
        for key, value in table.items():
            full = f"{prefix}.{key}"
            said.append((key, _at(self._lines, self._path, full)))
            if key == "budgets":
                if not isinstance(value, dict):
                    raise self._fault(ConfigFault(f"{full} is a table", f"write [{full}] and its keys below it"), full)
                fields[key] = tuple([self._checked(f"{full}.{one}", self._of(one), got) for one, got in value.items()])
            elif key not in self._keys:
                raise self._fault(_unknown(key, name, (*self._keys, "budgets")), full)
            else:
                self._key = key
                fields[key] = self._checked(full, self._keys[key], value)
        made = Profile(name=name, said=tuple(said), **fields)
        wrong = profiles.contradiction(made)
        if wrong is not None:
            raise self._fault(wrong[1], f"{prefix}.{wrong[0]}")
        self.warnings += profiles.warnings(made)
        return made

    def _of(self, key: str) -> Check:
        return lambda value: self._budget(key, value)

    def _checked(self, key: str, check: Check, value: Any) -> Any:
        try:
            return check(value)
        except ConfigFault as fault:
            raise self._fault(fault, key) from None
        except ValueError as fault:
            raise self._fault(ConfigFault(f"{key} {fault}"), key) from None

    def _fault(self, fault: ConfigFault, key: str) -> ConfigFault:
        return ConfigFault(fault.sentence, fault.fix, _at(self._lines, self._path, key), key)

    def _texts(self, string: Check, check: Check) -> Check:
        def texts(value: Any) -> tuple[str, ...]:
            if not isinstance(value, list):
                raise ValueError("must be a list of texts")
            return tuple(dict.fromkeys([check(string(one)) for one in value]))

        return texts

    def _tool(self, name: str) -> str:
        if not known(name):
            from edge.schema import near

            meant = near(name.lower(), (*KNOWN, *ALIASES))
            hint = f"did you mean {meant}?" if meant else "fieldhand tools lists them; an MCP tool is SERVER__TOOL"
            sentence = f"{self._key} names {name[:60]!a}, and there is no such tool"
            if self._key in CLOSING:
                raise ConfigFault(sentence, hint)
            self.warnings.append(f"{sentence} ({hint})")
        return canonical(name)


def _unknown(key: str, name: str, keys: tuple[str, ...]) -> ConfigFault:
    from edge.schema import near

    meant = near(key, keys)
    fix = f"did you mean {meant}?" if meant else f"known here: {', '.join(keys)}"
    return ConfigFault(f"the risk profile {name[:40]} has no key {ascii(key[:60])[1:-1]}", fix)


def _rule(name: str) -> str:
    """`high`, `ruin`, `disk`, or the id of a rule that can be asked for."""
    from edge.gate.rules import RULES
    from edge.schema import near

    ids = tuple(dict.fromkeys([row.id for row in RULES.values() if "named" in row.verdicts]))
    if name not in (*profiles.GROUPS, *ids):
        meant = near(name, (*profiles.GROUPS, *ids))
        fix = f"did you mean {meant}?" if meant else f"write {', '.join(profiles.GROUPS)} or the id of such a rule"
        raise ConfigFault(f"ask_for names {name[:60]!a}, which nothing asks for", fix)
    return name


def _forbidden(path: str) -> str:
    from edge.gate.paths import absolute

    if not path:
        raise ValueError("must name paths, and one is empty")
    return absolute(path, "/")


def _both(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths as they are spelled and as they really are."""
    return tuple(dict.fromkeys([one for path in paths for one in (path, os.path.realpath(path))]))


def _host(text: str, internal: bool) -> str:
    from edge.gate.hosts import checked

    return checked(text, internal)


def _program(name: str) -> str:
    if not name or name.split() != [name] or not set("'\"\\$`;&|<>()*?[]{}~#=!").isdisjoint(name):
        raise ValueError(f"must name programs, each one plain word, and {name[:40]!r} is none")
    return name


def _word(word: str, words: tuple[str, ...]) -> str:
    if word.lower() not in words:
        raise ValueError(f"must be {' or '.join(words)}, not {word[:40]!r}")
    return word.lower()
