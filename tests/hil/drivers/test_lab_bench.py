from __future__ import annotations

import socket
from pathlib import Path

import pytest

from edge.faults import HardwareFault
from hil import direct
from hil.drivers.lab import Lab
from hil.opening import machine
from hil.resources import having, named
from images import product


@pytest.mark.parametrize("name", having("faults"))
def test_a_lab_bench_is_started_with_its_far_side(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []
    monkeypatch.setattr(direct, "prepare", lambda card, product, folder: prepared.append(product.name))
    monkeypatch.setattr(direct, "words", lambda card: ["panic=10", "loglevel=4"])
    with machine(named(name), tmp_path / "card.img", ("own=1", "panic=10")) as lab:
        assert isinstance(lab, Lab)
        words, folder = lab._command(), lab._folder
        assert prepared == [named(name).product]
        assert words[words.index("-append") + 1] == "panic=10 loglevel=4 console=ttyAMA0 fieldhand.nowdt own=1"
        assert f"file={tmp_path}/card.img,format=raw,if=none,id=card" in words
        for far in ("i2c", "gpio"):
            assert f"socket,id=far-{far},path={folder}/{far}" in words
            assert f"vhost-user-{far}-pci,chardev=far-{far}" in words
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
                link.connect(f"{folder}/{far}")
        assert lab.faults == []
    assert not folder.exists()


@pytest.mark.parametrize("name", having("faults"))
def test_a_lab_bench_is_of_a_product_with_a_kernel_for_it(name: str) -> None:
    emulator, arch = named(name).emulated(), product.load(named(name).product).arch
    assert emulator.accel[emulator.accel.index("-cpu") + 1] == {"arm64": "cortex-a53", "armhf": "cortex-a15"}[arch]


def test_parts_and_lines_of_a_board_that_is_off_are_there(tmp_path: Path) -> None:
    with Lab(named("virt"), tmp_path / "card.img") as lab:
        lab.parts.set("t0", 30.0)
        lab.lines.set(22, 1)
        assert (lab.parts.value("t0"), lab.lines.level(22)) == (30.0, 1)
        with pytest.raises(HardwareFault, match="virt is off"):
            _ = lab.console
