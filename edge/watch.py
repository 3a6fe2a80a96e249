"""Who may watch a turn. Every method does nothing here; a watcher overrides what it wants to show.

Methods are called from several threads, never two at once for one turn, and must not raise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.call import Call, Decision, Observation
    from edge.faults import StepFault
    from edge.step import Step
    from edge.tool import Schema


class Watcher:
    """The quiet watcher."""

    def knows(self, schemas: Mapping[str, Schema]) -> None:
        """The schemas of the tools that may be called, by name; before anything else."""

    def asking(self, model: str) -> None:
        """The model is asked."""

    def heard(self, text: str) -> None:
        """A piece of a streamed reply."""

    def step(self, step: Step) -> None:
        """A reply was read as a step."""

    def repair(self, fault: StepFault) -> None:
        """A reply was no step; the model is asked again."""

    def decided(self, call: Call, decision: Decision) -> None:
        """The gate decided."""

    def granted(self, call: Call, decision: Decision, by: str) -> None:
        """The call starts; `by` says who let it."""

    def outcome(self, call: Call, status: str, found: Observation) -> None:
        """The call ended."""

    def board(self, event: Mapping[str, Any]) -> None:
        """The board told something of its own: a lease ended, a heartbeat was late."""

    def note(self, text: str) -> None:
        """Something ended or changed by itself, in one sentence: a shell in the background, a port."""

    def waiting(self, what: str) -> None:
        """The run waits for something after its answer: its own leases."""

    def prompt(self, typed: Callable[[], str] | None) -> None:
        """A prompt stands (typed() gives it with what was typed so far), or no longer."""

    def tick(self) -> None:
        """About ten times a second while a turn runs."""
