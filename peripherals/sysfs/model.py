"""A model of /sys/class/pwm as the kernel behaves: the double of `files.Files` for whoever has no PWM chip.

Rules this file keeps (kernel, drivers/pwm/sysfs.c and core.c as documented in sysfs-class-pwm):
1. `export` makes a channel's folder: EBUSY when it is exported or a driver has it, ENODEV beyond the chip's channels.
2. Every change is applied as a whole: without a period EINVAL, with a duty above the period EINVAL.
3. The polarity changes only while it is disabled: EBUSY. A chip that cannot invert says EINVAL.
4. `export` and `unexport` can only be written, `npwm` only read: EACCES otherwise, also for root.
5. `unexport` leaves the output as it is. A descriptor of what is gone answers ENODEV.
6. Scripted: `drivers` hold channels, `rights` are missing, `shortest` periods, a `shared` period, values `stuck`.
"""

from __future__ import annotations

import errno
import os

CLASS = "/sys/class/pwm"
FRESH = {"period": "0", "duty_cycle": "0", "enable": "0", "polarity": "normal"}


class Chip:
    """One chip: its device's name and its channels, each a dict of its attributes; `exported` says which are."""

    def __init__(self, device: str, channels: int) -> None:
        self.device = device
        self.channels = [dict(FRESH) for _ in range(channels)]
        self.exported: set[int] = set()
        self.drivers: set[int] = set()
        self.rights = True
        self.slow = 0  # so many openings of a channel's attributes come before udev has given rights to them
        self.inverts = True
        self.shared = False
        self.shortest = 1
        self.stuck: set[str] = set()


class PwmModel:
    """See files.Tree. `record`: every write in order, as (path below the class, text)."""

    def __init__(self, **chips: Chip) -> None:
        self.chips = chips
        self.record: list[tuple[str, str]] = []
        self._open: dict[int, tuple[Chip, str]] = {}
        self._locks: dict[int, tuple[Chip, str]] = {}
        self._last = 1000

    def level(self, name: str, channel: int) -> float | None:
        """The part of the time that the wire is high; None while the channel is disabled."""
        said = self.chips[name].channels[channel]
        if said["enable"] != "1":
            return None
        part = int(said["duty_cycle"]) / int(said["period"])
        return part if said["polarity"] == "normal" else 1.0 - part

    def names(self, path: str) -> list[str]:
        if path == CLASS:
            return sorted(self.chips)
        chip = self._chip(path[len(CLASS) + 1 :])
        return sorted(["device", "export", "npwm", "unexport", *[f"pwm{number}" for number in chip.exported]])

    def target(self, path: str) -> str:
        name, _, rest = path[len(CLASS) + 1 :].partition("/")
        if rest != "device":
            raise _error(errno.EINVAL)
        return self._chip(name).device

    def open(self, path: str, mode: str = "rw") -> int:
        name, _, rest = path[len(CLASS) + 1 :].partition("/")
        chip = self._chip(name)
        channel, _, attribute = rest.partition("/")
        known = attribute in FRESH and channel in {f"pwm{number}" for number in chip.exported}
        if not known and rest not in ("export", "npwm", "unexport"):
            raise _error(errno.ENOENT)
        if known and chip.slow > 0:
            chip.slow -= 1
            raise _error(errno.EACCES)
        allowed = {"export": "w", "unexport": "w", "npwm": "r"}.get(rest, "rw")
        if not set(mode) <= set(allowed) or ("w" in mode and not chip.rights):
            raise _error(errno.EACCES)
        self._last += 1
        self._open[self._last] = (chip, rest)
        return self._last

    def read(self, fd: int) -> str:
        chip, rest = self._at(fd)
        if rest == "npwm":
            return str(len(chip.channels))
        channel, attribute = self._attribute(chip, rest)
        return chip.channels[channel][attribute]

    def write(self, fd: int, text: str) -> None:
        chip, rest = self._at(fd)
        name = next(name for name, one in self.chips.items() if one is chip)
        self.record.append((f"{name}/{rest}", text))
        if rest == "export":
            self._export(chip, int(text))
        elif rest == "unexport":
            if int(text) not in chip.exported:
                raise _error(errno.ENODEV)
            chip.exported.discard(int(text))
        else:
            self._apply(chip, *self._attribute(chip, rest), text)

    def lock(self, fd: int) -> bool:
        place = self._at(fd)
        if any(other != fd and held == place for other, held in self._locks.items()):
            return False
        self._locks[fd] = place
        return True

    def close(self, fd: int) -> None:
        del self._open[fd]
        self._locks.pop(fd, None)

    def _chip(self, name: str) -> Chip:
        if name not in self.chips:
            raise _error(errno.ENOENT)
        return self.chips[name]

    def _at(self, fd: int) -> tuple[Chip, str]:
        chip, rest = self._open[fd]
        if chip not in self.chips.values():
            raise _error(errno.ENODEV)
        return chip, rest

    def _attribute(self, chip: Chip, rest: str) -> tuple[int, str]:
        channel, _, attribute = rest.partition("/")
        if int(channel[3:]) not in chip.exported:
            raise _error(errno.ENODEV)
        return int(channel[3:]), attribute

    def _export(self, chip: Chip, channel: int) -> None:
        if not 0 <= channel < len(chip.channels):
            raise _error(errno.ENODEV)
        if channel in chip.exported or channel in chip.drivers:
            raise _error(errno.EBUSY)
        chip.exported.add(channel)

    def _apply(self, chip: Chip, channel: int, attribute: str, text: str) -> None:
        now = chip.channels[channel]
        new = {**now, attribute: text}
        period = int(new["period"])
        if attribute == "polarity" and text != now["polarity"] and now["enable"] == "1":
            raise _error(errno.EBUSY)
        if not period or int(new["duty_cycle"]) > period or period < chip.shortest:
            raise _error(errno.EINVAL)
        if new["polarity"] != "normal" and not chip.inverts:
            raise _error(errno.EINVAL)
        others = [one["period"] for at, one in enumerate(chip.channels) if at != channel and one["enable"] == "1"]
        if chip.shared and any(other != new["period"] for other in others):
            raise _error(errno.EBUSY)
        if attribute not in chip.stuck:
            chip.channels[channel] = new


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
