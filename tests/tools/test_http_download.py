"""http_request with save_to, over loopback: whole or not at all, and on from where it ended."""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Observation, Permit, Root, Scene
from edge.faults import Fault, Refused, ToolFault, UsageFault
from edge.gate import urls
from edge.gate.decide import decide
from edge.gate.policy import PRESETS, Policy, State
from edge.hands import Hands, incoming
from edge.hands.world import World
from edge.schema import fit
from edge.tools.http_request import TOOL
from tests.support.net_hands import allowing, world
from tests.support.webserver import Store, Web, drips, endless, leads, raw, says

BODY = random.Random(3).randbytes(300_000) if hasattr(random.Random, "randbytes") else os.urandom(300_000)
SUM = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as made:
        yield made


def carry(folder: Path, args: dict[str, Any], here: World | None = None, seconds: float = 30.0) -> Observation:
    """One call inside a permit for the first host, listed as internal, and for the file."""
    here = here or world(folder)
    checked = fit({"save_to": "got.bin", **args}, TOOL.schema)[0]
    TOOL.effects(checked, here.scene)
    verb = "send" if checked.get("method", "GET") not in ("GET", "HEAD") else "fetch"
    origin = urls.read(checked["url"]).origin
    grants = (Grant(verb, "internal", origin), Grant("write", "work", checked["save_to"]))
    return TOOL.run(checked, Hands(Permit("c1", grants, seconds=seconds), Call("http_request", {}, "c1"), here))


def parts(folder: Path) -> list[str]:
    return sorted(name.rpartition(".")[2] for name in os.listdir(folder) if name.startswith(".incoming-"))


def test_it_fetches_and_writes_and_each_is_judged() -> None:
    args = {"url": "https://example.com/a", "save_to": "a/b"}
    scene = Scene("/home/pi", "", (Root("work", "/home/pi"),))
    effects = TOOL.effects(args, scene)
    assert [(one.verb, one.on) for one in effects] == [("fetch", "url:https://example.com/a"), ("write", "file:a/b")]
    found = {}
    for preset in PRESETS:
        found[preset] = decide(
            Call("http_request", args, "c1"), effects, Policy(preset, hosts=("example.com",)), State(), scene
        )
    assert [found[one].verdict for one in ("readonly", "supervised", "guarded", "full")] == [
        "deny",
        "ask",
        "ask",
        "allow",
    ]
    outside = TOOL.effects({**args, "save_to": "/etc/passwd"}, scene)
    assert decide(Call("http_request", args, "c1"), outside, Policy("full"), State(), scene).verdict == "deny"
    assert TOOL.words(args, scene).endswith("saving the answer to a/b")


@pytest.mark.parametrize(
    "more", [{"method": "HEAD"}, {"headers": {"Range": "bytes=1-"}}, {"headers": {"if-range": "x"}}]
)
def test_what_makes_no_whole_file_is_usage(more: dict[str, Any]) -> None:
    with pytest.raises(UsageFault):
        TOOL.effects({"url": "http://x.de/", "save_to": "a", **more}, Scene("/", ""))


def test_the_file_is_what_came_and_the_result_says_its_size_and_sum(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = Store(BODY, Content_Type="application/octet-stream")
    found = carry(tmp_path, {"url": web.url("/f"), "save_to": "new/got.bin"})
    assert found.ok and found.untrusted and (tmp_path / "new/got.bin").read_bytes() == BODY
    assert "300,000 bytes saved to new/got.bin (new)" in found.text and f"sha256 {SUM}" in found.text
    assert found.data is not None and found.data["saved"] == {
        "path": "new/got.bin", "bytes": len(BODY), "sha256": SUM, "resumed": 0, "was": "new"
    }  # fmt: skip
    assert parts(tmp_path / "new") == [] and "range" not in web.seen[0].headers
    assert web.seen[0].headers["accept-encoding"] == "identity"


def test_a_file_that_is_there_is_replaced_and_keeps_its_mode(web: Web, tmp_path: Path) -> None:
    (tmp_path / "got.bin").write_bytes(b"old")
    (tmp_path / "got.bin").chmod(0o640)
    web.on["/f"] = Store(b"new")
    assert "(replaced)" in carry(tmp_path, {"url": web.url("/f")}).text
    assert (tmp_path / "got.bin").read_bytes() == b"new" and (tmp_path / "got.bin").stat().st_mode & 0o777 == 0o640
    web.on["/empty"] = Store(b"")
    assert carry(tmp_path, {"url": web.url("/empty")}).ok and (tmp_path / "got.bin").read_bytes() == b""


def test_what_broke_off_goes_on_where_it_ended(web: Web, tmp_path: Path) -> None:
    (tmp_path / "got.bin").write_bytes(b"old")
    web.on["/f"] = store = Store(BODY, stops=100_001)
    with pytest.raises(ToolFault, match=r"broke off.*100,001 bytes are kept; the same call goes on from there"):
        carry(tmp_path, {"url": web.url("/f")})
    assert (tmp_path / "got.bin").read_bytes() == b"old" and parts(tmp_path) == ["part"]
    found = carry(tmp_path, {"url": web.url("/f")})
    assert store.asked == ["", "bytes=100001-"]
    assert found.data is not None and found.data["saved"]["resumed"] == 100_001 and found.data["saved"]["sha256"] == SUM
    assert (tmp_path / "got.bin").read_bytes() == BODY and parts(tmp_path) == []


def test_a_sum_that_there_is_no_time_for_is_said_and_the_file_is_whole(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(web, tmp_path)
    put = incoming.adopt

    def adopt(*given: Any) -> str:
        here.cut()  # the time is over as soon as the file has its name
        return put(*given)

    here = world(tmp_path)
    monkeypatch.setattr(incoming, "adopt", adopt)
    found = carry(tmp_path, {"url": web.url("/f")}, here)
    assert found.ok and "sha256 not computed: there was no time left" in found.text
    assert (tmp_path / "got.bin").read_bytes() == BODY


def test_by_the_date_of_its_last_change_too(web: Web, tmp_path: Path) -> None:
    dates = {"Last_Modified": "Mon, 05 Jan 2026 10:00:00 GMT", "Date": "Mon, 05 Jan 2026 11:00:00 GMT"}
    web.on["/f"] = store = Store(BODY, stops=70_000, ETag='W/"weak"', **dates)
    with pytest.raises(ToolFault, match="70,000 bytes are kept"):
        carry(tmp_path, {"url": web.url("/f")})
    assert carry(tmp_path, {"url": web.url("/f")}).ok and store.asked[1] == "bytes=70000-"


@pytest.mark.parametrize(
    "fields",
    [{"ETag": ""}, {"ETag": 'W/"w"'},
     {"ETag": "", "Last_Modified": "Mon, 05 Jan 2026 10:59:30 GMT", "Date": "Mon, 05 Jan 2026 11:00:00 GMT"},
     {"ETag": "", "Last_Modified": "yesterday", "Date": "Mon, 99 Jan 2026 11:00:00 GMT"}],
)  # fmt: skip
def test_without_a_sure_version_nothing_is_kept(web: Web, tmp_path: Path, fields: dict[str, str]) -> None:
    web.on["/f"] = store = Store(BODY, stops=70_000, **fields)
    with pytest.raises(ToolFault, match="broke off") as fault:
        carry(tmp_path, {"url": web.url("/f")})
    assert "kept" not in str(fault.value) and os.listdir(tmp_path) == []
    assert carry(tmp_path, {"url": web.url("/f")}).ok and store.asked == ["", ""]


def broken(web: Web, folder: Path) -> Store:
    """A part of /f is in the folder."""
    web.on["/f"] = store = Store(BODY, stops=90_000)
    with pytest.raises(ToolFault):
        carry(folder, {"url": web.url("/f")})
    assert parts(folder) == ["part"]
    return store


def test_another_version_begins_anew(web: Web, tmp_path: Path) -> None:
    store = broken(web, tmp_path)
    store.body, store.fields["ETag"] = BODY[::-1], '"v2"'
    found = carry(tmp_path, {"url": web.url("/f")})
    assert store.asked == ["", "bytes=90000-", ""] and found.data is not None and found.data["saved"]["resumed"] == 0
    assert (tmp_path / "got.bin").read_bytes() == BODY[::-1] and parts(tmp_path) == []


def test_a_server_without_ranges_sends_all_of_it_again(web: Web, tmp_path: Path) -> None:
    store = broken(web, tmp_path)
    store.ranges = False
    assert carry(tmp_path, {"url": web.url("/f")}).ok and (tmp_path / "got.bin").read_bytes() == BODY


def test_a_shorter_version_of_the_same_name_begins_anew(web: Web, tmp_path: Path) -> None:
    store = broken(web, tmp_path)
    store.body = b"short"
    assert carry(tmp_path, {"url": web.url("/f")}).ok and (tmp_path / "got.bin").read_bytes() == b"short"
    assert store.asked == ["", "bytes=90000-", ""]


@pytest.mark.parametrize("wanted", ["bytes 0-4/5", "bytes 90000-99999/*", "items 1-2/3", ""])
def test_a_part_that_does_not_fit_is_not_put_together(web: Web, tmp_path: Path, wanted: str) -> None:
    broken(web, tmp_path)
    whole = Store(b"whole")

    def odd(request: Any, sock: Any) -> None:
        if "range" in request.headers:
            says(b"abcde", "206 Partial Content", Content_Range=wanted, ETag='"v1"')(request, sock)
        else:
            whole(request, sock)

    web.on["/f"] = odd
    assert carry(tmp_path, {"url": web.url("/f")}).ok and (tmp_path / "got.bin").read_bytes() == b"whole"


def test_a_part_of_another_length_than_announced_is_a_fault(web: Web, tmp_path: Path) -> None:
    broken(web, tmp_path)
    web.on["/f"] = says(b"abcde", "206 Partial Content", Content_Range="bytes 90000-299999/300000", ETag='"v1"')
    with pytest.raises(ToolFault, match="in a length that its server did not announce"):
        carry(tmp_path, {"url": web.url("/f")})
    assert os.listdir(tmp_path) == []


def test_a_part_that_nobody_asked_for_is_a_fault(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = says(b"abcde", "206 Partial Content", Content_Range="bytes 0-4/5", ETag='"v1"')
    with pytest.raises(ToolFault, match="sent a part of what was asked for as a whole"):
        carry(tmp_path, {"url": web.url("/f")})
    assert os.listdir(tmp_path) == []


def test_a_part_of_another_source_is_no_beginning_and_goes(web: Web, tmp_path: Path) -> None:
    broken(web, tmp_path)
    web.on["/g"] = store = Store(b"other")
    assert carry(tmp_path, {"url": web.url("/g")}).ok and store.asked == [""] and os.listdir(tmp_path) == ["got.bin"]


def test_after_a_loss_of_power_only_what_was_surely_written_counts(web: Web, tmp_path: Path) -> None:
    body = BODY * 8
    web.on["/f"] = store = Store(body, stops=2_200_000)
    with pytest.raises(ToolFault, match="2,200,000 bytes are kept"):
        carry(tmp_path, {"url": web.url("/f")})
    (part,) = tmp_path.glob(".incoming-*")
    raw_part = part.read_bytes()
    part.rename(part.with_suffix(".run"))
    part.with_suffix(".run").write_bytes(raw_part[: 2 << 20] + bytes(len(raw_part) - (2 << 20)))  # a tail of zeros
    assert carry(tmp_path, {"url": web.url("/f")}).ok
    assert store.asked[1] == f"bytes={2 << 20}-" and (tmp_path / "got.bin").read_bytes() == body


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oh", "204 No Content", "304 Not Modified", "202 Later"])
def test_an_answer_that_is_no_file_touches_none_and_is_shown(web: Web, tmp_path: Path, status: str) -> None:
    (tmp_path / "got.bin").write_bytes(b"old")
    body = b"" if status[:3] in ("204", "304") else b"sorry"
    web.on["/f"] = says(body, status)
    found = carry(tmp_path, {"url": web.url("/f")})
    assert not found.ok and found.text.startswith(status) and "[nothing was saved]" in found.text
    assert found.text.endswith("sorry") or not body
    assert (tmp_path / "got.bin").read_bytes() == b"old" and os.listdir(tmp_path) == ["got.bin"]


def test_redirects_are_followed_and_each_is_judged(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = leads("/real")
    web.on["/real"] = store = Store(BODY, stops=50_000)
    here = world(tmp_path, judge=allowing("internal"))
    with pytest.raises(ToolFault, match="50,000 bytes are kept"):
        carry(tmp_path, {"url": web.url("/f")}, here)
    found = carry(tmp_path, {"url": web.url("/f")}, here)
    assert store.asked == ["", "bytes=50000-"] and "1 redirects on" in found.text
    web.on["/f"] = leads("http://169.254.169.254/")
    with pytest.raises(Refused, match="leads on to"):
        carry(tmp_path, {"url": web.url("/f")})


def test_a_packed_answer_is_saved_as_it_came_and_said(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = Store(b"\x1f\x8bxx", Content_Encoding="x-gzip")
    found = carry(tmp_path, {"url": web.url("/f")})
    assert "[saved as it came: packed as x-gzip]" in found.text and (tmp_path / "got.bin").read_bytes() == b"\x1f\x8bxx"


def test_what_is_sent_is_not_asked_for_in_parts(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = store = Store(BODY, stops=50_000)
    args = {"url": web.url("/f"), "method": "POST", "body": "report"}
    with pytest.raises(ToolFault) as fault:
        carry(tmp_path, args)
    assert "kept" not in str(fault.value) and os.listdir(tmp_path) == []
    assert carry(tmp_path, args).ok and store.asked == ["", ""] and web.seen[1].body == b"report"


def test_too_much_is_refused_by_its_announcement_and_by_its_bytes(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming, "MOST", 2 << 20)
    web.on["/f"] = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n")
    with pytest.raises(ToolFault, match=r"would have 3,000,000 bytes; at most 2,097,152 are saved"):
        carry(tmp_path, {"url": web.url("/f")})
    web.on["/f"] = endless()
    with pytest.raises(ToolFault, match=r"at most 2,097,152 are saved"):
        carry(tmp_path, {"url": web.url("/f")})
    assert os.listdir(tmp_path) == []


def test_a_card_that_would_be_full_is_said_before_a_byte_is_written(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming, "FREE", 1 << 60)
    web.on["/f"] = Store(BODY)
    with pytest.raises(ToolFault, match=r"needs 300,000 bytes more; the card has 0 beyond"):
        carry(tmp_path, {"url": web.url("/f")})
    assert os.listdir(tmp_path) == []


def test_it_never_hangs_and_keeps_what_came(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = drips(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 999\r\n\r\n', b".", 0.05)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match=r"time was up.*bytes are kept"):
        carry(tmp_path, {"url": web.url("/f"), "timeout_seconds": 1})
    with pytest.raises(ToolFault, match=r"bytes are kept"):
        carry(tmp_path, {"url": web.url("/f")}, seconds=1.0)
    assert time.monotonic() - begun < 60


def test_a_call_that_is_cut_ends_and_keeps_what_came(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = drips(b'HTTP/1.1 200 OK\r\nETag: "1"\r\n\r\n' + b"x" * 70_000, b"x", 0.05)
    here = world(tmp_path)

    def cut() -> None:
        while not web.seen or parts(tmp_path) != ["run"]:
            time.sleep(0.01)
        here.cut()

    cutter = threading.Thread(target=cut)
    cutter.start()
    with pytest.raises(ToolFault, match="ended"):
        carry(tmp_path, {"url": web.url("/f")}, here)
    cutter.join()
    assert not (tmp_path / "got.bin").exists()


def test_two_calls_do_not_write_to_one_file_at_a_time(web: Web, tmp_path: Path) -> None:
    web.on["/f"] = drips(b'HTTP/1.1 200 OK\r\nETag: "1"\r\n\r\n' + b"x" * 70_000, b"x", 0.05)
    here, found = world(tmp_path), list[str]()

    def first() -> None:
        try:
            carry(tmp_path, {"url": web.url("/f")}, here)
        except ToolFault as fault:
            found.append(str(fault))

    thread = threading.Thread(target=first)
    thread.start()
    while parts(tmp_path) != ["run"]:
        time.sleep(0.01)
    with pytest.raises(ToolFault, match=r"got\.bin is being fetched by another call"):
        carry(tmp_path, {"url": web.url("/f")})
    here.cut()
    thread.join()
    assert len(found) == 1 and "ended" in found[0]


@pytest.mark.parametrize("kind", ["folder", "link", "second name"])
def test_what_is_no_file_to_replace_is_said_before_anything_is_asked_for(web: Web, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "got.bin"
    if kind == "folder":
        target.mkdir()
    elif kind == "link":
        target.symlink_to("elsewhere")
    else:
        (tmp_path / "other").write_bytes(b"x")
        os.link(tmp_path / "other", target)
    web.on["/f"] = Store(BODY)
    with pytest.raises((ToolFault, Refused)):
        carry(tmp_path, {"url": web.url("/f")})
    assert web.seen == []


def test_a_planted_part_is_not_written_through(web: Web, tmp_path: Path) -> None:
    broken(web, tmp_path)
    (part,) = tmp_path.glob(".incoming-*")
    part.unlink()
    (tmp_path / "precious").write_bytes(b"precious")
    os.link(tmp_path / "precious", part)
    with pytest.raises(Fault, match="is none"):
        carry(tmp_path, {"url": web.url("/f")})
    part.unlink()
    part.symlink_to("precious")
    with pytest.raises(Fault):
        carry(tmp_path, {"url": web.url("/f")})
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_without_a_grant_for_the_file_nothing_is_asked_for(web: Web, tmp_path: Path) -> None:
    permit = Permit("c1", (Grant("fetch", "internal", urls.read(web.url()).origin),))
    with pytest.raises(Refused, match="holds no write"):
        TOOL.run({"url": web.url(), "save_to": "x"}, Hands(permit, Call("http_request", {}, "c1"), world(tmp_path)))
    assert web.seen == []


def test_memory_does_not_grow_with_the_file(web: Web, tmp_path: Path) -> None:
    size = 24 << 20
    piece = bytes(1 << 16)

    def behave(request: Any, sock: Any) -> None:
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(size >> 16):
            sock.sendall(piece)

    web.on["/f"] = behave
    tracemalloc.start()
    try:
        assert carry(tmp_path, {"url": web.url("/f")}).ok
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert (tmp_path / "got.bin").stat().st_size == size
