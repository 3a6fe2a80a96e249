"""cloud-init's files on the first partition -> what they ask of this board: the keys that people use.

    user-data        #cloud-config: hostname, fqdn, timezone, password, chpasswd, users, user, ntp, ssh_*
    network-config   version 2: ethernets with dhcp4, addresses, gateway4 or routes, nameservers
    meta-data        instance-id, local-hostname

Rules:
1. What is written wrong is a fault with its line. What is right and not for this image (packages, files, a second
   network card) is named with its line, and the rest is taken.
2. There is one operator: the password of the user that is called so, else of the first one that has one, is the
   operator's. Values are checked as those of provision.toml (edge/card/names.py).
"""

from __future__ import annotations

from edge.card import names, yaml
from edge.card.asked import NO_SSH, NO_WIFI, Asked, Network, Reader
from edge.card.provision_toml import wrong_of
from edge.card.written import Wrong, read
from edge.card.yaml import Node
from edge.faults import ConfigFault
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

USER, NETWORK, META = "user-data", "network-config", "meta-data"
FILES = (USER, NETWORK, META)
# Keys that ask for nothing that is not so anyway.
SILENT = (
    *("preserve_hostname", "manage_etc_hosts", "ssh_deletekeys", "ssh_genkeytypes", "disable_root", "final_message"),
    *(
        "manage_resolv_conf",
        "package_update",
        "package_upgrade",
        "package_reboot_if_required",
        "growpart",
        "resize_rootfs",
    ),
    *("prefer_fqdn_over_hostname",),
)
SSH = ("ssh_authorized_keys", "ssh_import_id", "ssh_pwauth", "ssh_keys", "ssh")
USED = ("hostname", "fqdn", "timezone", "password", "chpasswd", "users", "user", "ntp")
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")


def asked(files: Mapping[str, bytes]) -> tuple[Asked, list[Wrong]]:
    """What the files ask together, and what is wrong with them. Name -> content of those that are there."""
    found: dict[str, Any] = {}
    wrong: list[Wrong] = []
    for name in FILES:
        if name in files:
            wrong += _file(name, files[name], found)
    named = []
    if found.keys() & {"hostname", "id", "zone"}:
        named.append("board")
    if found.keys() & {"password", "password_hash"}:
        named.append("login")
    named += ["wired"] * ("network" in found) + ["time"] * ("servers" in found)
    return replace(Asked(**found), named=tuple(named)), wrong


def _file(name: str, raw: bytes, found: dict[str, Any]) -> list[Wrong]:
    try:
        text = read(raw, name).text
    except ConfigFault as fault:
        return [wrong_of(fault, name)]
    rows = text.split("\n")
    first = rows[0].strip().replace(" ", "")
    if name == USER and text.strip() and first != "#cloud-config":
        sentence = "user-data does not begin with #cloud-config" + (
            "; scripts are not run" if first[:2] == "#!" else ""
        )
        return [Wrong(name, 1, sentence, "write #cloud-config into the first line")]
    wrong: list[Wrong] = []
    document = _document(rows, name, wrong)
    reader = _Cloud(name, found)
    if document is not None and not (document.none or document.value == ""):
        {USER: reader.user_data, NETWORK: reader.network_config, META: reader.meta_data}[name](document)
    return sorted(wrong + reader.wrong, key=lambda one: (one.only_said, one.line))


def _document(rows: list[str], name: str, wrong: list[Wrong]) -> Node | None:
    """What is in the rows; a row that is no YAML is noted and left out."""
    for _ in range(20):
        try:
            return yaml.read("\n".join(rows), name)
        except ConfigFault as fault:
            found = wrong_of(fault, name)
            if any(one.line == found.line for one in wrong):
                return None
            wrong.append(found)
            rows[found.line - 1] = ""
    return None


class _Cloud(Reader):
    """Notes lines of nodes; what is found goes into `found`, by fields of Asked, unless a file before said it."""

    def __init__(self, file: str, found: dict[str, Any]) -> None:
        super().__init__(file, {})
        self.found = found

    def tell(self, node: Node, sentence: str, fix: str = "", only_said: bool = False) -> None:
        self.wrong.append(Wrong(self.file, node.line, sentence, fix, only_said))

    def text(self, node: Node, key: str) -> str:
        """The text of a scalar, "" when it is none, which is noted."""
        if isinstance(node.value, str):
            return "" if node.none else node.value
        self.tell(node, f"{key} must be one value, not a list or a mapping")
        return ""

    def take(self, field: str, node: Node, key: str, check: Any, value: Any = None) -> None:
        """Check a value (of the node, unless told) and keep it."""
        told = self.text(node, key) if value is None else value
        if told == "":
            return
        try:
            self.found.setdefault(field, check(told))
        except ValueError as fault:
            self.tell(node, f"{key} {fault}")

    def mapping(self, node: Node, key: str) -> dict[str, Node]:
        if isinstance(node.value, dict):
            return node.value
        if not node.none:
            self.tell(node, f"{key} must be a mapping: key: value below it")
        return {}

    def entries(self, node: Node, key: str) -> list[Node]:
        if isinstance(node.value, list):
            return node.value
        if not node.none:
            self.tell(node, f"{key} must be a list: lines that begin with a dash")
        return []

    def flag(self, node: Node, key: str) -> bool:
        word = self.text(node, key).lower()
        if word not in (*TRUE, *FALSE):
            self.tell(node, f"{key} must be true or false")
        return word in TRUE

    def user_data(self, node: Node) -> None:
        top = self.mapping(node, "user-data")
        checks = {"hostname": ("hostname", names.hostname), "timezone": ("zone", names.zone)}
        for key, value in top.items():
            if key in checks:
                self.take(*(checks[key][0], value, key, checks[key][1]))
            elif key in SSH:
                self.tell(value, f"{key} is not taken: {NO_SSH}", only_said=True)
            elif key not in (*USED, *SILENT):
                self._strange(key, value)
        if "fqdn" in top and "hostname" not in top:
            self.take("hostname", top["fqdn"], "fqdn", names.hostname, self.text(top["fqdn"], "fqdn").partition(".")[0])
        if "ntp" in top:
            self._ntp(top["ntp"])
        self._passwords(top)

    def _strange(self, key: str, node: Node) -> None:
        from edge.schema import near

        meant = near(key, USED)
        fix = f"did you mean {meant}?" if meant else "provision.toml has all that this image takes"
        self.tell(node, f"{ascii(key[:40])[1:-1]} is not taken here", fix, only_said=not meant)

    def _ntp(self, node: Node) -> None:
        table = self.mapping(node, "ntp")
        wanted = "enabled" not in table or self.flag(table["enabled"], "ntp.enabled")
        rows = [one for key in ("servers", "pools") if key in table for one in self.entries(table[key], f"ntp.{key}")]
        if wanted and rows:
            told = [self.text(one, "ntp.servers") for one in rows][: names.MOST_SERVERS]
            self.take("servers", rows[0], "ntp.servers", names.servers, told)

    def _passwords(self, top: dict[str, Node]) -> None:
        """Of the users, of chpasswd's list, of the default user: the operator's."""
        given: list[tuple[str, str, Node]] = []
        if "password" in top:
            given.append(("operator", self.text(top["password"], "password"), top["password"]))
        rows = self.entries(top["users"], "users") if "users" in top else []
        rows += [top["user"]] if "user" in top else []
        for row in rows:
            given += self._user(row)
        given += self._chpasswd(top.get("chpasswd"))
        given = [one for one in given if one[1]]
        for name, word, node in sorted(given, key=lambda one: one[0] != "operator")[:1]:
            hashed = word.startswith("$")
            check = names.password_hash if hashed else names.password
            self.take("password_hash" if hashed else "password", node, f"the password of {name[:40]}", check, word)
            if name != "operator":
                self.tell(node, f"the user {name[:40]} is called operator here", only_said=True)

    def _user(self, row: Node) -> list[tuple[str, str, Node]]:
        if isinstance(row.value, str):
            return []
        table = self.mapping(row, "users")
        name = self.text(table["name"], "users.name") if "name" in table else "operator"
        for key in SSH:
            if key in table:
                self.tell(table[key], f"{key} is not taken: {NO_SSH}", only_said=True)
        keys = ("passwd", "hashed_passwd", "plain_text_passwd")
        return [(name, self.text(table[key], f"users.{key}"), table[key]) for key in keys if key in table]

    def _chpasswd(self, node: Node | None) -> list[tuple[str, str, Node]]:
        table = self.mapping(node, "chpasswd") if node is not None else {}
        found = []
        listed = table.get("list", Node("", 0, True))
        rows = [(row, listed) for row in listed.value.split("\n")] if isinstance(listed.value, str) else []
        rows += (
            [(self.text(one, "chpasswd.list"), one) for one in listed.value] if isinstance(listed.value, list) else []
        )
        for row, at in rows:
            name, _, word = row.strip().partition(":")
            if word in ("R", "RANDOM"):
                self.tell(at, "random passwords are not made here", "write one", only_said=True)
            else:
                found.append((name, word, at))
        for one in self.entries(table["users"], "chpasswd.users") if "users" in table else ():
            user = self.mapping(one, "chpasswd.users")
            if "name" in user and "password" in user:
                word = self.text(user["password"], "chpasswd.users.password")
                found.append((self.text(user["name"], "chpasswd.users.name"), word, user["password"]))
        return found

    def network_config(self, node: Node) -> None:
        top = self.mapping(node, "network-config")
        if "network" in top:
            top = self.mapping(top["network"], "network")
        version = top.get("version")
        if version is None or self.text(version, "version") != "2":
            self.tell(version or node, "network-config must have version: 2", "the form with ethernets: below it")
            return
        for key, value in top.items():
            if key == "wifis":
                self.tell(value, f"wifis is not taken: {NO_WIFI}", only_said=True)
            elif key not in ("version", "renderer", "ethernets"):
                self._strange(key, value)
        cards = self.mapping(top["ethernets"], "ethernets") if "ethernets" in top else {}
        for at, (name, value) in enumerate(cards.items()):
            if at:
                self.tell(value, f"{name[:20]} is not taken: one wired network is set up", only_said=True)
            else:
                self._card(value, name)

    def _card(self, node: Node, name: str) -> None:
        table = self.mapping(node, name)
        used = ("dhcp4", "dhcp6", "optional", "addresses", "gateway4", "routes", "nameservers", "match", "set-name")
        for key, value in table.items():
            if key not in (*used, "critical", "renderer", "dhcp-identifier"):
                self._strange(key, value)
        listed = (
            [self.text(one, "addresses") for one in self.entries(table["addresses"], "addresses")]
            if ("addresses" in table)
            else []
        )
        fourth = [one for one in listed if ":" not in one]
        if "dhcp4" in table and self.flag(table["dhcp4"], "dhcp4"):
            self.found.setdefault("network", Network("dhcp"))
        elif fourth:
            self._static(table, fourth[0])
        else:
            self.tell(node, f"{name[:20]} has neither dhcp4: true nor an IPv4 address in addresses")

    def _static(self, table: dict[str, Node], told: str) -> None:
        wired: dict[str, Any] = {"address": told}
        gateway = self.text(table["gateway4"], "gateway4") if "gateway4" in table else self._route(table)
        if gateway:
            wired["gateway"] = gateway
        servers = self.mapping(table["nameservers"], "nameservers") if "nameservers" in table else {}
        if "addresses" in servers:
            wired["dns"] = [self.text(one, "nameservers") for one in self.entries(servers["addresses"], "nameservers")]
        self.lines = {"ethernets": table["addresses"].line}
        found = self.network("ethernets", wired)
        if found is not None:
            self.found.setdefault("network", found)

    def _route(self, table: dict[str, Node]) -> str:
        for one in self.entries(table["routes"], "routes") if "routes" in table else ():
            row = self.mapping(one, "routes")
            to = self.text(row["to"], "routes.to") if "to" in row else ""
            if to in ("default", "0.0.0.0/0", "0/0") and "via" in row:
                return self.text(row["via"], "routes.via")
            self.tell(one, f"the route to {to[:40]} is not taken: only the default route is", only_said=True)
        return ""

    def meta_data(self, node: Node) -> None:
        top = self.mapping(node, "meta-data")
        checks = {"instance-id": ("id", names.board_id), "local-hostname": ("hostname", names.hostname)}
        for key, value in top.items():
            if key in checks:
                self.take(checks[key][0], value, key, checks[key][1])
            elif key not in ("instance_id", "dsmode", "local_hostname"):
                self._strange(key, value)
