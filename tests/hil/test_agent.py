"""What is typed at a board: files in lines its shell takes, programs, a conversation. The board is a shell of this
machine at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from hil import agent as agents
from hil.agent import Agent
from hil.resources import Login
from tests.support.shelled import console

TALKS = r"""while printf 'fieldhand> ' && read -r line; do
    case $line in ask) printf 'sure? [y/n] '; read -r line; echo "so $line" ;; *) echo "heard $line" ;; esac
done"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    monkeypatch.setattr(agents, "PROGRAM", str(tmp_path / "program.py"))
    with console(tmp_path) as found:
        yield Agent(SimpleNamespace(console=found, board=SimpleNamespace(login=Login())))  # type: ignore[arg-type]


def test_a_file_comes_over_in_lines_whatever_is_in_it(agent: Agent, tmp_path: Path) -> None:
    data = bytes(range(256)) * 9
    agent.put(f"{tmp_path}/a file", data)
    assert (tmp_path / "a file").read_bytes() == data and not (tmp_path / "a file.b64").exists()


def test_a_program_is_run_with_its_words(agent: Agent) -> None:
    assert "2 a b\n" in agent.python("import sys\nprint(len(sys.argv) - 1, sys.argv[1])", "a b", "c")
    with pytest.raises(AssertionError, match=r"ended with 1:(?s:.)*ZeroDivisionError"):
        agent.python("1 / 0")


def test_a_program_that_runs_is_spoken_with(agent: Agent) -> None:
    with agent.program("print('said', input('say\\n'))") as console:
        console.expect("say\n", 60)
        console.line("this")
        console.expect("said this\n", 60)
    assert agent.run("exit_code() { return 4; }; exit_code") == (4, "")


def test_a_conversation_is_entered_and_left(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "talks").write_text(TALKS)
    with agent.talk("sh talks") as talk:
        assert "heard how warm" in talk.say("how warm", 60)
        talk.console.line("ask")
        assert talk.expect(r"sure\? \[y/n\] ", 60)
        assert "so y" in talk.say("y", 60)
    assert agent.must("echo back") == "back\n"
