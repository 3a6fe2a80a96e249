"""`python -m images VERB ...`: build, verify and flash card images, and what belongs to that.

Rules:
1. Each verb is a module of its own with `main(words) -> int`, imported when it is asked for.
2. A fault is one sentence on stderr and the code it carries; nobody but a programmer sees a traceback (--debug).
3. An interruption (Ctrl-C, SIGTERM, a hung-up terminal) unwinds as KeyboardInterrupt, so that folders and children of
   ours are gone afterwards; the code is 130.
4. What images, disks and packages call themselves is anybody's text: nothing of it reaches a terminal as a command.
   What the locale has no letter for is written out; a reader of our output that goes away (`| head`) is no fault.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from edge.faults import Fault, UsageFault
from edge.text import visible

# verb -> (module, what it does)
VERBS = {
    "build": ("images.command", "PRODUCT|FILE.toml: make a card's image, its update and papers"),
    "verify": ("images.verify", "IMAGE|CARD|UPDATE: compare every byte with map, manifest and hashes"),
    "flash": ("images.flash", "IMAGE [TARGET]: write a card, read it back; no TARGET: list the disks"),
    "lock": ("images.lock_command", "update|show [PRODUCT ...]: the packages that images are made from"),
    "key": ("images.key_command", "new NAME | show FILE: keys that updates are signed with"),
}


def usage() -> str:
    """The text of --help."""
    lines = ["usage: fieldhand image VERB ...    (in a checkout: python3 -m images VERB ...)", ""]
    lines += [f"  {verb:<8}{what}" for verb, (_, what) in VERBS.items()]
    return "\n".join([*lines, "", "fieldhand image VERB --help tells the rest; docs/images.md is the guide."])


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage(), file=sys.stdout if words else sys.stderr)
        return 0 if words else UsageFault.code
    if words[0] not in VERBS:
        import difflib

        near = difflib.get_close_matches(words[0], VERBS, 1)
        fix = f"did you mean {near[0]}?" if near else f"use one of {', '.join(VERBS)}"
        raise UsageFault(f"image knows no {words[0]!r}", fix)
    module = importlib.import_module(VERBS[words[0]][0])
    return int(module.main(words[1:]))


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main(words: list[str]) -> int:
    """Run one verb; the exit code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in words
    try:
        code = _dispatch([word for word in words if word != "--debug"])
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if debug:
            raise
        print("fieldhand image: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _unheard()
        return 1
    except (Fault, OSError) as error:
        if debug:
            raise
        print(f"fieldhand image: {_sentence(error)}", file=sys.stderr)
        _emptied()
        return error.code if isinstance(error, Fault) else 1


def _emptied() -> None:
    """What stdout does not take is not tried again at the interpreter's end, which has a code of its own for it."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _unheard()


def _unheard() -> None:
    """Nobody reads our output any more: what is left of it goes nowhere, without a word at the end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


_FULL = " (free some space there; --out and, for what is unpacked on the way, TMPDIR name another folder)"


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, Fault):
        what = (error.strerror or str(error) or "unknown").lower()
        return visible(f"{error.filename or 'a file'}: {what}{_FULL if error.errno == errno.ENOSPC else ''}", 2000)
    return "\n".join(visible(line, 4000) for line in str(error).split("\n"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
