from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import lock, pool
from tests.support.webserver import Web

DATA = bytes(range(256)) * 4096


def wanted(name: str, address: str = "", data: bytes = DATA) -> pool.Wanted:
    return pool.Wanted(name, f"{name}_1_armel.deb", len(data), hashlib.sha256(data).hexdigest(), address)


def serving(data: bytes, *, ranges: bool = True, cut: int = 0):  # type: ignore[no-untyped-def]
    """A file of a mirror: continues where it is asked to, and ends the first answer after `cut` bytes."""
    state = {"first": True}

    def answer(request, connection) -> None:  # type: ignore[no-untyped-def]
        start = int(request.headers.get("range", "bytes=0-")[6:].rstrip("-")) if ranges else 0
        body = data[start:]
        status = "206 Partial Content" if start else "200 OK"
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        connection.sendall(head + (body[:cut] if cut and state["first"] else body))
        state["first"] = False

    return answer


def test_a_file_is_fetched_proved_and_kept(tmp_path: Path) -> None:
    with Web(otherwise=serving(DATA)) as web:
        item = wanted("a", web.url("/a.deb"))
        assert pool.download([item], tmp_path)["a"].read_bytes() == DATA
        assert pool.here([item], [], tmp_path) == {"a": tmp_path / item.file}
        assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("ranges", [True, False])
def test_a_download_that_broke_off_is_finished(tmp_path: Path, ranges: bool) -> None:
    with Web(otherwise=serving(DATA, ranges=ranges, cut=100_000)) as web:
        found = pool.download([wanted("a", web.url("/a.deb"))], tmp_path, pause=lambda seconds: None)
        assert found["a"].read_bytes() == DATA
        asked = [request.headers.get("range", "") for request in web.seen]
        assert len(asked) == 2 and asked[0] == "" and asked[1].startswith("bytes=")


def test_what_an_earlier_run_left_is_continued(tmp_path: Path) -> None:
    (tmp_path / "a_1_armel.deb.part").write_bytes(DATA[:5000])
    with Web(otherwise=serving(DATA)) as web:
        assert pool.download([wanted("a", web.url("/a.deb"))], tmp_path)["a"].read_bytes() == DATA
        assert web.seen[0].headers["range"] == "bytes=5000-"


@pytest.mark.parametrize("left", [5000, len(DATA), len(DATA) + 7])
def test_wrong_bytes_of_an_earlier_run_are_thrown_away(tmp_path: Path, left: int) -> None:
    (tmp_path / "a_1_armel.deb.part").write_bytes(b"x" * left)
    with Web(otherwise=serving(DATA)) as web:
        found = pool.download([wanted("a", web.url("/a.deb"))], tmp_path, pause=lambda seconds: None)
        assert found["a"].read_bytes() == DATA


def test_other_bytes_than_the_locked_ones_are_never_taken(tmp_path: Path) -> None:
    wrong = r"cannot fetch a_1_armel\.deb: what the mirror sent is not what was locked"
    with Web(otherwise=serving(DATA[::-1])) as web, pytest.raises(CardFault, match=wrong):
        pool.download([wanted("a", web.url("/a.deb"))], tmp_path, tries=2, pause=lambda seconds: None)
    assert not (tmp_path / "a_1_armel.deb").exists()


def test_all_that_left_the_archive_is_named_at_once(tmp_path: Path) -> None:
    with Web() as web:
        web.on["/b.deb"] = serving(DATA)
        items = [wanted(name, web.url(f"/{name}.deb")) for name in "abc"]
        with pytest.raises(CardFault) as caught:
            pool.download(items, tmp_path)
    text = str(caught.value)
    assert "2 of the locked packages have left the archive: a_1_armel.deb, c_1_armel.deb" in text
    assert "--pool DIR" in text and "lock update" in text
    assert (tmp_path / "b_1_armel.deb").read_bytes() == DATA


def test_a_line_that_is_down_is_told(tmp_path: Path) -> None:
    pauses: list[float] = []
    with Web() as web:
        address = web.url("/a.deb")
    with pytest.raises(CardFault, match=r"cannot fetch a_1_armel\.deb: .*refused.*DEBIAN_MIRROR"):
        pool.download([wanted("a", address)], tmp_path, tries=3, pause=pauses.append)
    assert pauses == [1.0, 2.0]


def test_a_proxy_is_asked_for_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    with Web(otherwise=serving(DATA)) as web:
        monkeypatch.setenv("http_proxy", web.url(""))
        address = "http://mirror.invalid/debian/a.deb"
        assert pool.download([wanted("a", address)], tmp_path)["a"].read_bytes() == DATA
        assert web.seen[0].path == address


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_no_fault_of_the_mirror(tmp_path: Path) -> None:
    (tmp_path / "a_1_armel.deb.part").symlink_to("/dev/full")
    with Web(otherwise=serving(DATA)) as web, pytest.raises(OSError, match="No space left"):
        pool.download([wanted("a", web.url("/a.deb"))], tmp_path, pause=lambda seconds: None)


def test_two_builds_at_once_fetch_once(tmp_path: Path) -> None:
    with Web(otherwise=serving(DATA)) as web:
        items = [wanted("a", web.url("/a.deb"))]
        found: list[bytes] = []
        threads = [
            threading.Thread(target=lambda: found.append(pool.download(items, tmp_path)["a"].read_bytes()))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert found == [DATA] * 4 and len(web.seen) == 1


def test_a_damaged_file_in_the_cache_is_fetched_anew(tmp_path: Path) -> None:
    with Web(otherwise=serving(DATA)) as web:
        item = wanted("a", web.url("/a.deb"))
        (tmp_path / item.file).write_bytes(DATA[:-1] + b"!")
        assert pool.here([item], [], tmp_path) == {}
        assert pool.download([item], tmp_path)["a"].read_bytes() == DATA


def test_a_pool_of_the_users_comes_first_and_by_content(tmp_path: Path) -> None:
    item = wanted("a")
    given, cache = tmp_path / "given" / "below", tmp_path / "cache"
    given.mkdir(parents=True)
    cache.mkdir()
    (cache / item.file).write_bytes(DATA)
    (given / "renamed.deb").write_bytes(DATA)
    (given / "a_1_armel.deb").write_bytes(DATA[::-1])
    assert pool.here([item], [tmp_path / "given"], cache) == {"a": given / "renamed.deb"}
    (given / "renamed.deb").unlink()
    assert pool.here([item], [tmp_path / "given"], cache) == {"a": cache / item.file}
    with pytest.raises(CardFault, match="is not a folder"):
        pool.here([item], [tmp_path / "nowhere"], cache)


def test_nothing_asks_the_network_when_all_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBIAN_MIRROR", "http://127.0.0.1:9/debian")
    deb = lock.Deb(
        "a", "1", "armel", len(DATA), hashlib.sha256(DATA).hexdigest(), "a", "1", "main", "debian", "pool/a.deb",
        "current", (), (),
    )  # fmt: skip
    locked = lock.Lock("bookworm", "armel", 1, (), (deb,), (), ())
    (tmp_path / "a.deb").write_bytes(DATA)
    assert pool.fetch(locked, [], None, tmp_path) == {"a": tmp_path / "a.deb"}
    assert pool.fetch(locked, [tmp_path], None, tmp_path / "empty") == {"a": tmp_path / "a.deb"}


def test_a_package_is_fetched_from_the_archive_it_is_locked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = hashlib.sha256(DATA).hexdigest()
    debs = tuple(
        lock.Deb(
            name, "1", "armel", len(DATA), digest, name, "1", "main", archive, f"pool/{name}.deb", "current", (), ()
        )
        for name, archive in (("a", "debian"), ("b", "debian-security"))
    )
    with Web(otherwise=serving(DATA)) as web:
        monkeypatch.setenv("DEBIAN_MIRROR", web.url("/debian"))
        monkeypatch.delenv("DEBIAN_SECURITY_MIRROR", raising=False)
        pool.fetch(lock.Lock("bookworm", "armel", 1, (), debs, (), ()), [], None, tmp_path)
        assert [request.path for request in web.seen] == ["/debian/pool/a.deb", "/debian-security/pool/b.deb"]


@pytest.mark.parametrize("address", ["nonsense/a.deb", "http://[x/a.deb", "gopher:a.deb", "http://h:port/a.deb"])
def test_a_mirror_that_is_no_address_is_told_at_once(tmp_path: Path, address: str) -> None:
    pauses: list[float] = []
    with pytest.raises(CardFault, match=r"(is no address|unknown url type).*DEBIAN_MIRROR"):
        pool.download([wanted("a", address)], tmp_path, tries=2, pause=pauses.append)


def test_a_folder_that_takes_no_download_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CardFault, match=r"a_1_armel\.deb has to be fetched and cannot be kept in .*--pool DIR"):
        pool.download([wanted("a", "http://localhost/a.deb")], tmp_path / "file/cache")
