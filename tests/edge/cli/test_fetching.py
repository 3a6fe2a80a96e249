"""A file of the operator's from a URL: redirects, what is too much, what is said meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.cli.fetching import fetch
from edge.faults import CardFault
from tests.support.webserver import Web, leads, raw, says


def test_a_file_comes_whole_by_way_of_a_redirect_and_progress_is_told(tmp_path: Path) -> None:
    body = bytes(range(256)) * 8000
    told: list[tuple[int, int]] = []
    with Web() as web:
        web.on["/a"] = leads("/b")
        web.on["/b"] = says(body)
        path = fetch(web.url("/a"), str(tmp_path / "new"), lambda done, total: told.append((done, total)))
    assert Path(path).read_bytes() == body
    assert path == str(tmp_path / "new" / "fetched.update")
    assert all(0 <= done <= len(body) and total == 0 for done, total in told)


def test_what_breaks_off_or_is_too_much_is_a_sentence_and_leaves_no_file(tmp_path: Path) -> None:
    with Web() as web:
        web.on["/broken"] = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nabc")
        web.on["/huge"] = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc")
        web.on["/circle"] = leads("/circle")
        for path in ("/broken", "/huge", "/circle"):
            with pytest.raises(CardFault, match="could not be fetched"):
                fetch(web.url(path), str(tmp_path), lambda done, total: None)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CardFault, match="could not be fetched into"):
        fetch("http://127.0.0.1:1/x", str(tmp_path / "file" / "below"), lambda done, total: None)
