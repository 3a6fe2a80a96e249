"""Both ways of opening files, the hand on files of one call with the real gate behind it, and a swapper of names."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit, Root, Scene
from edge.gate.decide import decide
from edge.gate.paths import place
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.hands import open as opening
from edge.hands.files import Files
from edge.hands.world import World
from edge.tape.unkept import Unkept

WAYS = ("openat2", "walk")
HERE = opening.way()

# Swaps two names in one step, over and over, until it is ended: renameat2(2) with RENAME_EXCHANGE.
_SWAPPER = """
import ctypes, os, sys
machine, wide = os.uname().machine, ctypes.sizeof(ctypes.c_void_p)
number = {("x86_64", 8): 316, ("aarch64", 8): 276, ("aarch64", 4): 382}.get((machine, wide), 382 if wide == 4 else 276)
call, here = ctypes.CDLL(None, use_errno=True).syscall, ctypes.c_long(-100)
one, other = os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2])
swaps = 0
while True:
    if call(ctypes.c_long(number), here, one, here, other, ctypes.c_long(2)):
        raise OSError(ctypes.get_errno(), "the names cannot be swapped")
    swaps += 1
    if swaps == 10:
        print("ready", flush=True)
"""


def hold(way: str, patch: pytest.MonkeyPatch) -> None:
    """Hold the hands to one way of opening; skips where this kernel does not have it."""
    if way == "openat2" and HERE != "openat2":
        pytest.skip("this kernel, or what confines this process, has no openat2")
    patch.setattr(opening, "_way", way)


def world(folder: Path, preset: str = "guarded", **more: Any) -> World:
    """A world whose workspace is `folder`, with the gate to ask; `more` are further fields of its scene."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),), **more)
    made = World(scene, Unkept(), lambda: pytest.fail("no board is needed"))
    made.judge = lambda call, effect: decide(call, (effect,), Policy(preset), State(), scene)
    return made


def hand(here: World, verb: str, path: str, **more: Any) -> Files:
    """The hand of a call whose permit holds exactly `verb` on `path`; `more` are further fields of the permit."""
    spot = place(path, here.scene)
    permit = Permit("c1", (Grant(verb, spot.root, spot.path),), **more)
    return Hands(permit, Call("file_read", {}, "c1"), here).files


def rounds(least: int, found: Counter[str], *wanted: str, most: float = 120.0) -> Iterator[int]:
    """Numbers from 0: `least` of them, and on until each of `wanted` was found, for at most `most` seconds more.

    A swapper that gets no processor makes no race; in time it gets one.
    """
    number = 0
    while number < least:
        yield number
        number += 1
    end = time.monotonic() + most
    while not all(found[one] for one in wanted) and time.monotonic() < end:
        yield number
        number += 1


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """While it lasts, another process swaps what two names stand for as fast as it can."""
    swapper = subprocess.Popen(
        [sys.executable, "-I", "-c", _SWAPPER, str(one), str(other)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert swapper.stdout is not None and swapper.stderr is not None
        if swapper.stdout.readline() != b"ready\n":
            pytest.skip(f"names cannot be swapped here: {swapper.stderr.read().decode()[-200:]}")
        yield
        assert swapper.poll() is None, "the swapper ended early"
    finally:
        swapper.kill()
        swapper.communicate()
