"""https by itself, and the certificate authority of the settings for whole runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import agent
from tests.support.certs import Authority
from tests.support.webserver import Web, says


@pytest.mark.parametrize(
    ("tool", "table"), [("http_request", "backend"), ("web_fetch", "backend"), ("http_request", "model")]
)
def test_an_authority_that_the_settings_name_is_trusted_by_the_tools(tool: str, table: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "ca")
    with Web(certificate=authority.issue("host", "IP:127.0.0.1")) as web:
        web.on["/"] = says(b"by my own authority", Content_Type="text/plain")
        settings = "profile = 'p'\n[risk_profiles.p]\nlevel = 'full'\ninternal_hosts = ['127.0.0.1']\n"
        for more, code, said in (
            ("", 1, "signed by nobody|no certificate authorities"),
            (f"[{table}]\nca_file = '{authority.file}'\n", 0, "by my own authority"),
        ):
            (tmp_path / "c.toml").write_text(settings + more)
            words = ("tool", tool, f"url={web.url()}", "--config", str(tmp_path / "c.toml"))
            done = agent.run(*words, home=tmp_path)
            assert done.returncode == code and re.search(said, done.stdout), done.stdout + done.stderr
        assert web.url().startswith("https:") and [request.path for request in web.seen] == ["/"]
