"""The vocabulary of a call: what is asked, what it touches, what was granted, what came of it.

Rules this file keeps:
1. Words only. Nothing here decides, reads or acts.
2. An effect names one thing as `kind:name` (`file:a/b`, `output:pump`, `sensor:soil`, `memory:tape`).
   The kinds that exist are those the gate has rules for; all else is denied.
3. Durations are seconds, sizes are bytes, paths are text with `/`.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Args = Mapping[str, Any]

VERBS = ("list", "read", "write", "run", "fetch", "send", "sense", "actuate", "call", "unknown")
OBSERVING = frozenset(("list", "read", "sense", "fetch"))
TRASH = ".fieldhand-trash"  # the detail of an effect that puts its file there; the folder at the top of each root
QUALITIES = ("ok", "stale", "suspect", "fault")


class Effect(Record):
    """One thing a call would touch. `deep`: also everything below it. `detail`: for the rule and the person."""

    verb: str
    on: str
    deep: bool = False
    detail: str = ""

    def check(self) -> None:
        if self.verb not in VERBS:
            raise ValueError(f"{self.verb!r} is not a verb")

    @property
    def observes(self) -> bool:
        """True when the effect changes nothing."""
        return self.verb in OBSERVING


class Grant(Record):
    """One thing a call may touch. `root` is the name of a root opened at start, or the kind of a thing.

    Files: the root's name (`system` is `/`) and the path below it. Hosts: root `host`, or `internal` where the
    operator listed it, path `https://name:443`. What a child process needs beyond files: `call socket inet|unix|
    netlink` and `call capability NAME`.
    """

    verb: str
    root: str
    path: str = "."
    deep: bool = False


class Permit(Record):
    """All that one call may touch, for how long (seconds) and how much it may return (bytes)."""

    call: str
    grants: tuple[Grant, ...]
    barred: tuple[str, ...] = ()
    seconds: float = 30.0
    bytes: int = 8192
    wall: str = "hands"


class Decision(Record):
    """The gate's answer. verdict: allow, ask, deny. risk: low, medium, high. `permit` is None when denied.

    `by`: the list of the policy that let it pass where the table would have asked, "" when it was the table.
    """

    verdict: str
    risk: str
    rule: str
    sentence: str
    permit: Permit | None = None
    by: str = ""


class Call(Record):
    """One tool with its arguments. `id` is unique on its tape; `parent` is the call that made this one."""

    tool: str
    args: Args
    id: str = ""
    parent: str = ""


class Root(Record):
    """A folder that calls may work in: a short name and its absolute path."""

    name: str
    path: str


class Sensor(Record):
    """A declared sensor. `words` are what people call it (`warm`, `temperature`), for planners and people.

    `states`: what the values 0 and 1 of a contact mean (`("closed", "open")`), empty for a measured quantity.
    """

    name: str
    label: str
    unit: str
    where: str
    words: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


class Source(Record):
    """Where the value of a sensor comes from that is no contact of the guard's; `name` is the sensor's.

    `kind` and `device`: `hwmon` and a chip's name, `iio` and a device's name, `thermal` and a zone's type, `onewire`
    and an identity (`28-060504030201`), `i2c` and bus and address (`1/0x48`). `at`: which one, where several have that
    name (`1-0048`). `channel`: of hwmon and iio. `part`: which part it is at an I2C bus. `low` and `high`: what it
    can be where it hangs, in its unit; None for no bound.
    """

    name: str
    kind: str
    device: str
    at: str = ""
    channel: str = ""
    part: str = ""
    low: float | None = None
    high: float | None = None


class Output(Record):
    """A declared output. `safe` is its value when nobody holds it; all times are seconds.

    `max_on`: the longest time away from safe without a break. `min_off`: the shortest time at safe before it may leave
    it again. `max_per_hour`: how often it may leave safe within any hour, 0 for no limit. `interlock`: conditions that
    must hold while it is away from safe (`not valve`, `tank_level > 10`), judged by readings no older than `max_age`.
    `feedback`: the sensor that shows, `settle` seconds after a change, whether it obeyed. `override`: the contact that,
    when active, holds it safe whoever asks. `on_start`, `on_exit`: `safe`, or `hold` what it has when the guard
    begins and ends. `pwm`: it takes a level between 0 and 1.
    """

    name: str
    label: str
    where: str
    risk: str = "medium"
    safe: bool = False
    max_on: float = 600.0
    words: tuple[str, ...] = ()
    min_off: float = 0.0
    max_per_hour: int = 0
    interlock: tuple[str, ...] = ()
    max_age: float = 10.0
    feedback: str = ""
    settle: float = 0.5
    override: str = ""
    on_start: str = "safe"
    on_exit: str = "safe"
    pwm: bool = False


class Gpio(Record):
    """What of the board's GPIO lines tools may touch beside the declared outputs and sensors.

    `chips`: where the chips are, "" for the kernel's, or `model:SOCKET`. `chip`: the label of the chip with the header,
    "" when it is to be found. `lines`: names that may be read beside the header's; `lab`: those that may be written.
    `header`: whose physical pins are told, as edge/peripherals/boards/header.py calls them; "" none is known.
    """

    chips: str = ""
    chip: str = ""
    lines: tuple[str, ...] = ()
    lab: tuple[str, ...] = ()
    header: str = "40"


class Port(Record):
    """A declared serial port. `device`: a path below /dev; `framing`: data bits, parity (N E O M S), stop bits.

    `flow`: none, rtscts or xonxoff. `end`: what is sent behind a text that has no line end of its own. `risk`: what
    it means to send there.
    """

    name: str
    label: str
    device: str
    baud: int = 9600
    framing: str = "8N1"
    flow: str = "none"
    end: str = "\r\n"
    risk: str = "high"


class Scene(Record):
    """What a tool may know before it acts: folders and what the board declares. Paths are absolute.

    `cwd` is "" when the folder of the start is gone. `own`: what only the agent itself uses, such as its key;
    `settings`: what says what the agent may do, which no tool changes. Both are files, or folders with all below.
    `gpio`: None on a board whose lines nobody may touch, as the simulated one, which has no `ports` either. `sources`:
    of those sensors that are read without the guard.
    """

    cwd: str
    home: str
    roots: tuple[Root, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    outputs: tuple[Output, ...] = ()
    state: str = ""
    simulated: bool = True
    own: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    gpio: Gpio | None = None
    sources: tuple[Source, ...] = ()
    ports: tuple[Port, ...] = ()


class Reading(Record):
    """A measured value. `value` is None when nothing was measured; `age` is seconds at the moment of reading."""

    name: str
    value: float | None
    unit: str
    quality: str
    age: float
    source: str

    def check(self) -> None:
        if self.quality not in QUALITIES:
            raise ValueError(f"{self.quality!r} is not a quality of a reading")


class Observation(Record):
    """What a call brought back. `text` is for the model and the person, `data` the same as plain JSON values.

    `untrusted`: the text came from outside (a file, a log) and must be fenced before a model sees it. `whole`: all of
    the text, when `text` is a clipped form of it and there is no better way to go on.
    """

    ok: bool
    text: str
    data: Mapping[str, Any] | None = None
    untrusted: bool = False
    whole: str = ""
