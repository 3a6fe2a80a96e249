"""All files below a granted folder: walked on descriptors, judged, bounded, read one after the other.

Rules:
1. Each folder is opened by its name in its open parent, without following a link: whatever is swapped meanwhile, the
   walk does not leave what was granted. Links are names; they are never gone through.
2. What a tool keeps by name is judged afterwards (edge/hands/below.py), and what is opened is judged again. What is
   closed is left out and counted in `skipped`; it is never an error.
3. Names that begin with a dot are left out unless `hidden`; folders of HEAVY always, unless the walk begins in them.
   So are /proc, /sys and /dev for a walk that comes from above.
4. A file is opened without waiting and read only when it is a regular one. Its size is believed for files on a disk,
   where that saves a read, and never in /proc and /sys.
5. Bounded in entries, in depth and in time; a call that is cut ends between two folders or two blocks. `stopped` says
   why, in words.
6. The order is that of names: the files of a folder, then its folders, each with all that is below it. A folder with
   more than CHUNK entries comes in several parts, each sorted for itself.
"""

from __future__ import annotations

import os
import time
from errno import ELOOP, ENOENT, ENOTDIR, ENXIO
from itertools import islice

from edge.call import TRASH
from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.gate.secret import is_plain, is_quick
from edge.hands.below import Below
from edge.hands.open import again, real, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from edge.call import Grant
    from edge.gate.paths import Place
    from edge.hands import Holder
    from edge.hands.way import Way

    Keep = Callable[[str, list[str]], list[str]]
    # An open folder: relative with a slash, in full, whether names count as usual in it, folders to go into; and
    # those of them of which it has to be asked whether names count as usual in them.
    Level = tuple[int, str, str, bool, list[str], set[str]]

HEAVY = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__", TRASH))
CHUNK = 10_000
ENTRIES = 2_000_000
DEPTH = 64
WHOLE = 1024 * 1024  # a file up to this size is read at once
BLOCK = 256 * 1024
_SMALL = 64 * 1024  # of a file that claims to hold nothing, such as those of /proc
_KERNEL = ("proc", "sys", "dev")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_GONE = (ENOENT, ENOTDIR, ELOOP, ENXIO)  # it is another thing by now, or was none to be read
_SHARE = 0.85  # of the permit's time: what was found has to be shown before it is over
_is_folder = os.DirEntry.is_dir
_LOOK = 0.05  # seconds between two looks whether the call was cut


class Tree:
    """One walk. Iterating gives `(folder, names, folders)`: `folder` is "" or ends with a slash, relative to the start.

    names: what is no folder (with `files` only regular files), folders: those that are gone into; both as `keep` left
    them, without what is closed. `contents` and `rest` read the files of the latest names.

    enter: which folders are gone into. suffix: how kept names end. sorted: or as the folder has them. depth: levels of
    names, at most DEPTH. skipped: how many names were left out, by reason: private (keys, private or the agent's own),
    hidden, heavy, deep, unreadable. single: the start is a file, whose only name is "". more: the latest file goes on.
    sizes: bytes that were read.
    """

    def __init__(self, holder: Holder, thing: int, spot: Place, grant: Grant) -> None:
        self.keep: Keep | None = None
        self.enter: Keep | None = None
        self.suffix, self.hidden, self.files, self.sorted, self.depth = "", False, False, True, DEPTH
        self.single = os.fstat(thing).st_mode & 0o170000 != 0o040000
        self.skipped: dict[str, int] = {}
        self.stopped = ""
        self.entries, self.sizes, self.more = 0, 0, False
        self._holder = holder
        self._reads = grant.verb == "read"
        self._deepest = DEPTH if grant.deep else 1
        self._full = spot.full
        self._below = Below(holder.world.scene, holder.permit.barred, spot.full, real(thing))
        self._kernel = spot.full.startswith(("/proc/", "/sys/")) or spot.full in ("/proc", "/sys")
        self._late = time.monotonic() + holder.permit.seconds * _SHARE
        self._looked = 0.0
        self._thing, self._fd, self._file = thing, -1, -1
        self._end = ""  # what all names end with after their last dot
        self._here = ""  # the full path of the latest folder

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *_: object) -> None:
        self._shut()
        thing, self._thing = self._thing, -1
        if thing >= 0:
            os.close(thing)

    def __iter__(self) -> Iterator[tuple[str, list[str], list[str]]]:
        if self.single:
            yield "", [""], []
            return
        fd, full = again(self._thing, self._full), self._full
        way: list[Level] = [(fd, "", full, is_plain(full), [], set())]
        now, calm = time.monotonic, self._below.calm
        self._end = self.suffix.rpartition(".")[2] if "." in self.suffix else ""
        try:
            while way:
                fd, where, full, plain, below, odd = way[-1]
                self._fd, self._here = fd, full
                more = True
                with os.scandir(fd) as listing:
                    while more:
                        entries = list(islice(listing, CHUNK))
                        self.entries += len(entries)
                        more = len(entries) == CHUNK
                        names, folders = self._parted(entries)
                        entries.clear()
                        if folders:
                            usual = plain and calm(full, folders)
                            folders, deeper = self._deeper(folders, where, plain, usual)
                            below += deeper
                            if not usual:
                                odd.update(deeper)
                        yield where, self._kept(where, names, plain) if names else names, folders
                        if (now() > self._looked or self.entries > ENTRIES) and self.late():
                            return
                below.sort(reverse=True)
                self._next(way)
        finally:
            for level in way:
                os.close(level[0])

    def late(self) -> str:
        """Why the walk has to stop now, or nothing."""
        now = time.monotonic()
        self._looked = now + _LOOK
        if now > self._late:
            self.stopped = f"after {self._holder.permit.seconds * _SHARE:.3g} s"
        elif self.entries > ENTRIES:
            self.stopped = f"after {ENTRIES:,} names"
        elif self._holder.ending():
            self.stopped = "because the call was ended"
        return self.stopped

    def contents(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """The latest names with the first bytes of their files, all of them unless `more`; `rest` gives the others.

        What cannot be read is left out; it ends early when it is late.
        """
        if not self._reads:
            raise Refused("the permit lets names be listed, not files be read", "hands.no-grant")
        fd, here, below = self._fd, self._here, self._below
        opened, status_of, read, close, now = os.open, os.fstat, os.read, os.close, time.monotonic
        for name in names:
            if now() > self._looked and self.late():
                return
            try:
                file = opened(name, _FILE, dir_fd=fd) if fd >= 0 else again(self._thing, self._full)
            except OSError as error:
                self._failed(error)
                continue
            try:
                status = status_of(file)
                size = status.st_size
                if not self._may(status, below, here):
                    continue
                # A read that brings what the file is said to hold, and no byte more, was the whole of it.
                data = read(file, size + 1 if 0 < size < WHOLE else BLOCK if size else _SMALL)
                self.sizes += len(data)
                if len(data) > size or size >= WHOLE or (self._kernel and data):
                    self.more, self._file, file = True, file, -1
            except OSError as error:
                self._failed(error)
                continue
            finally:
                if file >= 0:
                    close(file)
            if data:
                yield name, data
            if self._file >= 0:
                self._shut()

    def _may(self, status: os.stat_result, below: Below, here: str) -> bool:
        """May the open file be read? What was asked for by its own name was judged on the way there."""
        if status.st_mode & 0o170000 != 0o100000:
            return False
        if self.single or below.file(status, here):
            return True
        self._left("private", 1)
        return False

    def rest(self) -> Iterator[bytes]:
        """The other blocks of the latest file, up to BLOCK bytes each, until the end or until it is late."""
        while self.more and not self.late():
            try:
                block = os.read(self._file, BLOCK)
            except OSError as error:
                self._failed(error)
                block = b""
            if not block:
                self._shut()
                return
            self.sizes += len(block)
            yield block

    def _shut(self) -> None:
        self.more = False
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _failed(self, error: OSError) -> None:
        if self.single:
            raise ToolFault(f"{self._full} cannot be read: {said(error)}") from error
        if error.errno not in _GONE:
            self._left("unreadable", 1)

    def _left(self, why: str, number: int) -> None:
        if number:
            self.skipped[why] = self.skipped.get(why, 0) + number

    def _parted(self, entries: list[os.DirEntry[str]]) -> tuple[list[str], list[str]]:
        """Of entries of a folder: names of what is no folder, and of its folders."""
        folders = [entry.name for entry in filter(_is_folder, entries) if not entry.is_symlink()]
        suffix = self.suffix
        if self.files:
            return [entry.name for entry in entries if entry.is_file()], folders
        if suffix:
            names = [entry.name for entry in entries if entry.name.endswith(suffix)]
        else:
            names = [entry.name for entry in entries]
        if folders and names:
            taken = frozenset(folders)
            names = [name for name in names if name not in taken]
        return names, folders

    def _deeper(self, folders: list[str], where: str, plain: bool, calm: bool) -> tuple[list[str], list[str]]:
        """Of the folders in a folder, those that are told, and those that are gone into."""
        seen = folders if calm else self._open(self._dotted(folders), plain)
        wanted = seen if self.enter is None else self.enter(where, seen)
        seen = sorted(seen if self.keep is None else self.keep(where, seen))
        if where.count("/") + 1 >= self._deepest or where.count("/") + 1 >= self.depth:
            self._left("deep", len(wanted) if self.depth >= DEPTH else 0)
            return seen, []
        if calm and HEAVY.isdisjoint(wanted) and self._here != "/":
            return seen, wanted
        light = [name for name in wanted if name not in HEAVY and not (self._here == "/" and name in _KERNEL)]
        self._left("heavy", len(wanted) - len(light))
        return seen, light

    def _dotted(self, names: list[str]) -> list[str]:
        """`names` without those that are hidden."""
        if self.hidden:
            return names
        shown = [name for name in names if name[0] != "."]
        self._left("hidden", len(names) - len(shown))
        return shown

    def _open(self, names: list[str], plain: bool) -> list[str]:
        """`names` without those that are closed."""
        found = self._below.names(self._here, names, plain)
        self._left("private", len(names) - len(found))
        return found

    def _kept(self, where: str, names: list[str], plain: bool) -> list[str]:
        names = self._dotted(names)
        if self.keep is not None and names:
            names = self.keep(where, names)
        if names:
            found = self._below.names(self._here, names, plain, self._end)
            if len(found) != len(names):
                self._left("private", len(names) - len(found))
                names = found
            if self.sorted:
                names.sort()
        return names

    def _next(self, way: list[Level]) -> None:
        """Go into the next folder, up the way where there is none left; what is done is closed."""
        while way:
            fd, where, full, plain, below, odd = way[-1]
            while below:
                name = below.pop()
                path = f"{full}/{name}" if full != "/" else f"/{name}"
                try:
                    deeper = os.open(name, _FOLDER, dir_fd=fd)
                except OSError as error:
                    self._failed(error)
                    continue
                usual = plain and (name not in odd or is_quick(name))
                way.append((deeper, f"{where}{name}/", path, usual, [], set()))
                if self._below.folder(os.fstat(deeper), path):
                    return
                os.close(way.pop()[0])
                self._left("private", 1)
            os.close(way.pop()[0])


def grow(holder: Holder, way_to: Way, path: str, verb: str) -> Tree:
    """The tree at the end of a way. ToolFault where no folder and no regular file is, Refused without a deep grant.

    What may be listed, but not below, gives its own names alone.
    """
    spot = place(path, holder.world.scene)
    grant = holder.grant(verb, spot.root, spot.path)
    if verb == "read" and not grant.deep:
        raise Refused(f"the permit of {holder.call.tool} does not reach below {path}", "hands.no-grant")
    thing, spot = way_to.opened(path)
    kept = False
    try:
        kind = os.fstat(thing).st_mode & 0o170000
        if kind not in (0o040000, 0o100000) or (kind == 0o100000 and path.endswith("/")):
            raise ToolFault(f"{path} is no folder and no regular file", "only those can be searched")
        tree = Tree(holder, thing, spot, grant)
        kept = True
        return tree
    finally:
        if not kept:
            os.close(thing)
