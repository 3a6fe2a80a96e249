"""Bundle and folder of certificates hold the same, each once, where OpenSSL looks for them."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import certificates
from images.gates import authorities

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")


def authority(path: Path, name: str, days: int = 30) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", os.devnull, "-subj", f"/CN={name}", "-days", str(days), "-out", str(path)]
    subprocess.run(words, check=True, capture_output=True)
    return path.read_bytes()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    folder = top / certificates.SOURCE / "mozilla"
    for name in ("One", "Two", "Three"):
        authority(folder / f"{name}.crt", name)
    # The same subject with another key has the same name in the folder, and a number of its own.
    authority(folder / "Two again.crt", "Two")
    (folder / "copy.crt").write_bytes((folder / "One.crt").read_bytes())
    return top


def test_each_certificate_is_there_once_in_both_forms(tree: Path) -> None:
    assert certificates.install(tree) == 4
    assert (tree / certificates.BUNDLE).read_bytes().count(b"BEGIN CERTIFICATE") == 4
    names = certificates.hashed(tree)
    assert len(names) == 4 and sorted(name[9:] for name in names) == ["0", "0", "0", "1"]
    for trusted in ({"cafile": tree / certificates.BUNDLE}, {"cafile": tree / "usr/lib/ssl/cert.pem"}):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(**trusted)
        assert len(context.get_ca_certs()) == 4


def test_openssl_finds_one_through_the_folder(tree: Path) -> None:
    certificates.install(tree)
    for name in ("One", "Two", "Two again"):
        file = tree / certificates.SOURCE / "mozilla" / f"{name}.crt"
        words = ["openssl", "verify", "-no-CAfile", "-no-CAstore", "-CApath", tree / "usr/lib/ssl/certs", file]
        subprocess.run(words, check=True, capture_output=True)


def test_a_tree_without_certificates_is_told(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="ca-certificates"):
        certificates.install(tmp_path)


@pytest.mark.parametrize("count", [0, 2])
def test_a_file_that_is_not_one_certificate_is_told(tree: Path, count: int) -> None:
    folder = tree / certificates.SOURCE / "mozilla"
    pems = [(folder / f"{name}.crt").read_bytes() for name in ("One", "Two")]
    (folder / "chain.crt").write_bytes(b"".join(pems[:count]))
    with pytest.raises(CardFault, match=rf"mozilla/chain\.crt holds {count} certificates"):
        certificates.install(tree)


def test_the_gate_counts_compares_and_looks_where_openssl_looks(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates.install(tree)
    assert authorities.check(tree, None) == ["the bundle has 4 certificates, more than 100 are wanted"]  # type: ignore[arg-type]
    monkeypatch.setattr(authorities, "LEAST", 3)
    assert authorities.check(tree, None) == []  # type: ignore[arg-type]
    (tree / "usr/lib/ssl/certs").unlink()
    link = tree / certificates.FOLDER / certificates.hashed(tree)[0]
    target = os.readlink(link)
    link.unlink()
    said = authorities.check(tree, None)  # type: ignore[arg-type]
    assert len(said) == 2 and "3 certificates and the bundle 4" in said[0] and "usr/lib/ssl/certs" in said[1]
    (tree / certificates.FOLDER / "00000000.0").symlink_to(target)
    assert "00000000.0 is not the certificate" in " ".join(authorities.check(tree, None))  # type: ignore[arg-type]


def test_the_gate_tells_of_certificates_that_are_over(tree: Path) -> None:
    import datetime

    certificates.install(tree)
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=40)
    assert "4 of 4 certificates are out of date" in authorities.check(tree, None, later)  # type: ignore[arg-type]


def test_the_gate_tells_when_nothing_is_there(tmp_path: Path) -> None:
    said = " ".join(authorities.check(tmp_path, None))  # type: ignore[arg-type]
    assert "has 0 certificates" in said and "usr/lib/ssl/cert.pem" in said
