"""`fieldhand provision check FILE|FOLDER`, `provision apply [FOLDER [DATA]]`, `provision status [FOLDER [DATA]]`.

Rules:
1. `check` runs on a laptop: it needs no board and changes nothing. Each fault is a line with its number; 0 when there
   is none, 3 else.
2. `apply` is a step of the boot: it takes what lies on the card's first partition (or in FOLDER), and tells it in
   status.txt there. 0, also when there was nothing; 3 when something is wrong and nothing was taken.
3. `status` writes status.txt again, with what is known by then (addresses), and prints it.
"""

from __future__ import annotations

import os

from edge.card.places import DATA, RELEASE, RUN
from edge.cli import put, say
from edge.faults import CardFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.card.provisioning import Result
    from edge.cli.args import Options

HOW = "provision check FILE or FOLDER, provision apply, provision status"
NO_CARD = "provision check FILE only looks; provision apply FOLDER DATA and status FOLDER DATA take folders for a card"


def provision(options: Options) -> int:
    """`fieldhand provision ...`. UsageFault, CardFault, OutputFault."""
    words = options.words
    if words[:1] == ("check",) and len(words) == 2:
        return check(words[1])
    if words[:1] == ("apply",) and len(words) <= 3:
        return _at(words[1:], apply)
    if words[:1] == ("status",) and len(words) <= 3:
        return _at(words[1:], status)
    if words[:1] == ("check",):
        raise UsageFault("provision check needs one file or folder", "provision check provision.toml")
    asked = f"knows no {' '.join(words)[:60]!r}" if words else "needs to know what to do"
    raise UsageFault(f"provision {asked}", HOW)


def _at(words: tuple[str, ...], what: Callable[[str, str, str], int]) -> int:
    """Do it in the folder that was named, else in the card's first partition."""
    if words:
        for folder in words:
            if not os.path.isdir(folder):
                raise UsageFault(f"{folder} is no folder", "name the mounted first partition, and a data folder")
        data = os.path.abspath(words[1]) if len(words) > 1 else DATA
        return what(words[0], data, data if len(words) > 1 else RUN)
    from edge.card.first import First
    from edge.card.provision_disk import Disk, finish

    finish(Disk(), DATA)  # what a cut left half moved is moved, whatever becomes of the first partition
    if not os.path.exists(RELEASE):
        raise CardFault("this system was started from no card of ours", NO_CARD)
    with First() as folder:
        return what(folder, DATA, RUN)


def check(path: str) -> int:
    """Tell every fault of a file, or of a folder as the first partition; 0 or 3."""
    from edge.card import hidden, provisioning

    looked = provisioning.look_at(path)
    lines = [("note: " if one.only_said else "") + str(one) for one in looked.wrong]
    for line in hidden.clean(lines, looked.asked.untold):
        put(line)
    if looked.faults:
        count = len(looked.faults)
        put(f"{count} line{'s are' if count > 1 else ' is'} wrong: a board would take nothing of it")
        return 3
    named = ", ".join(looked.asked.named)
    put(f"all right; it sets: {named}" if named else "all right; it asks for nothing, so a board leaves it as it is")
    return 0


def apply(folder: str, data: str, run: str) -> int:
    """The step of the boot: take it, tell it. 0 or 3."""
    from edge.card import provisioning
    from edge.card.provision_disk import Disk
    from edge.card.provisioning import Result

    disk = Disk()
    number = provisioning.count(disk, data)
    try:
        result = provisioning.apply(disk, folder, data, run)
    except CardFault as fault:
        result = Result("wrong", (str(fault),))
    _remember(run, result)
    for line in result.lines if result.word != "nothing" else ():
        say(f"provision: {line}")
    _write(folder, _page(data, run, number))
    return 3 if result.word == "wrong" else 0


def _remember(run: str, result: Result) -> None:
    from edge.card import provisioning

    try:
        provisioning.remember(run, result)
    except OSError as fault:
        say(f"provision: what was done cannot be noted in {run}: {(fault.strerror or str(fault)).lower()}")


def status(folder: str, data: str, run: str) -> int:
    """Write status.txt with what is known now, and print it; 0."""
    text = _page(data, run, 0)
    _write(folder, text)
    put(text.rstrip("\n"))
    return 0


def _write(folder: str, text: str) -> None:
    """A first partition that takes no status.txt is said and stops nothing."""
    from edge.card import status as page

    try:
        page.put(folder, text)
    except OSError as fault:
        say(f"provision: status.txt cannot be written: {(fault.strerror or str(fault)).lower()}")


def _page(data: str, run: str, number: int) -> str:
    from edge.card import provisioning
    from edge.card import status as page
    from edge.card.addresses import addresses

    rows = provisioning.rows
    return page.page(
        [
            ("Fieldhand: what this board was told, and how it is", _when(data, run, number)),
            ("Provisioning", provisioning.remembered(run)),
            ("This board", _board(data)),
            ("This start", [*_facts(run), *rows(f"{run}/health.txt")]),
            ("Addresses", addresses()),
        ]
    )


def _facts(run: str) -> list[str]:
    from edge.card import boot

    return [f"{name}={value}" for name, value in boot.facts(run).items() if value.isprintable()]


def _when(data: str, run: str, number: int) -> list[str]:
    """This board has no clock that goes on without power: the start is counted, its time is a hint until it was set."""
    import time

    from edge.card.provisioning import rows

    started = number or next((int(row) for row in rows(f"{data}/etc/starts") if row.isdecimal()), 0)
    clock = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    known = "set by a time server" if rows(f"{run}/clock.txt") else "not set yet, so it may be wrong"
    which = f"start {started} of this board" if started else "a start of this board that nobody counted"
    return [f"{which}; its clock says {clock} ({known})"]


def _board(data: str) -> list[str]:
    from edge.card.provisioning import rows

    own = [f"{name}: {row}" for name in ("hostname", "id") for row in rows(f"{data}/etc/{name}")[:1]]
    set_ = os.path.exists(f"{data}/etc/shadow")
    word = (
        "set by provisioning" if set_ else "THE DEFAULT, which everybody knows: set [login] password in provision.toml"
    )
    return [*own, f"password: {word}", *rows(RELEASE)]
