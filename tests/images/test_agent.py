"""Fieldhand lies on a card as a wheel would install it, and starts from there alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from edge import __version__
from edge.faults import CardFault
from images import agent, wheels
from tests.support import packages
from tests.support.sources import ROOT, python_files


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("card")
    wheels = [packages.wheel(top / "wheels", "some-library", "1.2")]
    agent.install(ROOT, wheels, top / "tree")
    return top / "tree"


def test_every_module_of_the_checkout_is_there_and_nothing_else(card: Path) -> None:
    there = {path.relative_to(card / agent.LIBRARY).as_posix() for path in (card / agent.LIBRARY).rglob("*.py")}
    wanted = {path.relative_to(ROOT).as_posix() for path in python_files("edge", "tools", "peripherals")}
    wanted = {name if name.startswith("edge/") else f"edge/{name}" for name in wanted}
    # A folder without modules of its own is no package; what only a checkout has is none either.
    assert there - {"some_library.py"} == wanted
    assert not (card / agent.LIBRARY / "edge/tools").is_symlink()


def test_it_starts_from_the_card_and_not_from_the_folder_it_is_called_in(card: Path, tmp_path: Path) -> None:
    python = card / "usr/bin/python3"
    if not python.exists():
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
    (tmp_path / "edge.py").write_text("raise SystemExit('the wrong one')")
    ran = subprocess.run(
        [card / agent.START, "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "") and __version__ in ran.stdout


def test_entry_points_and_versions_are_found_where_libraries_look(card: Path) -> None:
    found = {one.metadata["Name"]: one for one in metadata.distributions(path=[str(card / agent.LIBRARY)])}
    assert {name: one.version for name, one in found.items()} == {"fieldhand": __version__, "some-library": "1.2"}
    (point,) = [one for one in found["fieldhand"].entry_points if one.group == "gpiozero_pin_factories"]
    assert point.name == "fieldhand" and point.value.startswith("edge.peripherals.via.pinfactory:")


def test_of_a_wheel_comes_what_runs(tmp_path: Path) -> None:
    path = tmp_path / "lib-1.0-py2.py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("__init__.py", "tests/test_a.py", "fonts/7seg.txt", "py.typed", "x.pyi"):
            archive.writestr(f"lib/{name}", "")
        for name in ("data/scripts/tool", "dist-info/RECORD", "dist-info/entry_points.txt"):
            archive.writestr(f"lib-1.0.{name}", "")
        archive.writestr(
            "lib-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\r\nName: lib\r\nVersion: 1.0\r\nSummary: x\r\n\r\nName: prose",
        )
    agent.unpack(path, tmp_path / "library")
    library = tmp_path / "library"
    there = sorted(path.relative_to(library).as_posix() for path in library.rglob("*") if path.is_file())
    about = ["lib-1.0.dist-info/METADATA", "lib-1.0.dist-info/entry_points.txt"]
    assert there == [*about, "lib/__init__.py", "lib/fonts/7seg.txt"]
    assert (library / about[0]).read_text() == "Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n"


@pytest.mark.parametrize("name", ["lib-1.0-cp311-cp311-linux_armv7l.whl", "lib-1.0-py2-none-any.whl", "lib.zip"])
def test_a_wheel_with_machine_code_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CardFault, match="no pure Python wheel"):
        agent.unpack(tmp_path / name, tmp_path)


def test_a_wheel_that_climbs_or_is_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lib-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../out.py", "")
    with pytest.raises(CardFault, match="out of the tree"):
        agent.unpack(path, tmp_path / "library")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(CardFault, match="no sound wheel"):
        agent.unpack(path, tmp_path / "library")


def test_what_is_no_checkout_is_told(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="no checkout"):
        agent.install(tmp_path, [], tmp_path / "tree")


@pytest.mark.parametrize("name", ["edge/loop.py", "edge/loop.py/x.py", "edge/hands"])
def test_a_wheel_takes_the_place_of_nothing_that_is_there(tmp_path: Path, name: str) -> None:
    library = tmp_path / "library"
    (library / "edge/hands").mkdir(parents=True)
    (library / "edge/loop.py").write_text("own")
    path = tmp_path / "lib-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name if name.endswith(".py") else f"{name}.py", "theirs")
        archive.writestr("edge/hands.py/x.py", "theirs")
    with pytest.raises(CardFault, match=r"of lib-1\.0-py3-none-any\.whl would take the place"):
        agent.unpack(path, library)
    assert (library / "edge/loop.py").read_text() == "own"


def test_a_wheel_that_cannot_be_read_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Encrypted, packed in an unknown way, with a name that is no text, with damaged bytes, or without end."""
    path = packages.wheel(tmp_path, "lib", "1.0")
    whole = path.read_bytes()
    central = whole.index(b"PK\x01\x02")
    for offset, value in ((8, b"\x01\0"), (10, b"\x63\0"), (24, b"\xff\xff\xff\x7f"), (46, b"\xff\xfe")):
        path.write_bytes(whole[: central + offset] + value + whole[central + offset + len(value) :])
        with pytest.raises(CardFault, match=r"lib-1\.0"):
            agent.unpack(path, tmp_path / "library")
    path.write_bytes(whole)
    monkeypatch.setattr(wheels, "LARGEST", 10)
    with pytest.raises(CardFault, match="unpacks to more than"):
        agent.unpack(path, tmp_path / "library")


def test_a_wheel_with_bytes_changed_is_read_or_is_a_sentence(tmp_path: Path) -> None:
    path = packages.wheel(tmp_path, "lib", "1.0")
    whole, chance = path.read_bytes(), random.Random(5)
    rounds = 2000 if os.environ.get("FIELDHAND_SOAK") == "1" else 200
    refused = 0
    for number in range(rounds):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.getrandbits(8)
        path.write_bytes(data)
        try:
            agent.unpack(path, tmp_path / f"library{number}")
            wheels.read_metadata(path)
        except CardFault:
            refused += 1
    print(f"{rounds} wheels, {refused} refused")
    assert rounds // 4 < refused < rounds
