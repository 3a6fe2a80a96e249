"""The command line of hil: help, faults as one sentence with their code. Its frame is that of images."""

from __future__ import annotations

import pytest

from hil.__main__ import VERBS, main


def test_help_names_every_verb_and_every_verb_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    for verb in VERBS:
        assert f"  {verb} " in told
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0 and f"usage: hil {verb}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["bords"], 2, "hil knows no 'bords' (did you mean boards?)"),
        (["x"], 2, "hil knows no 'x' (use one of boards, run, set, watch, test)"),
        (["run", "raspi1"], 2, "there is no board 'raspi1'"),
        (["set", "raspi1", "t0", "1"], 2, "there is no board 'raspi1'"),
        (["watch", "absent.toml"], 3, "the board's file cannot be read"),
        (["boards", "raspi0", "raspi9"], 2, "there is no board 'raspi9'"),
        (["test", "raspi9"], 2, "there is no board 'raspi9'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_its_code(
    words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    told = capsys.readouterr()
    assert sentence in told.err and told.err.startswith("hil: ") and told.err.count("\n") == 1
