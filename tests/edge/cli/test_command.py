"""Text commands: a tool's name or alias, then its arguments as words; the shell takes its text as it stands."""

from __future__ import annotations

from typing import Any

import pytest

from edge.cli.command import direct, one_call
from edge.faults import UsageFault


def call(command: str) -> tuple[str, dict[str, Any]]:
    made = direct(command)._call
    assert made is not None
    return made["function"]["name"], made["function"]["arguments"]


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("bash echo a=b", "echo a=b"),
        ("bash echo it's", "echo it's"),
        ("shell uptime; free -m", "uptime; free -m"),
        ("BASH  X=1 env", "X=1 env"),
        ('bash "uptime; free -m"', "uptime; free -m"),
        ("bash command='echo hi'", "echo hi"),
    ],
)
def test_the_shell_takes_its_text_as_it_stands(command: str, wanted: str) -> None:
    assert call(command) == ("bash", {"command": wanted})


def test_named_arguments_of_the_shell_are_still_arguments() -> None:
    assert call("bash command=ls timeout=2m") == ("bash", {"command": "ls", "timeout_seconds": 120})


@pytest.mark.parametrize(
    ("command", "tool", "args"),
    [
        ("fs.write path=a content=b", "file_write", {"path": "a", "content": "b"}),
        (
            "fs_edit path=a old=b new=c start=4",
            "file_edit",
            {"path": "a", "old": "b", "new": "c", "all": True, "from_line": 5},
        ),
        ("FS.Read path=a offset=0", "file_read", {"path": "a", "offset": 1}),
        ("fs.read a", "file_read", {"path": "a"}),
        ("web.fetch url=http://x/ timeout=5", "web_fetch", {"url": "http://x/", "timeout_seconds": 5}),
        ("glob_search *.py", "glob", {"pattern": "*.py"}),
        ("bash.kill sh-1", "bash_kill", {"shell_id": "sh-1"}),
    ],
)
def test_an_alias_brings_the_arguments_of_its_page(command: str, tool: str, args: dict[str, Any]) -> None:
    name, found = call(command)
    assert name == tool and {key: found[key] for key in args} == args


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fs.edit", "path=a"], "old"),
        (["fs.edit", "path=a", "old=b", "new=c", "all=on"], "all"),
        (["nothing_of_that_name"], "there is no tool"),
        (["grepp", "pattern=x"], "did you mean grep?"),
        (["file_read", "path=a", "path=b"], "twice"),
    ],
)
def test_what_does_not_fit_is_told(words: list[str], said: str) -> None:
    with pytest.raises(UsageFault, match=said):
        one_call(words)
