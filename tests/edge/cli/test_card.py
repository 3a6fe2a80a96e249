"""What preparing the card found is told on the console; what was mended stands in the audit log for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.card import prepare, slots
from edge.card.prepare import Found, Place
from edge.cli import card
from edge.cli.args import parse
from edge.tape.audit_check import check
from edge.tape.audit_key import peek
from tests.support import cards

MENDED = "the data partition was damaged and was mended, what stood there may be gone: 3 files CLEARED"


@pytest.mark.parametrize("mended", [MENDED, ""])
def test_what_was_mended_is_an_alarm_of_the_audit_log(
    mended: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "data/state"
    state.mkdir(parents=True, mode=0o700)
    file = cards.small_card(tmp_path / "card")
    monkeypatch.setattr(slots, "here", lambda root="", write=False: (cards.opened(file, write=write), "a"))
    monkeypatch.setattr(card, "place", lambda: Place(1, str(tmp_path / "data"), str(tmp_path / "run")))
    monkeypatch.setattr(prepare, "prepare", lambda *_: Found(mended=mended))
    assert card.card(parse(["card", "prepare"])) == 0
    assert capfd.readouterr().out == (f"data: {mended}\n" if mended else "")
    logged = b"".join(path.read_bytes() for path in state.glob("audit/*.jsonl"))
    assert (b'"kind":"alarm"' in logged and mended.encode() in logged) == bool(mended) == bool(logged)
    if mended:
        assert check(f"{state}/audit", peek(str(state))).code == 0
