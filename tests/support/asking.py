"""Asking models in tests: requests, settings, and how long it took."""

from __future__ import annotations

import threading
import time

from edge.config import ModelSettings
from edge.context import Context
from edge.model import Request
from edge.model.chat import Chat
from edge.registry import every


def late():
    """Seconds behind a deadline that are forgiven: 0.3, or 5 times the worst wake-up that this machine shows now."""
    return max(0.3, 5 * _wake_up())


def soon():
    """The same for a cut: 0.1 s."""
    return max(0.1, 5 * _wake_up())


def _wake_up():
    worst = 0.0
    for _ in range(10):
        begun = time.monotonic()
        time.sleep(0.002)
        worst = max(worst, time.monotonic() - begun - 0.002)
    return worst


def chat(server, key="", **settings):
    """The chat back end for a test server, without pauses between tries."""
    return Chat("m", ModelSettings(base_url=server.base_url, **settings), key, chance=lambda: 0.0)


def request(mode="native", seconds=5.0, heard=None, tools=None, made=0.0):
    """A request with one line of an operator."""
    context = Context("You are a test.", mode)
    context.user("How warm is it?", 0.0)
    sink = (lambda text: None) if heard is None else heard.append
    return Request(context, every() if tools is None else tools, seconds, sink, made)


class Timed:
    """`with Timed() as t: ...` gives t.seconds."""

    def __enter__(self):
        self._begun = time.monotonic()
        self.seconds = 0.0
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self._begun


class Asked(threading.Thread):
    """An ask in a thread of its own: `.end` is the reply or the fault, `.ended` when (monotonic)."""

    def __init__(self, model, wanted):
        super().__init__(daemon=True)
        self._model, self._wanted = model, wanted
        self.end = None
        self.ended = 0.0
        self.start()

    def run(self):
        try:
            self.end = self._model.ask(self._wanted)
        except Exception as fault:  # the test looks at what came
            self.end = fault
        self.ended = time.monotonic()
