"""Asking models in tests: requests, settings, and how long it took."""

from __future__ import annotations

import http.client  # noqa: F401  # here: no deadline is to pass while a busy machine loads what a request needs
import math
import threading
import time
from collections import deque

from edge.config import ModelSettings
from edge.context import Context
from edge.model import Request
from edge.model.chat import Chat
from edge.record import replace
from edge.registry import every


class WakeUps:
    """How late this process wakes up: a thread that sleeps 5 ms again and again, for 30 s from the last `moment`."""

    def __init__(self):
        self._seen = deque(maxlen=20_000)  # (when, seconds late)
        self._until = 0.0
        self._thread = None

    def moment(self):
        """time.monotonic(), and from here on wake-ups are measured."""
        self._until = time.monotonic() + 30.0
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return time.monotonic()

    def _run(self):
        while (begun := time.monotonic()) < self._until:
            time.sleep(0.005)
            now = time.monotonic()
            self._seen.append((now, now - begun - 0.005))

    def p99(self, since):
        """The 99th percentile since then, of 10 wake-ups at least (of fewer than 100 it is the worst)."""
        self.moment()
        asked = time.monotonic()
        while len(found := sorted(late for when, late in list(self._seen) if when >= since)) < 10:
            assert time.monotonic() < asked + 30, "no wake-up was seen"
            time.sleep(0.005)
        return found[math.ceil(0.99 * len(found)) - 1]

    def seen(self, since):
        """Seconds late of each wake-up since then, for at most 100 s."""
        return [late for when, late in list(self._seen) if when >= since]

    def allowed(self, least, since):
        """Seconds that are forgiven: `least`, five times the p99 wake-up, or a standstill of this machine and half."""
        return max(least, 5 * self.p99(since), 1.5 * self.standstill(since))

    def standstill(self, since):
        """The longest time that this process stood still since then, in seconds."""
        self.p99(since)
        return max(late for when, late in list(self._seen) if when >= since)


_wake_ups = WakeUps()
moment = _wake_ups.moment
standstill = _wake_ups.standstill


def late(since=None):
    """Seconds behind a deadline that are forgiven, 0.3 at least, for what was seen since `since`, a `moment`."""
    return _wake_ups.allowed(0.3, moment() if since is None else since)


def soon(since=None):
    """The same for a cut, 0.1 s at least."""
    return _wake_ups.allowed(0.1, moment() if since is None else since)


def forgiven(since):
    """The same for what needs nothing but a wake-up, 50 ms at least."""
    return _wake_ups.allowed(0.05, since)


_made = []


def chat(server, key="", **settings):
    """The chat back end for a test server, without pauses between tries."""
    model = Chat("m", ModelSettings(base_url=server.base_url, **settings), key, chance=lambda: 0.0)
    _made.append(model)
    return model


def close_chats():
    """Close what `chat` made."""
    while _made:
        _made.pop().close()


def request(mode="native", seconds=5.0, heard=None, tools=None, made=0.0):
    """A request with one line of an operator."""
    context = Context("You are a test.", mode)
    context.user("How warm is it?", 0.0)
    sink = (lambda text: None) if heard is None else heard.append
    return Request(context, every() if tools is None else tools, seconds, sink, made)


class Timed:
    """`with Timed() as t: ...` gives t.seconds, and when it began (monotonic) as t.begun."""

    def __enter__(self):
        self.begun = moment()
        self.seconds = 0.0
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.begun


class Asked(threading.Thread):
    """An ask in a thread of its own: `.end` is the reply or the fault, `.ended` when (monotonic).

    A cut after this counts for it, however late the thread comes to ask.
    """

    def __init__(self, model, wanted):
        super().__init__(daemon=True)
        self._model, self._wanted = model, replace(wanted, made=wanted.made or time.monotonic())
        self.end = None
        self.ended = 0.0
        self.start()

    def run(self):
        try:
            self.end = self._model.ask(self._wanted)
        except Exception as fault:  # the test looks at what came
            self.end = fault
        self.ended = time.monotonic()
