"""The device tree of a card: a node is switched on, another taken out, and what is not there is told."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from edge.faults import CardFault
from hil.tree import changed

pytestmark = pytest.mark.skipif(
    not (shutil.which("dtc") and shutil.which("fdtput")), reason="device-tree-compiler is not on this machine"
)
SOURCE = """/dts-v1/;
/ {
    soc {
        serial@7e215040 { compatible = "uart"; status = "disabled"; };
        serial@7e201000 { status = "okay"; bluetooth { compatible = "radio"; }; };
    };
};
"""


@pytest.fixture
def tree() -> bytes:
    return subprocess.run(["dtc", "-q", "-O", "dtb"], input=SOURCE.encode(), stdout=subprocess.PIPE, check=True).stdout


def text(tree: bytes) -> str:
    return subprocess.run(
        ["dtc", "-q", "-I", "dtb", "-O", "dts"], input=tree, stdout=subprocess.PIPE, check=True
    ).stdout.decode()


def test_a_port_is_switched_on_and_a_radio_taken_out(tree: bytes) -> None:
    assert "disabled" in text(tree) and "bluetooth" in text(tree)
    found = text(changed(tree, ("/soc/serial@7e215040",), ("/soc/serial@7e201000/bluetooth",)))
    assert found.count('"okay"') == 2 and "disabled" not in found and "bluetooth" not in found
    assert "serial@7e201000" in found and "uart" in found


def test_a_tree_without_what_is_to_be_taken_out_is_told(tree: bytes) -> None:
    with pytest.raises(CardFault, match="fdtput failed"):
        changed(tree, (), ("/soc/wifi",))
    with pytest.raises(CardFault, match="fdtput failed"):
        changed(tree, ("/soc/serial@1",), ())
