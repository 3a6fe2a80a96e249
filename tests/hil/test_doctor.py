"""What doctor says of a board, beside what programs of the tests find there by themselves.

The programs ask the kernel (system calls, ioctls, nodes) and import nothing of the project.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hil.agent import Agent
from hil.protocols import Bench
from hil.resources import Board
from tests.support.onboard import DOOR, FAN, PUMP

pytestmark = [pytest.mark.emulated, pytest.mark.needs("lines", "parts")]
CONFIG, WORK, SAID = "/data/config/config.toml", "/data/work", "/tmp/doctor.json"
# landlock_create_ruleset(2), prctl(2), unshare(2), GPIO_GET_CHIPINFO_IOCTL and GPIO_V2_GET_LINEINFO_IOCTL.
LOOKED = r"""
import ctypes, errno, fcntl, glob, json, os, re, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
found = {"landlock": libc.syscall(444, None, ctypes.c_size_t(0), 1)}
libc.prctl(22, 2, None)  # SECCOMP_MODE_FILTER without a filter: EFAULT where there are filters, EINVAL where not
found["seccomp"] = errno.errorcode[ctypes.get_errno()]
if not os.fork():
    os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
found["spaces"] = os.wait()[1] == 0
found["kernel"] = os.uname().release
kinds = {"GPIO": "gpiochip", "I2C": "i2c-", "SPI": "spidev", "serial": "ttyS|ttyAMA|ttyUSB|ttyACM"}
found["nodes"] = {}
for kind, start in kinds.items():
    names = [name for name in os.listdir("/dev") if re.fullmatch(f"(?:{start})[0-9.]+", name)]
    found["nodes"][kind] = {name: "%04o" % (os.stat("/dev/" + name).st_mode & 0o7777) for name in names}
chip = os.open(sys.argv[1], os.O_RDONLY)
data = fcntl.ioctl(chip, 0x8044B401, bytes(68))
found["chip"] = data[32:64].rstrip(b"\0").decode(), struct.unpack("I", data[64:])[0]
found["lines"] = {}
for line in map(int, sys.argv[2:]):
    asked = bytearray(bytes(64) + struct.pack("I", line) + bytes(188))
    fcntl.ioctl(chip, 0xC100B405, asked)
    flags = struct.unpack_from("Q", asked, 72)[0]
    found["lines"][line] = [asked[32:64].rstrip(b"\0").decode(), flags & 1, flags >> 3 & 1]
found["watchdog"] = bool(glob.glob("/dev/watchdog*"))
print(json.dumps(found))
"""


@pytest.fixture
def doctor(agent: Agent, bench: Bench) -> dict[str, dict[str, str]]:
    """What it says, by what it is about; the part measures 23.5."""
    bench.parts.set("t0", 23.5)
    # In the workspace, as a login has it; to a file first, for what the supervisor says comes over the same console.
    code, _ = agent.run(f"(cd {WORK}; fieldhand doctor --json --config {CONFIG} --state /data/state >{SAID})")
    text = agent.must(f"cat {SAID}")
    assert code == 1, text  # a sensor is declared that is not there
    return {one["what"]: one for one in reversed(json.loads(text))}  # the first of a name


@pytest.fixture
def looked(agent: Agent, board: Board) -> Any:
    """What the board is by its own kernel."""
    text = agent.python(LOOKED, board.guest.lines, *map(str, (FAN, PUMP, DOOR)))
    print(f"\n{board.name}: {text}")
    return json.loads(text.splitlines()[-1])


def test_doctor_says_what_the_kernel_has(
    board: Board, doctor: dict[str, dict[str, str]], looked: Any, figures: dict[str, str]
) -> None:
    wrong = {what for what, one in doctor.items() if one["state"] == "wrong"}
    unbound = {f"sensor {name}" for name, part in board.parts.items() if part.wire}  # their bridge has no driver yet
    assert wrong == {"sensor attic", *unbound} and "did not a" in doctor["sensor attic"]["sentence"]
    assert "23.5 C" in doctor["sensor t0"]["sentence"]
    assert looked["kernel"] in doctor["kernel"]["sentence"]
    figures["Landlock"] = f"ABI {looked['landlock']}"
    assert looked["landlock"] >= 1 and looked["seccomp"] == "EFAULT"
    assert "level landlock" in doctor["wall"]["sentence"]
    for kind, nodes in looked["nodes"].items():
        said = doctor.get(f"devices: {kind}", {"sentence": ""})["sentence"]
        shown = dict(re.findall(r"(\S+) \(\S+ (\d{4})\)", said))
        more = re.search(r" and (\d+) more", said)
        assert shown.items() <= nodes.items() and len(shown) + int(more[1] if more else 0) == len(nodes), (kind, said)
    label, count = looked["chip"]
    assert f"{label} at {board.guest.lines} ({count} lines" in doctor["gpio chip"]["sentence"]
    assert ("/dev/watchdog" in doctor["watchdog"]["sentence"]) == looked["watchdog"]
    for name, line, drives in (("fan", FAN, 1), ("pump", PUMP, 1), ("door", DOOR, 0)):
        holder, used, output = looked["lines"][str(line)]
        assert used and output == drives
        assert f"GPIO{line} " in doctor[f"line {name}"]["sentence"] and holder in doctor[f"line {name}"]["sentence"]
