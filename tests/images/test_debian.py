from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from images import debian

ORDERED = [
    ("1.0~rc1", "1.0"),
    ("1.0", "1.0-1"),
    ("1.0-1", "1.0-1+b1"),
    ("1.0-9", "1.0-10"),
    ("1.0-1", "1.0-1+deb12u1"),
    ("3.0.20-1~deb12u2", "3.0.22-1~deb12u2"),
    ("9.9", "1:0.1"),
    ("1.0a", "1.0+"),
    ("1.0a", "1.0b"),
    ("2.36-9+deb12u9", "2.36-9+deb12u14"),
    ("6.1.176-1", "6.1.192-3"),
]


@pytest.mark.parametrize(("older", "newer"), ORDERED)
def test_versions_are_ordered(older: str, newer: str) -> None:
    assert debian.compare(older, newer) == -1
    assert debian.compare(newer, older) == 1
    assert debian.compare(older, older) == 0


def test_leading_zeros_and_an_absent_revision_make_no_difference() -> None:
    assert debian.compare("1.02", "1.2") == 0
    assert debian.compare("1.2", "1.2-0") == 0
    assert debian.compare("0:1.2", "1.2") == 0


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg is not on this machine")
def test_versions_are_ordered_as_dpkg_orders_them() -> None:
    chance = random.Random(15)
    pairs = []
    for _ in range(60):
        made = ["1" + "".join(chance.choice("019a.+~-z") for _ in range(chance.randrange(6))) for _ in range(2)]
        pairs.append([text.rstrip("-") for text in made])
    for one, other in pairs:
        said = "gt" if debian.compare(one, other) > 0 else "lt" if debian.compare(one, other) < 0 else "eq"
        done = subprocess.run(["dpkg", "--compare-versions", one, said, other], capture_output=True, check=False)
        assert done.returncode == 0, f"{one} {said} {other}"


def test_the_newest_of_versions_is_no_matter_of_text() -> None:
    assert debian.newest(["1.9", "1.10", "1.2"]) == "1.10"


def test_stanzas_keep_continued_lines_and_drop_comments() -> None:
    text = "Package: a\nLicense: X\n more\n .\n words\n\n\n# remark\nPackage: b\n"
    assert list(debian.stanzas(text)) == [{"Package": "a", "License": "X\nmore\n.\nwords"}, {"Package": "b"}]


def test_relations_are_names_of_alternatives() -> None:
    text = "libc6 (>= 2.36), a:any | b [armel] <!nocheck>, python3:any"
    assert debian.relations(text) == [["libc6"], ["a", "b"], ["python3"]]
    assert debian.relations("") == []


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"Package": "tar", "Version": "1.34-1"}, ("tar", "1.34-1")),
        ({"Package": "libc6", "Version": "2.36-9", "Source": "glibc"}, ("glibc", "2.36-9")),
        ({"Package": "x", "Version": "1:1.35-4+b1", "Source": "busybox (1:1.35-4)"}, ("busybox", "1:1.35-4")),
        (
            {"Package": "x", "Version": "6.12.118-1", "Source": "linux-signed-arm64 (6.12.118+1)"},
            ("linux", "6.12.118-1"),
        ),
        ({"Package": "x", "Version": "6.12-1", "Source": "linux-signed-6.12-arm64 (6.12+1)"}, ("linux-6.12", "6.12-1")),
    ],
)
def test_the_source_of_a_package(fields: dict[str, str], wanted: tuple[str, str]) -> None:
    assert debian.source(fields) == wanted
