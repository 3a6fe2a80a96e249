"""How much work a start is until the prompt stands, and which modules it loads.

What is counted: user instructions of the whole run, from the first of the sh launcher until the process has ended by
end of file at its first prompt. The anchor's run also includes its end.
Without valgrind the figure is processor time over 31 rounds, and the target in instructions is not judged.

The wheel is installed in a fresh environment, so `.pyc` files are there; the anchor is the same interpreter with the
same flags. The single file is compared with `-I -S`, which it starts with. Each form has been started once before it
counts.
"""

from __future__ import annotations

import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile

from bench import forms, prompt, scratch
from bench.harness import Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.harness import Measure

VALGRIND = shutil.which("valgrind")
TITLE = "From the command to the prompt" if VALGRIND else "From the command to the prompt (valgrind is absent)"
UNIT = "million instructions" if VALGRIND else "ms of processor time"
ROUNDS = 9 if VALGRIND else 31
WARM = True

# Each of these costs a start as much as half an interpreter or more; none of them is needed to show a prompt.
FORBIDDEN = {"re", "enum", "typing", "dataclasses", "json", "socket", "ssl", "subprocess", "logging", "threading"}
FORBIDDEN |= {"pathlib", "argparse", "tomllib"}

WHEEL, SINGLE, BARE = "fieldhand (wheel)", "fieldhand (single file)", "python3 -I -S -c pass"
TARGETS = {
    WHEEL: (Target(ratio=1.35), *((Target(plus=9.5),) if VALGRIND else ())),
    SINGLE: (Target(ratio=1.45, anchor=BARE),),
    "modules of our own": (Target(most=14),),
    "modules that are forbidden": (Target(most=0),),
}


def counted(argv: Sequence[str], home: str, start: Callable[[Sequence[str], str], object]) -> list[tuple[str, float]]:
    """Command line and millions of user instructions, by callgrind, of each process of a run at its end."""
    found = []
    with tempfile.TemporaryDirectory(dir=home) as logs:
        tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes"]
        start([VALGRIND or "", *tool, f"--log-file={logs}/%p", *argv], home)
        for log in glob.glob(f"{logs}/*"):
            with open(log, encoding="utf-8", errors="replace") as lines:
                told = [line.partition("== ")[2] for line in lines]
            commands = [line for line in told if line.startswith("Command: ")]
            counts = [int(line.partition(" : ")[2]) / 1e6 for line in told if line.startswith("Collected : ")]
            if commands and counts:
                found.append((commands[-1], counts[-1]))
    return found


def instructions(argv: Sequence[str], home: str, start: Callable[[Sequence[str], str], object]) -> float:
    """Millions of user instructions of a start: those of the interpreter, and of the shell that starts it if any."""
    found = [count for command, count in counted(argv, home, start) if " -I " in command]
    if len(found) != 1:
        raise Broken(f"callgrind counted {len(found)} interpreters, not one")
    return found[0] + (shell(argv[0], home) if len(argv) == 1 else 0.0)


def shell(command: str, home: str) -> float:
    """Millions of user instructions of the sh script at `command`, up to where it becomes Python.

    A program that becomes another one leaves no count, so a copy beside it is counted in which `exec` does nothing.
    """
    copy = without_exec(command, b'exec "$python"')
    return max(count for _, count in counted([copy], home, whatever_it_ends_with))


def without_exec(command: str, last: bytes) -> str:
    """A copy of a sh script, beside it, in which the command `last`, an `exec`, does nothing; Broken without one."""
    copy = f"{command}-without-exec"
    with open(command, "rb") as script, open(copy, "wb") as without:
        text = script.read()
        if text.count(last) != 1:
            raise Broken(f"{command} has not one {last.decode()!r}")
        without.write(text.replace(last, last.replace(b"exec", b":", 1)))
    os.chmod(copy, 0o755)
    return copy


def processor_time(argv: Sequence[str], home: str, start: Callable[[Sequence[str], str], object]) -> float:
    """Milliseconds of processor time of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start(argv, home)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def whatever_it_ends_with(argv: Sequence[str], home: str) -> None:
    """Run to the end; its exit code says nothing."""
    nothing = subprocess.DEVNULL
    subprocess.run(argv, cwd=home, env=prompt.environ(home), stdin=nothing, stdout=nothing, stderr=nothing)


def through(argv: Sequence[str], home: str) -> None:
    """Run to the end without a prompt."""
    forms.run(["env", "-i", *(f"{name}={value}" for name, value in prompt.environ(home).items()), *argv], home)


def measured(argv: Sequence[str], home: str, start: Callable[[Sequence[str], str], object]) -> Callable[[], float]:
    """A measure of `argv`: instructions where they can be counted, else processor time."""
    count = instructions if VALGRIND else processor_time
    return lambda: count(argv, home, start)


def modules_at_prompt(python: str, home: str) -> list[str]:
    """Names of the modules imported before the first prompt stands, as the interpreter reports them."""
    log = os.path.join(home, "imports")
    code = "import os, sys; os.dup2(os.open(sys.argv.pop(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)\n"
    code += "from edge.cli import main; sys.exit(main(sys.argv[1:]))"
    names: list[str] = []

    def look(_pid: int) -> float:
        with open(log, encoding="utf-8") as lines:
            names.extend(line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:"))
        return 0.0

    prompt.visit([python, "-I", "-X", "importtime", "-c", code, log], home, look=look)
    return names


def rows() -> list[tuple[str, Measure]]:
    """Install each form below a temporary folder and measure it there."""
    folder = scratch.folder()
    home = os.path.join(folder, "home")
    os.mkdir(home)
    bin_folder = forms.environment(os.path.join(folder, "env"), forms.wheel(folder))
    python = os.path.join(bin_folder, "python")
    usual = "/usr/bin/python{}.{}".format(*sys.version_info[:2])
    bare = usual if os.path.exists(usual) else os.path.realpath(python)  # as the single file chooses
    single = forms.single(os.path.join(folder, "fieldhand"))
    names: list[str] = []

    def own() -> float:
        names[:] = names or modules_at_prompt(python, home)
        return float(sum(name == "edge" or name.startswith("edge.") for name in names))

    def forbidden() -> float:
        loaded = sorted(FORBIDDEN.intersection(names))
        if loaded:
            sys.stderr.write(f"bench: loaded at the prompt: {' '.join(loaded)}\n")
        return float(len(loaded))

    return [
        ("python -I -c pass", measured([python, "-I", "-c", "pass"], home, through)),
        (WHEEL, measured([os.path.join(bin_folder, "fieldhand")], home, prompt.visit)),
        (BARE, measured([bare, "-I", "-S", "-c", "pass"], home, through)),
        (SINGLE, measured([single], home, prompt.visit)),
        ("modules of our own", own),
        ("modules that are forbidden", forbidden),
    ]
