"""The grants of one run, and how often each was used. They are made at the command line and nowhere else.

Rules:
1. A grant that is used up or over answers nothing. The first that fits answers, and its text stands in the record.
2. `fits` only looks; `take` counts.
3. A grant for an output that is not there is a fault at once: it would only seem to be one.
4. Time is monotonic: a clock that is set does not lengthen a grant. `until HH:MM` is the next time the local clock
   shows that, counted from the start.
"""

from __future__ import annotations

from edge.faults import UsageFault
from edge.gate.grants import match
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Effect, Scene
    from edge.gate.grants import Spec

_DAY = 86_400


class Grants:
    """`started`: monotonic seconds when they were made; `of_day`: the second of the local day at that moment."""

    def __init__(self, specs: tuple[Spec, ...], scene: Scene, started: float = 0.0, of_day: float = 0.0) -> None:
        for spec in specs:
            _meant(spec, scene)
            _lab(spec, scene)
        self._specs = [_held(spec, of_day) for spec in specs]
        self._used = [0] * len(specs)
        self._scene = scene
        self._started = started

    def fits(self, call: Call, effects: tuple[Effect, ...], now: float) -> str:
        """The text of the first grant that covers this call at this moment, "" when none does."""
        at = self._find(call, effects, now) if self._specs else None
        return "" if at is None else self._text(at)

    def take(self, call: Call, effects: tuple[Effect, ...], now: float) -> str:
        """The same, and count it: `grant 1: output_set fan <=10m`, or ""."""
        at = self._find(call, effects, now)
        if at is None:
            return ""
        self._used[at] += 1
        return self._text(at)

    def _find(self, call: Call, effects: tuple[Effect, ...], now: float) -> int | None:
        for at, spec in enumerate(self._specs):
            if not match(spec, call, effects, self._scene, self._used[at], now - self._started):
                return at
        return None

    def _text(self, at: int) -> str:
        return f"grant {at + 1}: {self._specs[at].text}"


def _meant(spec: Spec, scene: Scene) -> None:
    """UsageFault when the grant is for an output that this board does not have."""
    names = [output.name for output in scene.outputs]
    if spec.tool in ("output_set", "output_pulse", "output_pwm") and spec.target[0] not in names:
        sentence = f"the grant {spec.text[:80]!r} is for the output {spec.target[0][:40]!r}, which this board has not"
        raise UsageFault(sentence, f"outputs here: {', '.join(names) or 'none'}")


def _lab(spec: Spec, scene: Scene) -> None:
    """UsageFault when the grant is for a line that is no lab line."""
    names = scene.gpio.lab if scene.gpio is not None else ()
    if spec.tool == "gpio_write" and spec.target[0] not in names:
        sentence = f"the grant {spec.text[:80]!r} is for {spec.target[0][:40]!r}, which is no lab line of this board"
        raise UsageFault(sentence, f"lab lines here: {', '.join(names) or 'none'}")


def _held(spec: Spec, of_day: float) -> Spec:
    """With `until` as seconds from now."""
    return spec if spec.until is None else replace(spec, seconds=(spec.until - of_day) % _DAY or _DAY)
