from __future__ import annotations

import shutil
import subprocess

import pytest

from edge.card.sha_crypt import fits, new_salt, sha512_crypt

# Vectors of the specification; glibc's crypt(3) gives the same.
VECTORS = [
    (
        "Hello world!",
        "saltstring",
        5000,
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    ),
    (
        "Hello world!",
        "saltstringsaltst",
        10000,
        "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/"
        "y3RnOaw5v.",
    ),
    (
        "This is just a test",
        "toolongsaltstring",
        5000,
        "$6$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0",
    ),
    (
        "a very much longer text to encrypt.  This one even stretches over morethan one line.",
        "anotherlongsalts",
        1400,
        "$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd"
        "8p4ur1",
    ),
]


@pytest.mark.parametrize(("word", "salt", "rounds", "hashed"), VECTORS)
def test_the_vectors_of_the_specification(word: str, salt: str, rounds: int, hashed: str) -> None:
    assert sha512_crypt(word.encode(), salt, rounds) == hashed
    assert fits(word.encode(), hashed) and not fits(word.encode() + b" ", hashed)


def test_what_busybox_hashes_fits_and_is_the_same() -> None:
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("no busybox is installed")
    words = ["a", "correct horse", "x" * 63, "x" * 64, "x" * 65, "Gr\u00fc\u00dfe " * 9]
    for word in words:
        done = subprocess.run(
            [busybox, "mkpasswd", "-m", "sha512", "-S", "Some./Salt012345", word], capture_output=True, timeout=60
        )
        if b"applet not found" in done.stderr:
            pytest.skip("this busybox has no mkpasswd")
        hashed = done.stdout.decode().strip()
        assert sha512_crypt(word.encode(), "Some./Salt012345") == hashed and fits(word.encode(), hashed)


def test_no_hash_of_another_form_fits() -> None:
    for hashed in (
        "",
        "*",
        "!",
        "$6$",
        "$6$a",
        "$5$salt$x",
        "$6$rounds=99$salt$x",
        "$6$rounds=999999999$salt$x",
        "$$$$",
    ):
        assert not fits(b"word", hashed)


def test_salts_differ_and_are_letters_that_a_hash_may_hold() -> None:
    salts = {new_salt() for _ in range(50)}
    assert len(salts) == 50 and all(len(salt) == 16 and "$" not in salt and ":" not in salt for salt in salts)
