"""The software bill of materials of an image: CycloneDX 1.5 as JSON, out of the lock alone.

Rules:
1. Only fields that CycloneDX 1.5 knows; licence ids only those of the SPDX list, other short names as names.
2. The serial number is made from the content (UUID version 5), the time is that of the lock: the same lock and version
   of Fieldhand give the same bytes.
3. Package addresses follow the purl specification: `pkg:deb/debian/NAME@VERSION?arch=..&distro=..`, `pkg:pypi/..`.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timezone
from urllib.parse import quote

from images import lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from images.lock import Deb, Lock, Wheel
    from images.product import Product

# Debian's short names (DEP-5) and what wheels write -> ids of the SPDX list.
SPDX = {
    "0BSD": "0BSD",
    "Apache-2": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-2-clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "BSD-3-clause": "BSD-3-Clause",
    "BSL-1.0": "BSL-1.0",
    "CC-BY-SA-4.0": "CC-BY-SA-4.0",
    "CC0-1.0": "CC0-1.0",
    "Expat": "MIT",
    "FSFAP": "FSFAP",
    "FSFUL": "FSFUL",
    "FSFULLR": "FSFULLR",
    "GPL-1+": "GPL-1.0-or-later",
    "GPL-2": "GPL-2.0-only",
    "GPL-2+": "GPL-2.0-or-later",
    "GPL-2.0": "GPL-2.0-only",
    "GPL-2.0+": "GPL-2.0-or-later",
    "GPL-3": "GPL-3.0-only",
    "GPL-3+": "GPL-3.0-or-later",
    "ISC": "ISC",
    "LGPL-2": "LGPL-2.0-only",
    "LGPL-2+": "LGPL-2.0-or-later",
    "LGPL-2.0+": "LGPL-2.0-or-later",
    "LGPL-2.1": "LGPL-2.1-only",
    "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3+": "LGPL-3.0-or-later",
    "MIT": "MIT",
    "MPL-1.1": "MPL-1.1",
    "MPL-2.0": "MPL-2.0",
    "PSF-2.0": "PSF-2.0",
    "Unicode-DFS-2016": "Unicode-DFS-2016",
    "Unlicense": "Unlicense",
    "X11": "X11",
    "Zlib": "Zlib",
    "bzip2-1.0.6": "bzip2-1.0.6",
    "eCos-2.0": "eCos-2.0",
    "zlib": "Zlib",
}
_SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # the namespace of addresses, RFC 4122 appendix C
_FIRMWARE = ("raspi-firmware", "u-boot-rpi")


def make(product: Product, locked: Lock, version: str) -> str:
    """The document, with a final newline. `version` is that of Fieldhand."""
    own = f"pkg:generic/fieldhand@{quote(version, safe='')}"
    names = {deb.name: deb_purl(deb, product.suite) for deb in locked.debs}
    wheels = {wheel.name: wheel_purl(wheel) for wheel in locked.wheels}
    components = [
        {
            "type": "application",
            "bom-ref": own,
            "name": "fieldhand",
            "version": version,
            "licenses": [_licence("Apache-2.0")],
            "purl": own,
        },
        *(_deb(deb, names[deb.name]) for deb in locked.debs),
        *(_wheel(wheel, wheels[wheel.name]) for wheel in locked.wheels),
    ]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": _metadata(product, locked, version),
        "components": components,
        "dependencies": _dependencies(product, locked, own, names, wheels),
    }
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(_SPACE, content)}"
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _root(product: Product) -> str:
    return f"image:{product.name}"


def _metadata(product: Product, locked: Lock, version: str) -> dict[str, Any]:
    time = datetime.fromtimestamp(locked.epoch, timezone.utc)
    return {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tools": {"components": [{"type": "application", "name": "fieldhand image", "version": version}]},
        "component": {
            "type": "firmware",
            "bom-ref": _root(product),
            "name": product.name,
            "version": version,
            "description": product.title,
        },
    }


def deb_purl(deb: Deb, suite: str) -> str:
    """The address of a Debian package."""
    return f"pkg:deb/debian/{quote(deb.name, safe='')}@{quote(deb.version, safe='')}?arch={deb.arch}&distro={suite}"


def wheel_purl(wheel: Wheel) -> str:
    """The address of a library of Python."""
    return f"pkg:pypi/{wheel.name}@{quote(wheel.version, safe='')}"


def _deb(deb: Deb, purl: str) -> dict[str, Any]:
    kind = "firmware" if deb.name in _FIRMWARE else "library"
    if deb.name.startswith("linux-image"):
        kind = "operating-system"
    properties = {"source": deb.source, "source-version": deb.source_version, "security": deb.security}
    component = {
        "type": kind,
        "bom-ref": purl,
        "name": deb.name,
        "version": deb.version,
        "supplier": {"name": "Debian"},
        "hashes": [{"alg": "SHA-256", "content": deb.sha256}],
        "purl": purl,
        "properties": [{"name": f"fieldhand:{key}", "value": value} for key, value in sorted(properties.items())],
    }
    # Without short names the file itself is named; nothing is guessed.
    named = deb.licences or (f"see usr/share/doc/{deb.name}/copyright",)
    return {**component, "licenses": [_licence(name) for name in named]}


def _wheel(wheel: Wheel, purl: str) -> dict[str, Any]:
    component = {
        "type": "library",
        "bom-ref": purl,
        "name": wheel.name,
        "version": wheel.version,
        "hashes": [{"alg": "SHA-256", "content": wheel.sha256}],
        "purl": purl,
    }
    if len(wheel.licences) == 1 and any(word in wheel.licences[0] for word in (" OR ", " AND ")):
        return {**component, "licenses": [{"expression": wheel.licences[0]}]}
    return {**component, "licenses": [_licence(name) for name in wheel.licences]} if wheel.licences else component


def _licence(name: str) -> dict[str, Any]:
    return {"license": {"id": SPDX[name]} if name in SPDX else {"name": name}}


def _dependencies(
    product: Product, locked: Lock, own: str, names: dict[str, str], wheels: dict[str, str]
) -> list[dict[str, Any]]:
    """Who needs whom, among what is in the image."""
    roots = [names[name] for name in product.roots if name in names]
    libraries = [wheels[name] for name in map(lock.plain, product.wheels)]
    python = [names[name] for name in (f"libpython{product.python}-stdlib",) if name in names]
    rows = {_root(product): [own, *roots], own: [*libraries, *python]}
    for deb in locked.debs:
        rows[names[deb.name]] = [names[name] for name in deb.needs if name in names]
    for wheel in locked.wheels:
        rows[wheels[wheel.name]] = [wheels[name] for name in wheel.needs if name in wheels]
    return [{"ref": ref, "dependsOn": sorted(set(needs))} for ref, needs in sorted(rows.items())]
