"""Of a kernel's modules the tree gets those that boards need, with all that these need, and an index of them."""

from __future__ import annotations

import lzma
import re
import shutil
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import host, module_names, modules
from tests.support import kernels

pytestmark = pytest.mark.skipif(bool(host.missing(["depmod"])), reason="the program depmod is not installed")
BUILTIN = "overlay vfat nls_cp437 nls_ascii crc32c_generic"
MODULES = {
    "fs/squashfs/squashfs": kernels.module(),
    "fs/ext4/ext4": kernels.module("jbd2,mb-cache", "pre: crc-soft absent"),
    "fs/jbd2/jbd2": kernels.module("deep"),
    "fs/deep": kernels.module(),
    "fs/mb_cache": kernels.module(),
    "crypto/crc_soft": kernels.module(),
    "block/loop": kernels.module(),
    "drivers/i2c/i2c-dev": kernels.module(),
    "drivers/gpu/nobody": kernels.module(),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    top = tmp_path / "tree"
    (top / "usr/lib").mkdir(parents=True)
    (top / "lib").symlink_to("usr/lib")
    return top


def test_a_module_that_cannot_be_unpacked_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.ko.xz"
    for data in (b"no xz", lzma.compress(b"abc")[:-9] + b"123456789"):
        path.write_bytes(data)
        with pytest.raises(CardFault, match=r"the module x\.ko\.xz cannot be unpacked"):
            modules._content(path)
    path.write_bytes(lzma.compress(bytes(5000)))
    assert modules._content(path) == bytes(5000)
    monkeypatch.setattr(modules, "_LARGEST", 4000)
    with pytest.raises(CardFault, match="unpacks to more than"):
        modules._content(path)


def names(found: list[str]) -> list[str]:
    return [path.rpartition("/")[2] for path in found]


@pytest.mark.parametrize("ends", [".ko", ".ko.xz"])
def test_what_boards_need_comes_with_what_it_needs(tmp_path: Path, tree: Path, ends: str) -> None:
    made = kernels.deb(tmp_path / "k.deb", MODULES, BUILTIN, ends)
    found = modules.install(made, tree)
    assert sorted(names(found)) == sorted(
        ["squashfs.ko", "ext4.ko", "jbd2.ko", "deep.ko", "mb_cache.ko", "crc_soft.ko", "loop.ko", "i2c-dev.ko"]
    )
    for name in found:
        assert (tree / name).read_bytes().startswith(b"\x7fELF")
    folder = tree / modules.FOLDER / "6.1-test"
    assert sorted(path.name for path in folder.glob("modules.*")) == sorted(modules.INDEX)
    assert not list(tree.rglob("vmlinuz*")) and modules.size(tree) > 0


def test_a_kernel_without_what_a_slot_needs_is_told(tmp_path: Path, tree: Path) -> None:
    made = kernels.deb(tmp_path / "k.deb", MODULES, "overlay vfat nls_ascii crc32c_generic")
    with pytest.raises(CardFault, match=r"6\.1-test has no nls_cp437"):
        modules.install(made, tree)
    with pytest.raises(CardFault, match="no of_my_own"):
        modules.install(kernels.deb(tmp_path / "k.deb", MODULES, BUILTIN), tree, ["of_my_own"])


def test_modules_are_named_in_the_order_in_which_they_load(tmp_path: Path, tree: Path) -> None:
    modules.install(kernels.deb(tmp_path / "k.deb", MODULES, BUILTIN), tree)
    # depmod reads the symbols of modules, which these have not; a line is as it writes them: what is needed last first.
    index = tree / modules.FOLDER / "6.1-test" / "modules.dep"
    ext4 = "kernel/fs/ext4/ext4.ko: kernel/fs/mb_cache.ko kernel/fs/jbd2/jbd2.ko kernel/fs/deep.ko"
    index.write_text(re.sub("(?m)^.*/ext4.ko:.*$", ext4, index.read_text()))
    found = names(modules.closure(tree, ["overlay", "ext4", "loop", "i2c_dev"]))
    assert sorted(found) == ["deep.ko", "ext4.ko", "i2c-dev.ko", "jbd2.ko", "loop.ko", "mb_cache.ko"]
    order = found.index
    assert order("deep.ko") < order("jbd2.ko") < order("ext4.ko") and order("mb_cache.ko") < order("ext4.ko")
    assert order("ext4.ko") < order("loop.ko") < order("i2c-dev.ko")
    with pytest.raises(CardFault, match="no module nobody"):
        modules.closure(tree, ["nobody"])


def test_a_tree_or_a_package_without_one_kernel_is_told(tmp_path: Path, tree: Path) -> None:
    with pytest.raises(CardFault, match="0 kernels"):
        modules.closure(tree, ["ext4"])
    shutil.rmtree(tree / "usr/lib")
    (tree / "usr/lib").mkdir()
    made = kernels.deb(tmp_path / "k.deb", MODULES, BUILTIN, folder="lib/elsewhere")
    with pytest.raises(CardFault, match="modules of 0 kernels"):
        modules.install(made, tree)


def test_no_module_is_asked_for_twice() -> None:
    every = [name.replace("-", "_") for name in module_names.every()]
    assert sorted(every) == sorted(set(every))
