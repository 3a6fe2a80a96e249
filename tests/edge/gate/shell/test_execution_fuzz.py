"""Texts that hide "create the file M" are judged; whatever the gate lets run by itself is run, and M must not be there.

The texts run behind the wall in a folder of their own, by dash, bash and busybox sh, as many of these as are here.
A part of those that were not allowed runs too: it shows that the texts do what they are made for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.call import Call, Effect, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from tests.support.rows import rows
from tests.support.shell_fuzz import mutants, texts
from tests.support.walled import run

SEEDS = (20261130, 7, 4242)
WHOLE = 7000  # of each seed, half of each kind: 21,000 in the long run, a tenth of it otherwise
TRIED = 40  # of those that were not allowed, for each seed
SHELLS = tuple(
    (name, [str(shutil.which(name)), *argv])
    for name, argv in (("dash", ["-c"]), ("bash", ["-c"]), ("busybox", ["sh", "-c"]))
    if shutil.which(name)
)
FILES = {
    "F": "alpha\nbeta x\n",
    "S": "#!/bin/sh\ntouch M\n",
    "P": "w M\n",
    "A": 'BEGIN{print 1 > "M"}\n',
    "N": "M\n",
    "Y": "y\n",
    "B": "dG91Y2ggTQo=\n",
    "H": "00000000: 6162 0a                                  ab.\n",
    "K": "all:\n\ttouch M\n",
    "L": "#!/bin/sh\n: > M\n",
    "W": "5 -i.M\n",
    "V": ': BEGIN{print(1)>"M"}\n',
    "U": "5 ./S\n",
    "X": "-v a[$(>M)]\n",
    "R": "x --checkpoint=1 --checkpoint-action=exec=./S\n",
    "C": "-v PATH\n",
}


def lay_out(folder: Path) -> None:
    """What the texts find in their folder, and no M."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_text(content)
    for name in ("S", "L"):
        (folder / name).chmod(0o755)
    (folder / "0").mkdir()
    shutil.copy(folder / "L", folder / "0" / "L")
    subprocess.run(["tar", "-cf", "T", "F"], cwd=folder, check=True)


def verdict(text: str, folder: Path) -> str:
    scene = Scene(str(folder), "", (Root("work", str(folder)),))
    call = Call("bash", {"command": text}, "c1")
    return decide(call, (Effect("run", "shell:sh", detail=text),), Policy("guarded"), State(), scene).verdict


def made(text: str, folder: Path, argv: list[str]) -> bool:
    """True when M, or anything else, is there afterwards that was not, or is not as it was."""
    lay_out(folder)
    before = seen(folder)
    run([*argv, text], folder, seconds=4.0)
    return seen(folder) != before


def seen(folder: Path) -> dict[str, bytes]:
    """What stands in the folder, and in its files."""
    return {
        path.name: path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        for path in sorted(folder.iterdir())
    }


# Everyday commands that are allowed, without those that take their time.
SLOW = ("sleep", "timeout", "vmstat", "stat 1", "stat -x", "top", "tail -f", "blame", "man ")
EVERYDAY = [
    row[1]
    for row in (*rows("field.tsv"), *rows("shell_kinds.tsv"))
    if row[2] == "allow" and not any(word in row[1] for word in SLOW)
]


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
def test_no_everyday_command_with_a_piece_of_another_makes_the_file(tmp_path: Path, seed: int) -> None:
    count = (WHOLE if os.environ.get("FIELDHAND_SOAK") == "1" else WHOLE // 10) // 2
    folder = tmp_path / "here"
    allowed = [text for text in mutants(seed, count, EVERYDAY) if verdict(text, folder) == "allow"]
    allowed = [text for text in dict.fromkeys(allowed) if text not in EVERYDAY]
    wrong = []
    for number, text in enumerate(allowed):
        name, argv = SHELLS[number % len(SHELLS)]
        if made(text, folder, argv):
            wrong.append((text, name))
    print(f"seed {seed}: {count} everyday commands with pieces in them, {len(allowed)} allowed, {len(wrong)} made M")
    assert not wrong, wrong[:5]
    assert allowed


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_is_allowed_makes_the_file(tmp_path: Path, seed: int) -> None:
    count = (WHOLE if os.environ.get("FIELDHAND_SOAK") == "1" else WHOLE // 10) // 2
    folder = tmp_path / "here"
    verdicts: dict[str, int] = {"allow": 0, "ask": 0, "deny": 0}
    judged = [(text, verdict(text, folder)) for text in texts(seed, count)]
    for _, said in judged:
        verdicts[said] += 1
    allowed = [text for text, said in judged if said == "allow"]
    wrong = [(text, name) for text in allowed for name, argv in SHELLS if made(text, folder, argv)]
    others = [text for text, said in judged if said != "allow"][:TRIED]
    worked = sum(made(text, folder, SHELLS[number % len(SHELLS)][1]) for number, text in enumerate(others))
    shells = ", ".join(name for name, _ in SHELLS)
    print(f"seed {seed}: {count} texts, {verdicts}; by {shells} {len(wrong)} of the allowed ones made M,")
    print(f"and of {len(others)} that were not allowed {worked} did")
    assert not wrong, wrong[:5]
    assert worked > len(others) // 4, "the texts no longer do what they are made for"
