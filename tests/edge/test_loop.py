"""The loop with a scripted model, a simulated board and real tapes: whole turns, budgets, Ctrl-C, threads that hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge import turn as turn_table
from edge.approve import Answer, Nobody, Question
from edge.call import Call, Effect, Observation
from edge.config import Budgets
from edge.context import Context
from edge.faults import BudgetFault, Interrupted, ModelFault, StepFault, TapeFault
from edge.gate.policy import Policy
from edge.model.scripted import Scripted
from edge.parts import Ending
from edge.record import replace
from edge.registry import every
from edge.tape.reader import Reader
from edge.tool import Tool
from tests.support.asking import soon
from tests.support.boards import eventually
from tests.support.turns import DONE, FAN, READ, Bench, Seen


def test_a_turn_reads_switches_and_answers_and_the_tape_tells_it_in_order(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, FAN, DONE])
    ending = bench.loop.run("cool it")
    assert ending == Ending(0, "It is warm.")
    assert bench.kinds() == [
        "line",
        "step",
        "intent",
        "outcome",
        "step",
        "intent",
        "outcome",
        "step",
        "answer",
    ]
    intent = bench.records()[5]
    assert (intent["tool"], intent["rule"], intent["by"]) == ("output_set", "output.medium", "--yes")
    assert bench.board.states()["fan"]["state"] is True


def test_the_line_is_on_the_card_before_the_model_is_asked(tmp_path: Path) -> None:
    class Looking(Scripted):
        def ask(self, request: Any) -> Any:
            self.seen = [record["kind"] for record in Reader(path)]
            return super().ask(request)

    model = Looking([DONE])
    bench = Bench(tmp_path, [], model=model)
    path = bench.tape.path
    bench.loop.run("hello")
    assert model.seen == ["line"]


def test_an_intent_of_a_change_is_synced_before_it_runs(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [FAN, DONE])
    synced: list[tuple[str, bool]] = []
    append = bench.tape.append

    def watched(kind: str, fields: Any, sync: bool = False) -> int:
        synced.append((kind, sync))
        return int(append(kind, fields, sync))

    bench.tape.append = watched
    bench.loop.run("cool it")
    assert ("intent", True) in synced and ("line", True) in synced and ("answer", True) in synced


def test_nobody_to_ask_is_a_refusal_with_code_six_and_the_output_stays_off(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, FAN, DONE], approver=Nobody())
    assert bench.loop.run("cool it").code == 6
    assert bench.board.states()["fan"]["state"] is False
    outcome = bench.records()[5]
    assert outcome["status"] == "refused" and "nobody could be asked" in outcome["text"]


def test_a_refusal_on_the_way_that_was_made_good_is_zero(tmp_path: Path) -> None:
    secret = '{"action": "file_read", "action_input": {"path": "/srv/x"}}'
    bench = Bench(tmp_path, [secret, READ, DONE], approver=Nobody())
    assert bench.loop.run("how warm").code == 0


class Person:
    """Answers after some polls, from the main thread."""

    def __init__(self, yes: bool) -> None:
        self.yes = yes
        self.asked: list[Question] = []
        self.polls = 0

    def at_once(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return None

    def poll(self, seconds: float) -> Answer | None:
        assert threading.current_thread() is threading.main_thread()
        self.polls += 1
        time.sleep(0.01)
        return Answer(self.yes, "operator", "" if self.yes else "the operator said no") if self.polls > 2 else None


def test_a_person_is_asked_once_in_physical_words_and_a_yes_lets_it_run(tmp_path: Path) -> None:
    person = Person(True)
    bench = Bench(tmp_path, [FAN, DONE], approver=person)
    assert bench.loop.run("cool it").code == 0
    assert len(person.asked) == 1
    assert person.asked[0].sentence == "switches exhaust fan, relay 1 on for 2 min"
    assert person.asked[0].words == "switch exhaust fan, relay 1 (fan, sim relay 1) on for 2 min"
    assert bench.board.states()["fan"]["state"] is True


def test_a_no_is_told_to_the_model(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [FAN, DONE], approver=Person(False))
    assert bench.loop.run("cool it").code == 6
    assert bench.watcher.told == [("refused", "refused: the operator said no")]


def test_three_unreadable_replies_end_the_turn_with_code_four(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ["I will look.", "Hm.", "Well."])
    ending = bench.loop.run("how warm")
    assert ending.code == 4 and isinstance(ending.fault, ModelFault)
    assert bench.kinds() == ["line", "repair", "repair", "repair", "fault"]


def test_a_repair_that_works_goes_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ["I will look.", READ, DONE])
    assert bench.loop.run("how warm").code == 0


def test_a_model_that_fails_is_code_four_with_its_sentence(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ])
    ending = bench.loop.run("how warm")
    assert ending.code == 4 and "used up" in str(ending.fault)
    assert bench.kinds()[-1] == "fault"


def test_a_tool_that_raises_is_an_observation_and_the_turn_goes_on(tmp_path: Path) -> None:
    def bad(args: Any, hands: Any) -> Observation:
        raise ZeroDivisionError("oops")

    bench = Bench(tmp_path, [READ, DONE], tools=(_with_run("sensor_read", bad),))
    assert bench.loop.run("x").code == 0
    assert bench.watcher.told == [("failed", "sensor_read failed: ZeroDivisionError: oops")]


def _with_run(name: str, run: Any) -> Tool:
    return replace(next(tool for tool in every() if tool.name == name), run=run)


def test_steps_are_budgeted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, FAN, READ, FAN, DONE], budgets=Budgets(steps=3))
    ending = bench.loop.run("x")
    assert ending.code == 5 and "3 steps" in str(ending.fault)


def test_calls_per_hour_are_budgeted_over_turns(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, FAN, DONE, READ, DONE], policy=Policy("guarded", calls_per_hour=2))
    assert bench.loop.run("x").code == 0
    assert bench.loop.run("y").code == 5


def test_the_same_call_with_the_same_result_ends_after_five(tmp_path: Path) -> None:
    listing = '{"action": "sensor_list", "action_input": {}}'
    bench = Bench(tmp_path, [listing] * 9)
    ending = bench.loop.run("x")
    assert ending.code == 5 and isinstance(ending.fault, BudgetFault)
    assert [status for status, _ in bench.watcher.told] == ["done"] * 5
    assert "same result, 3 times" in bench.watcher.told[2][1]


def test_a_person_may_ask_the_same_as_often_as_they_like(tmp_path: Path) -> None:
    listing = '{"action": "sensor_list", "action_input": {}}'
    bench = Bench(tmp_path, [listing, DONE] * 6)
    assert [bench.loop.run("which sensors?").code for _ in range(6)] == [0] * 6
    assert not any("same result" in text for _, text in bench.watcher.told)


hanging = threading.Event()


def hang(args: Any, hands: Any) -> Observation:
    hanging.set()
    time.sleep(90)
    return Observation(True, "late")


def test_a_tool_past_its_deadline_is_given_up_and_the_loop_goes_on(tmp_path: Path) -> None:
    tool = _with_run("sensor_read", hang)
    bench = Bench(tmp_path, [READ, DONE], tools=(tool,), policy=Policy("guarded", seconds=0.2))
    started = time.monotonic()
    ending = bench.loop.run("x")
    assert ending.code == 5 and ending.answer == "It is warm."
    assert time.monotonic() - started < 60
    assert bench.watcher.told[0][0] == "deadline"


def test_a_turn_past_its_time_ends(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [{"delay": 20, "reply": DONE}], budgets=Budgets(turn_seconds=0.3))
    ending = bench.loop.run("x")
    assert ending.code == 5 and bench.kinds() == ["line", "fault"]


def interrupted_when(ready: Callable[[], bool], bench: Bench) -> None:
    """From a thread: interrupt the loop of a bench once it is that far."""
    threading.Thread(target=lambda: eventually(ready) and setattr(bench.loop, "interrupted", 1), daemon=True).start()


def test_ctrl_c_ends_a_waiting_model_and_a_hanging_tool_with_a_whole_tape(tmp_path: Path) -> None:
    slow_model = Bench(tmp_path / "a", [{"delay": 20, "reply": DONE}])
    slow_tool = Bench(tmp_path / "b", [READ, DONE], tools=(_with_run("sensor_read", hang),))
    for bench, kinds in ((slow_model, ["line", "fault"]), (slow_tool, ["line", "step", "intent", "outcome", "fault"])):
        hanging.clear()
        ready = hanging.is_set if len(kinds) > 2 else lambda: bench.kinds() == ["line"]  # noqa: B023
        interrupted_when(ready, bench)
        ending = bench.loop.run("x")
        assert ending.code == 130 and isinstance(ending.fault, Interrupted)
        assert bench.kinds() == kinds


def test_the_next_turn_works_after_an_interrupted_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [{"delay": 20, "reply": DONE}, READ, DONE])
    interrupted_when(lambda: bench.kinds() == ["line"], bench)
    assert bench.loop.run("x").code == 130
    assert bench.loop.run("y").code == 0


def test_the_main_thread_keeps_ticking_while_models_and_tools_hang(tmp_path: Path) -> None:
    class Ticking(Seen):
        ticks: list[float]

        def tick(self) -> None:
            self.ticks.append(time.monotonic())

    watcher = Ticking()
    watcher.ticks = []

    def busy(args: Any, hands: Any) -> Observation:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            sum(range(1000))
        return Observation(True, "worked")

    bench = Bench(
        tmp_path, [{"delay": 0.5, "reply": READ}, DONE], tools=(_with_run("sensor_read", busy),), watcher=watcher
    )
    bench.loop.run("x")
    gaps = [later - earlier for earlier, later in zip(watcher.ticks, watcher.ticks[1:])]
    print(f"{len(gaps)} ticks, the longest gap {max(gaps) * 1000:.0f} ms")
    assert len(gaps) >= 4 and sorted(gaps)[len(gaps) // 2] <= 0.1 + soon()


def test_silence_is_how_long_the_main_thread_was_not_seen_but_for_its_prompt(tmp_path: Path) -> None:
    class Stuck(Seen):
        """Keeps the main thread from its loop for a while."""

        def tick(self) -> None:
            if not silent:
                time.sleep(0.2)
                silent.append(bench.loop.silence())
                stuck.set()
                eventually(lambda: bench.kinds()[-1] == "answer")
                time.sleep(0.1)
                silent.append(bench.loop.silence())

    class Waiting(Scripted):
        def ask(self, request: Any) -> Any:
            assert stuck.wait(60)
            return super().ask(request)

    silent: list[float] = []
    stuck = threading.Event()
    bench = Bench(tmp_path, [], watcher=Stuck(), model=Waiting([DONE, DONE]))
    bench.loop.run("x")
    assert silent[0] >= 0.2
    assert silent[1] >= 0.1  # the turn was over by then, and nobody had seen it
    assert bench.loop.silence() == 0.0  # it waits at its prompt
    bench.loop.seen()
    time.sleep(0.05)
    assert bench.loop.silence() >= 0.05  # it said that it does something else
    bench.loop.run("x")
    assert bench.loop.silence() == 0.0


def test_a_tape_that_fails_ends_the_turn_and_the_change_is_not_made(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, FAN, DONE])
    append = bench.tape.append

    def failing(kind: str, fields: Any, sync: bool = False) -> int:
        if kind == "intent" and fields["tool"] == "output_set":
            raise TapeFault("the card is full")
        return int(append(kind, fields, sync))

    bench.tape.append = failing
    ending = bench.loop.run("cool it")
    assert ending.code == 9 and "card is full" in str(ending.fault)
    assert bench.board.states()["fan"]["state"] is False


def test_without_a_tape_on_a_card_the_simulated_board_still_works_and_writes_are_refused(tmp_path: Path) -> None:
    write = '{"action": "file_write", "action_input": {"path": "x", "content": "y"}}'
    bench = Bench(tmp_path, [FAN, write, DONE], kept=False)
    bench.loop.run("x")
    assert [status for status, _ in bench.watcher.told] == ["done", "refused"]
    assert not (tmp_path / "x").exists()


def test_several_reads_of_one_reply_run_side_by_side(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=60)

    def slow(args: Any, hands: Any) -> Observation:
        together.wait()
        return Observation(True, f"value of {args['name']}")

    calls = [
        {"function": {"name": "sensor_read", "arguments": {"name": name}}}
        for name in ("temperature", "light", "humidity")
    ]
    native = {"role": "assistant", "content": "", "tool_calls": calls}
    bench = Bench(
        tmp_path,
        [native, {"role": "assistant", "content": "done"}],
        tools=(_with_run("sensor_read", slow),),
        context=Context("system", "native"),
    )
    assert bench.loop.run("x").code == 0
    assert not together.broken


def test_what_a_tool_brings_is_clipped_to_its_permit(tmp_path: Path) -> None:
    def much(args: Any, hands: Any) -> Observation:
        return Observation(True, "x" * 100_000)

    bench = Bench(tmp_path, [READ, DONE], tools=(_with_run("sensor_read", much),))
    bench.loop.run("x")
    assert len(bench.watcher.told[0][1]) <= 8192


def test_a_call_that_changed_after_it_was_shown_is_not_run(tmp_path: Path) -> None:
    class Meddling(Person):
        def poll(self, seconds: float) -> Answer | None:
            self.asked[0].call.args["state"] = False  # type: ignore[index]
            return super().poll(seconds)

    bench = Bench(tmp_path, [FAN, DONE], approver=Meddling(True))
    assert bench.loop.run("x").code == 6
    assert "changed after it was shown" in bench.watcher.told[0][1]


@pytest.mark.parametrize("verb", ["write", "run"])
def test_a_tool_that_reaches_beyond_its_permit_is_refused_by_the_hand(tmp_path: Path, verb: str) -> None:
    def reaching(args: Any, hands: Any) -> Observation:
        hands.outputs.set("fan", True, 10.0)
        return Observation(True, "did it")

    bench = Bench(tmp_path, [READ, DONE], tools=(_with_run("sensor_read", reaching),))
    assert bench.loop.run("x").code == 6
    assert bench.board.states()["fan"]["state"] is False


def test_effects_that_no_rule_knows_are_denied(tmp_path: Path) -> None:
    tool = replace(_with_run("sensor_read", hang), effects=lambda args, scene: (Effect("run", "program:sh"),))
    bench = Bench(tmp_path, [READ, DONE], tools=(tool,), policy=Policy("full"))
    assert bench.loop.run("x").code == 6
    assert "default.deny" in bench.watcher.told[0][1]


def test_a_fault_of_our_own_while_showing_ends_the_turn_and_does_not_hang_it(tmp_path: Path) -> None:
    class Broken(Seen):
        def outcome(self, call: Call, status: str, found: Observation) -> None:
            raise ValueError("cannot show")

    bench = Bench(tmp_path, [READ, DONE], watcher=Broken())
    ending = bench.loop.run("x")
    assert ending.code == 1 and "cannot show" in str(ending.fault)
    assert bench.kinds()[-1] == "fault"


def test_a_reply_cut_off_by_the_server_is_a_repair_and_not_the_end(tmp_path: Path) -> None:
    class Truncating(Scripted):
        asked = 0

        def ask(self, request: Any) -> Any:
            self.asked += 1
            if self.asked == 1:
                raise StepFault("truncated", "the reply was cut off at max_tokens (1024)")
            return super().ask(request)

    bench = Bench(tmp_path, [], model=Truncating([DONE]))
    assert bench.loop.run("x").code == 0
    assert bench.kinds() == ["line", "repair", "step", "answer"]


def test_an_interrupt_before_the_model_was_even_reached_ends_the_request_too(tmp_path: Path) -> None:
    asked, over = threading.Event(), threading.Event()

    class Late(Scripted):
        def ask(self, request: Any) -> Any:
            asked.set()
            over.wait(60)
            return super().ask(request)

    bench = Bench(tmp_path, [], model=Late([{"delay": 30, "reply": DONE}]))
    interrupted_when(asked.is_set, bench)
    assert bench.loop.run("x").code == 130
    over.set()
    assert bench.loop._jobs.quiet(20.0), "the request went on after the cut"


def test_a_table_that_fails_ends_the_turn_and_not_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, [READ, READ, DONE])
    advance = turn_table.advance

    def failing(turn: Any, event: Any) -> Any:
        if isinstance(event, turn_table.Replied):
            raise TypeError("a row is wrong")
        return advance(turn, event)

    monkeypatch.setattr(turn_table, "advance", failing)
    ending = bench.loop.run("x")
    assert ending.code == 1 and "a row is wrong" in str(ending.fault)
    monkeypatch.undo()
    assert bench.loop.run("y").code == 0
