"""Debian's archive for one suite and one architecture, asked by apt in a folder of its own.

Rules:
1. The apt of the machine is not touched: own lists, own cache, an empty list of installed packages, Debian's keyring.
2. A failed list is told apart from a read one. apt keeps an old list, or goes on without one, and the exit code 100 is
   all that says so; and a suite that does not offer the architecture at all passes for success. So each list that is
   wanted is looked for in the signed release file and on the disk.
3. Every look begins with nothing: what an earlier one left cannot pass for fresh.
"""

from __future__ import annotations

import os
from datetime import timezone
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import unquote

from edge.faults import CardFault
from edge.record import Record
from images import debian, host, mirror
from images.lock import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from subprocess import CompletedProcess

COMPONENTS = ("main", "non-free-firmware")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TRUST = f"signed-by={KEYRING}"
_KEPT = ("Package", "Version", "Source")
_CONF = """Dir::State "{here}/state";
Dir::State::status "{here}/status";
Dir::Cache "{here}/cache";
Dir::Etc::main "-";
Dir::Etc::parts "-";
Dir::Etc::sourcelist "{here}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "-";
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::ForceHash "SHA256";
"""


class Found(Record):
    """One package that apt has chosen: its stanza and the archive it lies in."""

    stanza: dict[str, str]
    archive: str
    component: str


class Archive:
    """The packages of one suite with its updates, as one architecture sees them. `folder` is empty and our own.

    `trust` is apt's option for whom to believe (sources.list(5))."""

    def __init__(self, suite: str, arch: str, folder: Path, trust: str = TRUST) -> None:
        self.suite, self.arch, self.folder, self.trust = suite, arch, folder, trust
        self.sites = {name: mirror.site(name) for name in (mirror.MAIN, mirror.SECURITY)}
        self.indexes: list[Index] = []
        self._lists: dict[tuple[str, str], str] = {}

    @property
    def suites(self) -> list[tuple[str, str]]:
        """The suites that are read, with the archive that each lies in."""
        return [
            (self.suite, mirror.MAIN),
            (f"{self.suite}-updates", mirror.MAIN),
            (f"{self.suite}-security", mirror.SECURITY),
        ]

    def update(self) -> list[Index]:
        """Read every list there is; what became of each. CardFault when even the release file of the suite is bad."""
        self._lay()
        done = self._apt("apt-get", "-q", "update")
        said = done.stderr.decode("utf-8", "replace")
        self._lists = self._read_lists()
        self.indexes = [self._index(suite, component, said) for suite, _ in self.suites for component in COMPONENTS]
        if not any(index.suite == self.suite and index.state == "read" for index in self.indexes):
            raise CardFault(f"apt could not read {self.suite} for {self.arch}: {_said(said)}", _HELP)
        return self.indexes

    def resolve(self, roots: Sequence[str]) -> list[Found]:
        """All that these packages ask for, without what is only recommended; chosen by apt."""
        done = self._apt("apt-get", "-q", "-y", "--print-uris", "install", *roots)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace") or done.stdout.decode("utf-8", "replace")
            raise CardFault(f"apt cannot choose packages of {self.suite} {self.arch}: {_said(said)}", _HELP)
        chosen = [_printed(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line[:1] == "'"]
        shown = self._apt(
            "apt-cache", "--no-all-versions", "show", *(f"{name}={version}" for name, version, _ in chosen)
        )
        text = shown.stdout.decode("utf-8", "replace")
        stanzas = {(one["Package"], one["Version"]): one for one in debian.stanzas(text)}
        silent = [name for name, version, _ in chosen if (name, version) not in stanzas]
        if silent:
            raise CardFault(f"apt chose {', '.join(silent)} and has no record of it", _HELP)
        return [self._found(stanzas[name, version], address) for name, version, address in chosen]

    def sources(self) -> dict[str, str]:
        """Source package -> its newest version among all lists that were read."""
        versions: dict[str, set[str]] = {}
        for path in self._lists.values():
            for name, version in self._source_rows(path):
                versions.setdefault(name, set()).add(version)
        return {name: debian.newest(found) for name, found in versions.items()}

    def _source_rows(self, path: str) -> Iterator[tuple[str, str]]:
        """Source and version of each package of a list; only three fields are looked at, a list has 60,000 packages."""
        text = self._apt("/usr/lib/apt/apt-helper", "cat-file", path).stdout.decode("utf-8", "replace")
        row: dict[str, str] = {}
        for line in (*text.split("\n"), ""):
            if not line:
                if row:
                    yield debian.source(row)
                row = {}
                continue
            name, _, value = line.partition(": ")
            if name in _KEPT:
                row[name] = value

    def _found(self, stanza: dict[str, str], address: str) -> Found:
        """A chosen package with its place: `pool/COMPONENT/...`, for security updates `pool/updates/COMPONENT/...`."""
        parts = stanza["Filename"].split("/")
        component = parts[2] if parts[1] == "updates" else parts[1]
        security = _bare(address).startswith(_bare(self.sites[mirror.SECURITY]) + "/")
        return Found(stanza, mirror.SECURITY if security else mirror.MAIN, component)

    # --- lists ---

    def _lay(self) -> None:
        if self.trust == TRUST and not os.path.exists(KEYRING):
            raise CardFault("Debian's keys are not on this machine", "apt install debian-archive-keyring")
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").write_text("")
        lines = [
            f"deb [{self.trust}] {self.sites[archive]} {suite} {' '.join(COMPONENTS)}\n"
            for suite, archive in self.suites
        ]
        (self.folder / "sources.list").write_text("".join(lines))
        (self.folder / "conf").write_text(_CONF.format(here=self.folder, arch=self.arch))

    def _read_lists(self) -> dict[tuple[str, str], str]:
        """(suite, component) -> the list on the disk."""
        form = "$(CODENAME) $(COMPONENT) $(FILENAME)"
        done = self._apt("apt-get", "indextargets", "--format", form, "Created-By: Packages")
        rows = [line.split(" ", 2) for line in done.stdout.decode("utf-8", "replace").splitlines()]
        return {(suite, component): path for suite, component, path in rows if os.path.exists(path)}

    def _index(self, suite: str, component: str, said: str) -> Index:
        files = sorted((self.folder / "state/lists").glob(f"*_dists_{suite}_*Release"))
        if not files:
            return Index(suite, component, self.arch, 0, f"failed: {_about(said, suite, '')}")
        text = files[0].read_text("utf-8", "replace")
        try:
            date = release_date(text)
        except CardFault as fault:
            return Index(suite, component, self.arch, 0, f"failed: {fault.sentence}")
        size = listed_size(text, component, self.arch)
        if (suite, component) in self._lists:
            state = "read"
        elif not size:
            state = "not offered" if size is None else "empty"
        else:
            state = f"failed: {_about(said, suite, component)}"
        return Index(suite, component, self.arch, date, state)

    def _apt(self, program: str, *words: str) -> CompletedProcess[bytes]:
        """Run apt on our folder; the caller looks at the code. CardFault when it does not end."""
        command = [host.find(program), "-c", str(self.folder / "conf"), *words]
        environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
        environment.pop("APT_CONFIG", None)
        return host.ended(command, environment)


_HELP = "run it again when the mirror is whole, or name another one by DEBIAN_MIRROR"


def release_date(text: str) -> int:
    """The date of a release file, in seconds; 0 when it has none. CardFault when it is no date (RFC 5322, UTC)."""
    for line in text.splitlines():
        if line.startswith("Date: "):
            try:
                found = parsedate_to_datetime(line[6:].replace("UTC", "+0000"))
                return int(found.replace(tzinfo=found.tzinfo or timezone.utc).timestamp())
            except (TypeError, ValueError, OverflowError) as fault:
                raise CardFault(f"its release file has a date that is none: {line[6:][:60]!r}") from fault
    return 0


def listed_size(text: str, component: str, arch: str) -> int | None:
    """The size of the list of packages that a release file promises, or None when it promises none."""
    wanted = f"{component}/binary-{arch}/Packages"
    for line in text.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[2] == wanted and parts[1].isdecimal():
            return int(parts[1])
    return None


def _bare(address: str) -> str:
    """An address without its scheme: apt prints `file:/a` for `file:///a`."""
    return unquote(address.partition(":")[2].lstrip("/"))


def _printed(line: str) -> tuple[str, str, str]:
    """Name, version and address from a line of --print-uris: `'ADDRESS' NAME_VERSION_ARCH.deb SIZE SHA256:HEX`."""
    address, rest = line[1:].rsplit("'", 1)
    name, version, _ = unquote(rest.split()[0]).split("_", 2)
    return name, version, address


def _about(said: str, suite: str, component: str) -> str:
    """What apt said about one list, without addresses."""
    rows = said.splitlines()
    for number, row in enumerate(rows):
        if f"/{suite}/" in row and f"/{component}" in row and row.startswith(("E:", "W:")):
            words = [word for word in row.split() if "://" not in word]
            text = " ".join(words).partition("[IP:")[0].replace("E: Failed to fetch", "").strip()
            return text or (rows[number + 1].strip() if number + 1 < len(rows) else "apt did not say why")
    return "apt did not say why"


def _said(said: str) -> str:
    rows = [row.strip() for row in said.splitlines() if row.startswith(("E:", "W:")) or "Depends:" in row]
    return " / ".join(rows[:4]) or "it said nothing"
