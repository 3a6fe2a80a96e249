"""Ctrl-C, SIGTERM and SIGHUP while a turn runs: counted, never thrown, so that the tape stays whole.

At a prompt SIGTERM and SIGHUP end the process at once, for nothing is left to do; but with a shell in the background
they end the conversation as `,quit` does. The end itself is not interrupted: it takes some seconds at most, and what
it does not get done would go on without anybody.
"""

from __future__ import annotations

try:
    # The same without enums, which cost half an interpreter's start.
    import _signal as signal  # type: ignore[import-not-found]
except ImportError:
    import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

    from edge.loop import Loop

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class counting:
    """While inside, the signals only raise `loop.interrupted`; the old handlers come back afterwards."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._old: list[Any] = []

    def _count(self, number: int, frame: FrameType | None) -> None:
        self._loop.interrupted += 1

    def __enter__(self) -> None:
        self._old = [signal.signal(number, self._count) for number in _SIGNALS]

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        for number, handler in zip(_SIGNALS, self._old):
            signal.signal(number, handler)


class leaving:
    """While inside, the signals do nothing; the old handlers come back afterwards."""

    def __enter__(self) -> None:
        self._old = [signal.signal(number, signal.SIG_IGN) for number in _SIGNALS]

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        for number, handler in zip(_SIGNALS, self._old):
            signal.signal(number, handler)


def parting() -> None:
    """From now on SIGTERM and SIGHUP outside of a turn leave by SystemExit, the first of them."""
    for number in _SIGNALS[1:]:
        signal.signal(number, _part)


def _part(number: int, frame: FrameType | None) -> None:
    for one in _SIGNALS[1:]:
        signal.signal(one, signal.SIG_IGN)
    raise SystemExit(128 + number)
