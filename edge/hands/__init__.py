"""What a permit lets a tool touch.

Rules:
1. A tool reaches the world through these hands alone. Each hand finds the grant that covers what is
   asked and works on the grant's (root, path), never on the argument.
2. No grant, no touch: Refused with the rule `hands.no-grant`.
3. A hand is made at first use; a call that reads a sensor never opens a folder.
"""

from __future__ import annotations

import time

from edge.faults import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Decision, Effect, Grant, Permit, Scene
    from edge.hands.board import BoardFacts
    from edge.hands.catalogue import Shelf
    from edge.hands.facts import Facts
    from edge.hands.files import Files
    from edge.hands.gpio import Lines
    from edge.hands.jobs import Jobs
    from edge.hands.memory import MemoryHand
    from edge.hands.net import Net
    from edge.hands.outputs import Outputs
    from edge.hands.port import PortHand
    from edge.hands.repo import Repo
    from edge.hands.run import Run
    from edge.hands.sensors import Sensors
    from edge.hands.spill import SpillReader
    from edge.hands.tape import TapeReader
    from edge.hands.world import World


class Holder:
    """What the hands of one call share: the permit, the call, the world. `begun`: when it began, monotonic."""

    __slots__ = ("begun", "call", "cuts", "permit", "world")

    def __init__(self, permit: Permit, call: Call, world: World) -> None:
        self.begun = time.monotonic()
        self.cuts = world.cuts
        self.permit = permit
        self.call = call
        self.world = world

    def grant(self, verb: str, root: str, path: str) -> Grant:
        """The grant that covers `verb` on (root, path); Refused when the gate gave none."""
        for grant in self.permit.grants:
            if grant.verb == verb and grant.root == root and grant.path == path:
                return grant
        raise Refused(f"the permit of {self.call.tool} holds no {verb} of {root}:{path}", "hands.no-grant")

    def ending(self) -> bool:
        """True when what this call started has to end now: it was cut, or the operator stopped it or everything."""
        return self.cuts != self.world.cuts or self.world.stopping() or self.world.forbidden(self.call)

    def also(self, effect: Effect, held: bool = False) -> Decision:
        """Ask the gate about what was found in the act; Refused with its rule unless it is allowed outright.

        `held`: the permit grants the thing already, so that what would ask was answered, and only a denial refuses.
        """
        decision = self.world.judge(self.call, effect)
        if decision.verdict == "allow" or (held and decision.verdict == "ask"):
            return decision
        raise Refused(decision.sentence, decision.rule, "ask for it by its own name")


class Hands:
    """The hands of one call. Attributes appear at first use."""

    __slots__ = ("_holder",)

    def __init__(self, permit: Permit, call: Call, world: World) -> None:
        self._holder = Holder(permit, call, world)

    @property
    def scene(self) -> Scene:
        return self._holder.world.scene

    @property
    def files(self) -> Files:
        from edge.hands.files import Files

        return Files(self._holder)

    @property
    def sensors(self) -> Sensors:
        from edge.hands.sensors import Sensors

        return Sensors(self._holder)

    @property
    def outputs(self) -> Outputs:
        from edge.hands.outputs import Outputs

        return Outputs(self._holder)

    @property
    def lines(self) -> Lines:
        from edge.hands.gpio import Lines

        return Lines(self._holder)

    @property
    def port(self) -> PortHand:
        from edge.hands.port import PortHand

        return PortHand(self._holder)

    @property
    def net(self) -> Net:
        from edge.hands.net import Net

        return Net(self._holder)

    @property
    def run(self) -> Run:
        from edge.hands.meant import look
        from edge.hands.run import Run

        self._holder.permit = look(self._holder, self._walled)
        return Run(self._holder)

    @property
    def repo(self) -> Repo:
        from edge.hands.repo import Repo

        return Repo(self._holder)

    @property
    def jobs(self) -> Jobs:
        from edge.hands.jobs import Jobs

        return Jobs(self._holder)

    def _walled(self) -> bool:
        """True when the wall holds children to the permit."""
        from edge.hands.wall import level

        scene = self.scene
        roots = tuple([root.path for root in scene.roots])
        found = level.find(self._holder.world.sandbox, state=scene.state, roots=roots)
        return found.name in ("landlock", "namespaces")

    def also(self, effect: Effect) -> None:
        self._holder.also(effect)

    @property
    def catalogue(self) -> Shelf:
        from edge.hands.catalogue import Shelf

        return Shelf(self._holder)

    @property
    def facts(self) -> Facts:
        from edge.hands.facts import Facts

        return Facts(self._holder)

    @property
    def board(self) -> BoardFacts:
        from edge.hands.board import BoardFacts

        return BoardFacts(self._holder)

    @property
    def memory(self) -> MemoryHand:
        from edge.hands.memory import MemoryHand

        return MemoryHand(self._holder)

    @property
    def spill(self) -> SpillReader:
        from edge.hands.spill import SpillReader

        return SpillReader(self._holder)

    @property
    def tape(self) -> TapeReader:
        from edge.hands.tape import TapeReader

        return TapeReader(self._holder)
