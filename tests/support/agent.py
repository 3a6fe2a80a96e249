"""Runs the agent as a person does: `python3 -m edge ...` in the checkout, in an environment that is stated whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GOAL = "How warm is it? If it is above 30 C, run the fan for 2 minutes."
BRIEF = GOAL.replace("2 minutes", "15 seconds")  # for what is not about how long it lasts


def environment(home: Path | None, **more: str) -> dict[str, str]:
    """What `env -i HOME=… PATH=/usr/bin:/bin` leaves, and what is added."""
    base = {"PATH": "/usr/bin:/bin", **more}
    if home is not None:
        base["HOME"] = str(home)
    return base


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "edge", *words]


def run(*words: str, home: Path | None = None, env: dict[str, str] | None = None, **options: Any) -> Any:
    """The finished process, with text stdout and stderr. stdin is empty unless told otherwise."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("timeout", 120)
    options.setdefault("cwd", ROOT)
    return subprocess.run(
        command(*words),
        env=environment(home) if env is None else env,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        **options,
    )


def launched(*words: str, home: Path, cwd: Path) -> Any:
    """The same by the launcher, which works in any folder, with the Python of the tests."""
    (home / "bin").mkdir(exist_ok=True)
    (home / "bin/python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (home / "bin/python3").chmod(0o755)
    path = f"{home}/bin:/usr/bin:/bin"
    return subprocess.run(
        [str(ROOT / "bin/fieldhand"), *words],
        cwd=cwd,
        env={**environment(home), "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
    )


def run_closed(closing: str, *words: str, home: Path) -> Any:
    """The same with streams that are not there: `closing` as a shell spells it, such as `>&-`."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *command(*words)],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
    )


def start(*words: str, home: Path, **options: Any) -> subprocess.Popen[bytes]:
    """The running process, with pipes for stdout and stderr."""
    return subprocess.Popen(
        command(*words),
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def state(home: Path) -> Path:
    """Where the agent keeps its state below this home."""
    return home / ".local" / "state" / "fieldhand"


def tapes(home: Path) -> list[Path]:
    folder = state(home) / "tapes"
    return sorted(folder.glob("*.jsonl")) if folder.exists() else []


def records(tape: Path) -> list[dict[str, Any]]:
    """Every whole line of a tape, read without the product's own reader."""
    return [json.loads(line) for line in tape.read_bytes().split(b"\n") if line]


def transitions(home: Path) -> list[dict[str, Any]]:
    """The board's own record of its outputs."""
    file = state(home) / "sim" / "board.jsonl"
    return records(file) if file.exists() else []


def alive(pid: int, start_ticks: int) -> bool:
    """True while the process that was started at `start_ticks` has this pid."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return False
    return int(fields[19]) == start_ticks and fields[0] != b"Z"
