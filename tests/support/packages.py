"""Packages made on the spot: .debs, wheels, and an archive that apt reads from a folder."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

DEP5 = (
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
    "Files: *\nCopyright: nobody\nLicense: {licence}\n See /usr/share/common-licenses/GPL-2.\n"
)


def _tar(files: dict[str, bytes], links: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
        for name, target in links.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return out.getvalue()


def _member(name: str, data: bytes) -> bytes:
    head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    return head + data + b"\n" * (len(data) % 2)


def deb(path: Path, control: str, files: dict[str, bytes], links: dict[str, str] | None = None) -> Path:
    """A package with this control file and these files, as deb(5) lays it out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": _tar({"control": control.encode()}, {}),
        "data.tar.xz": _tar(files, links or {}),
    }
    path.write_bytes(b"!<arch>\n" + b"".join(_member(name, data) for name, data in parts.items()))
    return path


def wheel(folder: Path, name: str, version: str, needs: tuple[str, ...] = (), tag: str = "py3-none-any") -> Path:
    """A wheel that holds one module and its terms."""
    folder.mkdir(parents=True, exist_ok=True)
    module = name.replace("-", "_")
    path = folder / f"{module}-{version}-{tag}.whl"
    info = f"{module}-{version}.dist-info"
    rows = "".join(f"Requires-Dist: {need}\n" for need in needs)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{module}.py", f"VERSION = {version!r}\n")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{rows}License: MIT\n"
        )
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/licenses/LICENSE", f"Terms of {name}\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class Repository:
    """An archive in a folder, with its security archive beside it: packages are added, then `publish` writes lists."""

    def __init__(self, folder: Path) -> None:
        self.sites = {"debian": folder / "debian", "debian-security": folder / "debian-security"}
        # (suite, component, arch) -> stanzas; a list that is here is offered, empty or not
        self.lists: dict[tuple[str, str, str], list[str]] = {}
        self.date = "Sun, 29 Nov 2026 00:53:13 UTC"

    def offer(self, suite: str, *arches: str, components: tuple[str, ...] = ("main", "non-free-firmware")) -> None:
        for arch in arches:
            for component in components:
                self.lists.setdefault((suite, component, arch), [])

    def add(
        self,
        suite: str,
        arch: str,
        name: str,
        version: str,
        fields: str = "",
        licence: str = "GPL-2+",
        files: dict[str, bytes] | None = None,
        links: dict[str, str] | None = None,
    ) -> Path:
        """A package into a suite's list; `fields` are more lines of its control file."""
        site = "debian-security" if suite.endswith("-security") else "debian"
        inner = f"pool/{'updates/' if site != 'debian' else ''}main/{name[0]}/{name}/{name}_{version}_{arch}.deb"
        control = f"Package: {name}\nVersion: {version}\nArchitecture: {arch}\nMaintainer: nobody\n{fields}"
        doc = {f"usr/share/doc/{name}/copyright": DEP5.format(licence=licence).encode()} if licence else {}
        path = deb(self.sites[site] / inner, control, {**doc, **(files or {})}, links)
        data = path.read_bytes()
        self.offer(suite, arch)
        self.lists[suite, "main", arch].append(
            f"{control}Filename: {inner}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
        )
        return path

    def publish(self) -> None:
        """Write every list and the release file of every suite."""
        for suite in {suite for suite, _, _ in self.lists}:
            site = self.sites["debian-security" if suite.endswith("-security") else "debian"]
            folder = site / "dists" / suite
            rows = []
            for (of, component, arch), stanzas in sorted(self.lists.items()):
                if of == suite:
                    data = "\n".join(stanzas).encode()
                    path = folder / component / f"binary-{arch}" / "Packages"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                    inner = path.relative_to(folder)
                    rows.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {inner}\n")
            arches = " ".join(sorted({arch for of, _, arch in self.lists if of == suite}))
            text = f"Origin: Debian\nSuite: {suite}\nCodename: {suite}\nDate: {self.date}\nArchitectures: {arches}\n"
            (folder / "Release").write_text(f"{text}Components: main non-free-firmware\nSHA256:\n{''.join(rows)}")
