"""Programs of the machine that builds: absent, failing, endless, each told as a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import archive, host, mirror, wheels

ENDLESS = "#!/bin/sh\necho $$ >> {}\nexec sleep 1000\n"


@pytest.fixture
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that do not end, first in the search path; a deadline that does not keep a test waiting."""
    for name in ("apt-get", "apt-config", "python-without-end"):
        program = tmp_path / name
        program.write_text(ENDLESS.format(tmp_path / "pids"))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(host, "SECONDS", 1.0)
    return tmp_path


def gone(folder: Path) -> bool:
    """Whether none of the programs that came to say its number is there any more."""
    told = folder / "pids"
    return not any(Path("/proc", one).exists() for one in (told.read_text().split() if told.exists() else ()))


def test_what_a_program_printed_comes_back_and_it_hears_what_it_is_given() -> None:
    assert host.run("cat", data=b"some words") == b"some words"
    assert host.run("sh", "-c", "echo $LC_ALL $TZ $MORE", add={"MORE": "and more"}) == b"C UTC and more\n"


def test_one_that_is_absent_or_fails_is_a_sentence() -> None:
    with pytest.raises(CardFault, match="no-such-program is not on this machine"):
        host.run("no-such-program")
    with pytest.raises(CardFault, match="sh failed with code 3: first / second"):
        host.run("sh", "-c", "echo first >&2; echo second >&2; exit 3")
    with pytest.raises(CardFault, match="sh was killed by signal 9"):
        host.run("sh", "-c", "kill -9 $$")


def test_one_that_does_not_end_is_stopped_and_told(endless: Path) -> None:
    with pytest.raises(CardFault, match=r"apt-get did not end within 1 s, and was stopped"):
        host.run("apt-get")
    assert gone(endless)


def test_the_deadline_is_long_enough_for_a_loaded_machine() -> None:
    assert host.SECONDS >= 1800


def test_apt_and_pip_have_it_too(endless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CardFault, match="apt-get did not end"):
        mirror._targets()
    with pytest.raises(CardFault, match="apt-config did not end"):
        mirror._apt_proxy("http")
    monkeypatch.setenv("DEBIAN_MIRROR", "file:///nowhere/debian")
    looked = archive.Archive("bookworm", "armel", endless / "lists", "trusted=yes")
    with pytest.raises(CardFault, match="apt-get did not end"):
        looked.update()
    monkeypatch.setattr(sys, "executable", str(endless / "python-without-end"))
    with pytest.raises(CardFault, match="pip could not choose x: python-without-end did not end"):
        wheels._pip(["x"], "choose x")
    assert gone(endless)
