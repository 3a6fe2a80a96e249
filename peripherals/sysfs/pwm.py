"""PWM channels of the hardware through /sys/class/pwm.

Rules this file keeps:
1. A chip is told by its folder (`pwmchip0`) or by the name of the device behind it (`fe20c000.pwm`): the numbers move
   from one boot to the next and when an overlay comes or goes.
2. At every moment the period is at least the duty: a period that shrinks is written after the duty, one that grows
   before it. Everything needs a period first, the polarity too; and the polarity only changes while it is disabled.
3. Off is a duty of 0 on a channel that is enabled: what a disabled channel shows is the driver's choice.
4. A channel that is exported already belongs to nobody in the kernel, but an earlier run or another program exported
   it. It is taken over, which is said (`taken_over`), unless another guard has its lock; and it stays exported at the
   end. The kernel does not tell who else writes to it: what is read back must be what was written.
5. Everything is written and read at descriptors opened once; nothing else is touched. Releasing does not disable: the
   channel goes on with the duty it has.

Source of the facts: kernel, Documentation/ABI/testing/sysfs-class-pwm, Documentation/driver-api/pwm.rst.
"""

from __future__ import annotations

from edge.faults import HardwareFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.sysfs.files import Tree

CLASS = "/sys/class/pwm"
SECOND = 1_000_000_000  # ns
EACCES, EBUSY, EINVAL, ENODEV = 13, 16, 22, 19
ATTRIBUTES = ("period", "duty_cycle", "enable", "polarity")
_RIGHTS = (
    "the folder belongs to root unless a udev rule gives it to a group: let the guard run as root, or add the rule"
)
_OVERLAY = "dtoverlay=pwm or pwm-2chan in config.txt makes the header's channels"


def find(tree: Tree, chip: str) -> str:
    """The folder of a chip, told by its folder's name or its device's. HardwareFault: there is none, or several."""
    try:
        names = [name for name in tree.names(CLASS) if name.startswith("pwmchip")]
    except OSError:
        names = []
    devices = {name: _device(tree, name) for name in names}
    found = [name for name in names if chip in (name, devices[name])]
    if len(found) == 1:
        return f"{CLASS}/{found[0]}"
    known = ", ".join([f"{name} ({devices[name]})" if devices[name] else name for name in names])
    if found:
        raise HardwareFault(f"{chip} has several PWM chips: {', '.join(found)}", "say which by its folder")
    raise HardwareFault(f"there is no PWM chip {chip[:40]}", f"there are: {known}" if known else _OVERLAY)


def _device(tree: Tree, name: str) -> str:
    try:
        return tree.target(f"{CLASS}/{name}/device")
    except OSError:
        return ""


class Channel:
    """One channel. `frequency`: Hz. Levels are 0.0 to 1.0, the part of the time that it is active.

    All methods but `close` raise HardwareFault; after one the state is unknown until `get` says it.
    """

    def __init__(self, tree: Tree, chip: str, channel: int, frequency: float, inverted: bool = False) -> None:
        self.taken_over = False
        self.source = f"channel {channel} of {chip}"
        self._tree, self._chip, self._channel = tree, chip, channel
        self._period = max(1, round(SECOND / frequency))
        self._polarity = "inversed" if inverted else "normal"
        self._ours = False
        self._folder = ""
        self._files: dict[str, int] = {}
        self._asked: tuple[int, float] | None = None

    @property
    def exported(self) -> bool:
        """It was exported here: rights that its files lack may still come, udev gives them a moment later."""
        return self._ours

    def take(self, level: float, hold: bool = False) -> None:
        """Get hold of it with `level`; `hold`: with the level it has, where it was running already."""
        self._folder = find(self._tree, self._chip)
        try:
            self._export()
            self._open()
            self._begin(level, hold)
        except HardwareFault:
            self._drop()
            raise

    def set(self, level: float) -> None:
        """Give it a level, and read back that it has it."""
        duty = round(level * self._period)
        self._asked = None
        self._write("duty_cycle", duty)
        if self._read("enable") != 1:
            self._write("enable", 1)
        found = self._read("duty_cycle"), self._read("enable"), self._read("period")
        if found != (duty, 1, self._period):
            raise HardwareFault(
                f"{self.source} was given {duty} of {self._period} ns and reads {found[0]} of {found[2]} ns"
                + ("" if found[1] == 1 else ", disabled"),
                "something else writes to it; the state is unknown",
            )
        self._asked = duty, level

    def get(self) -> float:
        """The level it has. HardwareFault: it is disabled, or does not answer."""
        duty, period = self._read("duty_cycle"), self._read("period")
        if self._read("enable") != 1 or not period:
            raise HardwareFault(f"{self.source} is disabled: what it shows is unknown", "something else turned it off")
        if self._asked and (self._asked[0], self._period) == (duty, period):
            return self._asked[1]
        return duty / period

    def close(self, hold: bool = False) -> None:
        """Let it go; the kernel drops it when it was exported here, unless it is to `hold` what it has."""
        if self._files and self._ours and not hold:
            self._unexport()
        self._drop()

    def _export(self) -> None:
        where = f"pwm{self._channel}"
        if not self._channel < self._number("npwm"):
            raise HardwareFault(f"there is no {self.source}: it has {self._number('npwm')}", "channels count from 0")
        if where in self._names():
            self.taken_over = not self._ours
            return
        try:
            self._order("export")
        except OSError as error:
            if error.errno != EBUSY:
                raise self._fault(error, "cannot be exported") from error
            if where not in self._names():
                sentence = f"{self.source} is held by a driver of the kernel (a fan, a backlight)"
                raise HardwareFault(sentence, "use another channel, or take that device out of the overlays") from error
            self.taken_over = True
            return
        self._ours = True

    def _open(self) -> None:
        try:
            for name in ATTRIBUTES:
                self._files[name] = self._tree.open(f"{self._folder}/pwm{self._channel}/{name}")
            free = self._tree.lock(self._files["duty_cycle"])
        except OSError as error:
            raise self._fault(error, "cannot be opened") from error
        if not free:
            raise HardwareFault(f"{self.source} is held by another guard", "end that one, or use another channel")

    def _begin(self, level: float, hold: bool) -> None:
        """Rules 2 and 3, from whatever it was."""
        period, duty = self._read("period"), self._read("duty_cycle")
        running = self._read("enable") == 1 and period > 0
        turned = self._word("polarity") != self._polarity
        if hold and running and not turned:
            level = duty / period
        if running and turned:
            self._write("enable", 0)
        wanted = [("duty_cycle", round(level * self._period)), ("period", self._period)]
        for name, value in wanted if period > self._period else reversed(wanted):
            self._write(name, value)
        if turned:
            self._write("polarity", self._polarity)
        self.set(level)

    def _unexport(self) -> None:
        try:
            self._order("unexport")
        except OSError:
            return  # it stays exported, which the next start finds and says
        self._ours = False

    def _drop(self) -> None:
        for fd in self._files.values():
            self._tree.close(fd)
        self._files = {}
        self._asked = None

    def _order(self, name: str) -> None:
        """Write the channel's number to an attribute of the chip."""
        fd = self._tree.open(f"{self._folder}/{name}", "w")
        try:
            self._tree.write(fd, str(self._channel))
        finally:
            self._tree.close(fd)

    def _names(self) -> list[str]:
        try:
            return self._tree.names(self._folder)
        except OSError as error:
            raise self._fault(error, "is gone") from error

    def _number(self, name: str) -> int:
        """An attribute of the chip."""
        try:
            fd = self._tree.open(f"{self._folder}/{name}", "r")
            try:
                return int(self._tree.read(fd))
            finally:
                self._tree.close(fd)
        except (OSError, ValueError) as error:
            raise HardwareFault(f"{self._folder}/{name} cannot be read: {error}") from error

    def _word(self, name: str) -> str:
        if not self._files:
            raise HardwareFault(f"{self.source} is not held")
        try:
            return self._tree.read(self._files[name])
        except OSError as error:
            raise self._fault(error, f"cannot be read ({name})") from error

    def _read(self, name: str) -> int:
        word = self._word(name)
        if not (word.isascii() and word.isdigit()):
            raise HardwareFault(f"{self.source} reads {word[:20]!r} as its {name}")
        return int(word)

    def _write(self, name: str, value: int | str) -> None:
        if not self._files:
            raise HardwareFault(f"{self.source} is not held")
        try:
            self._tree.write(self._files[name], str(value))
        except OSError as error:
            raise self._fault(error, f"did not take {value} as its {name}, its state is unknown") from error

    def _fault(self, error: OSError, what: str) -> HardwareFault:
        shared = "another channel of that chip runs at another frequency, and they share one"
        fixes = {
            EACCES: _RIGHTS,
            EBUSY: shared,
            EINVAL: 'the chip cannot do that: try another frequency, and active = "high"',
            ENODEV: "its chip is gone: it is tried again",
        }
        return HardwareFault(f"{self.source} {what}: {error.strerror}", fixes.get(error.errno or 0, ""))
