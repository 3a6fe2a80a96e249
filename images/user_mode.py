"""The target's own Python on the machine that builds, under qemu-user: compiles, and shows that the agent starts.

Rules:
1. Nothing of the machine comes in: an empty environment, PYTHONHASHSEED=0, the time zone UTC.
2. No binfmt is needed. What starts `sys.executable` starts a script that enters qemu again (`stage`); Python finds its
   library by the place of that script, whose `lib` leads into the tree. The tree itself stays as it is.
3. qemu looks for a path in the tree first and then on the machine (`-L`): what must come from the tree is checked by
   path, never by "it was found".
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from edge.faults import CardFault
from images import host
from images.arches import Arch

SECONDS = 600
ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC"}


def emulator(arch: Arch) -> str:
    """The path of qemu-user for an architecture: the static one where there are both."""
    for name in (f"{arch.qemu}-static", arch.qemu):
        found = shutil.which(name, path=host.environment()["PATH"])
        if found:
            return found
    return host.find(f"{arch.qemu}-static")


def program(tree: Path, arch: Arch, inner: str, *words: str) -> list[str]:
    """The command that runs a program of the tree."""
    return [emulator(arch), "-cpu", arch.cpu, "-L", str(tree), str(tree / inner), *words]


def run(
    command: Sequence[str], data: bytes = b"", add: Mapping[str, str] | None = None, seconds: float = SECONDS
) -> tuple[int, bytes, bytes]:
    """Exit code, standard output, standard error. The child is killed when the time is over, and when we are."""
    pipe = subprocess.PIPE
    settings = {**ENVIRONMENT, **(add or {})}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=settings, cwd="/") as child:
        try:
            out, errors = child.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise CardFault(f"a program of the image did not end within {seconds:.0f} s: {command[-1][:60]}") from late
        finally:
            if child.returncode is None:
                child.kill()
    return child.returncode, out, errors


def stage(tree: Path, arch: Arch, python: str, folder: Path, entered: Sequence[str] = ()) -> Path:
    """Make `folder` look like /usr of the board, with a python3 that the machine can start; its usr/bin is returned.

    `entered` is what stands before a program of the tree, the machine's own qemu when it is empty."""
    programs = folder / "usr" / "bin"
    programs.mkdir(parents=True)
    (folder / "usr" / "lib").symlink_to(tree / "usr" / "lib")
    words = entered or [emulator(arch), "-cpu", arch.cpu, "-L", str(tree)]
    inner = shlex.quote(str(tree / "usr" / "bin" / f"python{python}"))
    script = programs / "python3"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} -0 "$0" {inner} "$@"\n')
    script.chmod(0o755)
    return programs
