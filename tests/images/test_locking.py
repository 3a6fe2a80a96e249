from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import lock, locking, pool, product
from tests.support.packages import Repository

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
PRODUCT = """title = "A board"
suite = "bookworm"
arch = "armel"
python = "3.11"
kernel = "linux-image-toy"
machines = ["toy"]
packages = ["tool"]
lock = "bookworm-armel.json"

[without]
heavy = "a toy has no use for it"
"""


def index(suite: str, state: str) -> lock.Index:
    return lock.Index(suite, "main", "armel", 5, state)


def test_failed_lists_end_it_unless_their_suite_was_named() -> None:
    said: list[str] = []
    states = [
        index("bookworm", "read"),
        index("bookworm-security", "failed: of another size"),
        index("x", "not offered"),
    ]
    with pytest.raises(CardFault, match=r"bookworm-security main armel: failed.*--without bookworm-security"):
        locking.judge(states, (), said.append)
    locking.judge(states, ("bookworm-security",), said.append)
    assert said[-2:] == [
        "warning: bookworm-security main armel: failed: of another size",
        "warning: x main armel: not offered",
    ]


@pytest.mark.parametrize(
    ("version", "wanted"),
    [("2.0", "behind: arm64 has 2.1"), ("2.1", "current"), ("2.2", "current"), ("1:1", "current")],
)
def test_a_version_is_compared_with_the_other_architectures(version: str, wanted: str) -> None:
    assert locking.security("lib", version, {"lib": ("2.1", "arm64")}) == wanted
    assert locking.security("alone", version, {}) == "current"


def test_what_satisfies_a_relation_is_found_by_name_and_by_provides() -> None:
    stanzas = [
        {"Package": "a", "Pre-Depends": "b", "Depends": "virtual (>= 1) | absent, absent"},
        {"Package": "b", "Provides": "x, y (= 2)"},
        {"Package": "c", "Provides": "virtual (= 2)", "Depends": "y"},
    ]
    assert locking.dependencies(stanzas) == {"a": ["b", "c"], "b": [], "c": ["b"]}


@pytest.fixture()
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A whole archive of few packages, for the architecture of the product and for those it is compared with."""
    made = Repository(tmp_path / "site")
    monkeypatch.setenv("DEBIAN_MIRROR", made.sites["debian"].as_uri())
    monkeypatch.delenv("DEBIAN_SECURITY_MIRROR", raising=False)
    for arch in ("armel", "arm64", "amd64"):
        made.offer("bookworm-updates", arch)
        made.add("bookworm", arch, "tool", "1.0-1", "Depends: lib, heavy\n", licence="Expat")
        made.add("bookworm", arch, "lib", "2.0-1", "Depends: toy-base\n", "", links={"usr/share/doc/lib": "toy-base"})
        made.add("bookworm", arch, "toy-base", "1")
        made.add("bookworm", arch, "heavy", "1", "Depends: weight\n")
        made.add("bookworm", arch, "weight", "1")
        made.add("bookworm", arch, "linux-image-toy", "6.1", "Depends: linux-image-6.1.0-toy\n")
        made.add("bookworm", arch, "linux-image-6.1.0-toy", "6.1")
        made.add("bookworm", arch, "base-files", "12", files={"usr/share/common-licenses/GPL-2": b"The text\n"})
    made.add("bookworm-security", "arm64", "lib", "2.0-1+deb12u1")
    made.offer("bookworm-security", "amd64")
    made.publish()
    return made


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt is not on this machine")
def test_a_lock_is_made_from_the_archive_and_builds_find_its_packages(repository: Repository, tmp_path: Path) -> None:
    path = tmp_path / "toy.toml"
    path.write_text(PRODUCT)
    said: list[str] = []
    written = locking.update([str(path)], (), said.append, None, "trusted=yes", tmp_path / "cache")
    assert [one.name for one in written] == ["bookworm-armel.json", "wheels.json"]
    locked = lock.load(product.load(str(path)))
    assert {deb.name for deb in locked.debs} == {"tool", "lib", "toy-base", "linux-image-toy", "linux-image-6.1.0-toy"}
    assert locked.deb("lib").security == "behind: arm64 has 2.0-1+deb12u1" and locked.deb("tool").security == "current"
    assert locked.deb("tool").licences == ("Expat",) and locked.deb("lib").licences == ("GPL-2+",)
    assert lock.release(locked) == "6.1.0-toy" and locked.epoch == 1795913593
    assert "warning: bookworm-security main armel: not offered" in said
    assert set(pool.fetch(locked, [], None, tmp_path / "cache" / "pool")) == {deb.name for deb in locked.debs}
    first = written[0].read_bytes()
    assert json.loads(first)["epoch"] == locked.epoch
    if SOAK:  # apt takes seconds for each of its lists
        locking.update([str(path)], (), said.append, None, "trusted=yes", tmp_path / "cache")
        assert written[0].read_bytes() == first


def test_one_lock_is_for_one_suite_and_architecture(tmp_path: Path) -> None:
    one, other = tmp_path / "one.toml", tmp_path / "other.toml"
    one.write_text(PRODUCT)
    other.write_text(PRODUCT.replace("armel", "armhf", 1))
    with pytest.raises(CardFault, match="is shared by products of different suites: one, other"):
        locking.update([str(one), str(other)])
