"""The contract of a tool.

Rules:
1. A tool is one module with one `TOOL = Tool(...)`; the registry knows it by name and imports it at first use.
2. `effects` is pure: from checked arguments and the scene to all that the call would touch. What is not
   declared there cannot be touched: the hands hold the call to it.
3. `run` reaches the world through `hands` alone and returns an Observation, or raises ToolFault, Refused
   or HardwareFault with a sentence.
4. `words` says in physical words what the call does, for the person who is asked.
5. `schema` is a JSON schema of one object; every property has a type and `additionalProperties` is false.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from edge.call import Args, Effect, Observation, Reading, Scene

    Schema = Mapping[str, Any]
else:
    Protocol = object


class TreeHands(Protocol):
    """A walk below a folder, or one file. Iterating gives (folder, names, folders); see edge/hands/tree.py."""

    keep: Callable[[str, list[str]], list[str]] | None
    enter: Callable[[str, list[str]], list[str]] | None
    suffix: str
    hidden: bool
    files: bool
    sorted: bool
    depth: int
    single: bool
    more: bool
    stopped: str
    entries: int
    sizes: int
    skipped: dict[str, int]

    def __enter__(self) -> TreeHands: ...
    def __exit__(self, *how: object) -> None: ...
    def __iter__(self) -> Iterator[tuple[str, list[str], list[str]]]: ...
    def contents(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """The latest names with the first bytes of their files, all of them unless `more`."""

    def rest(self) -> Iterator[bytes]: ...
    def late(self) -> str:
        """Why it has to stop now, or nothing."""


class BlockHands(Protocol):
    """The blocks of whole lines of one file. `why`: the reason for which reading stopped early, or nothing."""

    why: str

    def __iter__(self) -> Iterator[bytes]: ...


class FileHands(Protocol):
    """Files inside what was granted."""

    def read(self, path: str, first: int, lines: int, limit: int = 0) -> Mapping[str, Any]:
        """Lines of a regular file (`text first lines more total said`, or `binary size`), or the `entries` of a folder.

        first: from 1, negative from the end. limit: bytes of text, the permit's when 0.
        """

    def part(self, path: str, start: int, count: int) -> Mapping[str, Any]:
        """Bytes of a regular file from byte `start`, negative from the end: `data start size more`."""

    def whole(self, path: str, most: int, absent: bool = False) -> tuple[bytes, tuple[int, int, int, int]]:
        """All of a regular file of at most `most` bytes, and its stamp for `put`; zeros if `absent` and none there."""

    def blocks(self, path: str) -> BlockHands:
        """A regular file as blocks of whole lines, to be gone through once."""

    def write(self, path: str, content: bytes) -> int:
        """Replace or create a file atomically; the number of bytes written."""

    def put(
        self,
        path: str,
        content: bytes,
        append: bool = False,
        stamp: tuple[int, int, int, int] | None = None,
        parents: bool = True,
    ) -> Mapping[str, Any]:
        """Replace, create or lengthen a file, whole or not at all; missing folders are made: `bytes was folders`."""

    def list(self, path: str, depth: int, hidden: bool, most: int) -> Mapping[str, Any]:
        """What a folder holds: `found` (name type size mode mtime target), `left`: sentences of what was left out."""

    def tree(self, path: str, verb: str = "read") -> TreeHands:
        """All below a folder that was granted deep, for `read` or `list`, or one file."""

    def why(self) -> str:
        """Why what is done now has to stop, in words, or nothing."""

    def mkdir(self, path: str) -> Mapping[str, Any]:
        """Make a folder with what is missing above it: `folders` that were made."""

    def delete(self, path: str, recursive: bool, forever: bool) -> Mapping[str, Any]:
        """Into the trash of its root, or away for good: `files folders bytes trash dropped`."""

    def move(self, source: str, target: str, overwrite: bool) -> Mapping[str, Any]:
        """Give another name: `files folders bytes copied made`."""


class SensorHands(Protocol):
    """Declared sensors."""

    def read(self, name: str) -> Reading: ...


class OutputHands(Protocol):
    """Declared outputs, owned by the guard."""

    def set(self, name: str, state: bool, seconds: float | None, level: float | None = None) -> Mapping[str, Any]:
        """Ask the guard to switch, or to drive at a level (0 to 1), for at most `seconds`; what it read back."""

    def pulse(self, name: str, seconds: float, times: int, pause: float) -> Mapping[str, Any]:
        """Switch away from safe `times` times for `seconds`: `name state done times why` (of what was not done)."""

    def states(self) -> Mapping[str, Mapping[str, Any]]: ...


class LineHands(Protocol):
    """Lines of the header's chip that nothing is wired to: looked at, never changed."""

    def look(self, name: str) -> Mapping[str, Any]:
        """`line name offset chip direction used holder own value` (None where it was not asked for)."""

    def watch(self, name: str, seconds: float, edges: str, debounce: float) -> Mapping[str, Any]:
        """Edges of an input: `line count rising falling lost edges before after seconds why`."""


class PortHands(Protocol):
    """Serial ports that the settings declare, each by its name."""

    def open(self, name: str) -> Mapping[str, Any]:
        """`port label device baud framing flow fresh` (False: it was open already)."""

    def send(self, name: str, data: bytes, clear: bool) -> Mapping[str, Any]:
        """`sent` of `size` bytes, and `cleared`: how many that had come were let go first."""

    def expect(
        self, name: str, seconds: float, search: Callable[[str], tuple[int, int] | None] | None, form: str
    ) -> Mapping[str, Any]:
        """Wait for what `search` finds, without it until the line is quiet; `form`: text, or hex (`01 0a ff`).

        `matched match text size rest dropped seconds noise why`. Without a match all stays where it is.
        """

    def close(self, name: str) -> Mapping[str, Any]:
        """`words`, and `length`: how many bytes came in all."""


class NetHands(Protocol):
    """Hosts that were granted; internal addresses only where the operator listed the host."""

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, limit: int, seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """One exchange, redirects included: `status reason headers body url hops cut packed via`.

        body: at most `limit` bytes; `seconds` (0: the permit's) shortens the deadline.
        """

    def save(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, path: str, seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """The same into a file: also `saved`: `path bytes sha256 resumed was`, None when nothing was."""


class RunHands(Protocol):
    """Child processes behind the wall."""

    def shell(self, text: str, seconds: float, cwd: str = "", background: bool = False) -> Mapping[str, Any]:
        """Run `text` by /bin/sh, at most `seconds`: `code signal stdout stderr cut ended seconds wall killed`.

        What goes on in the background has a `shell_id` and a `next_offset` (`ended` is then `moved`).
        """


class JobHands(Protocol):
    """Shells in the background."""

    def output(self, name: str, offset: int, limit: int) -> Mapping[str, Any]:
        """Characters from `offset` on: `output start next_offset skipped shell_id status exit_code signal why length`.

        `skipped` of them before `start` are not kept.
        """

    def kill(self, name: str) -> Mapping[str, Any]:
        """End it: `shell_id status exit_code signal why length`."""


class FactHands(Protocol):
    """What kernel and system tell of this board; numbers carry their unit in their name, what is not told is absent."""

    def system(self, serial: bool) -> Mapping[str, Any]: ...

    def processes(self, seconds: float, sort: str, text: str, limit: int) -> Mapping[str, Any]:
        """Processes by `cpu`, `memory` or `pid`; CPU over `seconds`, 0: since each was started."""

    def disks(self) -> Mapping[str, Any]: ...

    def usage(self, path: str, limit: int, other: bool) -> Mapping[str, Any]:
        """The largest folders and files below `path`; `other`: other file systems too."""

    def network(self) -> Mapping[str, Any]: ...

    def services(self, text: str, limit: int) -> Mapping[str, Any]: ...

    def log(self, source: str, limit: int, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """The newest lines of `kernel`, `system` or a file; asked: `text unit priority since until`."""


class BoardHands(Protocol):
    """The board as hardware."""

    def look(self) -> Mapping[str, Any]:
        """Who it is, its buses, and its header, lines and their holders, or the parts of a simulated one."""


class RepoHands(Protocol):
    """A repository of git in a granted folder; nothing is run. Paths count from that folder, "" is it."""

    def status(self, path: str, paths: Sequence[str] = ()) -> Mapping[str, Any]: ...
    def log(self, path: str, revision: str, paths: Sequence[str], limit: int) -> Mapping[str, Any]: ...
    def diff(self, path: str, staged: bool, revision: str, paths: Sequence[str]) -> Mapping[str, Any]: ...
    def show(self, path: str, revision: str, paths: Sequence[str]) -> Mapping[str, Any]: ...
    def branches(self, path: str) -> Mapping[str, Any]: ...
    def stashes(self, path: str) -> list[str]: ...
    def add(self, path: str, paths: Sequence[str]) -> Mapping[str, Any]: ...
    def commit(self, path: str, message: str, author: str) -> Mapping[str, Any]: ...
    def branch(self, path: str, name: str) -> Mapping[str, Any]: ...
    def switch(self, path: str, name: str) -> Mapping[str, Any]: ...
    def restore(self, path: str, paths: Sequence[str], revision: str) -> Mapping[str, Any]: ...
    def stash(self, path: str, push: bool, message: str) -> Mapping[str, Any]: ...


class TapeHands(Protocol):
    """The archive of this session."""

    def search(self, query: str, limit: int) -> list[Mapping[str, Any]]: ...

    def around(self, seq: int, context: int) -> list[Mapping[str, Any]]: ...


class MemoryHands(Protocol):
    """What is remembered beyond this conversation."""

    def store(self, key: str, content: str, category: str) -> Mapping[str, Any]:
        """Remember: `key category replaced dropped source redacted`."""

    def recall(self, query: str, limit: int, since: str, until: str) -> Mapping[str, Any]:
        """The best for `query`, the newest for "": `entries` (key content category at date source) `some` `more`."""

    def forget(self, key: str) -> int:
        """Remove a key; how many versions of it went."""


class CatalogueHands(Protocol):
    """The tools of this run."""

    def search(self, query: str, most: int) -> list[str]: ...

    def load(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Show these tools to the model: `tools` (definitions) `already_loaded` `unknown`."""


class SpillHands(Protocol):
    """Long results that were kept aside."""

    def blocks(self, handle: str, cursor: int, count: int, from_end: bool) -> Mapping[str, Any]:
        """`text cursor next_cursor complete blocks bytes chars lines tool`."""


class Hands(Protocol):
    """The only way a tool reaches the world. Each hand raises Refused outside the permit."""

    @property
    def scene(self) -> Scene: ...
    @property
    def files(self) -> FileHands: ...
    @property
    def sensors(self) -> SensorHands: ...
    @property
    def outputs(self) -> OutputHands: ...
    @property
    def lines(self) -> LineHands: ...
    @property
    def port(self) -> PortHands: ...
    @property
    def tape(self) -> TapeHands: ...
    @property
    def memory(self) -> MemoryHands: ...
    @property
    def spill(self) -> SpillHands: ...
    @property
    def catalogue(self) -> CatalogueHands: ...
    @property
    def net(self) -> NetHands: ...
    @property
    def run(self) -> RunHands: ...
    @property
    def facts(self) -> FactHands: ...
    @property
    def board(self) -> BoardHands: ...
    @property
    def jobs(self) -> JobHands: ...
    @property
    def repo(self) -> RepoHands: ...

    def also(self, effect: Effect) -> None:
        """Ask the gate about something that was found only now; Refused, with the rule, unless it is allowed."""


class Tool(Record):
    """A name, a schema, what a call touches, what it does. `examples` are command-line argument strings.

    `most`: bytes of text that an observation may have, 0 for what the permit says. `needs`: what has to be there
    besides Fieldhand: `library:NAME` (a Python package) or `program:/PATH`.
    """

    name: str
    about: str
    schema: Schema
    effects: Callable[[Args, Scene], tuple[Effect, ...]]
    run: Callable[[Args, Hands], Observation]
    words: Callable[[Args, Scene], str]
    examples: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    most: int = 0
