"""What a provision file asks of a board, whoever wrote it: provision.toml or cloud-init's files.

Rules:
1. `named` are the tables that were written. Of a table that is named, what it says is all that holds afterwards; of
   the others nothing changes (edge/card/provision_plan.py).
2. A secret may be "(taken)": the one that the board has stays. So a file that was taken can be edited and used again.
3. Own tables are BOARD, LOGIN, NETWORK and TIME below; every other table is the settings' own, and is checked by the
   code that reads settings (edge/card/provision_settings.py), never by a copy of it.
"""

from __future__ import annotations

from edge.card import names
from edge.card.written import TAKEN, Wrong
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Check = Callable[[Any], Any]


class Network(Record):
    """The wired network. kind: dhcp, off or static; the rest is for static only."""

    kind: str = "dhcp"
    address: str = ""
    gateway: str = ""
    dns: tuple[str, ...] = ()


class Asked(Record):
    """Checked, and nothing done yet. `zone` is a rule; `settings`, `later`: tables as they are written.

    hidden: what may be a secret in the wrong place, so that no line tells it (edge/card/hidden.py).
    """

    named: tuple[str, ...] = ()
    hostname: str = ""
    id: str = ""
    zone: str = ""
    keys: tuple[str, ...] = ()
    password: str = ""
    password_hash: str = ""
    network: Network | None = None
    servers: tuple[str, ...] = ()
    key: str = ""
    settings: dict[str, Any] | None = None
    later: dict[str, Any] | None = None
    hidden: tuple[str, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must be in no status, no log and no file that stays on the card's first partition."""
        return tuple(one for one in (self.password, self.password_hash, self.key) if one not in ("", TAKEN))

    @property
    def untold(self) -> tuple[str, ...]:
        """What no line may tell: the secrets, and what may be one in the wrong place."""
        return (*self.secrets, *self.hidden)


def secret(check: Check) -> Check:
    """The check, or "(taken)"."""
    return lambda value: TAKEN if value == TAKEN else check(value)


# table -> key -> (field of Asked, check)
OWN: dict[str, dict[str, tuple[str, Check]]] = {
    "board": {
        "hostname": ("hostname", names.hostname),
        "id": ("id", names.board_id),
        "timezone": ("zone", names.zone),
        "keys": ("keys", names.public_keys),
    },
    "login": {
        "password": ("password", secret(names.password)),
        "password_hash": ("password_hash", secret(names.password_hash)),
    },
    "time": {"servers": ("servers", names.servers)},
}
# Tables that are the settings' own but for these keys.
WITHIN: dict[str, dict[str, tuple[str, Check]]] = {
    "model": {"key": ("key", secret(names.api_key)), "api_key": ("key", secret(names.api_key))},
}
WIRED = {"address": names.address, "gateway": names.gateway, "dns": names.addresses}
# Tables that no settings know yet: kept as they are for the version that does.
LATER = ("schedule",)
NO_SSH = "there is no SSH on this image: the serial console is the way in"
NO_WIFI = "there is no Wi-Fi on this image: the network is wired"


class Reader:
    """Takes tables out of what was written, and notes all that is wrong with them."""

    def __init__(self, file: str, lines: Mapping[str, int]) -> None:
        self.file = file
        self.lines = lines
        self.wrong: list[Wrong] = []

    def line(self, key: str) -> int:
        """Of a key, or of the nearest table around it: keys of an inline table have none. 0: of none."""
        while key and key not in self.lines:
            above = key.rpartition(".")[0]
            inside = [number for name, number in self.lines.items() if name.startswith(key + ".")]
            if inside:
                return min(inside)
            key = above
        return self.lines.get(key, 0)

    def note(self, key: str, sentence: str, fix: str = "", only_said: bool = False) -> None:
        self.wrong.append(Wrong(self.file, self.line(key), sentence, fix, only_said))

    def checked(self, key: str, check: Check, value: Any) -> Any:
        """The checked value, None when it is wrong and that is noted."""
        try:
            return check(value)
        except ValueError as fault:
            self.note(key, f"{key} {fault}")
            return None

    def table(self, name: str, value: Any, known: Mapping[str, Any]) -> dict[str, Any]:
        """The keys of a table that are known; the others are noted with a near name."""
        if not isinstance(value, dict):
            self.note(name, f"{name} is a table", f"write [{name}] and its keys below it")
            return {}
        for key in value:
            if key not in known:
                self.unknown(f"{name}.{key}", key, known)
        return {key: entry for key, entry in value.items() if key in known}

    def unknown(self, full: str, key: str, known: Mapping[str, Any]) -> None:
        from edge.schema import near

        meant = near(key, known)
        fix = f"did you mean {meant}?" if meant else f"known here: {', '.join(known)}"
        self.note(full, f"there is no key {ascii(full[:80])[1:-1]}", fix)

    def network(self, key: str, value: Any) -> Network | None:
        """`wired`: "dhcp", "off" or a table with an address of its own."""
        if value in ("dhcp", "off"):
            return Network(value)
        if not isinstance(value, dict):
            fix = 'or a table: wired = {address = "192.168.1.20/24", gateway = "192.168.1.1", dns = ["192.168.1.1"]}'
            self.note(key, f'{key} must be "dhcp" or "off"', fix)
            return None
        found = {}
        for name, entry in self.table(key, value, WIRED).items():
            found[name] = self.checked(f"{key}.{name}", WIRED[name], entry)
        if "address" not in value:
            self.note(key, f"{key} needs an address", 'such as address = "192.168.1.20/24"')
        if None in found.values() or "address" not in found:
            return None
        made = Network("static", **found)
        if made.gateway and not _within(made.gateway, made.address):
            sentence = f"{key}.gateway {made.gateway} is not another host of the network of {made.address}"
            self.note(f"{key}.gateway", sentence, "a gateway is a neighbour of the board")
            return None
        return made

    def own(self, data: dict[str, Any]) -> Asked:
        """The own tables out of `data`, which keeps what is the settings'."""
        fields: dict[str, Any] = {}
        named = []
        for name, known in OWN.items():
            if name not in data or (name == "board" and isinstance(data[name], str)):
                continue
            named.append(name)
            value = data.pop(name)
            asked = value.pop("ssh", False) if name == "login" and isinstance(value, dict) else False
            if asked not in (False, "none", "no", "off"):
                self.note("login.ssh", NO_SSH, only_said=True)
            for key, entry in self.table(name, value, known).items():
                self._field(fields, f"{name}.{key}", known[key], entry)
        for name, known in WITHIN.items():
            table = data.get(name)
            for key in [key for key in known if isinstance(table, dict) and key in table]:
                self._field(fields, f"{name}.{key}", known[key], data[name].pop(key))
        self._wired(data, fields, named)
        if fields.get("password") and fields.get("password_hash"):
            self.note("login.password_hash", "login has a password and a hash of one", "keep one of them")
        return replace(Asked(**fields), named=tuple(named))

    def _field(self, fields: dict[str, Any], full: str, row: tuple[str, Check], value: Any) -> None:
        field, check = row
        if field in fields:
            self.note(full, f"{full} says again what another key says", "keep one of them")
            return
        found = self.checked(full, check, value)
        if found is not None:
            fields[field] = found

    def _wired(self, data: dict[str, Any], fields: dict[str, Any], named: list[str]) -> None:
        """`network.wired` out of a table that is else the settings' own."""
        table = data.get("network")
        if not isinstance(table, dict) or "wired" not in table:
            return
        named.append("wired")
        fields["network"] = self.network("network.wired", table.pop("wired"))
        if not table:
            del data["network"]


def _within(gateway: str, address: str) -> bool:
    import ipaddress

    own = ipaddress.IPv4Interface(address)
    return ipaddress.IPv4Address(gateway) in own.network and ipaddress.IPv4Address(gateway) != own.ip
