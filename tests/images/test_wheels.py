"""pip is asked for real, with a folder of wheels as its only index; each question costs it a second."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import lock, wheels
from tests.support.packages import wheel

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")


@pytest.fixture()
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all the index there is."""
    folder = tmp_path / "shelf"
    markers = ('leaf[x] (>=1); python_version < "3.13"', "extra; extra == 'more'")
    wheel(folder, "top", "1.0", ("middle<3,>=1", *markers, "never"))
    wheel(folder, "middle", "2.0")
    wheel(folder, "middle", "3.0")
    wheel(folder, "leaf", "1.1")
    wheel(folder, "compiled", "1.0", (), "cp311-cp311-linux_x86_64")
    for name in ("PIP_CONSTRAINT", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.soak
def test_libraries_are_chosen_for_the_python_of_the_board(shelf: Path) -> None:
    found = wheels.resolve({"3.11": ["Top>=1"], "3.13": ["middle", "leaf"]}, ["never"])
    assert [(one.name, one.version, one.pythons) for one in found] == [
        ("leaf", "1.1", ("3.11", "3.13")),
        ("middle", "2.0", ("3.11",)),
        ("middle", "3.0", ("3.13",)),
        ("top", "1.0", ("3.11",)),
    ]
    assert found[3].needs == ("leaf", "middle", "never") and found[3].licences == ("MIT",)


@pytest.mark.soak
def test_a_library_with_compiled_parts_is_refused(shelf: Path) -> None:
    with pytest.raises(CardFault, match=r"pip cannot choose compiled for Python 3\.11"):
        wheels.resolve({"3.11": ["compiled"]})


def locked_leaf(shelf: Path, sha256: str = "") -> lock.Lock:
    path = shelf / "leaf-1.1-py3-none-any.whl"
    data = path.read_bytes()
    digest = sha256 or hashlib.sha256(data).hexdigest()
    one = lock.Wheel("leaf", "1.1", path.name, len(data), digest, ("3.11", "3.13"), (), ())
    return lock.Lock("bookworm", "armel", 1, (), (), (), (one,))


@pytest.mark.soak
def test_wheels_come_from_a_pool_from_pip_or_from_the_cache(shelf: Path, tmp_path: Path) -> None:
    locked, cache = locked_leaf(shelf), tmp_path / "cache"
    name = locked.wheels[0].file
    assert wheels.fetch(locked, [shelf], None, tmp_path / "none") == [shelf / name]
    assert wheels.fetch(locked, [], None, cache) == [cache / name]
    (shelf / name).unlink()
    assert wheels.fetch(locked, [], None, cache) == [cache / name]
    assert sorted(path.name for path in cache.iterdir()) == [name]


@pytest.mark.soak
def test_a_wheel_with_another_hash_is_never_taken(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(CardFault, match=r"pip cannot fetch leaf-1\.1-py3-none-any\.whl with the locked hashes"):
        wheels.fetch(locked_leaf(shelf, "0" * 64), [], None, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*.whl"))


def test_what_is_no_wheel_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x-1-py3-none-any.whl"
    path.write_bytes(b"no archive")
    with pytest.raises(CardFault, match="is no sound wheel"):
        wheels.read_metadata(path)
