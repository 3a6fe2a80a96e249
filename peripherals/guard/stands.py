"""What stands behind a guard: a simulated board or real lines, with the folder it is kept in.

Rules this file keeps:
1. Real lines are taken, with their safe values, before anything is read from the card or written to it. Only the lock
   of the folder is tried before that: another guard's lines are not ours to take.
2. A card that gives or takes nothing keeps no real guard from its lines: it goes on, keeps nothing, and says so. A
   simulated board without its folder is none: whoever wants one without says so with an empty state folder.
3. What is loaded is what the kind needs: a guard of real lines has no greenhouse.
4. Board time of real lines is the monotonic clock itself, so what was recorded on the same boot has its time.
"""

from __future__ import annotations

from time import monotonic

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import folder as folders
from edge.peripherals.guard.folder import Folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    from edge.peripherals.guard.lines import LinesPlant
    from edge.peripherals.guard.owned import Owned
    from edge.peripherals.sim.board import SimBoard
    from edge.peripherals.sim.keep import Keep

    Stand = Union["Simulated", "Real"]

FOREVER = float("inf")


class Simulated:
    """A simulated board. `base` is the board time of the start; `left_on` the outputs that were on when it died."""

    kind = "sim"
    boot = ""
    every = FOREVER  # seconds between two looks at what stands behind

    def __init__(self, plant: SimBoard, keep: Keep | None, notes: list[str]) -> None:
        self.plant, self._keep, self.notes = plant, keep, notes
        self.folder = keep.path if keep else ""
        self.base = plant.now
        self.left_on = tuple(plant.left_on)
        self.trouble = ""

    def steer(self, name: str, value: str, now: float) -> str:
        """What an operator sets; a sentence. UsageFault."""
        return self.plant.adjust(name, value, now)

    def shown(self, now: float) -> list[dict[str, Any]]:
        """Every sensor as it answers now, for people."""
        return self.plant.shown(now)

    def scene(self, now: float) -> dict[str, Any]:
        """What else there is to see: the world's name, tanks, relays that fail, what its script brings next."""
        return self.plant.told(now)

    def tick(self, now: float) -> tuple[str, ...]:
        """Nothing: the board lives when it is asked."""
        return ()

    def told(self) -> list[str]:
        """What there is to tell of it now, as sentences."""
        return [self.trouble]

    def save(self, now: float) -> None:
        """Keep the state; a card that is full is tried again later and never stops the guard."""
        if not self._keep:
            return
        self.plant.advance(now)
        try:
            self._keep.save(self.plant.kept())
            self.trouble = ""
        except OSError as error:
            self.trouble = f"the state of the simulated board cannot be kept: {error.strerror}"

    def release(self, wholly: bool = False) -> None:
        """Let the folder go."""
        if self._keep:
            self._keep.close()


class Real:
    """Outputs and contacts at lines, and PWM channels."""

    kind = "lines"
    every = 1.0
    left_on: tuple[str, ...] = ()

    def __init__(self, plant: LinesPlant, keep: Folder | None, notes: list[str], boot: str) -> None:
        self.plant, self._keep, self.notes, self.boot = plant, keep, notes, boot
        self.folder = keep.path if keep else ""
        self.base = monotonic()
        self._sensors = tuple(plant.sensors)

    def steer(self, name: str, value: str, now: float) -> str:
        raise UsageFault(f"{name[:40]} is on a real board: nothing but the world sets it", "sim set is for --board sim")

    def shown(self, now: float) -> list[dict[str, Any]]:
        """Every contact as it answers now, for people."""
        from edge.record import as_dict

        rows = []
        for sensor in self._sensors:
            try:
                fields = as_dict(self.plant.sense(sensor.name, now))
                if sensor.states and fields["value"] is not None:
                    fields["word"] = sensor.states[int(fields["value"])]
            except HardwareFault as fault:
                fields = {"name": sensor.name, "value": None, "unit": sensor.unit, "quality": "fault"}
                fields["error"] = fault.sentence
            rows.append({**fields, "mode": "ok"})
        return rows

    def scene(self, now: float) -> dict[str, Any]:
        """Nothing else: what there is to see are lines."""
        return {}

    def tick(self, now: float) -> tuple[str, ...]:
        """Try again to take what could not be had; the outputs that came back, safe."""
        return self.plant.retry(now)

    def told(self) -> list[str]:
        """What there is to tell of it now, as sentences."""
        return self.plant.notes

    def save(self, now: float) -> None:
        """Nothing: the lines are what is so, and the record says what was."""

    def release(self, wholly: bool = False) -> None:
        """Let the lines go, then the folder. `wholly`: also what is declared to hold what it has is made safe."""
        self.plant.close(wholly)
        if self._keep:
            self._keep.close()


def stand(owned: Owned, state: str, socket: str, locked: Callable[[Folder], bool]) -> Stand:
    """The board that was described. `locked` takes a folder's lock, waiting for a guard that ends.

    HardwareFault: another guard holds the folder, or a simulated board cannot use it.
    """
    return _simulated(owned, state, socket, locked) if owned.kind == "sim" else _real(owned, state, socket, locked)


def _simulated(owned: Owned, state: str, socket: str, locked: Callable[[Folder], bool]) -> Simulated:
    from edge.peripherals.sim.keep import Keep
    from edge.peripherals.sim.worlds import sim_board

    try:
        if not state:
            return Simulated(sim_board(owned.world), None, [])
        keep = Keep(folders.path_of(state), owned.world)
    except ValueError as error:
        raise HardwareFault(f"the description of the simulated board is wrong: {error}") from error
    try:
        if not locked(keep):
            raise folders.in_use(keep.path, keep.holder())
        plant, notes = keep.board()
    except HardwareFault:
        raise
    except OSError as error:
        raise folders.unusable(keep.path, error) from error
    return Simulated(plant, keep, notes)


def _real(owned: Owned, state: str, socket: str, locked: Callable[[Folder], bool]) -> Real:
    from edge.peripherals.gpiochip import seam
    from edge.peripherals.guard.lines import LinesPlant

    notes: list[str] = []
    keep = Folder(folders.path_of(state, "lines")) if state else None
    if keep:
        try:
            if not locked(keep):
                raise folders.in_use(keep.path, keep.holder())
        except HardwareFault:
            raise
        except OSError as error:
            notes.append(f"the guard keeps nothing: its folder {keep.path} cannot be used: {error.strerror}")
            keep.close()
            keep = None
    plant = LinesPlant(owned, seam.of(owned.chips))
    if not plant.missing:
        forget("edge.peripherals.boards")
        forget("edge.peripherals.guard.wiring")
    return Real(plant, keep, notes, boot_id())


def forget(package: str) -> None:
    """Let go of a package or module that was needed at the start alone; it is loaded again should it be needed."""
    import gc
    import sys

    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]
    above, _, last = package.rpartition(".")
    vars(sys.modules[above]).pop(last, None)
    gc.collect()


def boot_id() -> str:
    """What names this boot of the machine (random(4)); "" where the kernel does not tell."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""
