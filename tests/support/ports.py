"""Serial ports for tests: a world whose ports are doubles, and a device at a terminal of the kernel's own."""

from __future__ import annotations

import os
import pty
import select
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edge.call import Port, Root, Scene
from edge.hands.ports import Ports
from edge.hands.world import World
from edge.peripherals.port.model import Device, Wire
from edge.tape.unkept import Unkept

METER = Port("meter", "energy meter", "/dev/ttyUSB0")
READING = {b"READ\r\n": b"T=21.5\r\nH=40\r\n"}


def eventually(done: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What `done` gives once it gives something."""
    end = time.monotonic() + seconds
    while True:
        found = done()
        if found:
            return found
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def world(folder: Path, *ports: Port) -> World:
    """A board that declares these ports, METER without any."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),), simulated=False, ports=ports or (METER,))

    def no_board() -> Any:
        raise AssertionError("no board is needed")

    return World(scene, Unkept(), no_board)


def wired(folder: Path, device: Device, stuck: bool = False) -> tuple[World, list[Wire]]:
    """The same with this device at the port, and the wires that were opened."""
    here, wires = world(folder), []

    def opening(_port: Port) -> Wire:
        wires.append(Wire(device, stuck))
        return wires[-1]

    here._ports = Ports(here, opening)
    return here, wires


class Terminal:
    """A device behind a pseudo-terminal; `path` is the port. Closed ends of it read as an adapter that is gone."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)  # nobody holds the port
        self._ends = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        if device.greeting:
            self.say(device.greeting)

    def _serve(self) -> None:
        while not self._ends:
            try:
                if select.select([self.master], [], [], 0.02)[0]:
                    self.say(self.device.hear(os.read(self.master, 4096)))
            except OSError:  # EIO: nobody has the port open
                time.sleep(0.02)

    def say(self, data: bytes) -> None:
        if data:
            os.write(self.master, data)

    def port(self, name: str = "meter", **changes: Any) -> Port:
        return Port(name, "energy meter", self.path, **changes)

    def unplug(self) -> None:
        if not self._ends:
            self._ends = True
            self._thread.join()
            os.close(self.master)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()
