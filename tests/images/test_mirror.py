from __future__ import annotations

import shutil
from pathlib import Path

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


@pytest.mark.skipif(shutil.which("apt-config") is None, reason="apt is not on this machine")
def test_the_way_there_is_that_of_the_environment_else_that_of_apt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    settings = tmp_path / "apt.conf"
    settings.write_text('Acquire::http::Proxy "http://localhost:3142";\nAcquire::https::Proxy "DIRECT";\n')
    monkeypatch.setenv("APT_CONFIG", str(settings))
    assert mirror.proxies() == {"http": "http://localhost:3142"}
    monkeypatch.setenv("http_proxy", "http://localhost:8080")
    assert mirror.proxies() == {"http": "http://localhost:8080"}
