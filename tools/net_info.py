"""Interfaces, addresses, routes, name servers, listening sockets: what is set up here, nothing is sent."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

    Facts = dict[str, Any]


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    files = [Effect("read", f"file:{path}") for path in ("/etc/resolv.conf", "/etc/passwd")]
    kinds = [Effect("read", f"facts:{name}") for name in ("network", "run")]
    return (Effect("read", "file:/proc", True), Effect("read", "file:/sys", True), *files, *kinds)


def words(args: Args, scene: Scene) -> str:
    return "look at the network's interfaces, addresses, routes and listening sockets"


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools.fact_text import bounded

    found = hands.facts.network()
    return Observation(True, shown(dict(found)), bounded({"interfaces": [], **found}, "interfaces"), untrusted=True)


def shown(found: Facts) -> str:
    """Interfaces one to a line, then the rest."""
    from edge.tools.fact_text import fitted, named, table

    lines = []
    for one in found.get("interfaces", ()):
        lines.append(_interface(one))
        counted = _counted(one)
        lines += [f"  {counted}"] if counted else []
    if "interfaces_in_all" in found:
        lines.append(f"[{len(found['interfaces'])} of {found['interfaces_in_all']:,} interfaces shown]")
    routes = [
        f"{one.get('gateway', 'direct')} by {one['by']}" + (f" metric {one['metric']}" if "metric" in one else "")
        for one in found.get("default_routes", ())
    ]
    rest = [
        ("default route", ", ".join(routes) or ("none" if "default_routes" in found else "not told by this kernel")),
        (
            "name servers",
            " ".join(found.get("name_servers", ())) or ("none" if "name_servers" in found else "not told"),
        ),
        ("search", " ".join(found.get("search", ()))),
        ("not told", found.get("not_told", "")),
    ]
    lines += named(rest)
    sockets = [
        (one["protocol"], _place(one), one.get("process", ""), one["user"]) for one in found.get("listening", ())
    ]
    if sockets:
        lines += ["listening:", *table(sockets)]
    if "listening_in_all" in found:
        lines.append(f"[{len(sockets)} of {found['listening_in_all']:,} listening sockets shown]")
    return fitted([*lines, "[whether anything can be reached was not tested]"], 6144)


def _interface(one: Facts) -> str:
    state = one.get("state", "state not told")
    if one.get("link") is False and state != "down":
        state += ", no link"
    words = [f"{one['name']}: {state}", *one.get("addresses", ())]
    words += [f"mac {one['mac']}"] if "mac" in one else []
    words += [f"mtu {one['mtu_bytes']}"] if "mtu_bytes" in one else []
    words += [f"{one['speed_mbit']} Mbit/s"] if "speed_mbit" in one else []
    radio = one.get("wireless", {})
    words += [f"signal {radio['signal_dbm']} dBm"] if "signal_dbm" in radio else []
    words += [f"quality {radio['quality']}"] if "quality" in radio else []
    return "  ".join(words)


def _counted(one: Facts) -> str:
    from edge.tools.fact_text import size

    if not one.get("rx_packets") and not one.get("tx_packets"):
        return ""
    trouble = [
        f"{one[f'{way}_{what}']:,} {way} {what}"
        for way in ("rx", "tx")
        for what in ("errors", "dropped")
        if one.get(f"{way}_{what}")
    ]
    return ", ".join([f"received {size(one.get('rx_bytes'))}", f"sent {size(one.get('tx_bytes'))}", *trouble])


def _place(one: Facts) -> str:
    address = f"[{one['address']}]" if ":" in one["address"] else one["address"]
    return f"{address}:{one['port']}"


TOOL = Tool(
    name="net_info",
    about="Network interfaces, addresses, link and Wi-Fi signal, routes, DNS servers, listening ports.",
    schema={"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    effects=effects,
    run=run,
    words=words,
    examples=("",),
)
