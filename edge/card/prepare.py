"""Before /data is used: the data partition grown, made once, looked over, mounted. Run by the boot, again at any time.

Rules:
1. A file system is made only when the boot state says `new`: on a card as it was flashed, and after `data reset`. Then
   the state becomes `made`, and only what the state calls made is ever mounted: a cut at any point makes it again,
   when there was nothing in it yet.
2. Nothing else formats. What cannot be checked or mounted stays as it is on the card but for what e2fsck -p did before
   it gave up, /data is memory for this boot, and why is said (boot.txt, doctor, the console). Settings that can still
   be read there are carried over, so that the board's outputs stay declared.
3. Data of a schema that this image does not know are left alone the same way, and nothing of them is carried over: an
   older slot, after a fall back, reads them or refuses plainly. The schema rises only when a slot is confirmed
   (edge/card/health.py), or here, when that was cut between the state and the schema.
4. Growing that fails is said and stops nothing: the partition works as small as it is.
5. mke2fs, e2fsck and mount are the system's. Source of exit codes: e2fsck(8): 0 clean, 1 and 2 mended, 4 and more not.
6. e2fsck that mended (1 and 2; what a power cut leaves is no damage and 0) may have taken away what had been
   acknowledged, the audit log with the rest. So that is told as what it is (`mended`), and put down there as an alarm.
7. Of a plain file the file system lies at the partition's offset: the same steps, and the double of the tests.
"""

from __future__ import annotations

import os

from edge.card import boot, grow, layout, programs
from edge.card import state as states
from edge.card.places import ASIDE, DATA, RUN
from edge.faults import CardFault, Fault, HardwareFault
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.card.slots import Card

FOLDERS = (("config", 0o700), ("state", 0o700), ("work", 0o755), ("etc", 0o755))
CARRIED = ("config", "etc")
CARRIED_BYTES = 1 << 20
SMALL = 512 << 20  # bytes of a partition from which on the journal is told its size, or mke2fs would zero a gigabyte
OPTIONS = "noatime,nosuid,nodev,commit=30,errors=remount-ro"
SECONDS = 170.0  # for one program; what feeds the watchdog until the supervisor does so lasts 180 s


class Place(Record):
    """Where things are. `schema`: the newest form of data that this image knows."""

    schema: int
    data: str = DATA
    run: str = RUN
    aside: str = ASIDE


class Found(Record):
    """What came of it. `volatile`: /data is memory, and `why`; `mended`: rule 6, or ""; `said`: other sentences for
    the console."""

    volatile: bool = False
    why: str = ""
    made: bool = False
    mended: str = ""
    said: tuple[str, ...] = ()


class System:
    """The programs that do it. A test double overrides `mount` and `unmount`, which need a kernel's block device."""

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and first words of a program; 127 when there is none of that name, 124 when it takes too long."""
        code, lines = programs.run(words, SECONDS)
        told = [line for line in lines if not line.startswith(f"{words[0]} 1.")]  # its version is no news
        return code, "; ".join(told[:3])[:300]

    def mount(self, node: str, options: str, where: str) -> tuple[int, str]:
        """Mount the data partition."""
        return self.run("mount", "-t", "ext4", "-o", options, node, where)

    def memory(self, where: str) -> tuple[int, str]:
        """Mount a piece of memory."""
        return self.run("mount", "-t", "tmpfs", "-o", "mode=0755,nosuid,nodev,size=25%", "tmpfs", where)

    def unmount(self, where: str) -> tuple[int, str]:
        """Unmount."""
        return self.run("umount", where)

    def mounted(self, where: str) -> bool:
        """True when something is mounted there."""
        return os.path.ismount(where)


def prepare(card: Card | None, place: Place, system: System, why: str = "") -> Found:
    """All of it. `card` None: there is none that can be used, and `why`. HardwareFault: not even memory is there."""
    if system.mounted(place.data):
        found = Found(said=(f"{place.data} is mounted already: nothing was changed",))
    else:
        found = _prepared(card, place, system) if card is not None else _volatile(place, system, why)
        _told(found, place)
    return found


def _prepared(card: Card, place: Place, system: System) -> Found:
    said = []
    try:
        grown = grow.grow(card.device.path)
        if grown.kernel == grow.LATER:
            said.append("the kernel knows the data partition's new length only after the next start")
    except CardFault as fault:
        said.append(str(fault))
    made, mended = False, ""
    node = _node(card)
    try:
        made = _made(card, system)
        if not made:
            mended = _checked(node, system)
        _mounted(node, place, system)
    except Fault as fault:
        return replace(_volatile(place, system, str(fault), node), said=tuple(said))
    try:
        laid(place)
        if _confirmed(card) and schema(place.data) < place.schema:
            rise(place)
    except Fault as fault:
        system.unmount(place.data)
        return replace(_volatile(place, system, str(fault)), said=tuple(said))
    except OSError as error:
        system.unmount(place.data)
        why = f"{place.data} cannot be used: {error.strerror}"
        return replace(_volatile(place, system, why, node), said=tuple(said))
    return Found(made=made, mended=mended, said=tuple(said))


def _confirmed(card: Card) -> bool:
    """Whether the version that runs passed its health check in a start before; not when the state was lost."""
    state = card.state()
    return state.good and state.why != "lost"


def _node(card: Card) -> str:
    """What mke2fs and mount take for the partition: its node, or the card file with an offset (libext2fs)."""
    path = card.device.path
    if os.stat(path).st_mode & 0o170000 == 0o060000:
        return layout.device(path, layout.DATA)
    return f"{path}?offset={_first(card) * layout.SECTOR}"


def _first(card: Card) -> int:
    entry = card.table.part(layout.DATA)
    if entry is None:
        raise CardFault(f"{card.device.path} has no partition {layout.DATA} for data")
    return entry.first


# --- making and looking over ---


def _made(card: Card, system: System) -> bool:
    """Make the file system if the state says that there is none; True when it was made. CardFault, HardwareFault."""
    state = card.state()
    if state.data != states.NEW:
        return False
    code, text = system.run(*make_words(card))
    if code:
        raise CardFault(f"the data partition could not be made: {text}", "the next start tries again")
    card.device.sync()
    card.keep(replace(card.state(), data=states.MADE))
    return True


def make_words(card: Card) -> list[str]:
    """The command that makes the file system. Nothing is discarded: some cards take minutes for that."""
    from edge.card import mbr

    table = mbr.read(card.device.read(0, mbr.SIZE))
    entry = table.part(layout.DATA) if table is not None else None
    if entry is None:
        raise CardFault(f"{card.device.path} has no partition {layout.DATA} for data")
    size = entry.sectors * layout.SECTOR
    journal = ["-J", "size=16"] if size > SMALL else []
    words = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-L", layout.DATA_LABEL, *journal]
    path, _, offset = _node(card).partition("?offset=")
    if offset:
        return [*words, "-E", f"nodiscard,root_owner=0:0,offset={offset}", path, f"{size >> 10}k"]
    return [*words, "-E", "nodiscard,root_owner=0:0", path]


def _checked(node: str, system: System) -> str:
    """Replay the journal and mend what may be mended without asking; what was mended, by rule 6. CardFault."""
    code, text = system.run("e2fsck", "-p", node)
    if code in (126, 127):
        return ""  # none here: the kernel replays the journal, and says what it cannot mount
    if code >= 4:
        raise CardFault(
            f"the data partition is damaged and was left as e2fsck -p left it: {text}",
            f"log in as rescue: e2fsck -y {node}, then reboot; or fieldhand data reset",
        )
    return f"the data partition was damaged and was mended, what stood there may be gone: {text}" if code else ""


def _mounted(node: str, place: Place, system: System) -> None:
    os.makedirs(place.data, exist_ok=True)
    code, text = system.mount(node, OPTIONS, place.data)
    if code:
        raise CardFault(
            f"the data partition cannot be mounted and was left as it is: {text}",
            f"log in as rescue: e2fsck -y {node}, then reboot; or fieldhand data reset",
        )


# --- memory instead ---


def _volatile(place: Place, system: System, why: str, node: str = "") -> Found:
    """/data in memory, with the settings that can still be read on the card."""
    os.makedirs(place.data, exist_ok=True)
    code, text = system.memory(place.data)
    if code:
        raise HardwareFault(f"{place.data} can be neither the card nor memory: {why}; {text}")
    if node and _carry(node, place, system):
        why += "; its settings were read and hold for this start"
    laid(place)
    return Found(volatile=True, why=why)


def _carry(node: str, place: Place, system: System) -> bool:
    """Copy settings from the damaged partition, looked at without changing a byte; True when there were some."""
    os.makedirs(place.aside, mode=0o700, exist_ok=True)
    if system.mount(node, "ro,noload,nosuid,nodev,noexec", place.aside)[0]:
        return False
    try:
        return [_copied(place, path) for path in _small(place.aside)] != []
    except OSError:
        return False
    finally:
        system.unmount(place.aside)


def _small(aside: str) -> Iterator[str]:
    """Plain files of the settings, by their paths below `aside`."""
    for name in CARRIED:
        for folder, _, names in os.walk(f"{aside}/{name}"):
            for one in names:
                path = f"{folder}/{one}"
                if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) <= CARRIED_BYTES:
                    yield path[len(aside) + 1 :]


def _copied(place: Place, path: str) -> str:
    import shutil

    target = f"{place.data}/{path}"
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    shutil.copyfile(f"{place.aside}/{path}", target)
    shutil.copymode(f"{place.aside}/{path}", target)
    return target


# --- what stands in it ---


def laid(place: Place) -> None:
    """The folders of /data with their modes, and its schema. CardFault for data of a newer one; OSError."""
    from edge.card.restore import Home, finish

    known = schema(place.data)
    if known > place.schema:
        raise CardFault(
            f"the data have schema {known}, and this version reads them up to {place.schema}",
            "they were left alone: update again, or go back to the version that wrote them",
        )
    finish(Home(place.data))
    for name, mode in FOLDERS:
        path = f"{place.data}/{name}"
        os.makedirs(path, mode=mode, exist_ok=True)
        os.chmod(path, mode)
    _looked(place.data)
    if known < 0:
        rise(place)


def _looked(data: str) -> None:
    """Every folder that a start reads is whole: one that is not stops the file system only when somebody reads it, and
    e2fsck -p looks at nothing where the last stop was orderly. OSError."""

    def told(error: OSError) -> None:
        raise error

    for name in ("config", "etc", "state"):
        for _ in os.walk(f"{data}/{name}", onerror=told):
            pass


def schema(data: str) -> int:
    """The schema of what is in /data; -1 when nothing says."""
    from edge.tape.disk import small_file

    text = small_file(f"{data}/schema").strip()
    return int(text) if text.isdigit() and len(text) < 10 else -1


def rise(place: Place) -> None:
    """Write down that the data are of this image's schema. OSError."""
    kept(f"{place.data}/schema", f"{place.schema}\n".encode())


def kept(path: str, data: bytes, mode: int = 0o644) -> None:
    """A small file, wholly on the card or as it was before. OSError."""
    from edge.card.restore import sync_folder

    handle = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)
    finally:
        os.close(handle)
    os.rename(f"{path}.new", path)
    sync_folder(os.path.dirname(path))


def _told(found: Found, place: Place) -> None:
    """For those who look later."""
    os.makedirs(place.run, exist_ok=True)
    more = {
        "DATA": "volatile" if found.volatile else "mounted",
        "DATA_WHY": found.why,
        "DATA_MENDED": found.mended,
        "DATA_SAID": "; ".join(found.said),
    }
    boot.tell({**more, **({"VOLATILE": "1"} if found.volatile else {})}, place.run)
