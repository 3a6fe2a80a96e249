"""Faults that the model of a kernel is told to have: which of its calls fail, with which number, when and how often."""

from __future__ import annotations

ANYWHERE = -2  # every line, and calls that are about none


class Fault:
    """One of them: the arguments of `Model.fail`. `number` is negative when the call takes place all the same."""

    def __init__(self, what: str, number: int, after: int, times: int, line: int) -> None:
        self.what, self.number, self.line = what, number, line
        self.after, self.times = after, times

    def strikes(self, what: str, line: int) -> bool:
        """Whether this call fails by it. One that is meant is counted."""
        if self.what != what or self.line not in (ANYWHERE, line) or not self.times:
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return True


class Faults:
    """In the order in which they were asked for. For whoever holds the model's lock."""

    def __init__(self) -> None:
        self._asked: list[Fault] = []

    def ask(self, fault: Fault) -> None:
        """Have one more."""
        self._asked.append(fault)

    def next(self, what: str, line: int) -> int:
        """The number with which this call is to fail, as Fault has it; 0 for none."""
        return next((one.number for one in self._asked if one.strikes(what, line)), 0)

    def clear(self) -> None:
        """Forget all of them."""
        self._asked.clear()
