"""Doctor on what a Raspberry Pi switches on at boot: config.txt and cmdline.txt against what is there now.

Rules:
1. A line counts where no section limits it, or the section is [all]; in another section it is told with that section.
2. What is written and not in force was written after the last start, or its module is missing: both are said.
3. On a board that is no Raspberry Pi there is nothing to tell.
"""

from __future__ import annotations

from edge.cli.finding import Finding, remedy
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.cli.doctor_nodes import Place

FOLDERS = ("/boot/firmware", "/boot")
# U-Boot starts the kernel with the device tree of the slot: what config.txt switches on there is not in force.
BUSES_OF_CARD = "nothing to do: buses are as the image's device tree has them, and I2C is on"
CUSTOM = "/etc/default/raspi-firmware-custom"


class Bus(Record):
    """What config.txt switches on. `keys`: the spellings that do; `line`: the one to write; `sign`: what shows it."""

    name: str
    keys: tuple[str, ...]
    line: str
    tool: str
    folder: str
    sign: str
    module: str


BUSES = (
    Bus(
        "I2C",
        ("dtparam=i2c_arm", "dtparam=i2c", "dtparam=i2c1"),
        "dtparam=i2c_arm=on",
        "raspi-config nonint do_i2c 0",
        *("/dev", "i2c-1", "i2c-dev"),
    ),
    Bus("SPI", ("dtparam=spi",), "dtparam=spi=on", "raspi-config nonint do_spi 0", "/dev", "spidev0", "spidev"),
    Bus(
        "UART",
        ("enable_uart", "dtparam=uart0"),
        "enable_uart=1",
        "raspi-config nonint do_serial_hw 0",
        *("/dev", "serial0", ""),
    ),
    Bus(
        "1-wire",
        ("dtoverlay=w1-gpio",),
        "dtoverlay=w1-gpio",
        "raspi-config nonint do_onewire 0",
        *("/sys/bus/w1/devices", "w1_bus_master", "w1-gpio"),
    ),
)


def findings(place: Place, family: str) -> Iterator[Finding]:
    """One line for each bus, one for the console, one for lines that the firmware sets. `family`: of the board."""
    folder = next((one for one in FOLDERS if place.data(f"{one}/config.txt") is not None), "")
    if not folder:
        if family.startswith("Raspberry Pi"):
            usual = "mount the boot partition, such as: sudo mount /dev/mmcblk0p1 /boot/firmware"
            fix = remedy(usual, usual, usual.replace("sudo ", ""), BUSES_OF_CARD)
            yield Finding("overlays", "absent", "no config.txt in /boot/firmware or /boot: what is on is not told", fix)
        return
    path = f"{folder}/config.txt"
    lines = settings(place.text(path))
    for bus in BUSES:
        yield _bus(place, path, lines, bus)
    yield from _firmware(path, lines)
    yield from _console(place, folder)


def settings(text: str) -> list[tuple[str, str]]:
    """(section, line) of a config.txt without comments and blanks; "" where no section limits it."""
    section, found = "", []
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
            section = "" if section == "all" else section
        elif line:
            found.append((section, line.replace(" ", "")))
    return found


def said(lines: list[tuple[str, str]], keys: tuple[str, ...]) -> tuple[str, bool] | None:
    """The last line that speaks of one of the keys, with its section, and whether it switches on; None: none does."""
    found = None
    for section, line in lines:
        for part in _parts(line):
            key, _, value = part.partition("=") if not part.startswith("dt") else _split(part)
            if key in keys:
                where = f" in its section [{section}]" if section else ""
                found = (f"{part}{where}", value not in ("off", "0", "no", "false"))
    return found


def _parts(line: str) -> list[str]:
    """dtparam takes several parameters: `dtparam=i2c_arm=on,spi=on`."""
    name, _, rest = line.partition("=")
    return [f"{name}={one}" for one in rest.split(",")] if name == "dtparam" else [line]


def _split(part: str) -> tuple[str, str, str]:
    """`dtparam=spi=on` as (dtparam=spi, =, on); `dtoverlay=w1-gpio,gpiopin=4` as (dtoverlay=w1-gpio, =, ...)."""
    name, _, rest = part.partition("=")
    sign = "," if name == "dtoverlay" else "="
    key, _, value = rest.partition(sign)
    return f"{name}={key}", sign, value


def _bus(place: Place, path: str, lines: list[tuple[str, str]], bus: Bus) -> Finding:
    told, what = said(lines, bus.keys), f"overlay: {bus.name}"
    there = any(name.startswith(bus.sign) for name in place.names(bus.folder))
    if told is None or not told[1]:
        state = "is there all the same" if there else "is off"
        written = f"{told[0]} in {path}" if told else f"{path} does not speak of it"
        if there:
            return Finding(what, "ok", f"{written}, and it {state}")
        fix = remedy(
            f"sudo {bus.tool}, then reboot",
            f"{bus.line} in {CUSTOM}, sudo update-initramfs -u, then reboot",
            f"{bus.line} in {path}, then reboot",
            BUSES_OF_CARD,
        )
        return Finding(what, "absent", f"{written}: it {state}", fix)
    if there:
        return Finding(what, "ok", f"{told[0]} in {path}")
    load = f"reboot; is it there still not: sudo modprobe {bus.module}" if bus.module else "reboot"
    minimal = f"reboot; is it there still not: modprobe {bus.module}" if bus.module else "reboot"
    fix = remedy(load, load, minimal, BUSES_OF_CARD)
    return Finding(what, "absent", f"{told[0]} in {path}, and it is not in force", fix)


def _firmware(path: str, lines: list[tuple[str, str]]) -> Iterator[Finding]:
    """Lines that the firmware drives before there is a kernel."""
    pulls = [line for section, line in lines if line.startswith("gpio=") and not section]
    if pulls:
        yield Finding("overlay: lines", "ok", f"{', '.join(pulls[:8])} in {path}: so they are until the guard starts")


def _console(place: Place, folder: str) -> Iterator[Finding]:
    """The console takes GPIO14 and GPIO15 from whoever wants the serial port of the header."""
    running = place.text("/proc/cmdline") or place.text(f"{folder}/cmdline.txt")
    consoles = [word[8:].partition(",")[0] for word in running.split() if word.startswith("console=")]
    serial = [one for one in consoles if one.startswith(("serial", "ttyAMA", "ttyS"))]
    if not serial:
        yield Finding("overlay: console", "ok", "no console on the serial port of the header")
        return
    fix = remedy(
        "to free them: sudo raspi-config nonint do_serial_cons 1, then reboot",
        f"to free them: take console={serial[0]} out of /etc/default/raspi-firmware, then reboot",
        f"to free them: take console={serial[0]} out of {folder}/cmdline.txt and its line out of /etc/inittab",
        "the console of a card is its way in: wire to other lines",
    )
    yield Finding("overlay: console", "absent", f"the console is {', '.join(serial)}: GPIO14 and GPIO15 are its", fix)
