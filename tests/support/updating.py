"""What the tests of updates on an emulated board share: a card with updates on it, and its words."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from edge.card.layout import CONFIG
from hil import card, release
from hil.drivers.qemu import Machine
from hil.resources import named
from tests.support.emulated import UNTIL, image

MACHINE = "raspi0"
CARD_BYTES = 512 << 20  # room for three updates beside two slots
OWNER, STRANGER = release.key("owner"), release.key("stranger")
# The two that a board goes to and fro between, and one that fails its health check.
ONE, TWO, BROKEN = "8.1.0", "8.2.0", "8.3.0"
CONFIRMED = "/run/fieldhand/boot.txt"


def prepared(folder: Path) -> Path:
    """A card as after its first start: its slot confirmed, the owner's key in provision.toml, the updates in /data."""
    source, found = image(MACHINE), folder / "prepared.img"
    card.insert(source, found)
    os.truncate(found, CARD_BYTES)
    card.started(found)
    card.put(found, CONFIG, "provision.toml", f'[board]\nkeys = ["{release.line(OWNER)}"]\n'.encode())
    for version, path in updates(found, folder / "made").items():
        card.put_data(found, path, f"{version}.update")
    shutil.rmtree(folder / "made")
    return found


def updates(image: Path, folder: Path) -> dict[str, Path]:
    """Updates made from the slot of a card, by version; "foreign" is one that somebody unknown signed."""
    folder.mkdir()
    maker = release.Releases(image, named(MACHINE).product, folder)
    foreign = maker.make(ONE, STRANGER).rename(folder / "foreign")
    os.truncate(foreign, 64 << 10)  # it is refused before its content is looked at
    made = {ONE: maker.make(ONE, OWNER), TWO: maker.make(TWO, OWNER), "foreign": foreign}
    made[BROKEN] = maker.make(BROKEN, OWNER, lambda tree: health(tree).unlink())
    return made


def health(tree: Path) -> Path:
    """The module without which a slot is never confirmed."""
    return tree / "usr/lib/fieldhand/edge/card/health.pyc"


def confirmed(board: Machine) -> None:
    """Wait until the health check of the board confirmed its slot."""
    code, text = board.console.run(UNTIL.format(f"grep -q CONFIRMED=1 {CONFIRMED}", 600), 900)
    assert code == 0, text


def status(board: Machine) -> dict[str, Any]:
    """What `update status --json` says."""
    code, text = board.console.run("fieldhand update status --json", 600)
    (told,) = [line for line in text.splitlines() if line.startswith("{")]
    assert code == 0
    found: dict[str, Any] = json.loads(told)
    return found


def words(found: dict[str, Any]) -> str:
    """The boot state in a line."""
    state = found["state"]
    return f"slot {state['slot']} prev {state['prev']} good {int(state['good'])} tries {state['tries']} {state['why']}"
