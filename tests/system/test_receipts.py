"""Every call of every tool stands in the audit with how it ended; what ran well has a receipt there, nothing else has.

From outside: calls of a script, answered from a second terminal, interrupted by Ctrl-C; then the files are read.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Scene
from edge.catalogue import lacking
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import TOOLS
from tests.support import agent
from tests.support.boards import eventually
from tests.support.console import end_all
from tests.support.every_tool import CALLS


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Iterator[None]:
    """A test that fails in the middle leaves no agent behind."""
    yield
    end_all()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a workspace `w` that the settings name."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "note").write_text("the note\n")
    (tmp_path / "c.toml").write_text(f"roots = ['{tmp_path}/w']\nmode = 'guarded'\n")
    return tmp_path


def config(home: Path) -> tuple[str, str]:
    return "--config", str(home / "c.toml")


def step(tool: str, **args: Any) -> dict[str, Any]:
    return {"action": tool, "action_input": args}


def script(home: Path, *steps: Any) -> str:
    path = home / "script"
    path.write_text("".join(json.dumps(json.dumps({"thought": "t", **one})) + "\n" for one in steps))
    return f"scripted:{path}"


def audited(home: Path, kind: str = "outcome") -> list[dict[str, Any]]:
    """The records of one kind, in order, without the product's reader."""
    files = sorted((agent.state(home) / "audit").glob("audit-*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


def outcomes(home: Path) -> list[dict[str, Any]]:
    (tape,) = agent.tapes(home)
    return [row for row in agent.records(tape) if row["kind"] == "outcome"]


def answer(home: Path, word: str, *text: str) -> None:
    """Answer the open question from elsewhere, once there is one."""

    def question() -> Any:
        if not agent.state(home).exists():
            return None
        return json.loads(agent.run("approvals", "list", "--json", home=home).stdout or "[]")

    row = eventually(question)[0]
    done = agent.run("approvals", word, row["id"], *text, home=home)
    assert done.returncode == 0, done.stdout + done.stderr


def write(home: Path, name: str) -> dict[str, Any]:
    return step("file_write", path=f"{home}/w/{name}", content="x")


def started(home: Path, *steps: Any) -> subprocess.Popen[bytes]:
    return agent.start("--ask", "--model", script(home, *steps), *config(home), "-e", "go", home=home)


def test_each_way_a_call_can_end_is_recorded_and_only_a_success_has_a_receipt(home: Path) -> None:
    mark = f"61.{os.getpid()}"
    process = started(
        home,
        step("file_read", path=f"{home}/w/note"),
        write(home, "approved"),
        write(home, "denied"),
        write(home, "replaced"),
        write(home, "../blocked"),
        step("file_read", path=f"{home}/w/absent"),
        step("bash", command="exit 3"),
        step("bash", command="sleep 60", timeout_seconds=1),
        step("bash", command=f"sleep {mark}"),
    )
    answer(home, "approve")
    answer(home, "deny")
    answer(home, "deny", "write it tomorrow")
    eventually(lambda: len(audited(home)) == 8)
    eventually(lambda: f"sleep {mark}\n" in _command_lines())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    wanted = ["done", "done", "refused", "replaced", "refused", "tool", "failed", "failed", "interrupted"]
    found = audited(home)
    assert [row["status"] for row in found] == wanted
    assert [row["status"] for row in outcomes(home)] == wanted
    assert [bool(row.get("receipt")) for row in outcomes(home)] == [True, True, *[False] * 7]
    assert all(row["risk"] in ("low", "medium", "high") and row["policy"] and row["rule"] for row in found)
    here = json.loads(agent.run("doctor", "--json", home=home).stdout)
    level = next(one["sentence"] for one in here if one["what"] == "wall").split()[1].rstrip(",")
    ran = [row["level"] for row in found if row["tool"] == "bash" and row["status"] == "failed"]
    assert ran == [level, level]
    assert sorted(path.name for path in (home / "w").iterdir()) == ["approved", "note"]
    assert not (home / "blocked").exists()
    kept(home, [row["receipt"] for row in outcomes(home)[:2]])


def _command_lines() -> str:
    """Those of all processes."""
    ran = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, timeout=60)
    return ran.stdout


def kept(home: Path, receipts: list[str]) -> None:
    """These receipts are opaque, are those of the audit, and it verifies."""
    verified = agent.run("audit", "verify", home=home)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    shown = agent.run("audit", "show", home=home).stdout
    for receipt in receipts:
        assert receipt.startswith("r-") and len(receipt) == 22 and receipt in shown
    assert len(set(receipts)) == len(receipts)


def test_a_call_past_its_deadline_has_no_receipt_and_the_next_one_has(home: Path) -> None:
    with open(home / "c.toml", "a") as file:
        file.write("[tools]\ntimeout_ms = 1500\n")
    model = script(home, step("bash", command="echo x; sleep 62"), step("sensor_read", name="temperature"))
    agent.run("--model", model, *config(home), "-e", "go", home=home)
    late, read = audited(home)
    assert late["status"] in ("failed", "deadline") and read["status"] == "done"
    assert [bool(row.get("receipt")) for row in outcomes(home)] == [False, True]


def test_every_tool_there_is_leaves_a_record_of_its_call(home: Path) -> None:
    assert set(CALLS) >= set(TOOLS), "a new tool needs a call in tests/support/every_tool.py"
    with open(home / "c.toml", "a") as file:
        file.write("[budgets]\nsteps = 100\n")
    here = [tool for tool in TOOLS if tool not in lacking(Scene("/", "", (), SENSORS, OUTPUTS))]
    steps = [{"action": tool, "action_input": CALLS[tool]} for tool in here]
    final = {"action": "final", "action_input": "done"}
    words = ("--model", script(home, *steps, final), *config(home), "--yes", "-e", "go")
    done = agent.launched(*words, home=home, cwd=home / "w")
    assert done.returncode in (0, 6), done.stderr
    found = audited(home)
    assert [row["tool"] for row in found] == here
    assert all(row["args"] or not CALLS[row["tool"]] for row in found)
    changed = {
        *(
            "output_set",
            "output_pulse",
            "file_write",
            "file_edit",
            "file_move",
            "file_delete",
            "file_mkdir",
            "file_patch",
        )
    }
    changed |= {*("bash", "bash_kill", "memory_store", "memory_forget")}
    assert {row["tool"] for row in audited(home, "intent")} == changed & set(here)
    assert {row["tool"] for row in found if row["status"] == "refused"} == {"http_request", "web_fetch"}
    assert agent.run("audit", "verify", home=home).returncode == 0


def test_a_receipt_that_nobody_gave_is_flagged_and_one_that_was_given_is_not(home: Path) -> None:
    read = step("file_read", path=f"{home}/w/note")
    claim = {"action": "final", "action_input": "Written, receipt r-abcdefghijklmnopqrst."}
    done = agent.run("--model", script(home, read, claim), *config(home), "-e", "go", home=home)
    assert "no call ever got the receipt r-abcdefghijklmnopqrst" in done.stdout
    (alarm,) = audited(home, "alarm")
    assert alarm["receipt"] == "r-abcdefghijklmnopqrst"
    (given,) = [row["receipt"] for row in outcomes(home)]
    claim = {"action": "final", "action_input": f"Read, receipt {given}."}
    done = agent.run("--model", script(home, claim), *config(home), "-e", "go", home=home)  # another process
    assert done.stdout == f"Read, receipt {given}.\n" and len(audited(home, "alarm")) == 1


def test_with_receipts_off_calls_are_recorded_without_one(home: Path) -> None:
    with open(home / "c.toml", "a") as file:
        file.write("[audit]\nreceipts = false\n")
    read = step("file_read", path=f"{home}/w/note")
    model = script(home, read, {"action": "final", "action_input": "x"})
    done = agent.run("--model", model, *config(home), "-e", "go", home=home)
    assert done.returncode == 0, done.stderr
    assert [(row["status"], row.get("receipt", "")) for row in outcomes(home)] == [("done", "")]
    assert [row["status"] for row in audited(home)] == ["done"]
    assert agent.run("audit", "verify", home=home).returncode == 0
