from __future__ import annotations

import pytest

from images import mirror


def test_a_named_mirror_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBIAN_MIRROR", "http://localhost/debian/")
    monkeypatch.delenv("DEBIAN_SECURITY_MIRROR", raising=False)
    assert mirror.site(mirror.MAIN) == "http://localhost/debian"
    assert mirror.site(mirror.SECURITY) == "http://localhost/debian-security"
    monkeypatch.setenv("DEBIAN_SECURITY_MIRROR", "http://localhost/sec")
    assert mirror.site(mirror.SECURITY) == "http://localhost/sec"


def test_the_sources_of_apt_are_told_apart() -> None:
    listed = "http://a/debian/ main\nhttp://a/debian/ contrib\nhttp://a/debian-security/ main\nhttp://b/debian main\n"
    assert mirror.sources(listed) == ("http://a/debian", "http://a/debian-security")
    assert mirror.sources("http://a/debian/ contrib\n") == ("", "")
