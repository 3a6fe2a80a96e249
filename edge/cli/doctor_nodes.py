"""Doctor on what the kernel offers: its version, device nodes, who may open them, what switches them on at boot.

Rules:
1. Everything is looked at below `Place.root`; a folder that holds another board's files is examined in the same way.
2. Nothing is opened but texts. Whether a node can be opened is asked by its owner, group and mode.
3. Who is in a group stands in two places: in /etc/group, and in this login session, which got its groups when it began.
4. `needed`: lines of this board were declared. Without them what is missing is absent, never wrong.
"""

from __future__ import annotations

import os

from edge.cli.finding import Finding, remedy
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST = (5, 10)  # GPIO character device, version 2 (Linux 5.10)
SHOWN = 6
NEWER = "fieldhand update FILE, with a newer image"
THIS_MODEL = "flash the image that is made for this model (docs/images.md)"
LOGIN = "log in as operator or rescue: they may"
MOST = 1 << 16  # bytes of a text


class Kind(Record):
    """Device nodes of one kind: how their names begin, and the group that may open them on a usual system."""

    name: str
    starts: tuple[str, ...]
    group: str


KINDS = (
    Kind("GPIO", ("gpiochip",), "gpio"),
    Kind("I2C", ("i2c-",), "i2c"),
    Kind("SPI", ("spidev",), "spi"),
    Kind("serial", ("ttyUSB", "ttyACM", "ttyAMA", "ttyS", "ttyTHS", "ttymxc", "ttyO"), "dialout"),
)


class Place(Record):
    """Where and as whom to look: the root folder, the user's number, and the groups of this session."""

    root: str = "/"
    uid: int = 0
    groups: tuple[int, ...] = ()
    needed: bool = False

    def path(self, path: str) -> str:
        return self.root.rstrip("/") + path

    def text(self, path: str) -> str:
        """A text, "" when there is none that can be read."""
        found = self.data(path)
        return "" if found is None else found.decode("utf-8", "replace").strip("\0\n ")

    def data(self, path: str) -> bytes | None:
        try:
            handle = os.open(self.path(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError:
            return None
        try:
            return os.read(handle, MOST)
        except OSError:
            return None
        finally:
            os.close(handle)

    def names(self, folder: str) -> list[str]:
        """The names in a folder, numbers in their order; none when it is not there."""
        try:
            found = os.listdir(self.path(folder))
        except OSError:
            return []
        return sorted(found, key=lambda name: (name.rstrip("0123456789"), len(name), name))


def here(needed: bool) -> Place:
    """This system, as the user who asks."""
    return Place("/", os.geteuid(), tuple({os.getegid(), *os.getgroups()}), needed)


def findings(place: Place) -> Iterator[Finding]:
    yield from kernel(place)
    yield from nodes(place)
    yield from groups(place)
    yield from watchdog(place)


def kernel(place: Place) -> Iterator[Finding]:
    release = place.text("/proc/sys/kernel/osrelease")
    numbers = [int(part) for part in release.partition("-")[0].split(".")[:2] if part.isdecimal()]
    if len(numbers) < 2:
        yield Finding("kernel", "absent", "its version is not told here")
    elif tuple(numbers) >= OLDEST:
        yield Finding("kernel", "ok", f"{release}, new enough for GPIO lines (5.10)")
    else:
        fix = remedy(
            "sudo apt full-upgrade, then reboot",
            "sudo apt full-upgrade, then reboot",
            "build the image anew with Linux 5.10 or later",
            NEWER,
        )
        sentence = f"{release} is older than 5.10: GPIO lines answer with ENOTTY"
        yield Finding("kernel", _missing(place), sentence, fix)


def _missing(place: Place) -> str:
    return "wrong" if place.needed else "absent"


def nodes(place: Place) -> Iterator[Finding]:
    """One line for each kind of node that is there; one for all when there is none."""
    names = place.names("/dev")
    any_ = False
    for kind in KINDS:
        found = [name for name in names if name.startswith(kind.starts) and _numbered(name, kind)]
        if found:
            any_ = True
            yield _kind(place, kind, found)
    chips = [name for name in place.names("/sys/class/pwm") if name.startswith("pwmchip")]
    if chips:
        any_ = True
        yield _pwm(place, chips)
    wires = [name for name in place.names("/sys/bus/w1/devices") if "-" in name]
    if wires:
        any_ = True
        yield Finding("devices: 1-wire", "ok", f"{_few(wires)} in /sys/bus/w1/devices")
    if not any_:
        yield Finding(
            "devices", "absent", "no GPIO, I2C, SPI or serial node in /dev; the simulated board needs none", ""
        )
    if place.needed and not any(name.startswith("gpiochip") for name in names):
        fix = remedy(
            "update it: every kernel of it has them",
            "sudo apt install linux-image-arm64 (or -armmp), then reboot",
            "build the kernel with CONFIG_GPIO_CDEV=y; mount -t devtmpfs devtmpfs /dev",
            THIS_MODEL,
        )
        yield Finding("devices: GPIO", "wrong", "there is no /dev/gpiochip*, and lines are declared", fix)


def _pwm(place: Place, chips: list[str]) -> Finding:
    """PWM channels are had by writing to `export` of their chip."""
    told = [f"{chip} ({_rights(place, f'/sys/class/pwm/{chip}/export')})" for chip in chips]
    shut = [chip for chip in chips if not may_open(place, f"/sys/class/pwm/{chip}/export", 2)]
    if not shut:
        return Finding("devices: PWM", "ok", f"{_few(told)} in /sys/class/pwm")
    rule = "a udev rule that gives /sys/class/pwm/pwmchip* to the group gpio, or run the guard as root"
    fix = remedy(joining_once(user(place), "gpio"), rule, "run the guard as root", LOGIN)
    return Finding("devices: PWM", "absent", f"{_few(told)}; not open to this user: {_few(shut)}", fix)


def _numbered(name: str, kind: Kind) -> bool:
    """True for `spidev0.1`, `ttyS0`, not for what only begins so."""
    start = next(one for one in kind.starts if name.startswith(one))
    return name[len(start) :].replace(".", "").isdecimal()


def _kind(place: Place, kind: Kind, found: list[str]) -> Finding:
    shut = [name for name in found if not may_open(place, f"/dev/{name}")]
    told = _few([f"{name} ({_rights(place, '/dev/' + name)})" for name in found])
    what = f"devices: {kind.name}"
    if not shut:
        return Finding(what, "ok", told)
    state = "wrong" if place.needed and kind.name == "GPIO" else "absent"
    return Finding(what, state, f"{told}; not open to this user: {_few(shut)}", _opening(place, kind, shut[0]))


def _few(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _rights(place: Place, path: str) -> str:
    """`root:gpio 0660`."""
    try:
        status = os.stat(place.path(path))
    except OSError:
        return "gone"
    owner = _named(place.text("/etc/passwd"), status.st_uid)
    group = _named(place.text("/etc/group"), status.st_gid)
    return f"{owner}:{group} {status.st_mode & 0o7777:04o}"


def may_open(place: Place, path: str, needs: int = 6) -> bool:
    """True when owner, group and mode let this user do it (4 read, 2 write, 6 both); root may always."""
    try:
        status = os.stat(place.path(path))
    except OSError:
        return False
    if place.uid == 0:
        return True
    if status.st_uid == place.uid:
        return status.st_mode >> 6 & needs == needs
    if status.st_gid in place.groups:
        return status.st_mode >> 3 & needs == needs
    return status.st_mode & needs == needs


def _opening(place: Place, kind: Kind, name: str) -> str:
    """How this user comes to open a node: by its group where that has the right, else by giving it one."""
    try:
        status = os.stat(place.path(f"/dev/{name}"))
    except OSError:
        return ""
    group = _named(place.text("/etc/group"), status.st_gid)
    if status.st_mode & 0o060 == 0o060 and status.st_gid:
        return joining(user(place), group)
    rule = f"for {kind.group}: {kind.starts[0]}* to root:{kind.group} 0660"
    udev = f"a udev rule {rule}, sudo udevadm trigger, and {_join(user(place), kind.group)}"
    return remedy(
        f"sudo apt install raspberrypi-sys-mods, then {_join(user(place), kind.group)}",
        f"sudo groupadd -f -r {kind.group}, {udev}",
        f"{kind.starts[0]}.* root:{kind.group} 660 in /etc/mdev.conf, mdev -s",
        LOGIN,
    )


def _join(user: str, group: str) -> str:
    return f"sudo usermod -aG {group} {user}"


def joining_once(user: str, group: str) -> str:
    return f"{_join(user, group)}, then log in again"


def joining(user: str, group: str) -> str:
    """How a user comes into a group, on each system."""
    usual = joining_once(user, group)
    return remedy(usual, usual, f"addgroup {user} {group}, then log in again", LOGIN)


def groups(place: Place) -> Iterator[Finding]:
    """Whether this user is in the group of each kind of node that is there: by the file, and in this session."""
    if place.uid == 0:
        return
    who, names = user(place), place.names("/dev")
    for kind in KINDS:
        row = _row(place.text("/etc/group"), kind.group)
        if row is None or not any(name.startswith(kind.starts) and _numbered(name, kind) for name in names):
            continue
        what, number, members = f"group {kind.group}", row[2], row[3].split(",")
        inside, listed = number.isdecimal() and int(number) in place.groups, who in members
        if inside:
            yield Finding(what, "ok", f"{who} is in it")
        elif listed:
            sentence = f"/etc/group has {who} in it, and this login session began before that"
            yield Finding(what, _missing(place), sentence, "log in again, or restart the service")
        else:
            yield Finding(what, "absent", f"{who} is not in it", joining(who, kind.group))


def watchdog(place: Place) -> Iterator[Finding]:
    """The hardware watchdog, which alone ends a hang of the kernel."""
    found = [name for name in place.names("/sys/class/watchdog") if name.startswith("watchdog")]
    if not found and not any(name.startswith("watchdog") for name in place.names("/dev")):
        fix = remedy(
            "dtparam=watchdog=on in /boot/firmware/config.txt, RuntimeWatchdogSec=10 in /etc/systemd/system.conf",
            "sudo modprobe bcm2835_wdt (or that of the board), RuntimeWatchdogSec=10 in /etc/systemd/system.conf",
            "build its driver in; ::respawn:/sbin/watchdog -F -t 5 /dev/watchdog in /etc/inittab",
            THIS_MODEL,
        )
        yield Finding("watchdog", "absent", "no hardware watchdog: nothing ends a hang of the kernel itself", fix)
        return
    name = found[0] if found else "watchdog"
    told = {one: place.text(f"/sys/class/watchdog/{name}/{one}") for one in ("identity", "state", "timeout")}
    parts = [told["identity"], f"timeout {told['timeout']} s" if told["timeout"] else "", told["state"]]
    sentence = ", ".join([f"/dev/{name}", *filter(None, parts)])
    if told["state"] == "inactive":
        usual = "RuntimeWatchdogSec=10 in /etc/systemd/system.conf, then sudo systemctl daemon-reexec"
        minimal = "::respawn:/sbin/watchdog -F -t 5 /dev/watchdog in /etc/inittab"
        fix = remedy(usual, usual, minimal, "the supervisor feeds it: see card: watchdog")
        yield Finding("watchdog", "absent", f"{sentence}: nobody feeds it, so it watches nothing", fix)
    else:
        yield Finding("watchdog", "ok", sentence)


def user(place: Place) -> str:
    """The name of the user who asks."""
    return _named(place.text("/etc/passwd"), place.uid)


def _named(table: str, number: int) -> str:
    """The name of a number in a table such as /etc/group; the number when it has none."""
    for line in table.splitlines():
        parts = line.split(":")
        if len(parts) > 2 and parts[2] == str(number):
            return parts[0]
    return str(number)


def _row(table: str, name: str) -> list[str] | None:
    for line in table.splitlines():
        parts = line.split(":")
        if parts[0] == name and len(parts) > 3:
            return parts
    return None
