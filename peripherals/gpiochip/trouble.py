"""What the kernel's refusals mean, as sentences that name the line, its holder and what to do. Loaded when one comes.

Rules this file keeps:
1. Every sentence says what was not done to which line or chip; every fix is something a person can do.
2. A fault made here has the kernel's number as `errno`, for callers that tell a held line from a broken one.
3. Numbers of errors as errno(3); which of them a GPIO chip gives, and when, is in the kernel's
   userspace-api/gpio documents.
"""

from __future__ import annotations

import errno
import posix as os

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.find import holder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.gpiochip.chip import Chip, LineInfo, Settings

GROUP = (
    "add the user to the group that owns the node (`ls -l /dev/gpiochip*`; on Raspberry Pi OS `sudo usermod -aG gpio "
    "USER`) and log in again; as a service, `SupplementaryGroups=gpio`"
)
OLD = "Linux 5.10 or later is needed for GPIO lines (uAPI v2, CONFIG_GPIO_CDEV)"

# What is known of those who hold lines by the name they give: how it begins -> what to do about it.
HOLDERS = (
    ("fieldhand", "another Fieldhand guard or program has it: end that one, or declare the line only once"),
    ("w1", "it is the 1-wire bus: take dtoverlay=w1-gpio out of config.txt, or use another line"),
    ("spi", "it is a chip select of SPI: take dtparam=spi=on out of config.txt, or use another line"),
    ("sysfs", "it was exported under /sys/class/gpio: write its number to /sys/class/gpio/unexport"),
    ("led", "it is a LED of the kernel's: see /sys/class/leds"),
    ("ACT", "it is the board's own LED: see /sys/class/leds"),
    ("PWR", "it is the board's own LED: see /sys/class/leds"),
    ("lg", "a gpiozero or lgpio program has it: end that program"),
    ("gpioset", "a gpioset command has it: end it"),
)
OTHERS = "end the program or take out the overlay that has it, or use another line"


def fault(error: OSError, what: str, doing: str) -> HardwareFault:
    """The fault for an error. `what`: a sentence without its reason; `doing`: open, chip, info or line."""
    return _numbered(_meaning(error.errno or 0, what, doing), error)


def _meaning(number: int, what: str, doing: str) -> HardwareFault:
    if number in (errno.EACCES, errno.EPERM) and doing == "open":
        return HardwareFault(f"{what}: permission denied", GROUP)
    if number == errno.EPERM:
        return HardwareFault(f"{what}: it is held as an input", "hold it as an output first")
    if number in (errno.ENODEV, errno.ENXIO) or (number == errno.ENOENT and doing == "open"):
        return HardwareFault(f"{what}: the chip is gone", "see that its driver is loaded and the device is plugged in")
    if number == errno.ENOTTY or (number == errno.EINVAL and doing in ("chip", "info")):
        release = os.uname().release
        return HardwareFault(f"{what}: it does not know this request (kernel {release})", OLD)
    return HardwareFault(f"{what}: {os.strerror(number)} (error {number})", _fix(number))


def no_line(chip: Chip, line: str) -> HardwareFault:
    """The fault for a line that a chip has not."""
    named = [name for name in chip.names() if name.lower() == line.lower()]
    near = f"it is called {named[0]} there" if named else "`gpioinfo` or board_info lists the lines"
    return HardwareFault(
        f"{chip} ({chip.path}) has no line {line}: its {chip.lines} lines are 0 to {chip.lines - 1}", near
    )


def requesting(error: OSError, chip: Chip, offset: int, settings: Settings) -> HardwareFault:
    """The fault for a line that could not be had: who holds it, or what does not go together."""
    return _numbered(_request(error, chip, offset, settings), error)


def _numbered(made: HardwareFault, error: OSError) -> HardwareFault:
    made.errno = error.errno
    return made


def _request(error: OSError, chip: Chip, offset: int, settings: Settings) -> HardwareFault:
    info = _info(chip, offset)
    name = f"{info.name} (line {offset} of {chip})" if info and info.name else f"line {offset} of {chip}"
    if error.errno == errno.EBUSY:
        return HardwareFault(f"{name} is {holder(info) if info else 'held'}", _ending(info))
    if error.errno == errno.EINVAL:
        wrong = contradiction(settings) or "the kernel finds it invalid; its version may be older than what is asked"
        return HardwareFault(f"{name} cannot be held like this: {wrong}", "see its settings")
    if error.errno == errno.EPERM:
        return HardwareFault(f"{name} may not be used: the kernel keeps it", "use another line")
    if error.errno == errno.ENXIO and settings.edges:
        return HardwareFault(f"{name} gives no edges: its chip has no interrupts", "read its value from time to time")
    if error.errno in (errno.EOPNOTSUPP, 524):  # 524 is the kernel's own ENOTSUPP
        return HardwareFault(
            f"{name} cannot do what is asked: its chip has no such bias, drive or edge", "ask for less"
        )
    return fault(error, f"{name} could not be had", "line")


def contradiction(settings: Settings) -> str:
    """What of the settings does not go together, in words; "" when nothing is known."""
    if settings.edges and settings.direction != "input":
        return "edges are for inputs"
    if settings.debounce and settings.direction != "input":
        return "debounce is for inputs"
    if settings.drive and settings.direction != "output":
        return "open drain and open source are for outputs"
    if settings.bias and settings.direction == "as-is":
        return "a bias needs a direction"
    return ""


def _info(chip: Chip, offset: int) -> LineInfo | None:
    """What is known of a line that was refused, when that can still be asked."""
    try:
        return chip.info(offset)
    except HardwareFault:
        return None


def _ending(info: LineInfo | None) -> str:
    """What to do about the holder of a line."""
    consumer = info.consumer if info else ""
    return next((fix for start, fix in HOLDERS if consumer.startswith(start)), OTHERS)


def _fix(number: int) -> str:
    if number in (errno.EMFILE, errno.ENFILE):
        return "too many descriptors are open: raise the limit (ulimit -n)"
    if number in (errno.EBADF, errno.ESHUTDOWN):
        return "it was closed: ask for it again"
    return "see the kernel's messages (dmesg)"
