"""Repositories made by the real git, and the calls of git_operations in them."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.file_calls import Desk

WORDS = ("pump", "valve", "soil", "fan", "light", "door", "board", "bench")


def needed() -> None:
    """Skip where the library or the real git is missing."""
    pytest.importorskip("dulwich", reason="the Python package dulwich is not installed")
    if shutil.which("git") is None:
        pytest.skip("there is no git to compare with")


class Bench(Desk):
    """A repository in a folder; `git` is the real one, with no settings but the repository's own."""

    def __init__(self, folder: Path, preset: str = "full", **scene: Any) -> None:
        needed()
        self.clock = 1_700_000_000
        folder.mkdir(exist_ok=True)
        self.home = folder
        super().__init__(folder, preset, **scene)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Field Bench")
        self.git("config", "user.email", "bench@example.org")

    def git(self, *args: str, data: bytes = b"", code: int = 0) -> str:
        """What the real git says; each commit is a minute later than the one before."""
        self.clock += 60
        when = f"{self.clock} +0200"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "LC_ALL": "C.UTF-8",
        }
        ran = subprocess.run(["git", *args], cwd=self.home, env=env, input=data, capture_output=True, timeout=60)
        assert ran.returncode == code, (args, ran.returncode, ran.stderr.decode())
        return ran.stdout.decode("utf-8", "surrogateescape")

    def ask(self, operation: str, **args: Any) -> str:
        return self.text("git_operations", operation=operation, **args)

    def refused(self, operation: str, **args: Any) -> str:
        return self.fault("git_operations", operation=operation, **args)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def begun(self) -> Bench:
        """With one commit of three files."""
        self.write("a.txt", "one\ntwo\nthree\n")
        self.write("b.txt", "b\n")
        self.write("d/c.txt", "c\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        return self

    def alike(self) -> None:
        """Both say the same of what changed, and the repository is whole."""
        mine = [line for line in self.ask("status").split("\n")[1:] if line[2:3] == " "]
        mine = [line for line in mine if not line.startswith("nothing ")]
        theirs = self.git("status", "--porcelain", "--no-renames").splitlines()
        theirs = sorted(line.replace('"', "") for line in theirs)
        assert sorted(mine) == theirs
        assert "error" not in self.git("fsck", "--strict", "--no-dangling")


class Chance:
    """Random work in a repository, the same for the same seed."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench = bench
        self.random = random.Random(seed)

    def path(self) -> str:
        folders = [self.random.choice(WORDS[:3]) for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        return "/".join([*folders, self.random.choice(WORDS) + self.random.choice(("", ".txt", ".o", ".log"))])

    def text(self) -> str:
        lines = [self.random.choice(WORDS) for _ in range(self.random.choice((0, 1, 3, 12, 40)))]
        return "\n".join(lines) + "\n" * self.random.choice((0, 1, 1, 1))

    def files(self) -> list[Path]:
        found = [path for path in self.bench.home.rglob("*") if ".git" not in path.relative_to(self.bench.home).parts]
        return sorted(path for path in found if path.is_file() or path.is_symlink())

    def step(self) -> None:
        """One change of the work tree."""
        what = self.random.choice(
            ("write", "write", "write", "edit", "edit", "edit", "remove", "mode", "link", "ignore")
        )
        files = self.files()
        if what in ("write", "link"):
            target = self.bench.home / self.path()
            if (
                target.exists()
                or target.is_symlink()
                or any(one.is_file() or one.is_symlink() for one in target.parents)
            ):
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            if what == "write":
                target.write_text(self.text())
            else:
                target.symlink_to(self.random.choice(WORDS))
        elif what == "ignore" and (
            (self.bench.home / "pump").is_dir() or not os.path.lexists(self.bench.home / "pump")
        ):
            lines = [self.random.choice(("*.o", "/fan*", "soil/", "!keep.o", "**/door", "pump/*.log", "va[a-l]ve*"))]
            self.bench.write(self.random.choice((".gitignore", "pump/.gitignore")), "\n".join(lines) + "\n")
        elif files:
            file = self.random.choice(files)
            if what == "remove":
                file.unlink()
            elif what == "mode" and not file.is_symlink():
                file.chmod(self.random.choice((0o644, 0o755)))
            elif what == "edit" and not file.is_symlink():
                lines = file.read_text().split("\n")
                for _ in range(self.random.randint(1, 4)):
                    at = self.random.randrange(len(lines) + 1)
                    lines[at : at + self.random.randint(0, 2)] = [self.random.choice(WORDS)] * self.random.randint(0, 2)
                file.write_text("\n".join(lines))

    def history(self, commits: int) -> None:
        """Some commits, a merge, a pack; then some work that is not committed, a part of it staged."""
        for number in range(commits):
            for _ in range(self.random.randint(3, 8)):
                self.step()
            self.bench.git("add", "-A")
            self.bench.git("commit", "-q", "--allow-empty", "-m", f"commit {number}: {self.random.choice(WORDS)}")
            if number == 1:
                self.bench.git("branch", "side")
        if self.random.random() < 0.6:
            self.bench.git("merge", "-q", "-s", "ours", "side", "-m", "join")
        if self.random.random() < 0.6:
            self.bench.git("gc", "-q")
        for _ in range(6):
            self.step()
        self.bench.git("add", "-A")
        for _ in range(8):
            self.step()
