"""grep against GNU grep: generated files, patterns and flags; lines, numbers, context, counts byte for byte."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.tools.grep import TOOL
from tests.support.one_call import carry, world

CASES = 2000 if os.environ.get("FIELDHAND_SOAK") == "1" else 200
GREP = shutil.which("grep") or ""
WORDS = (
    "pump",
    "valve",
    "err",
    "warn",
    "id42",
    "x",
    "",
    "  ",
    "a_b",
    "(z)",
    "42",
    "über",
    "a.b",
    "foo-bar",
    "\t",
    "PUMP",
)
PIECES = (
    "pump",
    "[a-z]+",
    "a.b",
    "er*",
    "(valve|warn)",
    "4{1,2}",
    "x?",
    "[^a-y ]",
    "^",
    "$",
    ".",
    "foo-",
    "[0-9]",
    "ü",
)

pytestmark = pytest.mark.skipif(
    b"GNU" not in (subprocess.run([GREP, "--version"], stdout=subprocess.PIPE).stdout if GREP else b""),
    reason="there is no GNU grep here to compare with",
)


def text(chance: random.Random) -> bytes:
    """Some lines of words; the last one sometimes without its end, some ends with a carriage return."""
    lines = [" ".join(chance.choices(WORDS, k=chance.randrange(5))) for _ in range(chance.choice((0, 1, 3, 12, 40)))]
    joined = chance.choice(("\n", "\n", "\n", "\r\n")).join(lines)
    return (joined + "\n" * (chance.random() < 0.8)).encode()


def asked(chance: random.Random) -> dict[str, object]:
    """Arguments of one call."""
    pattern = "".join(chance.choices(PIECES, k=chance.randrange(1, 4)))
    args: dict[str, object] = {"pattern": pattern, "path": "f"}
    flags = [flag for flag, share in (("w", 0.15), ("F", 0.15), ("v", 0.15)) if chance.random() < share]
    if chance.random() < 0.5:
        args["context"] = chance.choice((0, 1, 2, 5, 20, 21))
    elif chance.random() < 0.4:
        flags += [f"A{chance.randrange(4)}", f"B{chance.randrange(4)}"]
    if chance.random() < 0.2:
        args["ignore_case"] = True
    if chance.random() < 0.2:
        args["pattern"] = f"{pattern}\n{chance.choice(PIECES)}"
    if chance.random() < 0.1:
        args["output"] = "count"
    if flags:
        args["flags"] = " ".join(flags)
    return args


def gnu(args: dict[str, object], folder: Path) -> list[str]:
    """What GNU grep says to the same."""
    flags = str(args.get("flags", ""))
    # With a context of 0 lines GNU grep still parts the blocks; here that is no context.
    options = ["-na", *[f"-{flag}" for flag in flags.split() if flag[1:] != "0"], *["-E"] * ("F" not in flags)]
    if args.get("context"):
        options.append(f"-C{min(int(str(args['context'])), 20)}")
    options += ["-i"] * bool(args.get("ignore_case")) + ["-c"] * (args.get("output") == "count")
    done = subprocess.run(
        [GREP, *options, "-e", str(args["pattern"]), "f"],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", "PATH": "/nonexistent"},
        capture_output=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return [line[:-1] if line.endswith("\r") else line for line in done.stdout.decode().split("\n")[:-1]]


def test_lines_numbers_context_and_counts_are_those_of_gnu_grep(tmp_path: Path) -> None:
    chance = random.Random(44)
    here = world(tmp_path)
    compared = hits = 0
    for number in range(CASES):
        (tmp_path / "f").write_bytes(text(chance))
        args = asked(chance)
        wanted = gnu(args, tmp_path)
        found = carry(TOOL.name, args, here)
        shown = found.text.split("\n")
        if found.data is not None and not found.data["hits"]:
            assert shown[0].startswith("no match in f ("), (number, args, found.text)
            assert wanted in ([], ["0"]), (number, args, wanted)
        else:
            assert shown == wanted, (number, args, (tmp_path / "f").read_bytes())
            hits += 1
        compared += 1
    print(f"{compared} cases compared, {hits} with hits")
    assert compared == CASES and hits > CASES // 4
