"""The single file: sh and a zip of compiled modules in one."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from bench import forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

TAG = (sys.implementation.cache_tag or "").encode()


def start(*command: object, path: str = "", **more: object) -> subprocess.CompletedProcess[str]:
    env = {"PATH": path or os.path.dirname(os.path.realpath(sys.executable)) + ":/usr/bin:/bin", "HOME": "/nonexistent"}
    argv = [str(word) for word in command]
    return subprocess.run(
        argv,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        **more,  # type: ignore[call-overload]
    )


def test_it_runs_from_any_place_and_by_any_name(single: Path, tmp_path: Path) -> None:
    moved = tmp_path / "a name with spaces"
    shutil.copy(single, moved)
    (tmp_path / "link").symlink_to(moved)
    expected = start(single, "--version").stdout
    assert expected.startswith("fieldhand ")
    assert start(moved, "--version").stdout == expected
    assert start("./link", "--version", cwd=tmp_path).stdout == expected
    assert start("/bin/sh", "link", "--version", cwd=tmp_path).stdout == expected


def test_it_holds_every_module_compiled_and_stored(single: Path, tree: Path) -> None:
    sources = set()
    for folder, _, files in os.walk(tree / "edge", followlinks=True):
        sources |= {os.path.relpath(os.path.join(folder, name), tree) for name in files if name.endswith(".py")}
    with zipfile.ZipFile(single) as archive:
        assert set(archive.namelist()) == {name + "c" for name in sources}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_the_same_tree_gives_the_same_bytes(single: Path, tree: Path, tmp_path: Path) -> None:
    """Built again from another folder."""
    copy = forms.checkout(str(tmp_path / "copy"), str(tree))
    target = tmp_path / "again"
    forms.single(str(target), copy)
    assert target.read_bytes() == single.read_bytes()


def test_it_tells_nothing_of_the_builder(single: Path, tree: Path) -> None:
    assert str(tree).encode() not in single.read_bytes()
    assert forms.ROOT.encode() not in single.read_bytes()


def test_another_python_is_a_sentence(single: Path, tmp_path: Path) -> None:
    """The file is made to want a version of the same length that no Python has."""
    whole = single.read_bytes()
    end = zipfile.ZipFile(io.BytesIO(whole)).infolist()[0].header_offset
    foreign = TAG[:-1] + b"X"
    other = tmp_path / "other"
    other.write_bytes(whole[:end].replace(TAG, foreign) + whole[end:])
    other.chmod(0o755)
    done = start(other, "--version")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("fieldhand: this file is for Python ") and done.stderr.count("\n") == 1


def test_no_python_is_a_sentence(single: Path, tmp_path: Path) -> None:
    usual = "/usr/bin/python{}.{}".format(*sys.version_info[:2])
    hidden = tmp_path / "hidden"
    hidden.write_bytes(single.read_bytes().replace(usual.encode(), b"/x" + b"x" * (len(usual) - 2), 1))
    hidden.chmod(0o755)
    done = start(hidden, "--version", path="/nonexistent")
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no python3 on PATH" in done.stderr


def test_a_tree_without_links_is_not_built(tmp_path: Path) -> None:
    copy = forms.checkout(str(tmp_path / "copy"))
    os.unlink(os.path.join(copy, "edge", "tools"))
    with pytest.raises(Exception, match="must be a link to a folder"):
        forms.run([sys.executable, os.path.join(copy, "bin", "single.py"), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_usage_is_told(tmp_path: Path) -> None:
    done = start(sys.executable, os.path.join(forms.ROOT, "bin", "single.py"))
    assert done.returncode == 2
    assert "usage:" in done.stderr
