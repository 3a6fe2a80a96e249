"""The lazy automaton: states are made when a text first leads to them, and thrown away when there are too many.

Rules:
1. A state is a dict from a character to the next state; a missing one is made by `Machine.step`. So the loop over a
   text is one dict look-up a character, and time is linear in the text whatever the pattern is.
2. Whether the pattern ends at a place is known when the character after it is looked at (`$` and `\\b` ask about it).
   The line feed is that character at the end of a line, and leads back to the first state.
3. A searching machine raises Found, one character late, when a match was noticed, and Dead, as late, when nothing can
   match before the next line. A spanning machine raises no Found: its states say with `hit` that a match ended before
   the latest character.
4. At most MOST_STATES states and MOST_LINKS links are kept; then all are dropped and made again as needed. Threads
   may share a machine: a state that was dropped still knows how to make its next ones.
"""

from __future__ import annotations

from edge.regex.program import LINE, OTHER, Program, neighbour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_STATES = 1000
MOST_LINKS = 20_000


class Found(Exception):
    """The pattern matched before the character that came before the present one."""


class Dead(Exception):
    """Since the character before the present one nothing can match before the next line."""


class State(dict[str, "State"]):
    """Where the machine is. `before`: the kind of the latest character; `hit`: a match ended before it."""

    __slots__ = ("before", "bits", "hit", "machine")

    def __init__(self, machine: Machine, bits: int, before: int, hit: bool) -> None:
        self.machine = machine
        self.bits = bits
        self.before = before
        self.hit = hit

    def __missing__(self, char: str) -> State:
        return self.machine.step(self, char)


class Last(State):
    """A state that nothing leads out of: the next character raises."""

    __slots__ = ("error",)

    def __init__(self, machine: Machine, bits: int, error: type[Exception]) -> None:
        super().__init__(machine, bits, OTHER, False)
        self.error = error

    def __missing__(self, char: str) -> State:
        raise self.error


class Machine:
    """A lazy automaton. `searching`: it looks for any match in a line; else for every end of one.

    `floating`: a match may begin anywhere; else only where the machine starts.
    """

    def __init__(self, tree: Node, searching: bool = True, floating: bool = True) -> None:
        self.program = Program(tree)
        self.searching = searching
        self.always = self.program.start if floating else 0
        starts = [self.program.follow(self.program.places, around) for around in range(3, 9)]
        # Once a line is under way a match can begin no more, or it can: dead is a state without any other hope.
        self.hopeless = self.always if self.program.kinds and not any(starts) else (-1 if floating else 0)
        self.found = Last(self, 1, Found)
        self.dead = Last(self, max(0, self.hopeless), Dead)
        self.states: dict[tuple[int, int, bool], State] = {}
        self.taken: dict[str, int] = {}
        self.links = 0

    def at(self, before: int) -> State:
        """The state at the start of a text, after a character of this kind."""
        return self.state(self.program.start, before if self.program.kinds else LINE, False)

    def state(self, bits: int, before: int, hit: bool) -> State:
        """The one state for this; room is made first when there are too many."""
        found = self.states.get((bits, before, hit))
        if found is None:
            if len(self.states) >= MOST_STATES or self.links >= MOST_LINKS:
                self.flush()
            found = self.states.setdefault((bits, before, hit), State(self, bits, before, hit))
        return found

    def flush(self) -> None:
        """Drop every state and every link."""
        old, self.states, self.taken, self.links = self.states, {}, {}, 0
        for state in tuple(old.values()):
            state.clear()

    def ends(self, state: State, after: int) -> bool:
        """Does a match end here, before a character of this kind, or was one found already?"""
        return state is self.found or bool(self.program.next(state.bits, 3 * state.before + after) & 1)

    def step(self, state: State, char: str) -> State:
        """The state after one more character, remembered."""
        after = neighbour(char)
        reach = self.program.next(state.bits, 3 * state.before + after)
        hit = bool(reach & 1)
        bits = reach & self.takes(char) | self.always
        if hit and self.searching:
            found: State = self.found
        elif after == LINE:
            found = self.at(LINE)
        elif bits == self.hopeless and not hit:
            found = self.dead
        else:
            found = self.state(bits, after if self.program.kinds else LINE, hit)
        self.links += 1
        state[char] = found
        return found

    def takes(self, char: str) -> int:
        """The places that take the character, remembered."""
        found = self.taken.get(char)
        if found is None:
            found = self.taken[char] = self.program.taking(char)
        return found
