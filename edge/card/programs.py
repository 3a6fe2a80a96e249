"""A program of the system, run to its end with a deadline: how the boot's steps ask mount, mke2fs, ip and the like."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NONE, CANNOT, LATE = 127, 126, 124  # exit codes as a shell and timeout(1) give them


def run(words: Sequence[str], seconds: float, environ: Mapping[str, str] | None = None) -> tuple[int, list[str]]:
    """Exit code, and the lines that it said on stdout and stderr, without blank ones.

    NONE: there is no such program; CANNOT: it cannot be started; LATE: it was killed after so many seconds; with one
    line that says so. environ: all it gets, None for what we have. It starts in `/` and reads nothing.
    """
    import subprocess

    try:
        done = subprocess.run(
            words,
            env=environ,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        return NONE, [f"there is no {words[0]} here"]
    except subprocess.TimeoutExpired:
        return LATE, [f"{words[0]} took longer than {seconds:g} s"]
    except OSError as error:
        return CANNOT, [f"{words[0]} cannot be started: {(error.strerror or 'unknown').lower()}"]
    lines = [line.strip() for line in done.stdout.decode("utf-8", "replace").split("\n")]
    return done.returncode, [line for line in lines if line]
