"""The table of a turn: each row, what is stale, and a long random walk that keeps the invariants."""

from __future__ import annotations

import os
import random

import pytest

from edge import turn as t
from edge.call import Call, Decision, Observation, Permit
from edge.faults import BudgetFault, Interrupted, ModelFault, StepFault
from edge.step import Step

READ = Call("sensor_read", {"name": "temperature"})
SET = Call("output_set", {"name": "fan", "state": True})
FOUND = Observation(True, "33.0 C")
MISREAD = StepFault("no_object", "there is no JSON object in the reply")


def decision(verdict: str) -> Decision:
    permit = None if verdict == "deny" else Permit("c", ())
    return Decision(verdict, "low", "a.rule", "because", permit)


def drive(turn: t.Turn, *events: t.Event) -> tuple[t.Turn, list[t.Action]]:
    done: list[t.Action] = []
    for event in events:
        turn, actions = t.advance(turn, event)
        done += actions
    return turn, done


def kinds(actions: list[t.Action]) -> list[str]:
    return [type(action).__name__ for action in actions]


def step(*calls: Call, final: str | None = None) -> Step:
    return Step("", calls, final)


def asked() -> t.Turn:
    return drive(t.Turn(), t.Line("how warm?"))[0]


def test_a_line_is_kept_before_the_model_is_asked() -> None:
    turn, actions = drive(t.Turn(), t.Line("how warm?"))
    assert turn.phase == "asking"
    assert actions == [t.KeepLine("how warm?"), t.Ask(1)]


def test_an_allowed_call_goes_through_intent_start_and_outcome_to_the_next_question() -> None:
    turn, actions = drive(
        asked(),
        t.Replied(1, step(READ)),
        t.Decided("c1", decision("allow"), True),
        t.Intended("c1"),
        t.Finished("c1", "done", FOUND),
    )
    assert kinds(actions) == ["KeepStep", "Decide", "Intend", "Start", "Tell", "Ask"]
    assert turn.phase == "asking" and turn.request == 2 and turn.calls == ()


def test_a_final_closes_the_turn_and_closed_makes_it_idle() -> None:
    turn, actions = drive(asked(), t.Replied(1, step(final="33.0 C")))
    assert kinds(actions) == ["KeepStep", "End"] and turn.phase == "closing"
    turn, _ = drive(turn, t.Closed())
    assert turn.phase == "idle"


def test_a_denied_call_gets_its_outcome_without_intent_or_start() -> None:
    _, actions = drive(asked(), t.Replied(1, step(SET)), t.Decided("c1", decision("deny"), False))
    assert kinds(actions) == ["KeepStep", "Decide", "Tell", "Ask"]
    assert isinstance(actions[2], t.Tell) and actions[2].status == "refused"


def test_a_call_that_asks_waits_for_the_person_and_a_yes_lets_it_go_on() -> None:
    turn, _ = drive(asked(), t.Replied(1, step(SET)), t.Decided("c1", decision("ask"), False))
    assert turn.calls[0].status == "waiting"
    _, actions = drive(turn, t.Answered("c1", True, "operator"))
    assert kinds(actions) == ["Intend"]


def test_a_no_is_an_outcome_with_the_sentence() -> None:
    turn, _ = drive(asked(), t.Replied(1, step(SET)), t.Decided("c1", decision("ask"), False))
    turn, actions = drive(turn, t.Answered("c1", False, "operator", "the operator said no"))
    assert kinds(actions) == ["Tell", "Ask"]
    assert "the operator said no" in actions[0].observation.text  # type: ignore[attr-defined]


def test_reads_run_side_by_side_and_a_change_waits_until_they_are_done() -> None:
    turn, actions = drive(
        asked(),
        t.Replied(1, step(READ, READ, SET)),
        t.Decided("c1", decision("allow"), True),
        t.Intended("c1"),
        t.Decided("c2", decision("allow"), True),
        t.Intended("c2"),
        t.Decided("c3", decision("allow"), False),
    )
    assert [doing.status for doing in turn.calls] == ["running", "running", "granted"]
    turn, actions = drive(turn, t.Finished("c2", "done", FOUND))
    assert kinds(actions) == []  # it is told behind the first
    turn, actions = drive(turn, t.Finished("c1", "done", FOUND))
    assert kinds(actions) == ["Tell", "Tell", "Intend"]
    assert [action.call.id for action in actions[:2]] == ["c1", "c2"]  # type: ignore[attr-defined]


def test_an_outcome_that_waits_for_an_earlier_one_is_told_when_the_turn_is_stopped() -> None:
    turn, _ = drive(
        asked(),
        t.Replied(1, step(READ, READ)),
        t.Decided("c1", decision("allow"), True),
        t.Intended("c1"),
        t.Decided("c2", decision("allow"), True),
        t.Intended("c2"),
        t.Finished("c2", "done", FOUND),
    )
    _, actions = drive(turn, t.Stop(Interrupted("stopped")))
    told = [(action.call.id, action.status) for action in actions if isinstance(action, t.Tell)]
    assert told == [("c1", "interrupted"), ("c2", "done")]


def test_nothing_runs_beside_a_change() -> None:
    turn, _ = drive(asked(), t.Replied(1, step(SET, READ)), t.Decided("c1", decision("allow"), False), t.Intended("c1"))
    assert [doing.status for doing in turn.calls] == ["running", "new"]


def test_two_repairs_are_asked_for_and_the_third_unreadable_reply_ends_the_turn() -> None:
    turn, actions = drive(asked(), t.Misread(1, MISREAD), t.Misread(2, MISREAD))
    assert kinds(actions) == ["KeepRepair", "Ask", "KeepRepair", "Ask"]
    turn, actions = drive(turn, t.Misread(3, MISREAD))
    assert turn.phase == "closing" and kinds(actions) == ["KeepRepair", "End"]
    fault = actions[1].fault  # type: ignore[attr-defined]
    assert isinstance(fault, ModelFault) and "3 replies in a row" in str(fault)


def test_a_readable_reply_in_between_starts_the_count_of_repairs_anew() -> None:
    turn, _ = drive(
        asked(),
        t.Misread(1, MISREAD),
        t.Misread(2, MISREAD),
        t.Replied(3, step(READ)),
        t.Decided("c1", decision("deny"), True),
    )
    turn, actions = drive(turn, t.Misread(4, MISREAD))
    assert turn.phase == "asking" and kinds(actions) == ["KeepRepair", "Ask"]


def test_steps_used_up_end_the_turn() -> None:
    turn = t.Turn(allowed_steps=1)
    turn, actions = drive(turn, t.Line("x"), t.Replied(1, step(READ)), t.Decided("c1", decision("deny"), True))
    assert turn.phase == "closing"
    assert isinstance(actions[-1], t.End) and isinstance(actions[-1].fault, BudgetFault)


def test_a_stop_gives_every_open_call_its_outcome_and_says_what_is_unknown() -> None:
    turn, _ = drive(asked(), t.Replied(1, step(SET, READ)), t.Decided("c1", decision("allow"), False), t.Intended("c1"))
    turn, actions = drive(turn, t.Stop(Interrupted("interrupted by the operator")))
    assert kinds(actions) == ["Cut", "Tell", "Tell", "End"]
    assert "unknown" in actions[1].observation.text  # type: ignore[attr-defined]
    assert "before it ran" in actions[2].observation.text  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "event",
    [
        t.Replied(7, step(READ)),
        t.Misread(7, MISREAD),
        t.Failed(7, ModelFault("late")),
        t.Decided("c9", decision("allow"), True),
        t.Answered("c9", True, "operator"),
        t.Intended("c9"),
        t.Finished("c9", "done", FOUND),
        t.Closed(),
        t.Line("another"),
    ],
)
def test_stale_events_change_nothing(event: t.Event) -> None:
    for turn in (asked(), drive(asked(), t.Replied(1, step(READ)))[0]):
        assert t.advance(turn, event) == (turn, ())


def test_call_ids_are_never_used_twice_over_many_turns() -> None:
    turn = t.Turn()
    seen = []
    for _ in range(3):
        turn, actions = drive(turn, t.Line("x"))
        turn, actions = drive(turn, t.Replied(turn.request, step(READ, READ)))
        seen += [call.id for call in actions[0].step.calls]  # type: ignore[attr-defined]
        turn, _ = drive(turn, t.Stop(Interrupted("x")), t.Closed())
    assert len(seen) == len(set(seen)) == 6


class Ledger:
    """Holds what the walk saw, and the invariants."""

    def __init__(self) -> None:
        self.intended: set[str] = set()
        self.started: set[str] = set()
        self.told: set[str] = set()
        self.running: dict[str, bool] = {}
        self.open: set[str] = set()

    def take(self, action: t.Action) -> None:
        if isinstance(action, t.KeepStep):
            assert not self.open, "the model was asked with calls open"
            self.open |= {call.id for call in action.step.calls} if action.step.final is None else set()
        elif isinstance(action, t.Intend):
            assert action.call.id not in self.intended
            self.intended.add(action.call.id)
        elif isinstance(action, t.Start):
            assert action.call.id in self.intended, "started without an intent"
            assert action.call.id not in self.started
            if not action.observes:
                assert not self.running, "a change beside something else"
            assert all(self.running.values()), "something beside a change"
            self.started.add(action.call.id)
            self.running[action.call.id] = action.observes
        elif isinstance(action, t.Tell):
            assert action.call.id not in self.told, "two outcomes for one call"
            self.told.add(action.call.id)
            self.running.pop(action.call.id, None)
            self.open.discard(action.call.id)
        elif isinstance(action, t.Ask):
            assert not self.open, "asked with calls open"


def likely(turn: t.Turn, rng: random.Random) -> t.Event:
    """An event that somebody might send now, most often the one that is waited for."""
    ids = [doing.call.id for doing in turn.calls] or ["c0"]
    waited = {
        "idle": [t.Line("go")],
        "asking": [
            t.Replied(turn.request, step(*rng.choices([READ, SET], k=rng.randint(1, 4)))),
            t.Replied(turn.request, step(final="done")),
            t.Misread(turn.request, MISREAD),
            t.Failed(turn.request, ModelFault("x")),
        ],
        "acting": [_for_call(doing, rng) for doing in turn.calls] or [t.Closed()],
        "closing": [t.Closed()],
    }[turn.phase]
    if rng.random() < 0.8:
        return rng.choices(waited, weights=[8 if n == 0 else 1 for n in range(len(waited))])[0]
    stray = [
        t.Line("again"),
        t.Replied(rng.randint(0, turn.request + 1), step(READ)),
        t.Finished(rng.choice(ids), "done", FOUND),
        t.Intended(rng.choice(ids)),
        t.Decided(rng.choice(ids), decision(rng.choice(["allow", "ask", "deny"])), rng.random() < 0.5),
        t.Answered(rng.choice(ids), rng.random() < 0.5, "operator"),
        t.Stop(Interrupted("x")),
        t.Closed(),
    ]
    return rng.choice(stray)


def _for_call(doing: t.Doing, rng: random.Random) -> t.Event:
    call = doing.call.id
    if doing.status == "deciding":
        verdict = rng.choice(["allow", "allow", "ask", "deny"])
        return t.Decided(call, decision(verdict), doing.call.tool == "sensor_read")
    if doing.status == "waiting":
        return t.Answered(call, rng.random() < 0.6, "operator")
    if doing.status == "intending":
        return t.Intended(call)
    return t.Finished(call, "done", FOUND)


def test_a_long_random_walk_keeps_the_invariants() -> None:
    rng = random.Random(20260105)
    rounds = 200_000 if os.environ.get("FIELDHAND_SOAK") else 20_000
    turn, ledger = t.Turn(), Ledger()
    turns = 0
    for _ in range(rounds):
        before = turn
        turn, actions = t.advance(turn, likely(turn, rng))
        for action in actions:
            ledger.take(action)
        if turn.phase in ("idle", "closing"):
            assert not ledger.open, "a call without an outcome at the end of its turn"
        if turn.phase == "acting":
            assert any(d.status in ("deciding", "waiting", "intending", "running") for d in turn.calls), (before, turn)
        turns += turn.phase == "idle" and before.phase == "closing"
    print(f"walked {rounds} events, {turns} turns, {len(ledger.started)} calls started, {len(ledger.told)} outcomes")
    assert turns > rounds // 100 and ledger.started
