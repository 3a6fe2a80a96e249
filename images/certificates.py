"""The certificates that a board trusts: one bundle, and a folder in which OpenSSL finds one without reading all.

Rules:
1. They are those of the package ca-certificates, each once. Its script that would collect them never runs here.
   A file is one certificate: in the folder OpenSSL would find no second one of a file, so such a file is told.
2. Bundle and folder hold the same certificates. The folder's links lead to the package's files.
3. /usr/lib/ssl is where Debian's OpenSSL looks, and belongs to a package that no board needs: its links are made here.
   Without them `ssl` trusts nobody, and says nothing.
"""

from __future__ import annotations

from pathlib import Path

from edge.faults import CardFault
from images import rooted, x509

SOURCE = "usr/share/ca-certificates"
FOLDER = "etc/ssl/certs"
BUNDLE = f"{FOLDER}/ca-certificates.crt"
LINKS = {"usr/lib/ssl/cert.pem": f"../../../{BUNDLE}", "usr/lib/ssl/certs": f"../../../{FOLDER}"}


def install(tree: Path) -> int:
    """Make bundle and folder from what the package brought into the tree; how many certificates."""
    names = [name for name in rooted.files(tree, SOURCE) if name.endswith(".crt")]
    if not names:
        raise CardFault("there is no certificate in the tree", "add the package ca-certificates to the product")
    folder = tree / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    seen: set[bytes] = set()
    taken: dict[str, int] = {}
    bundle = []
    for name in names:
        pem = (tree / name).read_bytes()
        found = x509.certificates(pem)
        if len(found) != 1:
            raise CardFault(f"{name} holds {len(found)} certificates", "make it a file for each: one is looked up")
        if found[0] in seen:
            continue
        seen.add(found[0])
        bundle.append(pem.strip() + b"\n")
        digits = x509.subject_hash(found[0])
        number = taken.get(digits, 0)
        taken[digits] = number + 1
        (folder / f"{digits}.{number}").symlink_to(f"../../../{name}")
    (tree / BUNDLE).write_bytes(b"".join(bundle))
    for name, target in LINKS.items():
        _link(tree / name, target)
    return len(bundle)


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    path.symlink_to(target)


def hashed(tree: Path) -> list[str]:
    """The names in the folder that OpenSSL would look up."""
    folder = tree / FOLDER
    found = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return sorted(name for name in found if len(name) > 9 and name[8] == "." and name[9:].isdigit())
