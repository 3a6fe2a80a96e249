"""What a model is, whichever it is.

Rules:
1. A model gets a Request and gives a Reply; reading the reply is not its business (edge.step).
2. `ask` blocks and runs in a thread of its own; it raises ModelFault or BudgetFault and nothing else. A StepFault is a
   ModelFault too: the reply came, was seen to be cut off, and may be asked for again.
3. `cut` may be called from another thread at any time: a running `ask` then ends with a ModelFault soon, and so does
   one whose request was made before the cut. The next `ask` works again.
4. Back ends are imported at first use.
"""

from __future__ import annotations

import os

from edge.faults import ConfigFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from edge.call import Scene
    from edge.config import ModelSettings
    from edge.context import Context
    from edge.tool import Tool
else:
    Protocol = object


class Usage(Record):
    """Tokens of one exchange, as the server counted them."""

    prompt: int
    completion: int


class Request(Record):
    """`seconds` is the whole deadline; `heard` takes pieces of streamed text. `made`: time.monotonic(), 0 = now."""

    context: Context
    tools: tuple[Tool, ...]
    seconds: float
    heard: Callable[[str], None]
    made: float = 0.0


class Reply(Record):
    """`raw` as edge.step.read takes it: text, or in mode `native` the assistant message."""

    raw: str | Mapping[str, Any]
    mode: str
    usage: Usage | None = None


class Model(Protocol):
    """`mode` is how it replies, `endpoint` where it is ("" when in this process)."""

    @property
    def name(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def endpoint(self) -> str: ...
    def ask(self, request: Request) -> Reply: ...
    def cut(self) -> None: ...
    def close(self) -> None: ...


def make(settings: ModelSettings, scene: Scene) -> Model:
    """The model that the settings name; ConfigFault when it cannot be one."""
    kind, _, name = settings.spec.partition(":")
    if kind == "offline" and not name:
        from edge.model.offline import Offline

        return Offline(scene)
    if kind == "scripted" and name:
        from edge.model.scripted import Scripted

        return Scripted.load(name)
    if kind == "chat" and name:
        from edge.config import read_key
        from edge.model.chat import Chat

        return Chat(name, settings, read_key(settings, os.environ))
    raise ConfigFault(
        f"there is no model {settings.spec!r}", "use offline, chat:NAME with --base-url, or scripted:FILE", key="model"
    )
