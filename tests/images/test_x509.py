"""The name that OpenSSL finds a certificate by, and its end, are those that OpenSSL says."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import x509

ROUNDS = 3000 if os.environ.get("FIELDHAND_SOAK") == "1" else 300
SUBJECTS = (
    "/CN=plain",
    "/C=DE/O=  Two   Words  /OU=MiXeD Case/CN=x",
    "/CN=ümläut Ö/O=Zażółć",
    "/O=a+CN=b/OU=one more",
    "/DC=org/DC=example/emailAddress=A@Example.ORG",
)

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="the program openssl is not installed")


def made(folder: Path, subject: str, *more: str) -> bytes:
    path = folder / "made.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-utf8"]
    words += ["-multivalue-rdn", "-keyout", os.devnull, "-subj", subject, "-out", str(path), *more]
    subprocess.run(words, check=True, capture_output=True)
    return path.read_bytes()


def openssl_says(pem: bytes) -> tuple[str, str]:
    words = ["openssl", "x509", "-noout", "-hash", "-enddate"]
    digits, end = subprocess.run(words, input=pem, capture_output=True, check=True).stdout.decode().split("\n")[:2]
    return digits, end


@needs_openssl
@pytest.mark.parametrize("subject", SUBJECTS)
def test_hash_and_end_are_those_of_openssl(tmp_path: Path, subject: str) -> None:
    for days in ("1", "20000"):
        pem = made(tmp_path, subject, "-days", days)
        (der,) = x509.certificates(pem)
        end = x509.not_after(der).strftime("notAfter=%b %e %H:%M:%S %Y GMT")
        assert (x509.subject_hash(der), end) == openssl_says(pem)


@needs_openssl
def test_damage_is_a_fault_or_an_answer_and_nothing_else(tmp_path: Path) -> None:
    (der,) = x509.certificates(made(tmp_path, SUBJECTS[1]))
    chance = random.Random(5)
    told = 0
    for _ in range(ROUNDS):
        data = bytearray(der[: chance.randrange(len(der))] if chance.random() < 0.3 else der)
        for _ in range(chance.randrange(4)):
            data[chance.randrange(len(data) or 1) : 1] = bytes((chance.randrange(256),))
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            x509.subject_hash(bytes(data))
            x509.not_after(bytes(data))
        except CardFault:
            told += 1
    print(f"{ROUNDS} damaged certificates, {told} told")
    assert 0 < told < ROUNDS


@pytest.mark.parametrize("pem", [x509.BEGIN + b"\nAAAA", x509.BEGIN + b"\n!!!!\n" + x509.END])
def test_a_text_that_holds_no_whole_certificate_is_told(pem: bytes) -> None:
    with pytest.raises(CardFault):
        x509.certificates(pem)


def test_a_text_without_certificates_holds_none() -> None:
    assert x509.certificates(b"# nothing\n") == []
