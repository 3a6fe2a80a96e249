"""`fieldhand update` on a board that is a folder of files: what is taken, what is refused, what is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from edge.card import slots
from edge.card import state as states
from edge.card.state import State
from edge.cli import update as verb
from edge.cli.args import Options
from edge.faults import CardFault, UsageFault
from tests.support import cards, signed
from tests.support.audit_logs import kept
from tests.support.signed import KEY, OTHER
from tests.support.webserver import Request, Web, raw, says


def volume(version: str, schema: int = 1) -> bytes:
    """A slot whose slot.json says this; 32 KiB."""
    said = {"product": "pi-test", "version": version, "data_schema": schema, "arch": "armel"}
    return bytes(cards.volume(json.dumps(said).encode()))


NEW = volume("2.0") + bytes(4096)
RELEASE = "PRODUCT=pi-test\nVERSION=1.0\nSUITE=bookworm\nARCH=armel\nDATA_SCHEMA=1\nEPOCH=1700000000\n"


class Place:
    """A board: its card, its keys, its data; `told` is what was written to its log."""

    def __init__(self, folder: Path, state: State = cards.CONFIRMED, slot: str = "a") -> None:
        self.root = folder
        for name in ("proc", "sys/block/mmcblk0", "dev", "run/fieldhand", "etc/fieldhand/keys", "data/state"):
            (folder / name).mkdir(parents=True)
        (folder / "proc/cmdline").write_text(f"fieldhand.slot={slot}")
        (folder / "etc/fieldhand/release").write_text(RELEASE)
        (folder / "etc/fieldhand/keys/one.pub").write_text(f"{KEY.public.hex()} tests\n")
        (folder / "data/schema").write_text("1\n")
        self.card = cards.small_card(folder / "dev/mmcblk0", state, (volume("1.0"), volume("0.9")))
        self.restarts = 0

    def run(self, *words: str, **options: Any) -> int:
        return verb.update(Options("update", words, **options), str(self.root), self._again)

    def _again(self) -> None:
        self.restarts += 1

    def state(self) -> State:
        with cards.opened(self.card, write=False) as card:
            return card.state()

    def file(self, name: str = "new.update", **changes: Any) -> str:
        path = self.root / name
        path.write_bytes(signed.update(NEW, **changes))
        return str(path)

    def acts(self) -> list[dict[str, Any]]:
        """What stands in the audit log."""
        return [record for record in kept(str(self.root / "data/state")) if record["kind"] == "note"]


@pytest.fixture
def board(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_update_of_a_trusted_key_is_written_told_and_recorded(
    board: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    assert board.run(board.file()) == 0
    out, err = capfd.readouterr()
    assert out.startswith("pi-test 2.0 is in slot b and is started next\nreboot when it suits")
    assert f"pi-test 2.0, signed with tests ({KEY.id}); 1.0 runs" in err
    assert "writing the other slot" in err and "reading it back" in err
    assert board.state() == State("b", "a", False, states.TRIES, "made", "update")
    assert cards.held_in(board.card, "b", len(NEW)) == NEW
    assert board.restarts == 0
    act = board.acts()[-1]
    assert act["act"] == "update taken" and act["to"] == "2.0" and act["from"] == "1.0" and act["slot"] == "b"


def test_yes_starts_over_at_once(board: Place) -> None:
    assert board.run(board.file(), yes=True) == 0
    assert board.restarts == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": b"s" * 32}, "which is not trusted here"),
        ({"product": "pi-other"}, "this board runs pi-test for armel"),
        ({"version": "1.0"}, "version 1.0 is the one that runs, and nobody could be asked"),
        ({"version": "0.9"}, "version 0.9 is older than 1.0"),
        ({"data_schema": 0}, "those of this board have schema 1"),
    ],
)
def test_what_is_refused_leaves_the_card_as_it_is(board: Place, changes: dict[str, Any], sentence: str) -> None:
    was = board.card.read_bytes()
    with pytest.raises(CardFault) as fault:
        board.run(board.file(**changes))
    assert sentence in str(fault.value)
    assert board.card.read_bytes() == was


def test_an_older_version_is_taken_with_yes(board: Place) -> None:
    assert board.run(board.file(version="0.9"), yes=True) == 0
    assert board.state().slot == "b"


def test_a_newer_schema_of_data_is_said_before_it_is_taken(board: Place, capfd: pytest.CaptureFixture[str]) -> None:
    assert board.run(board.file(data_schema=2)) == 0
    assert "the way back is a card flashed anew and a backup from before" in capfd.readouterr().err


@pytest.mark.parametrize("data", [b"", b"garbage" * 1000, signed.update(NEW)[:-3000]])
def test_a_file_that_is_no_whole_update_is_refused(board: Place, data: bytes) -> None:
    was = board.card.read_bytes()
    (board.root / "bad").write_bytes(data)
    with pytest.raises(CardFault):
        board.run(str(board.root / "bad"))
    for other in (board.root / "none", board.root):
        with pytest.raises(CardFault):
            board.run(str(other))
    assert board.card.read_bytes() == was


def test_a_key_that_provisioning_added_is_trusted_too(board: Place) -> None:
    (board.root / "etc/fieldhand/keys/one.pub").unlink()
    with pytest.raises(CardFault, match="trusts no key"):
        board.run(board.file())
    (board.root / "data/etc/keys").mkdir(parents=True)
    lines = f"{OTHER.public.hex()} others\n{KEY.public.hex()} tests\n"
    (board.root / "data/etc/keys/provisioned.pub").write_text(lines)
    assert board.run(board.file()) == 0


def test_a_line_that_is_no_key_is_said_and_stops_no_command(board: Place, capfd: pytest.CaptureFixture[str]) -> None:
    (board.root / "data/etc/keys").mkdir(parents=True)
    (board.root / "data/etc/keys/hurt.pub").write_text(f"\0{KEY.public.hex()[:20]}\n" * 9)
    for words in (("status",), ("confirm",), (board.file(),)):
        assert board.run(*words) == 0
        told = capfd.readouterr().err
        assert told.count("hurt.pub is no public key") == 5 and "4 more lines" in told


def test_the_whole_way_update_confirm_back(board: Place, capfd: pytest.CaptureFixture[str]) -> None:
    board.run(board.file())
    with pytest.raises(CardFault, match="waits for its first start"):
        board.run(board.file())
    with pytest.raises(CardFault, match="slot a runs: there is nothing to confirm"):
        board.run("confirm")
    with cards.opened(board.card) as card:  # U-Boot
        card.keep(states.booting(card.state()))
    (board.root / "proc/cmdline").write_text("fieldhand.slot=b")
    with pytest.raises(CardFault, match="not confirmed yet"):
        board.run("back")
    capfd.readouterr()
    assert board.run("confirm") == 0 and board.run("confirm") == 0
    assert capfd.readouterr().out == "slot b is confirmed\nslot b was confirmed already\n"
    assert board.run("back") == 0
    assert "slot a is started next" in capfd.readouterr().out
    assert board.state() == State("a", "b", False, states.TRIES, "made", "back")
    assert [act["act"] for act in board.acts()] == ["update taken", "update confirm", "update back"]


def test_an_update_that_was_not_started_is_taken_back(board: Place, capfd: pytest.CaptureFixture[str]) -> None:
    board.run(board.file())
    assert board.run("back") == 0
    assert capfd.readouterr().out.endswith("the update is taken back: slot a stays\n")
    assert (board.state().slot, board.state().good) == ("a", True)


def test_back_to_a_version_that_does_not_read_the_data_is_refused(board: Place) -> None:
    (board.root / "data/schema").write_text("2\n")
    with pytest.raises(CardFault, match="in slot b reads data up to schema 1"):
        board.run("back")


def test_status_says_what_is_in_both_slots_and_what_happens_next(
    board: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    assert board.run("status") == 0
    assert capfd.readouterr().out.splitlines() == [
        "slot a   pi-test 1.0, data schema 1, runs",
        "slot b   pi-test 0.9, data schema 1, is fallen back to",
        "state    confirmed (its health check passed, or an operator said so)",
        f"keys     tests ({KEY.id})",
    ]
    board.run(board.file())
    with cards.opened(board.card) as card:
        card.device.write(1024 * 512, b"torn")
    capfd.readouterr()
    board.run("status")
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "slot b   pi-test 2.0, data schema 1, is started next"
    assert lines[2].startswith("state    slot b waits for its first start")
    assert "copy 1 of the boot state is torn" in lines[3]


def test_status_as_json(board: Place, capfd: pytest.CaptureFixture[str]) -> None:
    board.run("status", json=True)
    told = json.loads(capfd.readouterr().out)
    assert told["running"] == "a" and told["slots"]["b"]["version"] == "0.9" and told["copies"] == [True, True]


@pytest.mark.parametrize("state", [State(why=why) for why in states.REASONS] + [states.flashed()])
def test_every_state_has_words(state: State) -> None:
    assert verb._words(state, "a") and verb._words(state, "b")


def test_elsewhere_it_says_what_it_is_for(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    for word in ("status", "confirm", "back", "x.update"):
        with pytest.raises(CardFault) as fault:
            verb.update(Options("update", (word,)), str(tmp_path))
        assert slots.WHAT_FOR in str(fault.value)
    for words in ((), ("a", "b")):
        with pytest.raises(UsageFault, match="one file, URL or word"):
            verb.update(Options("update", words), str(tmp_path))


def test_a_person_is_asked_and_a_no_changes_nothing(
    board: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import io

    was = board.card.read_bytes()
    monkeypatch.setattr(verb, "_somebody", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert board.run(board.file(version="0.9")) == 0
    assert "nothing was changed" in capfd.readouterr().out
    assert board.card.read_bytes() == was
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\ny\n"))
    assert board.run(board.file(version="0.9")) == 0
    assert board.restarts == 1


def test_what_was_agreed_to_is_what_is_written(board: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path, was = Path(board.file()), board.card.read_bytes()

    def swapped(*_: Any) -> bool:
        path.write_bytes(signed.update(NEW, version="0.1"))  # signed by the same key, and older
        return True

    monkeypatch.setattr(verb, "_agreed", swapped)
    with pytest.raises(CardFault, match="became another one after it was looked at"):
        board.run(str(path))
    assert board.card.read_bytes() == was


def test_the_state_is_not_changed_while_an_update_changes_it(board: Place) -> None:
    was = board.card.read_bytes()
    with cards.opened(board.card) as card:
        card.alone()
        for word in ("confirm", "back"):
            with pytest.raises(CardFault, match="another update of this card is under way"):
                board.run(word)
    assert board.card.read_bytes() == was


def test_the_schema_of_the_data_rises_when_an_operator_confirms(board: Place) -> None:
    board.run(board.file(data_schema=2))
    with cards.opened(board.card) as card:  # U-Boot
        card.keep(states.booting(card.state()))
    (board.root / "proc/cmdline").write_text("fieldhand.slot=b")
    (board.root / "etc/fieldhand/release").write_text(RELEASE.replace("DATA_SCHEMA=1", "DATA_SCHEMA=2"))
    assert (board.root / "data/schema").read_text() == "1\n"
    assert board.run("confirm") == 0
    assert (board.root / "data/schema").read_text() == "2\n"
    with pytest.raises(CardFault, match="in slot a reads data up to schema 1"):
        board.run("back")


# --- from a URL ---


def test_an_update_comes_from_a_url_and_goes_on_where_it_broke_off(board: Place) -> None:
    data = signed.update(NEW)
    asked: list[str] = []
    head = f'HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\nETag: "one"\r\n\r\n'.encode()

    def broken(request: Request, sock: Any) -> None:
        asked.append(request.headers.get("range", ""))
        if not asked[-1]:
            raw(head + data[:9000])(request, sock)
            return
        first = int(asked[-1].partition("=")[2].rstrip("-"))
        fields = {"Content_Range": f"bytes {first}-{len(data) - 1}/{len(data)}", "ETag": '"one"'}
        says(data[first:], "206 Partial Content", **fields)(request, sock)

    with Web() as web:
        web.on["/new.update"] = broken
        with pytest.raises(CardFault, match="could not be fetched"):
            board.run(web.url("/new.update"))
        assert board.run(web.url("/new.update")) == 0
    assert asked == ["", "bytes=9000-"]
    assert board.state().slot == "b" and cards.held_in(board.card, "b", len(NEW)) == NEW
    assert list((board.root / "data/update").iterdir()) == []


def test_what_came_whole_and_is_no_update_does_not_stay_on_the_card(board: Place) -> None:
    with Web() as web:
        web.on["/x"] = says(b"hello" * 1000)
        with pytest.raises(CardFault, match="no head of a tar file"):
            board.run(web.url("/x"))
    assert list((board.root / "data/update").iterdir()) == []


def test_a_url_that_has_no_update_is_a_sentence(board: Place) -> None:
    with Web() as web, pytest.raises(CardFault, match="answered 404 Not Found"):
        board.run(web.url("/none"))
    for url in ("ftp://host/x", "http://", "https://user:key@host/x"):
        with pytest.raises(CardFault):
            board.run(url)


def test_nothing_is_fetched_where_no_update_could_be_taken(tmp_path: Path) -> None:
    board = Place(tmp_path, states.flashed())
    with Web() as web:
        with pytest.raises(CardFault, match="not confirmed yet"):
            board.run(web.url("/x"))
        assert web.seen == []
