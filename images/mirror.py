"""Where Debian's packages come from: the mirror that the apt of this machine uses, or the one that is named.

Rules:
1. No host stands in the project. DEBIAN_MIRROR names the archive, DEBIAN_SECURITY_MIRROR the one of security updates.
2. Without a name for the security archive it is looked for in apt's sources, then beside the archive, where mirrors
   usually have it (`.../debian` and `.../debian-security`).
3. The way there is apt's too: a proxy of the environment (http_proxy, https_proxy), else the one in apt's settings.
"""

from __future__ import annotations

import os
import shutil
import urllib.request

from edge.faults import CardFault
from images import host

MAIN, SECURITY = "debian", "debian-security"


def site(archive: str) -> str:
    """The address of one archive, without a final slash. CardFault when this machine names none."""
    named = os.environ.get("DEBIAN_MIRROR" if archive == MAIN else "DEBIAN_SECURITY_MIRROR", "")
    if named:
        return named.rstrip("/")
    if archive == SECURITY and os.environ.get("DEBIAN_MIRROR"):
        return beside(os.environ["DEBIAN_MIRROR"])
    main, security = sources(_targets())
    if archive == SECURITY:
        return security or (beside(main) if main else _nowhere())
    return main or _nowhere()


def beside(main: str) -> str:
    """The security archive of a mirror whose archive is this."""
    return f"{main.rstrip('/').rpartition('/')[0]}/{SECURITY}"


def sources(listed: str) -> tuple[str, str]:
    """Archive and security archive in lines of `address component`; "" for what they do not hold."""
    found = {MAIN: "", SECURITY: ""}
    for line in listed.splitlines():
        address, _, component = line.partition(" ")
        kind = SECURITY if "security" in address else MAIN
        if component.strip() == "main" and not found[kind]:
            found[kind] = address.rstrip("/")
    return found[MAIN], found[SECURITY]


def _targets() -> str:
    command = [host.find("apt-get"), "indextargets", "--format", "$(REPO_URI) $(COMPONENT)", "Origin: Debian"]
    done = host.ended(command, {**os.environ, "LC_ALL": "C"})
    return done.stdout.decode("utf-8", "replace")


def proxies() -> dict[str, str]:
    """Scheme -> proxy, for the schemes that have one."""
    found = {scheme: proxy for scheme, proxy in urllib.request.getproxies().items() if scheme in ("http", "https")}
    for scheme in ("http", "https"):
        if scheme not in found and (proxy := _apt_proxy(scheme)):
            found[scheme] = proxy
    return found


def _apt_proxy(scheme: str) -> str:
    """What apt is told by Acquire::SCHEME::Proxy (apt-transport-http(1)); "" for nothing, for DIRECT, without apt."""
    program = shutil.which("apt-config")
    if program is None:
        return ""
    command = [program, "dump", "--format", "%v%n", f"Acquire::{scheme}::Proxy"]
    done = host.ended(command, {**os.environ, "LC_ALL": "C"})
    value = done.stdout.decode("utf-8", "replace").split("\n")[0].strip()
    return "" if value.upper() == "DIRECT" else value


def _nowhere() -> str:
    raise CardFault("apt knows no Debian mirror on this machine", "run apt-get update, or name DEBIAN_MIRROR")
