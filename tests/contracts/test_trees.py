"""Attributes of the kernel's devices, as files and in memory: the same answers and the same errors."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from edge.peripherals.sysfs.double import TreeModel
from edge.peripherals.sysfs.files import Files

if TYPE_CHECKING:
    from edge.peripherals.sysfs.files import Tree

TEXTS = {"/sys/class/x/x0/name": "lm75", "/sys/class/x/x0/temp1_input": "23500", "/sys/class/x/x1/name": "other"}
LINKS = {"/sys/class/x/x0/device": "../../../devices/soc/1-0048"}


@pytest.fixture(params=["files", "memory"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    if request.param == "memory":
        return TreeModel(dict(TEXTS), LINKS)
    for path, text in TEXTS.items():
        at = Path(f"{tmp_path}{path}")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text + "\n")
    for path, target in LINKS.items():
        os.symlink(target, f"{tmp_path}{path}")
    return Files(str(tmp_path))


def said(tree: Tree, path: str) -> str:
    fd = tree.open(path, "r")
    try:
        return tree.read(fd)
    finally:
        tree.close(fd)


def test_a_folder_has_its_names_in_order(tree: Tree) -> None:
    assert tree.names("/sys/class/x") == ["x0", "x1"]
    assert tree.names("/sys/class/x/x0") == ["device", "name", "temp1_input"]


def test_a_text_comes_without_its_newline_as_often_as_it_is_asked_for(tree: Tree) -> None:
    fd = tree.open("/sys/class/x/x0/temp1_input", "r")
    assert tree.read(fd) == tree.read(fd) == "23500"
    tree.close(fd)


def test_a_link_tells_the_last_name_of_what_it_leads_to(tree: Tree) -> None:
    assert tree.target("/sys/class/x/x0/device") == "1-0048"


def test_what_is_not_there_is_enoent(tree: Tree) -> None:
    for ask in (
        lambda: tree.names("/sys/class/y"),
        lambda: tree.target("/sys/class/x/x1/device"),
        lambda: tree.open("/sys/class/x/x1/temp1_input", "r"),
    ):
        with pytest.raises(OSError) as caught:
            ask()
        assert caught.value.errno == errno.ENOENT


def test_a_text_is_no_folder_and_no_link(tree: Tree) -> None:
    with pytest.raises(NotADirectoryError):
        tree.names("/sys/class/x/x0/name")
    with pytest.raises(OSError) as caught:
        tree.target("/sys/class/x/x0/name")
    assert caught.value.errno == errno.EINVAL


def test_what_is_written_is_read(tree: Tree) -> None:
    fd = tree.open("/sys/class/x/x1/name")
    tree.write(fd, "third")
    tree.close(fd)
    assert said(tree, "/sys/class/x/x1/name") == "third"


def test_two_openings_exclude_each_other_until_one_is_closed(tree: Tree) -> None:
    first, second = (tree.open("/sys/class/x/x0/name", "r") for _ in range(2))
    assert tree.lock(first) and not tree.lock(second)
    tree.close(first)
    assert tree.lock(second)
    tree.close(second)
