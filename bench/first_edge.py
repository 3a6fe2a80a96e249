"""What it takes until the first edge of a line was read, in a fresh interpreter, against importing gpiozero.

Every figure is less that of a bare interpreter with the same flags, counted in the same run: instructions by callgrind,
processor time where that is absent. The chips are the double in a process of its own, which is not counted; what its
client loads into the process that is counted stands in a row of its own, and is no part of what the target is about:
behind real chips it is not there. gpiozero is counted before it touches any pin.
"""

from __future__ import annotations

import importlib.util
import select
import subprocess
import sys

from bench import forms, prompt, scratch, start
from bench.chips import PATIENCE, Chips
from bench.harness import Absent, Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.harness import Measure

TITLE = "From a bare interpreter to the first edge" + ("" if start.VALGRIND else " (valgrind is absent)")
UNIT = start.UNIT
ROUNDS = 9
WARM = True
LINE = "GPIO24"

GPIOZERO, EDGE, DOUBLE = "import gpiozero", "the first edge was read", "the client of the double, loaded beside that"
WITHOUT = "the first edge, without the double"
TARGETS = {WITHOUT: (Target(ratio=0.05),)}

HEAD = "import sys; sys.path.insert(0, sys.argv[1])\n"
LOADED = f"""{HEAD}
import posix, select
from edge.peripherals.gpiochip import chip, find, request, seam
"""
READ = f"""{LOADED}
found = find.find(seam.of(sys.argv[2]))
line = found.request(found.offset_of({LINE!r}), chip.Settings("input", edges="rising"), "bench")
posix.write(1, b".")
poll = select.poll()
poll.register(line.fd, select.POLLIN)
poll.poll()
(edge,) = line.events()
sys.exit(not edge.rising)
"""


class Counts:
    """What programs cost above the bare interpreter. Instructions hardly vary, and are counted once."""

    def __init__(self, chips: Chips, home: str) -> None:
        self._chips = chips
        self._home = home
        self._known: dict[str, float] = {}
        self.edge = self.double = 0.0

    def gpiozero(self) -> float:
        if importlib.util.find_spec("gpiozero") is None:
            raise Absent("gpiozero is not installed")
        return self._above("import gpiozero")

    def read(self) -> float:
        """Until the edge was read; what it is from outside is done when the line waits for it."""
        self.edge = self._above(READ, self._pulled)
        return self.edge

    def client(self) -> float:
        self.double = self._above(f"{LOADED}import edge.peripherals.gpiochip.remote") - self._above(LOADED)
        return self.double

    def without(self) -> float:
        """The two before, one less the other."""
        if not (self.edge and self.double):
            raise Absent("what it is the difference of was not measured")
        return self.edge - self.double

    def _above(self, code: str, run: Callable[[Sequence[str], str], object] = start.through) -> float:
        return self._count(code, run) - self._count("pass", start.through)

    def _count(self, code: str, run: Callable[[Sequence[str], str], object]) -> float:
        if code in self._known:
            return self._known[code]
        argv = [sys.executable, "-I", "-c", code, forms.ROOT, self._chips.setting]
        if not start.VALGRIND:
            return start.processor_time(argv, self._home, run)
        run(argv, self._home)  # so that what it loads is compiled
        self._known[code] = start.instructions(argv, self._home, run)
        return self._known[code]

    def _pulled(self, argv: Sequence[str], home: str) -> None:
        self._chips.pull(LINE, False)
        with subprocess.Popen(
            argv, cwd=home, env=prompt.environ(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            ready, _, _ = select.select([child.stdout], [], [], PATIENCE)
            if ready and child.stdout.read(1):
                self._chips.pull(LINE, True)
            else:
                child.kill()
        if child.returncode:
            raise Broken(f"no edge was read: the reader ended with {child.returncode}")


def rows() -> list[tuple[str, Measure]]:
    """The double runs until this process ends."""
    import atexit

    folder = scratch.folder()
    chips = Chips(folder)
    atexit.register(chips.__exit__)
    counts = Counts(chips.__enter__(), folder)
    return [(GPIOZERO, counts.gpiozero), (EDGE, counts.read), (DOUBLE, counts.client), (WITHOUT, counts.without)]
