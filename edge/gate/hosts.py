"""Patterns of hosts as settings spell them: `example.org`, `*.example.org`, with or without `:port`.

Rules:
1. A pattern names a host exactly, or with `*.` everything below a domain (not the domain itself). Nothing else is
   wild. Case and a dot at the end do not matter.
2. A pattern without a port holds for every port.
3. `hosts` are public: what is internal by its spelling does not belong there. `internal_hosts` are named one by one.
"""

from __future__ import annotations

from edge.faults import ConfigFault


def checked(text: str, internal: bool) -> str:
    """The pattern in its one spelling; ConfigFault with what is wrong with it."""
    from edge.gate.urls import read

    host, port = _split(text.strip().lower())
    wild = host.startswith("*.")
    url = read(f"http://{host[2:] if wild else host}{port}/")
    if url.kind == "bad" or "/" in text or (wild and internal):
        why = f"it {url.why}"  # of a bad URL
        if wild and internal:
            why = "a wildcard is not for internal hosts"
        elif "/" in text:
            why = "it holds a /; hosts are named one by one, without a path"
        elif "*" in host[2:] or (not wild and "*" in host):
            why = "a * stands only before a domain, as in *.example.org"
        forms = "HOST or HOST:PORT" if internal else "HOST, *.DOMAIN, with :PORT if need be"
        raise ConfigFault(f"{text[:60]!r} is no host: {why}", f"write {forms}, without http://")
    if wild and (url.kind != "name" or "." not in url.host):
        raise ConfigFault(f"{text[:60]!r} is too wide: {url.why or 'a wildcard stands for what is below a domain'}")
    if url.kind == "internal" and not internal:
        raise ConfigFault(f"{text[:60]!r} is internal: {url.why}", "name it in internal_hosts, if it is meant")
    shown = f"[{url.host}]" if ":" in url.host else url.host
    return ("*." if wild else "") + shown + port


def listed(host: str, port: int, patterns: tuple[str, ...]) -> str:
    """The pattern that names this host, "" when none does. `host` is folded, an IPv6 address without brackets."""
    for pattern in patterns:
        named, wanted = _split(pattern)
        if wanted and wanted != f":{port}":
            continue
        if named.startswith("*."):
            if host.endswith(named[1:]) and host != named[2:]:
                return pattern
        elif named.strip("[]") == host:
            return pattern
    return ""


def _split(text: str) -> tuple[str, str]:
    """(host, ":port" or "")."""
    host, colon, port = text.rpartition(":")
    if colon and (port.isdigit() or not port) and (":" not in host or host.endswith("]")):
        return host, colon + port
    return text, ""
