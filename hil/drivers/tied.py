"""A program that ends with who started it, on Linux: it becomes QEMU, which would live on when its owner is killed.

    python -I -S hil/drivers/tied.py OWNER PROGRAM [WORDS ...]

Rules:
1. The kernel sends SIGKILL to the program when the thread that started it is gone (PR_SET_PDEATHSIG, prctl(2)), so a
   board is switched on in a thread that lives at least as long as it.
2. An owner that was gone before the kernel was told is noticed by its number: then nothing is started.
3. Between fork and exec of the owner no Python runs (preexec_fn, and threads): this file does it in the new process.
   Nothing of Fieldhand is imported.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PDEATHSIG = 1


def tied(command: Sequence[str]) -> list[str]:
    """The command that ends with this process; it as it is where the kernel cannot do that."""
    if not sys.platform.startswith("linux"):
        return list(command)
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), *command]


def main(owner: int, command: list[str]) -> int:
    """Become the command; 1 where the owner is gone, 127 where the command cannot be started."""
    ctypes.CDLL(None).prctl(_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != owner:
        return 1
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
    return 127


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
