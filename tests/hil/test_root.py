"""A whole root is made from the locked packages, twice alike; what must not get into one is found in a real tree."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import certificates, gates, host, lock, modules, pool, product, rooted, tree, wheels
from images.gates import authorities
from images.progress import Progress
from tests.support.sources import ROOT

pytestmark = [
    pytest.mark.emulated,
    pytest.mark.skipif(bool(host.missing(["qemu-arm-static", "depmod"])), reason="qemu-user-static or kmod is absent"),
]
ARMV6 = product.load("pi-armv6")


def made(into: Path) -> tree.Report:
    locked = lock.load(ARMV6)
    quiet = Progress(None)
    return tree.make(ARMV6, pool.fetch(locked, [], quiet), wheels.fetch(locked, [], quiet), ROOT, into)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("root") / "tree"
    report = made(into)
    assert report.cas > authorities.LEAST and report.sources > 500
    assert modules.closure(into, ["ext4", "loop"])[-1].endswith("loop.ko")
    return into


def digest(top: Path) -> str:
    found = hashlib.sha256()
    for name in rooted.files(top):
        found.update(f"{name} {(top / name).stat().st_mode:o}\n".encode() + (top / name).read_bytes())
    for name in rooted.links(top):
        found.update(f"{name} -> {os.readlink(top / name)}\n".encode())
    return found.hexdigest()


def at_rest(top: Path) -> list[str]:
    return [sentence for gate in gates.AT_REST.values() for sentence in gate.check(top, ARMV6)]


def test_two_roots_in_two_folders_are_the_same(root: Path, tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        made(tmp_path / "another folder")
    finally:
        os.umask(old)
    assert digest(root) == digest(tmp_path / "another folder")


def test_a_program_of_this_machine_is_found(root: Path) -> None:
    wrong = root / "usr/bin/wrong"
    shutil.copy(Path(sys.executable).resolve(), wrong)
    try:
        assert any(sentence.startswith("usr/bin/wrong is for ") for sentence in at_rest(root))
    finally:
        wrong.unlink()
    assert at_rest(root) == []


def test_a_library_that_is_missing_is_found(root: Path) -> None:
    (link,) = [name for name in rooted.links(root) if name.endswith("/libz.so.1")]
    library = (root / link).resolve()
    library.rename(root / "aside")
    try:
        said = at_rest(root)
    finally:
        (root / "aside").rename(library)
    assert any("libz.so.1 is not there, usr/bin/python3.11" in sentence for sentence in said)


def test_a_root_without_the_links_of_openssl_is_found(root: Path) -> None:
    link = root / "usr/lib/ssl/cert.pem"
    link.unlink()
    try:
        assert any("usr/lib/ssl/cert.pem" in sentence for sentence in at_rest(root))
    finally:
        link.symlink_to(certificates.LINKS["usr/lib/ssl/cert.pem"])


def test_a_root_that_would_not_start_is_no_root(root: Path, tmp_path: Path) -> None:
    library = root / "usr/lib/fieldhand/edge/cli/__init__.pyc"
    library.rename(tmp_path / "aside")
    try:
        said = gates.check(root, ARMV6, lambda *_: None)
    finally:
        shutil.move(tmp_path / "aside", library)
    assert any("does not import" in sentence and "from 'edge.cli'" in sentence for sentence in said), said


def test_two_kernels_are_no_kernel(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="0 kernels are among the packages"):
        tree._modules({}, tmp_path, ARMV6)
