"""The frame of a command line with verbs: `python -m images`, `python -m hil`.

Rules:
1. Each verb is a module of its own with `main(words) -> int`, imported when it is asked for.
2. A fault is one sentence on stderr and the code it carries; nobody but a programmer sees a traceback (--debug).
3. An interruption (Ctrl-C, SIGTERM, a hung-up terminal) unwinds as KeyboardInterrupt, so that folders and children of
   ours are gone afterwards; the code is 130.
4. What images, disks and boards call themselves is anybody's text: nothing of it reaches a terminal as a command.
   What the locale has no letter for is written out; a reader of our output that goes away (`| head`) is no fault.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType

from edge.faults import Fault, UsageFault
from edge.record import Record
from edge.text import visible


class Frame(Record):
    """`name`: what every sentence begins with. `noun`: who knows no such verb. `verbs`: verb -> its module and what it
    does. `head` and `foot` of the help. `full`: what to do where the disk is full."""

    name: str
    noun: str
    verbs: Mapping[str, tuple[str, str]]
    head: str
    foot: str
    full: str


def usage(frame: Frame) -> str:
    """The text of --help."""
    width = max(map(len, frame.verbs)) + 3
    lines = [f"  {verb:<{width}}{what}" for verb, (_, what) in frame.verbs.items()]
    return "\n".join([f"usage: {frame.head}", "", *lines, "", frame.foot])


def run(frame: Frame, words: list[str]) -> int:
    """Run one verb; the exit code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in words
    try:
        code = _dispatch(frame, [word for word in words if word != "--debug"])
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if debug:
            raise
        print(f"{frame.name}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _unheard()
        return 1
    except (Fault, OSError) as error:
        if debug:
            raise
        print(f"{frame.name}: {_sentence(error, frame.full)}", file=sys.stderr)
        _emptied()
        return error.code if isinstance(error, Fault) else 1


def _dispatch(frame: Frame, words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage(frame), file=sys.stdout if words else sys.stderr)
        return 0 if words else UsageFault.code
    if words[0] not in frame.verbs:
        near = difflib.get_close_matches(words[0], frame.verbs, 1)
        fix = f"did you mean {near[0]}?" if near else f"use one of {', '.join(frame.verbs)}"
        raise UsageFault(f"{frame.noun} knows no {words[0]!r}", fix)
    module = importlib.import_module(frame.verbs[words[0]][0])
    return int(module.main(words[1:]))


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


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


def _sentence(error: Exception, full: str) -> str:
    if isinstance(error, OSError) and not isinstance(error, Fault):
        what = (error.strerror or str(error) or "unknown").lower()
        return visible(f"{error.filename or 'a file'}: {what}{full if error.errno == errno.ENOSPC else ''}", 2000)
    return "\n".join(visible(line, 4000) for line in str(error).split("\n"))
