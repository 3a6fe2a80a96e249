"""Provisioning as a whole: what lies on the first partition -> checked -> on the data partition -> consumed -> told.

Rules:
1. Everything is checked before anything is changed. One fault, and nothing is taken: the board starts as it was.
2. provision.toml wins over cloud-init's files, table by table. A file that asks for nothing is left as it is, so the
   example that comes with the card stays.
3. Where the data partition is memory for this start (VOLATILE=1 in boot.txt), what was asked holds for this start, and
   nothing is consumed.
"""

from __future__ import annotations

from edge.card import boot, cloud, hidden, provision_disk, provision_plan, provision_toml
from edge.card.asked import OWN, Asked
from edge.card.provision_plan import Board
from edge.card.written import LARGEST, Wrong
from edge.faults import CardFault, ConfigFault
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.card.provision_disk import Disk
    from edge.card.provision_plan import Plan

SAID = "provision.txt"
FIELDS = {
    **{table: [field for field, _ in keys.values()] for table, keys in OWN.items()},
    "wired": ["network"],
}


class Looked(Record):
    """What lies on a first partition: the files that ask for something, what they ask, what is wrong."""

    asked: Asked
    wrong: tuple[Wrong, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[Wrong, ...]:
        return tuple(one for one in self.wrong if not one.only_said)


class Result(Record):
    """What came of it: nothing, applied, kept (volatile) or wrong, and lines that tell it without secrets."""

    word: str
    lines: tuple[str, ...] = ()


def look_at(path: str) -> Looked:
    """The same on a laptop, of one file by its name, or of a folder. CardFault, ConfigFault."""
    import os

    if os.path.isdir(path):
        return look(path, False)
    raw, name = small(path), os.path.basename(path)
    if raw is None:
        raise ConfigFault(f"there is no {path}", "name a provision.toml, or the folder it is in")
    if name in cloud.FILES:
        found, wrong = cloud.asked({name: raw})
    else:
        found, wrong = provision_toml.asked(raw, False, name)
    return Looked(found, tuple(wrong), (name,) if found.named else ())


def look(first: str, here: bool) -> Looked:
    """Read and check what lies in the folder. here: on the board that it is for. CardFault: it cannot be read."""
    found = {name: raw for name in (provision_toml.FILE, *cloud.FILES) if (raw := small(f"{first}/{name}")) is not None}
    asked, wrong = Asked(), list[Wrong]()
    files = []
    if provision_toml.FILE in found:
        asked, wrong = provision_toml.asked(found[provision_toml.FILE], here)
        files += [provision_toml.FILE] * bool(asked.named)
    clouds = {name: raw for name, raw in found.items() if name != provision_toml.FILE}
    if clouds:
        second, more = cloud.asked(clouds)
        wrong += more
        asked = merged(asked, second)
        files += [*clouds] if second.named else []
    return Looked(asked, (*wrong, *_misnamed(first)), tuple(files))


def _misnamed(first: str) -> list[Wrong]:
    """Files that were meant and are called otherwise, such as provision.toml.txt, which Notepad makes."""
    import os

    try:
        names = sorted(os.listdir(first))
    except OSError as fault:
        raise CardFault(
            f"{first} cannot be read: {(fault.strerror or str(fault)).lower()}", "look at the card"
        ) from fault
    meant = {name.partition(".")[0]: name for name in (provision_toml.FILE, *cloud.FILES)}
    fine = (*provision_disk.DONE, *provision_disk.DONE.values())
    found = [(name, meant.get(name.lower().partition(".")[0].strip(" ()123"), "")) for name in names]
    return [
        Wrong(name, 0, f"is not read, for it is not called {to}", "rename it", only_said=True)
        for name, to in found
        if to and name.lower() not in fine
    ]


def merged(first: Asked, second: Asked) -> Asked:
    """The first, and of the second the tables that the first does not name."""
    more = [name for name in second.named if name not in first.named]
    fields = {field: getattr(second, field) for name in more for field in FIELDS[name]}
    return replace(first, named=(*first.named, *more), hidden=(*first.hidden, *second.hidden), **fields)


def small(path: str) -> bytes | None:
    """The content of a file that a person or we wrote, cut behind LARGEST; None when it is not there. CardFault."""
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise CardFault(
            f"{path} cannot be read: {(fault.strerror or str(fault)).lower()}", "look at the card"
        ) from fault


def apply(disk: Disk, first: str, data: str, run: str, default: str = "/etc/fieldhand/config.toml") -> Result:
    """Take what lies in `first`, so that it holds in `data`; what it came to. CardFault when the card fails.

    run: the folder of boot.txt. default: the settings of a board that has none yet.
    """
    provision_disk.finish(disk, data)
    volatile = boot.facts(run).get("VOLATILE") == "1"
    if not volatile:
        provision_disk.consumed(disk, first, data)
        provision_disk.scrub(disk, first)
    looked = look(first, True)
    board, said = board_of(data, default)
    plan, wrong = provision_plan.plan(looked.asked, board, data, provision_toml.FILE)
    wrong += _together(looked.asked, plan, board) if not wrong and not looked.faults else []
    faults = (*looked.faults, *wrong)
    only_said = [str(one) for one in looked.wrong if one.only_said] + said
    if faults:
        lines = ["NOTHING WAS TAKEN, the board is as it was. Correct these lines and start it again:"]
        return Result("wrong", _clean(looked, board, [*lines, *map(str, faults), *only_said]))
    if not looked.files:
        return Result("nothing", _clean(looked, board, ["nothing new was asked for", *only_said]))
    provision_disk.commit(disk, data, plan)
    if volatile:
        lines = ["taken for this start only, because the data partition cannot be used; it will be taken again"]
        return Result("kept", _clean(looked, board, [*lines, *plan.said, *only_said]))
    provision_disk.consume(disk, first, data, looked.files)
    lines = [f"taken: {', '.join(looked.files)}, secrets erased there"]
    return Result("applied", _clean(looked, board, [*lines, *plan.said, *only_said]))


def _clean(looked: Looked, board: Board, lines: list[str]) -> tuple[str, ...]:
    """Lines without secrets, whatever words they quote, of the files or of the settings that the board has."""
    return hidden.clean(lines, (*looked.asked.untold, *hidden.values(board.settings)))


def board_of(data: str, default: str) -> tuple[Board, list[str]]:
    """What the board has, and a line when its settings cannot be read: then they are replaced, not merged."""
    said = []
    settings = _settings(f"{data}/{provision_plan.CONFIG}")
    if settings is None:
        said.append("the settings of the board could not be read, so those of the image are its base now")
    if not settings:
        settings = _settings(default) or {}
    texts = [small(f"{data}/{path}") or b"" for path in (provision_plan.SHADOW, provision_plan.KEY)]
    shadow, key = (raw.decode("utf-8", "replace") for raw in texts)
    return Board(settings, _settings(f"{data}/{provision_plan.LATER_FILE}") or {}, shadow, key), said


def _settings(path: str) -> dict[str, Any] | None:
    """The tables of a file: none when it is not there, None when it is no TOML."""
    from edge import toml

    raw = small(path)
    if raw is None:
        return {}
    try:
        return toml.load(raw.decode("utf-8"), path)[0]
    except (ConfigFault, UnicodeDecodeError):
        return None


def _together(asked: Asked, plan: Plan, board: Board) -> list[Wrong]:
    """What is wrong only together with the tables that the board has and that were not named."""
    from edge.card import provision_settings
    from edge.card.asked import Reader

    if not plan.settings or plan.settings == board.settings:
        return []
    reader = Reader(provision_toml.FILE, {})
    provision_settings.check(plan.settings, reader, True)
    others = ", ".join(name for name in board.settings if name not in asked.named)
    return [
        replace(one, sentence=f"with what the board has in {others}: {one.sentence}")
        for one in reader.wrong
        if not one.only_said
    ]


def count(disk: Disk, data: str) -> int:
    """One more start of this board; its number. A number that cannot be kept is 0: nobody counts on it."""
    path = f"{data}/etc/starts"
    raw = (small(path) or b"").strip()
    number = int(raw) + 1 if raw.isdigit() and len(raw) < 10 else 1
    try:
        disk.folder(f"{data}/etc")
        disk.remove(f"{path}.new")
        disk.put(f"{path}.new", b"%d\n" % number, 0o644)
        disk.rename(f"{path}.new", path)
    except OSError:
        return 0
    return number


def remember(run: str, result: Result) -> None:
    """Keep the lines for this start, so that status.txt can be written again later. OSError."""
    with open(f"{run}/{SAID}", "w", encoding="utf-8") as file:
        file.write("\n".join(result.lines) + "\n")


def remembered(run: str) -> list[str]:
    """The lines of this start, none before."""
    return rows(f"{run}/{SAID}")


def rows(path: str) -> list[str]:
    """The lines of a file of our own that can be shown, none when it is not there."""
    raw = small(path) or b""
    return [row for row in raw.decode("utf-8", "replace").split("\n") if row and row.isprintable()]
