"""Whatever agents, sensors, lines and people do: what must hold of the outputs after every step, by a seeded walk.

The walk keeps books of its own, from what the plant was driven to and what it was asked; it does not ask the guard.
"""

from __future__ import annotations

import random

from edge.call import Output, Reading, Sensor
from edge.faults import UsageFault
from edge.peripherals.guard.looks import CHECK
from edge.peripherals.guard.protocol import Request
from tests.support.benches import Rig
from tests.support.boards import rounds

HEARTBEAT = 3.0
SENSORS = (
    Sensor("tank", "tank level", "%", "probe"),
    Sensor("spare", "tank level", "%", "probe 2"),
    Sensor("flow", "flow switch", "", "line 5"),
    Sensor("key", "key switch", "", "line 6"),
)
OUTPUTS = (
    Output("fan", "fan", "r1", max_on=20.0, on_exit="hold"),
    Output("valve", "valve", "r2", max_on=40.0, min_off=4.0),
    Output("cooler", "cooler", "r3", safe=True, max_on=15.0, max_per_hour=30),
    Output("pump", "pump", "r4", max_on=30.0, min_off=2.0, interlock=("tank > 10", "agree(tank, spare, 5)", "valve")),
    Output("doser", "doser", "r5", max_on=10.0, feedback="flow", settle=0.5, max_per_hour=40),
    Output("heater", "heater", "p0", max_on=25.0, pwm=True, override="key", interlock=("not cooler == off",)),
)
NAMES = [output.name for output in OUTPUTS]
BY_NAME = {output.name: output for output in OUTPUTS}


class Books:
    """What an onlooker knows: since when each output is away, when it became safe, when it left safe, who asked."""

    def __init__(self):
        self.away = {}  # name -> since when
        self.safe = dict.fromkeys(NAMES, 0.0)
        self.starts = {name: [] for name in NAMES}
        self.holder = {}  # name -> the key of whoever switched it last, "" by hand
        self.broken = {}  # name -> since when its conditions do not hold
        self.mended = -1.0  # when lines that did not answer were mended
        self.seen = 0
        self.counts = dict.fromkeys(("granted", "refused", "failed", "ended", "by hand", "interlock", "fault"), 0)

    def follow(self, rig, by):
        """Enter what was driven since the last time; `by`: whoever was asking just now."""
        for name, level in rig.plant.driven[self.seen :]:
            output = BY_NAME[name]
            if level == float(output.safe):
                if self.away.pop(name, None) is not None:
                    self.safe[name] = rig.now
                    self.counts["ended"] += 1
                continue
            if name not in self.away:
                self.left(output, rig.now, by)
            self.holder[name] = by if by else ""
        self.seen = len(rig.plant.driven)

    def left(self, output, now, by):
        """An output leaves safe: it must have been so for long enough, and, if not by hand, seldom enough."""
        assert now >= self.safe[output.name] + output.min_off - 1e-6, output.name
        self.away[output.name] = now
        self.starts[output.name].append(now)
        hour = [at for at in self.starts[output.name] if at > now - 3600.0 + 1e-6]
        assert not by or not output.max_per_hour or len(hour) <= output.max_per_hour, (output.name, len(hour))


def holds(plant, name):
    """True when the conditions of an output hold, judged from the bench itself."""

    def fresh(sensor):
        value = plant.values[sensor]
        if isinstance(value, Reading):
            value = value.value if value.quality == "ok" and value.age <= 10.0 else None
        return value

    if name == "pump":
        tank, spare = fresh("tank"), fresh("spare")
        return tank is not None and spare is not None and tank > 10 and abs(tank - spare) <= 5 and plant.levels["valve"]
    return name != "heater" or plant.levels["cooler"]


def check(rig, books, heard):
    """The invariants, with everything due done."""
    for name, since in list(books.away.items()):
        output = BY_NAME[name]
        if name in rig.plant.dead or rig.now <= books.mended + CHECK + 1e-6:
            continue  # nobody can switch it: it is tried every CHECK, and told
        assert rig.now - since <= output.max_on + 1e-6, name
        row = rig.guard.leases.rows[name]
        assert not row.safe, name
        assert row.end > rig.now, name
        key = books.holder[name]
        if key and output.on_exit != "hold":
            assert key in heard, (name, key)
            assert rig.now < heard[key] + HEARTBEAT, (name, key)
        if holds(rig.plant, name):
            books.broken.pop(name, None)
        else:
            assert rig.now - books.broken.setdefault(name, rig.now) <= CHECK + 1e-6, name
        assert not rig.guard.stopped, name
    for name in [name for name in books.broken if name not in books.away]:
        del books.broken[name]


def disturb(rig, dice, books):
    """Something happens to a sensor, a contact or a line."""
    what = dice.randrange(8)
    plant = rig.plant
    if what < 3:
        level = dice.choice((5.0, 9.0, 50.0, 60.0, 90.0))
        plant.values.update(tank=level, spare=level + dice.choice((0.0, 3.0, 20.0)))
    elif what == 3:
        plant.values[dice.choice(("tank", "spare"))] = None
    elif what == 4:
        quality, age = dice.choice((("stale", 0.0), ("suspect", 0.0), ("fault", 0.0), ("ok", 11.0), ("ok", 9.0)))
        plant.values["tank"] = Reading("tank", 50.0, "%", quality, age, "bench")
    elif what == 5:
        plant.values["flow"] = dice.choice(
            (0.0, 1.0, None, lambda: plant.levels["doser"], lambda: plant.levels["doser"])
        )
    elif what == 6:
        plant.values["key"] = dice.choice((0.0, 0.0, 0.0, 1.0, None))
    elif dice.randrange(3):
        books.mended = rig.now if plant.dead else books.mended
        plant.dead.clear()
    else:
        plant.dead.add(dice.choice(NAMES))


def act(rig, dice, books, heard):
    """Somebody asks for something, comes, goes, or holds an output by hand; who asked."""
    what, key = dice.randrange(20), dice.choice("abc")
    if what < 13:
        name, state = dice.choice(NAMES), dice.random() < 0.7
        level = dice.choice((None, 0.3)) if name == "heater" and state else None
        seconds = dice.choice((None, 1.0, 5.0, 15.0, 30.0, 41.0))
        if key in heard:
            heard[key] = rig.now
        reply = rig.set(name, state, seconds, key, level=level)
        rule = reply.get("rule", "")
        books.counts["granted" if reply["ok"] else "refused" if rule else "failed"] += 1
        books.counts["interlock"] += rule == "guard.interlock"
        books.counts["fault"] += rule == "guard.feedback"
        return key
    if what == 13:
        rig.guard.left(key, "agent gone", rig.now)
        heard.pop(key, None)
    elif what < 16:
        rig.guard.answer(key, Request(1, "hello", run=f"run {key}"), rig.now)
        heard[key] = rig.now
    elif what == 16:
        rig.guard.halt(dice.choice(("", "", "", "smoke")), rig.now)
    elif what == 17:
        rig.guard.safe_all(rig.now)
    else:
        try:
            rig.guard.override(dice.choice((*NAMES, "none")), dice.choice(("", "", "", "safe", "on", "off")), rig.now)
            books.counts["by hand"] += 1
        except UsageFault:
            return ""
    return ""


def test_what_must_hold_holds_after_every_step():
    dice = random.Random(41)
    rig = Rig(OUTPUTS, SENSORS, agents="")
    rig.plant.values.update(tank=50.0, spare=50.0, flow=lambda: rig.plant.levels["doser"])
    books, heard = Books(), {}
    for _ in range(rounds(50_000)):
        step = dice.choice((0.0, 0.01, 0.1, 0.5, 1.0, 4.0))
        until = rig.now + step * dice.random()
        while rig.now < until:
            rig.now = min(until, max(rig.now, rig.guard.wake()))
            rig.guard.tick(rig.now)
            books.follow(rig, "")
            check(rig, books, heard)
        if dice.randrange(4) == 0:
            disturb(rig, dice, books)
        for key in heard:
            if dice.randrange(8):
                heard[key] = rig.now
                rig.guard.answer(key, Request(0, "beat"), rig.now)
        by = act(rig, dice, books, heard)
        books.follow(rig, by)
        rig.guard.tick(rig.now)
        books.follow(rig, "")
        check(rig, books, heard)
        rig.guard.take()
        rig.record.clear()
    print(books.counts)
    assert all(books.counts.values())
