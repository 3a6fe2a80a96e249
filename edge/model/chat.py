"""Models behind chat completions: `POST {base_url}/chat/completions`, streamed or not, native tools or JSON steps.

Rules:
1. What stays the same from step to step (model, tools, options) is encoded once; the conversation comes encoded from
   the Context. A request costs here what it costs to send it.
2. One deadline holds for everything: finding, connecting, tries, pauses, the whole reply.
3. Tried again: what of no reply arrived, and the statuses of edge.model.retry; never behind the first byte of a reply.
4. The key is in the header bytes of the Wire and in `_key`, to take it out of what servers quote; in no record,
   repr, fault or trace.
5. Loaded before the prompt, but what an exchange needs is imported at the first one.
"""

from __future__ import annotations

import time

from edge.faults import BudgetFault, ConfigFault, ModelFault, StepFault
from edge.model import Reply
from edge.model.cut import Cut
from edge.model.place import guard_key, place
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.config import ModelSettings
    from edge.model import Request
    from edge.model.delta import Built
    from edge.model.wire import Incoming, Wire
    from edge.tool import Tool

HEADERS = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nUser-Agent: fieldhand\r\n"
TAIL = b"]}"


class Setback(Record):
    """A try that failed in a way that may go away. `asked`: seconds to wait by the server's word, None if none."""

    fault: ModelFault
    asked: float | None = None


class Chat:
    """One model behind one endpoint. `chance` gives 0..1 for the pauses between tries."""

    def __init__(
        self, name: str, settings: ModelSettings, key: str = "", chance: Callable[[], float] | None = None
    ) -> None:
        import _thread

        if settings.mode not in ("native", "json"):
            raise ConfigFault(f"mode {settings.mode!r} is not known", "use native or json", key="model.mode")
        if any(not 32 < ord(letter) < 127 for letter in key):
            raise ConfigFault("the key is not one word of ASCII", "write the key alone", key="model.key_env")
        self._place = place(settings.base_url, "chat/completions")
        guard_key(self._place, key)
        self.name = f"chat:{name}"
        self.mode = settings.mode
        self.endpoint = self._place.endpoint
        self._model = name
        self._settings = settings
        self._key = key
        self._chance = chance
        self._cut = Cut(f"the request to {self.endpoint}", self.endpoint)
        self._wire: Wire | None = None
        self._busy: Any = _thread.allocate_lock()
        self._tools: tuple[Tool, ...] | None = None
        self._head = b""

    def __repr__(self) -> str:
        return f"Chat({self._model!r} at {self.endpoint})"

    # --- asking ---

    def ask(self, request: Request) -> Reply:
        """One reply within min(request.seconds, settings.seconds). See the rules; ModelFault, BudgetFault."""
        seconds = min(request.seconds, self._settings.seconds)
        deadline = time.monotonic() + seconds
        self._enter(seconds)
        try:
            self._cut.arm(request.made)
            return self._with_retries(request, deadline, seconds)
        finally:
            self._busy.release()

    def _enter(self, seconds: float) -> None:
        """One request at a time: one that still runs was given up by whoever asks now."""
        if self._busy.acquire(False):
            return
        self._cut.cut()
        if not self._busy.acquire(timeout=seconds):
            raise BudgetFault(f"an earlier request to {self.endpoint} did not end within {seconds:.3g} s")

    def _with_retries(self, request: Request, deadline: float, seconds: float) -> Reply:
        tries = 0
        while True:
            got = self._try(request, deadline, seconds)
            if isinstance(got, Reply):
                return got
            from edge.model import retry

            tries += 1
            if tries > self._settings.retries:
                raise _after(tries, got.fault)
            pause = retry.span(tries, self._chance or _chance(), got.asked)
            left = deadline - time.monotonic()
            if pause >= left:
                if got.asked is None:
                    raise _after(tries, got.fault)
                raise ModelFault(
                    f"{self.endpoint} asks to wait {got.asked:.0f} s, and {max(left, 0):.0f} s are left: "
                    f"{got.fault.sentence}",
                    "try later, or raise model.seconds",
                    self.endpoint,
                ) from got.fault
            self._cut.pause(pause)

    def _try(self, request: Request, deadline: float, seconds: float) -> Reply | Setback:
        """One exchange: a reply, or a fault that may go away. All other faults are raised."""
        wire = self._opened()
        if self._cut.done:
            raise self._cut.fault()
        try:
            with memoryview(request.context.body) as body:
                incoming = wire.send((self._request_head(request.tools), body, TAIL), deadline, seconds)
            if incoming.status != 200:
                return self._setback(incoming)
            return self._reply(incoming, request.heard)
        except ModelFault as fault:
            if wire.again:
                return Setback(fault)
            raise

    def _opened(self) -> Wire:
        if self._wire is None:
            from edge.model.delta import Built
            from edge.model.wire import Wire

            self._built = Built
            self._decode = _decoder()

            key = f"Authorization: Bearer {self._key}\r\n" if self._key else ""
            self._wire = Wire(self._place, (HEADERS + key).encode("ascii"), self._cut, ca_file=self._settings.ca_file)
        return self._wire

    # --- what is sent ---

    def _request_head(self, tools: tuple[Tool, ...]) -> bytes:
        """Everything before the messages; made anew only when the tools change."""
        if tools is not self._tools:
            import json

            options = json.dumps(self._options(tools), ensure_ascii=False, separators=(",", ":"))
            self._head = f'{options[:-1]},"messages":['.encode("utf-8", "replace")
            self._tools = tools
        return self._head

    def _options(self, tools: tuple[Tool, ...]) -> dict[str, Any]:
        settings = self._settings
        options: dict[str, Any] = {"model": self._model, "max_tokens": settings.max_tokens}
        if settings.temperature is not None:
            options["temperature"] = settings.temperature
        if settings.stream:
            options["stream"] = True
            options["stream_options"] = {"include_usage": True}
        if self.mode == "json":
            from edge.step import step_schema

            schema = step_schema({tool.name: tool.schema for tool in tools})
            options["response_format"] = {"type": "json_schema", "json_schema": {"name": "step", "schema": schema}}
        elif tools:
            from edge.catalogue import definition

            options["tools"] = [{"type": "function", "function": definition(tool)} for tool in tools]
        return options

    # --- what comes back ---

    def _setback(self, incoming: Incoming) -> Setback:
        """A status that may go away as a Setback; raises ModelFault for the others."""
        from edge.model import refusal, retry

        status = incoming.status
        body = incoming.whole()
        asked = None
        if retry.worth(status):
            asked = retry.asked(incoming.field("retry-after"), incoming.field("date"), time.time())
        fault = refusal.refused(status, body, self.endpoint, self._key)
        if not retry.worth(status) or refusal.hopeless(body):
            raise fault
        return Setback(fault, asked)

    def _reply(self, incoming: Incoming, heard: Callable[[str], None]) -> Reply:
        built = self._built()
        try:
            if incoming.field("content-encoding") not in ("", "identity"):
                raise self._no_reply(f"it is packed ({incoming.field('content-encoding')[:40]})")
            if incoming.field("content-type").lower().startswith("text/event-stream"):
                self._stream(incoming, built, heard)
            elif self._take(built, incoming.whole().decode("utf-8", "replace")):
                heard(built.text)
        except ModelFault:
            incoming.drop()
            raise
        return self._finished(built)

    def _stream(self, incoming: Incoming, built: Built, heard: Callable[[str], None]) -> None:
        from edge.model.delta import clean
        from edge.model.sse import Events

        events = Events()
        while True:
            piece = incoming.more()
            try:
                found = events.feed(piece) if piece else events.end()
            except ValueError as error:
                raise self._no_reply(str(error)) from error
            for data in found:
                if data.strip() == "[DONE]":
                    incoming.drain()
                    return
                text = self._take(built, data)
                if text:
                    heard(clean(text))
            if not piece:
                break
        if not built.finish:
            raise ModelFault(
                f"{self.endpoint} ended the stream in the middle of a reply, after {incoming.got} bytes",
                endpoint=self.endpoint,
            )

    def _take(self, built: Built, text: str) -> str:
        """Add one JSON value to the reply; the text it added. ModelFault when it is none, or an error."""
        try:
            value = self._decode(text)
            if isinstance(value, dict) and value.get("error"):
                raise ModelFault(f"{self.endpoint} broke off with an error: {self._said(text)}", endpoint=self.endpoint)
            return built.take(value)
        except (ValueError, RecursionError) as error:
            said = self._said(text)
            why = str(error)[:100] if text.strip() else "it is empty"
            fix = "" if built.begun else "check base_url"
            raise self._no_reply(f"{why}: {said[:100]!r}" if said else why, fix) from error

    def _said(self, text: str) -> str:
        from edge.model import refusal

        return refusal.quoted(text.encode("utf-8", "replace"), self._key)

    def _finished(self, built: Built) -> Reply:
        if built.finish == "length":
            limit = self._settings.max_tokens
            raise StepFault("truncated", f"the reply was cut off at max_tokens ({limit}); reply in fewer words")
        if built.finish == "content_filter":
            raise ModelFault(f"a filter of {self.endpoint} held the reply back", endpoint=self.endpoint)
        if built.refusal:
            said = " ".join(built.refusal.split())[:200]
            raise ModelFault(f"the model of {self.endpoint} declined: {said}", endpoint=self.endpoint)
        return Reply(built.text if self.mode == "json" else built.message(), self.mode, built.usage)

    def _no_reply(self, why: str, fix: str = "check base_url") -> ModelFault:
        return ModelFault(f"{self.endpoint} gave no chat completion: {why}", fix, self.endpoint)

    # --- ending ---

    def cut(self) -> None:
        """End the request that runs, its pauses and tries included. From any thread."""
        self._cut.cut()

    def close(self) -> None:
        """Close the connection. A request that runs is cut first."""
        self._cut.cut()
        if self._busy.acquire(timeout=1.0):
            if self._wire is not None:
                self._wire.close()
            self._busy.release()


def _after(tries: int, fault: ModelFault) -> ModelFault:
    """The last fault, with how often it was tried."""
    if tries == 1:
        return fault
    return ModelFault(f"{fault.sentence} (tried {tries} times)", fault.fix, fault.endpoint)


def _chance() -> Callable[[], float]:
    import random

    return random.random


def _decoder() -> Callable[[str], Any]:
    """A JSON reader that refuses NaN and Infinity, which are not JSON.

    It is JSONDecoder.decode, whose looks for blanks around the value a text that is nothing but a value does not need.
    """
    import json

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not a JSON number")

    decoder: Any = json.JSONDecoder(parse_constant=refuse)
    scan, whole = decoder.scan_once, decoder.decode

    def decode(text: str) -> Any:
        try:
            value, end = scan(text, 0)
        except StopIteration:
            return whole(text)
        return value if end == len(text) else whole(text)

    return decode
