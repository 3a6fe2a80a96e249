"""The help fits a serial console and names every command and option."""

from __future__ import annotations

import re

import pytest

from edge.cli import main
from edge.cli.args import FLAGS, VALUED, VERBS
from edge.cli.repl import COMMANDS
from edge.cli.usage import HELP
from edge.cli.usage_verbs import of


def test_no_line_is_wider_than_eighty_columns() -> None:
    assert [line for line in (HELP + "\n" + COMMANDS).splitlines() if len(line) > 80] == []


def test_every_command_and_option_is_named() -> None:
    for verb in VERBS:
        assert f"fieldhand {verb}" in HELP
    for option in VALUED + FLAGS:
        assert f"--{option}" in HELP


@pytest.mark.parametrize("verb", VERBS)
def test_each_command_has_a_help_of_its_own(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help", verb]) == 0
    told = capfd.readouterr().out
    assert told == of(verb) + "\n" and told != HELP + "\n"
    begins = [line.split()[1] for line in told.splitlines() if line.startswith("fieldhand ") and line[10] != "-"]
    assert begins and set(begins) == {verb}
    assert "exit codes: " in told and [line for line in told.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    ("verb", "words", "options"),
    [
        ("provision", ["check", "apply", "status"], []),
        ("update", ["FILE|URL", "status", "confirm", "back"], ["--yes", "--json", "--state"]),
        ("data", ["backup", "restore", "reset"], ["--yes", "--state", "--config"]),
        ("card", ["prepare", "health"], []),
    ],
)
def test_a_command_of_a_card_says_its_words_and_only_its_options(
    verb: str, words: list[str], options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, words[0], "--help"]) == 0
    told = capfd.readouterr().out
    assert told.startswith(f"fieldhand {verb} ") and "--model" not in told
    assert [word for word in words if not re.search(rf"(?m)^{re.escape(word)}(?![a-z])", told)] == []
    assert re.findall(r"(?m)^  (--[a-z]+)", told) == options


def test_without_a_command_all_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert capfd.readouterr().out == HELP + "\n"
