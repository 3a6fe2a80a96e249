"""Who may answer beside, or instead of, the terminal: an approver over the socket, and several approvers as one.

Rules:
1. Everybody is asked at the same time, the first answer counts, and the others are told of it.
2. Who cannot be asked at all counts for nothing as long as somebody else can.
3. The socket is made with the first question: a run that asks nothing opens nothing.
"""

from __future__ import annotations

import time

from edge.approve import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from edge.approvals.queue import Queue
    from edge.approvals.server import Server
    from edge.approve import Approver, Question

SLICE = 0.03  # seconds that one approver is waited for while others may answer


class Socket:
    """Answers come from `fieldhand approvals`, from anywhere on this machine. `tell(question, id)`: it waits now."""

    def __init__(self, state: str, tell: Callable[[Question, str], None] | None = None) -> None:
        self._state = state
        self._tell = tell
        self._queue: Queue | None = None
        self._server: Server | None = None

    def at_once(self, question: Question) -> Answer | None:
        from edge.approvals.queue import Queue
        from edge.approvals.server import Server

        if self._queue is None or self._server is None:
            if not self._state:
                return Answer(False, "nobody", "nobody could be asked: without a state folder there is no socket")
            self._queue = Queue()
            try:
                self._server = Server(self._state, self._queue)
            except OSError as error:
                why = (error.strerror or "unknown error").lower()
                return Answer(False, "nobody", f"nobody could be asked: the approvals socket cannot be made: {why}")
        name = self._queue.put(question)
        if self._tell is not None:
            self._tell(question, name)
        return None

    def poll(self, seconds: float) -> Answer | None:
        return None if self._queue is None else self._queue.poll(seconds)

    def over(self, said: str) -> None:
        if self._queue is not None:
            self._queue.over(said)

    def close(self) -> None:
        self.over("the agent ended")
        if self._server is not None:
            self._server.close()
            self._server = None


class Desk:
    """Several approvers as one."""

    def __init__(self, members: Sequence[Approver]) -> None:
        self._members = tuple(members)
        self._asked: tuple[Approver, ...] = ()

    def at_once(self, question: Question) -> Answer | None:
        asked: list[Approver] = []
        nobody: Answer | None = None
        for member in self._members:
            answer = member.at_once(question)
            if answer is None:
                asked.append(member)
            elif answer.yes or answer.by != "nobody":
                self._asked = tuple(asked)
                self.over(_told(answer))
                return answer
            else:
                nobody = nobody or answer
        self._asked = tuple(asked)
        return None if asked else nobody or Answer(False, "nobody", "nobody could be asked")

    def poll(self, seconds: float) -> Answer | None:
        until = time.monotonic() + seconds
        while True:
            for member in self._asked:
                left = until - time.monotonic()
                answer = member.poll(max(0.0, min(SLICE, left)))
                if answer is not None:
                    self._asked = tuple(other for other in self._asked if other is not member)
                    self.over(_told(answer))
                    return answer
            if not self._asked or time.monotonic() >= until:
                return None

    def over(self, said: str) -> None:
        asked, self._asked = self._asked, ()
        for member in asked:
            member.over(said)

    def close(self) -> None:
        for member in self._members:
            member.close()


def _told(answer: Answer) -> str:
    """What the others are told."""
    if answer.by == "nobody":
        return answer.sentence
    return f"{'allowed' if answer.yes else 'not allowed'} by {answer.by}"
