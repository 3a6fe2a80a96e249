"""Fieldhand itself and the libraries beside it, as they lie in the root.

Rules:
1. The packages are those that pyproject.toml installs, so that a card has what a wheel has, and nothing of tests or
   bench. edge/tools and edge/peripherals are links in a checkout and folders here.
2. A library is a pure wheel (`py3-none-any`): anything else would be machine code of a machine nobody checked.
3. Of what a wheel says of itself stay name, version and entry points (gpiozero finds our pin factory by one); tests,
   types, scripts and prose go. Licences are collected elsewhere.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from edge import toml
from edge.faults import CardFault
from images import debs, wheels

LIBRARY = "usr/lib/fieldhand"
START = "usr/bin/fieldhand"
# `-S`: there is no site-packages folder on a card, and a board of 700 MHz feels the search for it.
SCRIPT = """\
#!/bin/sh
# Starts Fieldhand: the python3 beside this script, isolated, with the library that the image brings.
exec "${0%/*}/python3" -I -S -c 'import sys
lib = sys.argv.pop(1)
sys.argv[0] = "fieldhand"
sys.path.insert(3, lib)
from edge.cli import main
sys.exit(main(sys.argv[1:]))' "${0%/*}/../lib/fieldhand" "$@"
"""
_LEFT_OUT = ("tests", "test", "testing", "__pycache__")
_DATA = (".py", ".txt", ".pem")


def install(checkout: Path, libraries: list[Path], tree: Path) -> None:
    """Put edge, the libraries and the start script into the tree, as sources still.

    ConfigFault when pyproject.toml cannot be read, CardFault when a wheel is not what is wanted.
    """
    said = project(checkout)
    for package in said["tool"]["setuptools"]["packages"]:
        _package(checkout, package, tree / LIBRARY)
    for wheel in sorted(libraries, key=lambda path: path.name):
        unpack(wheel, tree / LIBRARY)
    _about_itself(said, _version(checkout), tree / LIBRARY)
    script = tree / START
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(SCRIPT, "utf-8")
    script.chmod(0o755)


def project(checkout: Path) -> dict[str, Any]:
    """The tables of a checkout's pyproject.toml."""
    path = checkout / "pyproject.toml"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as fault:
        raise CardFault(f"{checkout} is no checkout of Fieldhand: it has no pyproject.toml") from fault
    return toml.load(text, "pyproject.toml")[0]


def _package(checkout: Path, package: str, library: Path) -> None:
    source, target = checkout.joinpath(*package.split(".")), library.joinpath(*package.split("."))
    names = sorted(source.glob("*.py"))
    if not names:
        raise CardFault(f"the package {package} of pyproject.toml is not in {checkout}")
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        _put(target / name.name, name.read_bytes())


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o644)


def _version(checkout: Path) -> str:
    for line in (checkout / "edge" / "__init__.py").read_text("utf-8").splitlines():
        if line.startswith("__version__"):
            return line.split('"')[1]
    raise CardFault("edge/__init__.py says no __version__")


def _about_itself(said: dict[str, Any], version: str, library: Path) -> None:
    """The entry points of Fieldhand, where importlib.metadata looks for them."""
    folder = library / f"fieldhand-{version}.dist-info"
    _put(folder / "METADATA", f"Metadata-Version: 2.1\nName: fieldhand\nVersion: {version}\n".encode())
    groups: dict[str, dict[str, str]] = said["project"].get("entry-points", {})
    lines = [
        line
        for group, points in sorted(groups.items())
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in sorted(points.items())), "")
    ]
    _put(folder / "entry_points.txt", "\n".join(lines).encode())


def unpack(wheel: Path, library: Path) -> None:
    """Put the modules of a pure wheel into the library. CardFault when it is not pure or not sound."""
    if not wheel.name.endswith("-none-any.whl") or "py3" not in wheel.name.split("-")[-3]:
        raise CardFault(f"{wheel.name} is no pure Python wheel", "a wheel for every board ends in py3-none-any.whl")
    with wheels.opened(wheel) as archive:
        for name in sorted(set(archive.namelist())):
            data = _of_wheel(name, archive)
            if data is not None:
                _put_new(library.joinpath(*debs.safe(name)), data, f"{name} of {wheel.name}")


def _put_new(path: Path, data: bytes, named: str) -> None:
    """Put what nobody has put before: a library takes no file's place, neither Fieldhand's nor another library's."""
    try:
        if os.path.lexists(path):
            raise CardFault(f"{named} would take the place of what is there already")
        _put(path, data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as fault:
        raise CardFault(f"{named} would take the place of what is there already") from fault


def _of_wheel(name: str, archive: zipfile.ZipFile) -> bytes | None:
    """What of a file of a wheel goes onto the card, None for nothing."""
    parts = name.split("/")
    if parts[0].endswith(".dist-info"):
        if parts[1:] == ["METADATA"]:
            return _metadata(archive.read(name))
        return archive.read(name) if parts[1:] == ["entry_points.txt"] else None
    if parts[0].endswith(".data") or any(part in _LEFT_OUT for part in parts[:-1]):
        return None
    return archive.read(name) if name.endswith(_DATA) else None


def _metadata(data: bytes) -> bytes:
    """Name and version out of the prose."""
    kept = (b"Metadata-Version:", b"Name:", b"Version:")
    head = data.replace(b"\r\n", b"\n").partition(b"\n\n")[0].splitlines()
    return b"".join(line + b"\n" for line in head if line.startswith(kept))
