"""/data is made once, looked over and mounted, or memory with a reason; a card file, the real mke2fs and e2fsck."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from edge.card import boot, layout, mbr, prepare
from edge.card import state as states
from edge.card.prepare import Found, Place, System
from edge.card.slots import Card, Device
from edge.faults import HardwareFault

needs_mke2fs = pytest.mark.skipif(not shutil.which("mke2fs"), reason="mke2fs is not installed here")


class Folders(System):
    """What is mounted is a folder: of the card's file system only its superblock is asked whether it is whole."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept  # what lies on the data partition
        self.ran: list[str] = []
        self.on = False
        self.memory_works = True

    def run(self, *words: str) -> tuple[int, str]:
        self.ran.append(words[0])
        return super().run(*words)

    def mount(self, node: str, options: str, where: str) -> tuple[int, str]:
        path, _, offset = node.partition("?offset=")
        with open(path, "rb") as card:
            card.seek(int(offset) + 1024 + 56)
            if card.read(2) != b"\x53\xef":
                return 32, "wrong fs type"
        if not where.endswith("old"):
            self.on = True
        shutil.copytree(self.kept, where, symlinks=True, dirs_exist_ok=True)
        return 0, ""

    def memory(self, where: str) -> tuple[int, str]:
        self.on = self.memory_works
        return (0, "") if self.memory_works else (1, "no memory")

    def unmount(self, where: str) -> tuple[int, str]:
        self.on = False
        shutil.rmtree(where)
        os.mkdir(where)
        return 0, ""

    def mounted(self, where: str) -> bool:
        return self.on


class Bench:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "card"
        first, second, third, fourth = (mbr.Entry(*layout.PARTS[number]) for number in (1, 2, 3, 4))
        self.path.write_bytes(mbr.pack(mbr.Table(layout.DISK_ID, (first, second, third, fourth))))
        os.truncate(self.path, 200 << 20)
        self.place = Place(1, str(folder / "data"), str(folder / "run"), str(folder / "old"))
        self.kept = folder / "kept"
        self.kept.mkdir()
        self.system = Folders(self.kept)
        self.say(states.flashed())

    def card(self) -> Card:
        return Card(Device(str(self.path), True))

    def say(self, state: states.State) -> None:
        with self.card() as card:
            card.keep(state)

    def state(self) -> states.State:
        with self.card() as card:
            return card.state()

    def start(self) -> Found:
        """A boot: nothing is mounted yet."""
        self.system.on, self.system.ran = False, []
        shutil.rmtree(self.place.data, ignore_errors=True)
        with self.card() as card:
            return prepare.prepare(card, self.place, self.system)

    def break_it(self) -> None:
        with open(self.path, "r+b") as card:
            card.seek(layout.PARTS[layout.DATA][0] * layout.SECTOR)
            card.write(bytes(1 << 20))

    def debugfs(self, *acts: str) -> None:
        """Do that to the file system."""
        told = self.path.with_name("acts")
        told.write_text("\n".join(acts))
        at = layout.PARTS[layout.DATA][0] * layout.SECTOR
        subprocess.run(["debugfs", "-w", "-f", told, f"{self.path}?offset={at}"], check=True)

    def data(self) -> bytes:
        """The data partition, from its begin."""
        with open(self.path, "rb") as card:
            card.seek(layout.PARTS[layout.DATA][0] * layout.SECTOR)
            return card.read(8 << 20)

    def mode(self, name: str) -> int:
        return os.stat(f"{self.place.data}/{name}").st_mode & 0o777


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@needs_mke2fs
def test_the_first_start_grows_and_makes_and_the_second_only_looks_over(bench: Bench) -> None:
    assert bench.start() == Found(made=True)
    assert "mke2fs" in bench.system.ran and "e2fsck" not in bench.system.ran
    assert bench.state() == states.State("a", "b", False, states.TRIES, states.MADE, "flashed")
    at = layout.PARTS[layout.DATA][0] * layout.SECTOR
    shown = subprocess.run(
        ["dumpe2fs", "-h", f"{bench.path}?offset={at}"], capture_output=True, text=True, check=True
    ).stdout
    facts = dict(line.partition(":")[::2] for line in shown.splitlines())
    assert facts["Filesystem volume name"].strip() == layout.DATA_LABEL
    blocks = int(facts["Block count"]) * int(facts["Block size"])
    assert blocks == (200 << 20) - at
    assert bench.start() == Found()
    assert bench.system.ran == ["e2fsck"]
    assert boot.facts(bench.place.run)["DATA"] == "mounted"


@needs_mke2fs
def test_what_stands_in_data_has_its_modes_and_its_schema(bench: Bench) -> None:
    bench.start()
    assert {name: bench.mode(name) for name, _ in prepare.FOLDERS} == dict(prepare.FOLDERS)
    assert Path(bench.place.data, "schema").read_text() == "1\n"


@needs_mke2fs
def test_a_cut_before_the_state_is_written_makes_it_again_and_later_it_is_kept(bench: Bench) -> None:
    words: list[str] = []
    with bench.card() as card:
        words = prepare.make_words(card)
    subprocess.run(words, check=True)  # and the power went
    assert bench.start().made
    assert not bench.start().made
    bench.say(states.State("a", "b", True, 0, states.NEW, "confirmed"))  # fieldhand data reset
    assert bench.start().made


@needs_mke2fs
def test_a_state_that_was_lost_formats_nothing(bench: Bench) -> None:
    bench.start()
    with open(bench.path, "r+b") as card:
        for place in layout.STATE_PLACES:
            card.seek(place * layout.SECTOR)
            card.write(b"\xff" * layout.STATE_BYTES)
    found = bench.start()
    assert found == Found() and bench.system.ran == ["e2fsck"]


@needs_mke2fs
def test_what_is_damaged_is_left_as_it_is_and_memory_is_used(bench: Bench) -> None:
    bench.start()
    bench.break_it()
    before = bench.data()
    found = bench.start()
    assert found.volatile and "left as e2fsck -p left it" in found.why and "data reset" in found.why
    assert bench.data() == before
    told = boot.facts(bench.place.run)
    assert told["VOLATILE"] == "1" and told["DATA"] == "volatile" and "damaged" in told["DATA_WHY"]
    assert bench.mode("state") == 0o700


@needs_mke2fs
def test_what_was_mended_is_told_and_what_a_cut_leaves_is_no_damage(bench: Bench, tmp_path: Path) -> None:
    bench.start()
    file = tmp_path / "file"
    file.write_text("x")
    open_file = ("unlink open", "sif <12> links_count 0", "sif <12> dtime 0", "ssv last_orphan 12")
    bench.debugfs(f"write {file} open", *open_file)  # it has no name any more
    assert bench.start() == Found()
    bench.debugfs("clri <8>")  # the journal
    found = bench.start()
    assert not found.volatile and "was damaged and was mended" in found.mended and "ournal" in found.mended
    assert boot.facts(bench.place.run)["DATA_MENDED"] == found.mended
    assert bench.start() == Found()
    assert not boot.facts(bench.place.run)["DATA_MENDED"]


@needs_mke2fs
def test_settings_that_can_still_be_read_are_carried_over(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.start()
    (bench.kept / "config").mkdir()
    (bench.kept / "config/config.toml").write_text("[outputs.pump]\n")
    (bench.kept / "config/link").symlink_to("/etc/passwd")
    (bench.kept / "state").mkdir()
    (bench.kept / "state/tape").write_text("x")
    ordinary = bench.system.run
    damaged = (4, "UNEXPECTED INCONSISTENCY")
    monkeypatch.setattr(bench.system, "run", lambda *words: damaged if words[0] == "e2fsck" else ordinary(*words))
    found = bench.start()
    assert found.volatile and "its settings were read and hold for this start" in found.why
    assert Path(bench.place.data, "config/config.toml").read_text() == "[outputs.pump]\n"
    assert not os.path.lexists(f"{bench.place.data}/config/link")
    assert not os.path.exists(f"{bench.place.data}/state/tape")


@needs_mke2fs
def test_data_of_a_newer_schema_are_refused_plainly(bench: Bench) -> None:
    bench.start()
    (bench.kept / "schema").write_text("2\n")
    found = bench.start()
    assert found.volatile and "the data have schema 2, and this version reads them up to 1" in found.why
    assert (bench.kept / "schema").read_text() == "2\n"


@needs_mke2fs
def test_a_schema_that_was_not_raised_in_time_rises_at_the_next_start_of_a_confirmed_slot(bench: Bench) -> None:
    bench.start()
    (bench.kept / "schema").write_text("1\n")
    bench.place = Place(2, bench.place.data, bench.place.run, bench.place.aside)
    schema = Path(bench.place.data, "schema")
    bench.start()  # as flashed: not confirmed
    assert schema.read_text() == "1\n"
    bench.say(states.confirmed(bench.state()))
    bench.start()
    assert schema.read_text() == "2\n"
    with open(bench.path, "r+b") as card:
        for place in layout.STATE_PLACES:
            card.seek(place * layout.SECTOR)
            card.write(b"\xff" * layout.STATE_BYTES)
    bench.start()  # a lost state says nothing
    assert schema.read_text() == "1\n"


@needs_mke2fs
def test_a_partition_that_takes_no_folder_gives_its_settings_to_this_start(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start()
    (bench.kept / "config").mkdir(exist_ok=True)
    (bench.kept / "config/config.toml").write_text("[outputs.pump]\n")
    ordinary, calls = prepare.laid, [0]

    def full(place: Place) -> None:
        calls[0] += 1
        if calls[0] == 1:
            raise OSError(28, "No space left on device")
        ordinary(place)

    monkeypatch.setattr(prepare, "laid", full)
    found = bench.start()
    assert found.volatile and "No space left" in found.why and "its settings were read" in found.why
    assert Path(bench.place.data, "config/config.toml").read_text() == "[outputs.pump]\n"


@needs_mke2fs
def test_a_restore_that_is_ready_takes_its_place_before_anything_uses_it(bench: Bench) -> None:
    bench.start()
    for path, text in (("work/x", "old"), ("restore.new/work/x", "new"), ("restore.new/ready", "")):
        (bench.kept / path).parent.mkdir(parents=True, exist_ok=True)
        (bench.kept / path).write_text(text)
    assert bench.start() == Found()
    assert Path(bench.place.data, "work/x").read_text() == "new"
    assert sorted(os.listdir(bench.place.data)) == ["config", "etc", "schema", "state", "work"]


def test_without_mke2fs_nothing_is_called_made(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = bench.start()
    assert found.volatile and "there is no mke2fs here" in found.why
    assert bench.state().data == states.NEW


def test_without_a_card_it_is_memory_and_without_memory_a_fault(bench: Bench) -> None:
    found = prepare.prepare(None, bench.place, bench.system, "this board runs from no card of ours")
    assert found.volatile and found.why == "this board runs from no card of ours"
    bench.system.on = bench.system.memory_works = False
    with pytest.raises(HardwareFault, match="neither the card nor memory"):
        prepare.prepare(None, bench.place, bench.system, "none")


def test_what_is_mounted_already_is_left(bench: Bench) -> None:
    bench.system.on = True
    with bench.card() as card:
        found = prepare.prepare(card, bench.place, bench.system)
    assert "mounted already" in found.said[0] and bench.system.ran == []


def test_facts_of_a_boot_are_lines_that_scripts_may_add_to(tmp_path: Path) -> None:
    run: Any = str(tmp_path)
    assert boot.facts(run) == {}
    boot.tell({"A": "one\ntwo\x1b[2J", "B": "x"}, run)
    with open(tmp_path / "boot.txt", "a") as file:
        file.write("B=y\n")
    boot.tell({"C": "z"}, run)
    assert boot.facts(run) == {"A": "one two", "B": "y", "C": "z"}


def test_what_a_script_adds_while_a_fact_is_told_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = str(tmp_path)
    looked = boot.facts

    def between(run: str = "") -> dict[str, str]:
        found = looked(run)
        with open(tmp_path / "boot.txt", "a") as file:
            file.write("BOOTED=7\n")
        return found

    monkeypatch.setattr(boot, "facts", between)
    boot.tell({"A": "1"}, run)
    assert looked(run) == {"BOOTED": "7", "A": "1"}


def test_facts_are_bounded_and_not_told_twice(tmp_path: Path) -> None:
    run = str(tmp_path)
    boot.tell({"A": "x" * 99999}, run)
    size = (tmp_path / "boot.txt").stat().st_size
    boot.tell({"A": "x" * 99999}, run)
    assert (tmp_path / "boot.txt").stat().st_size == size < 3000
    with pytest.raises(OSError, match="more than"):
        for number in range(100):
            boot.tell({"A": f"{number}" * 999}, run)
    assert (tmp_path / "boot.txt").stat().st_size <= boot.LARGEST


def test_a_folder_that_cannot_be_read_is_found_before_anybody_works_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start()
    for name in ("config", "state/audit"):
        (bench.kept / name).mkdir(parents=True, exist_ok=True)
    (bench.kept / "config/config.toml").write_text("[outputs.pump]\n")
    ordinary = os.scandir

    def damaged(path: str) -> Any:
        if str(path).endswith("data/state/audit"):
            raise OSError(5, "Input/output error")
        return ordinary(path)

    monkeypatch.setattr(os, "scandir", damaged)
    found = bench.start()
    assert found.volatile and "Input/output error" in found.why and "its settings were read" in found.why
