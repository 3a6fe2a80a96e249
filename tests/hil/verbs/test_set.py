"""`hil set`: a value of a board that runs; what it refuses is this command's fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.__main__ import main
from tests.support.manned import Bench, served


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("FIELDHAND_HIL", str(tmp_path))
    return Bench()


def test_a_value_a_line_and_a_way_to_fail(fake: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    with served("raspi0", fake):
        assert main(["set", "raspi0", "t0", "-10.5"]) == 0
        assert main(["set", "raspi0", "GPIO17", "high"]) == 0
        assert main(["set", "raspi0", "t0", "nak"]) == 0
    assert capsys.readouterr().out == "t0 measures -10.5\nGPIO17 is held high\nt0 is nak\n"
    assert fake.parts.value("t0") == -10.5 and fake.lines.level(17) == 1 and fake.parts.modes == [("t0", "nak")]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["27", "high"], 7, "hil: line 27 is an output of the board (set lines that the board reads)\n"),
        (["t9", "1"], 2, "hil: the board has no part 't9' (it has t0, m0)\n"),
        (["17", "up"], 2, "hil: a line cannot be set to 'up' (high, low or release)\n"),
    ],
)
def test_what_is_refused_is_a_sentence_here(
    fake: Bench, words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with served("raspi0", fake):
        assert main(["set", "raspi0", *words]) == code
    assert capsys.readouterr().err == sentence
