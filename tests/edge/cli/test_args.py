"""The command line -> Options."""

from __future__ import annotations

import pytest

from edge.cli.args import Options, parse
from edge.faults import UsageFault


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        ([], Options()),
        (["-e", "how warm?"], Options(goal="how warm?")),
        (["--yes", "-e", "x", "--mode", "readonly"], Options(goal="x", yes=True, mode="readonly")),
        (["tools", "--json"], Options("tools", json=True)),
        (["--json", "tools"], Options("tools", json=True)),
        (
            ["tool", "output_set", "name=fan", "--yes", "state=on"],
            Options("tool", ("output_set", "name=fan", "state=on"), yes=True),
        ),
        (["--base-url=http://h/v1?a=b", "--model", "chat:m"], Options(base_url="http://h/v1?a=b", model="chat:m")),
        (["tool", "file_write", "--", "--yes"], Options("tool", ("file_write", "--yes"))),
        (["-e", "--yes"], Options(goal="--yes")),
        (["sim", "set", "temperature", "-5"], Options("sim", ("set", "temperature", "-5"))),
        (["--help"], Options(help=True)),
        (["--profile", "yard", "-e", "x", "--unattended"], Options(goal="x", profile="yard", unattended=True)),
        (
            ["--grant", "output_set fan", "-e", "x", "--grant=file_write a x1"],
            Options(goal="x", grants=("output_set fan", "file_write a x1")),
        ),
    ],
)
def test_what_was_said_is_what_is_meant(argv: list[str], wanted: Options) -> None:
    assert parse(argv) == wanted


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["--modell", "x"], "did you mean --model"),
        (["tol"], "did you mean 'tool'"),
        (["how", "warm"], "a goal is given with -e"),
        (["-e"], "needs a value"),
        (["-e", "  "], "goal is empty"),
        (["--mode"], "needs a value"),
        (["-x"], "unknown option -x"),
        (
            ["tool", "bash", "command=ls", "-l"],
            "unknown option -l .*; quote a value that holds blanks: 'command=ls -l'",
        ),
        (["--yes=no"], "unknown option --yes"),
        (["-e", "x", "tools"], "stands beside -e"),
        (["--trace", "xml"], "use --trace json"),
        (["--profil", "x"], "did you mean --profile"),
        (["--grants", "x"], "did you mean --grant"),
        (["--unatended"], "did you mean --unattended"),
        (["--grant", "nonsense", "-e", "x"], "no tool 'nonsense'"),
        (["--yes", "--unattended", "-e", "x"], "exclude each other"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(argv: list[str], why: str) -> None:
    with pytest.raises(UsageFault, match=why):
        parse(argv)


def test_bytes_that_are_no_text_are_replaced_at_the_edge() -> None:
    assert parse(["-e", "caf\udce9"]).goal == "caf\ufffd"
