"""The help fits a serial console and names every command and option."""

from __future__ import annotations

from edge.cli.args import FLAGS, VALUED, VERBS
from edge.cli.repl import COMMANDS
from edge.cli.usage import HELP


def test_no_line_is_wider_than_eighty_columns() -> None:
    assert [line for line in (HELP + "\n" + COMMANDS).splitlines() if len(line) > 80] == []


def test_every_command_and_option_is_named() -> None:
    for verb in VERBS:
        assert f"fieldhand {verb}" in HELP
    for option in VALUED + FLAGS:
        assert f"--{option}" in HELP
