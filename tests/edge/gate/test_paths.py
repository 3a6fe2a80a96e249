"""Where a path leads, as text."""

from __future__ import annotations

import pytest

from edge.call import Root, Scene
from edge.gate.paths import absolute, inside, is_secret, place

SCENE = Scene("/w/proj", "/home/pi", (Root("work", "/w/proj"), Root("data", "/data")), state="/w/proj/.state")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("a", "/w/proj/a"),
        ("./a//b", "/w/proj/a/b"),
        ("../x", "/w/x"),
        ("../../../../x", "/x"),
        ("/a/./b/../c", "/a/c"),
        ("", "/w/proj"),
        (".", "/w/proj"),
        ("a/", "/w/proj/a"),
        ("%2e%2e/x", "/w/proj/%2e%2e/x"),
    ],
)
def test_absolute_resolves_dots_and_slashes_as_text(path: str, wanted: str) -> None:
    assert absolute(path, "/w/proj") == wanted


@pytest.mark.parametrize(
    ("path", "kind", "root", "rest"),
    [
        ("notes", "workspace", "work", "notes"),
        (".", "workspace", "work", "."),
        ("/data/x/y", "workspace", "data", "x/y"),
        ("/w/project2/x", "outside", "system", "w/project2/x"),
        ("../proj/x", "workspace", "work", "x"),
        ("/etc/hosts", "readable", "system", "etc/hosts"),
        ("/var/log/syslog", "readable", "system", "var/log/syslog"),
        ("/var/lib/x", "system", "system", "var/lib/x"),
        ("/dev/mem", "system", "system", "dev/mem"),
        ("~/x", "system", "system", "home/pi/x"),
        (".state/tapes/a", "own", "work", ".state/tapes/a"),
        ("sub/.SSH/config", "secret", "work", "sub/.SSH/config"),
        ("/etc/Shadow", "secret", "system", "etc/Shadow"),
    ],
)
def test_place_finds_root_kind_and_rest(path: str, kind: str, root: str, rest: str) -> None:
    found = place(path, SCENE)
    assert (found.kind, found.root, found.path) == (kind, root, rest)


@pytest.mark.parametrize("path", [".env", "a/.ENV", ".env.local", "id_rsa", "server.pem", "x/.aws/config", "Token"])
def test_secrets_are_found_whatever_the_case(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path", ["tokenizer.py", "secrets_manager.go", "environment", "keys.md", "shadows/x", "envelope"]
)
def test_names_that_only_look_like_secrets_are_none(path: str) -> None:
    assert not is_secret(path)


def test_inside_is_by_parts_and_not_by_letters() -> None:
    assert inside("/a/b", "/a") and inside("/a", "/a") and inside("/x", "/")
    assert not inside("/ab", "/a")
