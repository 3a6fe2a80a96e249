"""`image flash IMAGE [TARGET]`: write a card, read it back, and say only then that it is a card.

Rules:
1. First all that can be said of the image (signature, manifest, map, provision.toml), then of the target; then a person
   is asked; then images/writing.py writes.
2. The target is judged twice, when it is named and when it is opened: it can have been mounted in between.
3. What is no disk is a plain file, new or as large as the image at least. Nothing is made below /dev.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from edge.faults import UsageFault
from images import beside, bmap, disks, keys, provisioned
from images.machine import Machine
from images.progress import Progress, amount
from images.source import Image
from images.target import Target, open_disk, open_file
from images.writing import check, write

ABOUT = """\
Writes an image onto a card, reads all of it back and compares. Without TARGET
the disks of this machine are listed and nothing is written. TARGET is a whole
disk (/dev/sdX, /dev/disk/by-id/...) or a plain file.

Never written over: the disk this system runs from, and a disk of which
anything is mounted, swapped to or held by LVM, RAID or encryption. A disk
that is not removable, or has more than 256 GB, must be named twice: --again
TARGET."""


def main(words: list[str]) -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(
        "fieldhand image flash", description=ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a .img or .img.zst")
    parser.add_argument("target", nargs="?", metavar="TARGET", help="a disk or a file; absent: list the disks")
    parser.add_argument("--bmap", type=Path, metavar="FILE", help="the block map (default: the one beside the image)")
    parser.add_argument(
        "--key", type=Path, action="append", default=[], metavar="NAME.pub", help="a key that you trust"
    )
    parser.add_argument("--unsigned", action="store_true", help="take an image that no trusted key signed")
    parser.add_argument("--again", metavar="TARGET", help="the target once more, where it is unusual for a card")
    parser.add_argument(
        "--provision", type=Path, metavar="FILE", help="a provision.toml, checked and put onto the card"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before all on the target is lost")
    told = parser.parse_args(words)
    machine = Machine()
    if told.target is None:
        print(listed(machine, Image(told.image)))
        return 0
    return _flash(told, machine)


def _flash(told: argparse.Namespace, machine: Machine) -> int:
    progress = Progress(sys.stderr)
    image = Image(told.image)
    found = beside.look(told.image, told.bmap, [keys.load_public(key) for key in told.key], told.unsigned)
    for sentence in found.words:
        progress.note(sentence)
    if found.of is None:
        progress.note("no block map: all of the image is written")
    of = found.of or bmap.whole(image.size())
    judge(machine, told.target, of.size, told.again)
    with ExitStack() as stack:
        if told.provision is not None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fieldhand-flash-"))
            check(image, of, progress)
            image, of = provisioned.make(image, of, told.provision, Path(folder))
        mode = 0o666 if told.provision is None else 0o600  # it holds that file's secrets
        target = opened(machine, told.target, of.size, told.again, told.image, mode)
        failed = True
        try:
            _asked(told, machine, target)
            write(image, of, target, progress)
            failed = False
        finally:
            target.close(failed)
    print(f"{told.target}: {amount(of.bytes)} written and read back; it can be taken out")
    return 0


# --- the target ---


def judge(machine: Machine, path: str, need: int, again: str | None) -> disks.Disk | None:
    """The disk behind a path, if it may be written over, or None for a plain file. UsageFault for all else."""
    node = machine.node(path)
    if again is not None and machine.node(again).path != node.path:
        raise UsageFault(f"--again names {again}, which is not {path}")
    if node.kind == "block":
        name = machine.named(node.number)
        if not name:
            raise UsageFault(f"{path} is a device that this machine does not have ({node.number})")
        return disks.check(machine, name, need, again is not None)
    if node.path.startswith("/dev/") and not node.path.startswith("/dev/shm/"):
        what = "is not there" if node.kind == "absent" else f"is no disk but a {node.kind} device"
        what = f"{path} {what}" if node.kind in ("absent", "character") else f"{path} is a {node.kind} among devices"
        raise UsageFault(what, "the disks of this machine: fieldhand image flash IMAGE")
    if node.kind not in ("file", "absent"):
        raise UsageFault(f"{path} is a {node.kind}, neither a disk nor a plain file")
    holder = _used_file(machine, node.path)
    if holder:
        raise UsageFault(f"{path} is in use: {holder}")
    return None


def opened(machine: Machine, path: str, need: int, again: str | None, image: Path, mode: int = 0o666) -> Target:
    """The target, judged and open; `mode` of a file that is made."""
    disk = judge(machine, path, need, again)
    node = machine.node(path)
    return open_disk(machine, disk, node.path) if disk is not None else open_file(node.path, need, image, mode)


def _used_file(machine: Machine, path: str) -> str:
    for name in machine.all_disks():
        if machine.attribute(name, "loop/backing_file") == path:
            return f"{name} stands on it"
    return "it is swap" if path in machine.swaps() else ""


def listed(machine: Machine, image: Image) -> str:
    """The disks of this machine, those that would be taken first."""
    near = beside.find_map(image.path)
    need = bmap.load(near).size if near else 0 if image.packed else image.stored
    rows = [(disks.refusal(machine, disk.name, need, again=False), disk) for disk in disks.every(machine)]
    lines = [f"  {disks.described(disk)}" for sentence, disk in rows if not sentence]
    lines = ["would be written over:", *lines] if lines else ["no disk that looks like a card is here."]
    refused = [f"  {sentence}" for sentence, _ in rows if sentence]
    lines += ["would be refused:", *refused] if refused else []
    return "\n".join([*lines, "", f"nothing was written; name one: fieldhand image flash {image.path} /dev/..."])


def _asked(told: argparse.Namespace, machine: Machine, target: Target) -> None:
    """Ask before what is there is lost. UsageFault when nobody can be asked or the answer is not yes."""
    if told.yes or target.made is not None:
        return
    node = machine.node(told.target)
    name = machine.named(node.number)
    words = disks.described(disks.read(machine, name)) if name else f"{node.path} ({amount(target.size)})"
    if not sys.stdin.isatty():
        raise UsageFault(f"all on {words} would be lost, and nobody can be asked", "--yes says that this is meant")
    print(
        f"All on {words} will be lost.\nWrite {told.image.name} onto it? Type yes: ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    if sys.stdin.readline().strip().lower() != "yes":
        raise UsageFault("the answer was not yes: nothing was written")
