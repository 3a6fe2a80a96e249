"""One opened repository: its folder, its work tree, and what its settings say.

Rules:
1. The repository is the folder `.git` of the folder that was granted. A file `.git` (a linked work tree, a submodule),
   a link and a bare repository are said, not followed.
2. What is closed by name in the work tree (keys) is known by the gate's own rule, and shown only when it was named
   and granted by itself.
"""

from __future__ import annotations

import os

from edge.call import Grant
from edge.faults import ToolFault
from edge.gate.paths import place
from edge.gate.secret import is_secret
from edge.hands import repo_index
from edge.hands.below import Below
from edge.hands.open import again, real, said
from edge.hands.repo_folder import Folder
from edge.hands.repo_names import shown
from edge.hands.repo_objects import Store
from edge.hands.repo_refs import Refs
from edge.hands.repo_settings import MOST as _SETTINGS
from edge.hands.repo_settings import attributes, settings
from edge.hands.way import Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.hands import Holder
    from edge.hands.repo_index import Index, Item

_ATTRIBUTES = 64  # files of attributes that are read


class Repository:
    """A context manager. path: as the call gave it; full: absolute. ToolFault, Refused."""

    def __init__(self, holder: Holder, path: str, late: Callable[[], None]) -> None:
        self.holder = holder
        self.path = path
        self.late = late
        self.stamp = 0  # of the index: when it was written, nanoseconds
        self.fresh: dict[bytes, Item] = {}  # what this call looked at itself
        spot = place(path, holder.world.scene)
        grant = holder.grant("read", spot.root, spot.path)
        if not grant.deep:
            holder.grant("read deep", spot.root, spot.path)
        thing, spot = Way(holder, grant, spot).opened(path)
        try:
            if os.fstat(thing).st_mode & 0o170000 != 0o040000:
                raise ToolFault(f"{path} is no folder", "path is the folder that holds .git")
            descriptor = again(thing, path)
        finally:
            os.close(thing)
        self.full = spot.full
        rules = Below(holder.world.scene, self._barred(), spot.full, real(descriptor))
        self.work = Folder(descriptor, spot.full, rules, late)
        try:
            self.git = Folder(self._git(), f"{spot.full}/.git", rules, late)
        except ToolFault:
            self.work.close()
            raise
        self.store = Store(self.git)
        self.refs = Refs(self.git)
        try:
            self._look()
        except (ToolFault, OSError):
            self.close()
            raise

    def _barred(self) -> tuple[str, ...]:
        """What the permit bars; where something is changed also what says what the agent may do."""
        changes = any(grant.verb == "write" for grant in self.holder.permit.grants)
        return self.holder.permit.barred + (self.holder.world.scene.settings if changes else ())

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.store.close()
        self.git.close()
        self.work.close()

    def _git(self) -> int:
        try:
            return os.dup(self.work.at(b".git"))
        except FileNotFoundError as error:
            raise ToolFault(f"{self.path} is no repository", "path is the folder that holds .git") from error
        except NotADirectoryError as error:
            raise ToolFault(
                f"{self.path}/.git is a link or a file that leads to a repository elsewhere",
                "tools work in the folder that holds the repository itself",
            ) from error
        except OSError as error:
            raise ToolFault(f"{self.path}/.git cannot be opened: {said(error)}") from error

    def _look(self) -> None:
        data = self.git.perhaps(b"config", _SETTINGS)
        if self.git.perhaps(b"HEAD", 4096) is None or data is None:
            raise ToolFault(f"{self.path}/.git is no repository", "it has no HEAD or no config")
        if self.git.perhaps(b"commondir", 4096) is not None:
            raise ToolFault(f"{self.path}/.git leads to a repository elsewhere (commondir)", "tools do not look there")
        self.settings = settings(data)

    def index(self) -> Index:
        """The index as it is now; what it is kept from is `stamp`."""
        data = self.git.perhaps(b"index", repo_index.MOST)
        self.stamp = self.git.status(b"index").st_mtime_ns if data else 0
        return repo_index.read(data) if data else {}

    def converting(self, index: Index) -> tuple[str, str]:
        """Sentences of what git would run as filters, and of line ends that it would change; "" where nothing."""
        names = [path for path, stage in index if stage == 0 and path.rpartition(b"/")[2] == b".gitattributes"]
        texts = []
        for name in {*names[:_ATTRIBUTES], b".gitattributes"}:
            try:
                data = self.work.perhaps(name, 65536)
            except OSError:
                data = None
            if data:
                texts.append((name, data))
        more = self.git.perhaps(b"info/attributes", 65536)
        filters, ends = attributes([*texts, (b".git/info/attributes", more or b"")])
        if len(names) > _ATTRIBUTES:
            filters = f"there are more than {_ATTRIBUTES} files of attributes"
        return filters, ends or (f"core.autocrlf is {self.settings.crlf[:20]}" if self.settings.crlf else "")

    def closed(self, path: bytes) -> bool:
        """Is what lies at a path of the work tree not to be shown (rule 2)?"""
        full = f"{self.full}/{shown(path)}"
        if not is_secret(full):
            return False
        spot = place(full, self.holder.world.scene)
        return Grant("read", spot.root, spot.path) not in self.holder.permit.grants
