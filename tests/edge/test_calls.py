"""The life of a call in a real loop: grants, words instead, receipts, redaction, taint, the operator's stop, cuts."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from edge import stop as stops
from edge.approve import Answer, Nobody, Question
from edge.call import Call, Effect, Observation
from edge.faults import TapeFault
from edge.gate.grants import parse
from edge.gate.policy import Policy
from edge.grants import Grants
from edge.hands.wall.confine import LEVELS
from edge.redact import Redactor
from edge.taint import Taint
from edge.tape.audit import Audit
from edge.tool import Tool
from tests.support.turns import DONE, FAN, READ, Bench


def step(tool: str, **args: Any) -> str:
    return json.dumps({"thought": "", "action": tool, "action_input": args})


def final(text: str) -> str:
    return json.dumps({"thought": "", "action": "final", "action_input": text})


def bash(command: str) -> str:
    return step("bash", command=command)


def soon(true: Any) -> bool:
    """True when `true()` is within a minute."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def outcomes(bench: Bench) -> list[dict[str, Any]]:
    return [record for record in bench.records() if record["kind"] == "outcome"]


def intents(bench: Bench) -> list[dict[str, Any]]:
    return [record for record in bench.records() if record["kind"] == "intent"]


def audited(state: Path) -> list[dict[str, Any]]:
    lines = (state / "audit" / "audit-000001.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


class Instead:
    """A person who answers every question with words of their own."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def at_once(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return Answer(False, "operator", "said something else", "it is broken, leave it off")

    def poll(self, seconds: float) -> Answer | None:
        return None

    def over(self, said: str) -> None:
        return

    def close(self) -> None:
        return


def with_grant(folder: Path, replies: list[str], *texts: str, **changes: Any) -> Bench:
    bench = Bench(folder, replies)
    grants = Grants(tuple(parse(text) for text in texts), bench.world.scene)
    return Bench(folder, replies, grants=grants, approver=Nobody(), **changes)


def test_a_grant_answers_before_a_person_and_stands_in_the_record(tmp_path: Path) -> None:
    bench = with_grant(tmp_path, [FAN, DONE], "output_set fan <=10m x1")
    assert bench.loop.run("cool").code == 0
    assert intents(bench)[0]["by"] == "grant 1: output_set fan <=10m x1"


def test_a_grant_that_is_used_up_or_too_small_answers_nothing(tmp_path: Path) -> None:
    bench = with_grant(tmp_path, [FAN, FAN.replace("120", "121"), DONE], "output_set fan <=10m x1")
    assert bench.loop.run("cool").code == 6
    assert [record["status"] for record in outcomes(bench)] == ["done", "refused"]
    small = with_grant(tmp_path, [FAN, DONE], "output_set fan <=1m")
    assert small.loop.run("cool").code == 6


def test_a_denial_is_never_pre_approved(tmp_path: Path) -> None:
    bench = with_grant(tmp_path, [FAN, DONE], "output_set fan <=10m", policy=Policy("readonly"))
    assert bench.loop.run("cool").code == 6
    assert bench.board.states()["fan"]["state"] is False


def test_with_nobody_there_an_ask_is_a_denial_unless_a_grant_covers_it(tmp_path: Path) -> None:
    alone = Bench(tmp_path, [FAN, DONE], unattended=True)
    assert alone.loop.run("cool").code == 6
    assert outcomes(alone)[0]["rule"] == "unattended.nobody"
    covered = with_grant(tmp_path, [FAN, DONE], "output_set fan <=10m", unattended=True)
    assert covered.loop.run("cool").code == 0


def test_words_instead_are_the_result_and_nothing_runs(tmp_path: Path) -> None:
    person = Instead()
    audit = Audit.open(str(tmp_path))
    bench = Bench(tmp_path, [FAN, DONE], approver=person, audit=audit)
    assert bench.loop.run("cool").code == 0
    told = outcomes(bench)[0]
    assert (told["status"], "receipt" in told) == ("replaced", False)
    assert "it is broken, leave it off" in told["text"]
    assert bench.board.states()["fan"]["state"] is False
    assert not intents(bench)
    audit.close()
    kept = [(r["status"], r.get("receipt")) for r in audited(tmp_path) if r["kind"] == "outcome"]
    assert kept == [("replaced", None)]


def test_the_question_says_what_a_shell_text_touches(tmp_path: Path) -> None:
    person = Instead()
    Bench(tmp_path, [bash("echo x > a.txt && sudo reboot-later"), DONE], approver=person).loop.run("go")
    assert any(effect.startswith("write file:") and effect.endswith("/a.txt") for effect in person.asked[0].effects)
    told = [person.asked[0].sentence, *person.asked[0].remarks]
    assert sum("sudo gains no rights" in one for one in told) == 1


def test_every_call_is_audited_once_and_only_successes_have_receipts(tmp_path: Path) -> None:
    audit = Audit.open(str(tmp_path))
    replies = [READ, FAN, step("file_read", path="absent"), step("file_write", path="/etc/x", content=""), DONE]
    bench = Bench(tmp_path, replies, audit=audit)
    bench.loop.run("all of it")
    audit.close()
    found = [(r["kind"], r["tool"], r.get("status")) for r in audited(tmp_path) if r["kind"] in ("intent", "outcome")]
    assert found == [
        ("outcome", "sensor_read", "done"),
        ("intent", "output_set", None),
        ("outcome", "output_set", "done"),
        ("outcome", "file_read", "tool"),
        ("outcome", "file_write", "refused"),
    ]
    policies = {r["policy"] for r in audited(tmp_path) if "policy" in r}
    assert policies == {Policy("guarded").digest}
    receipts = [record.get("receipt", "") for record in outcomes(bench)]
    assert [bool(receipt) for receipt in receipts] == [True, True, False, False]
    assert b"[receipt " + receipts[1].encode() + b"]" in bench.loop.parts.context.body


def test_a_shell_text_that_only_reads_is_an_observation_and_needs_no_intent_in_the_audit(tmp_path: Path) -> None:
    audit = Audit.open(str(tmp_path))
    Bench(tmp_path, [bash("uptime"), bash("echo x > a"), DONE], audit=audit).loop.run("x")
    audit.close()
    assert [r["args"]["command"] for r in audited(tmp_path) if r["kind"] == "intent"] == ["echo x > a"]


def test_the_audit_says_which_wall_held(tmp_path: Path) -> None:
    audit = Audit.open(str(tmp_path))
    replies = [bash("uptime"), bash("echo x > a"), bash("reboot"), READ, DONE]
    Bench(tmp_path, replies, audit=audit).loop.run("x")
    audit.close()
    walls = [r.get("level") for r in audited(tmp_path) if r["kind"] == "outcome"]
    assert walls[0] in LEVELS and walls[1] == walls[0]
    assert walls[2:] == [None, None], "what never ran had no wall, and a sensor has none"


def test_a_receipt_that_nobody_gave_is_flagged_in_the_answer(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, final("Done, receipt r-aaaaaaaaaaaaaaaaaaaa.")], audit=Audit.open(str(tmp_path)))
    ending = bench.loop.run("x")
    assert "no call ever got the receipt r-aaaaaaaaaaaaaaaaaaaa" in ending.answer


def test_a_receipt_that_was_given_is_not_flagged(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [READ, DONE], audit=Audit.open(str(tmp_path)))
    bench.loop.run("x")
    given = outcomes(bench)[0]["receipt"]
    again = Bench(tmp_path, [final(f"receipt {given}")], audit=Audit.open(str(tmp_path)))
    assert again.loop.run("y").answer == f"receipt {given}"


def test_a_known_secret_reaches_neither_tape_nor_audit_nor_model_nor_screen(tmp_path: Path) -> None:
    secret = "correct-horse-battery"
    (tmp_path / "notes.txt").write_text(f"the key is {secret}\n")
    redact = Redactor((secret,))
    audit = Audit.open(str(tmp_path), redact.text)
    replies = [step("file_read", path="notes.txt"), bash("cat notes.txt; cat notes.txt | base64"), DONE]
    bench = Bench(tmp_path, replies, redact=redact, audit=audit)
    bench.loop.run(f"my key is {secret}, find it")
    audit.close()
    assert "done" in [status for status, _ in bench.watcher.told]
    for place in (
        Path(bench.tape.path).read_bytes(),
        (tmp_path / "audit" / "audit-000001.jsonl").read_bytes(),
        bytes(bench.loop.parts.context.body),
        repr(bench.watcher.told).encode(),
    ):
        assert secret.encode() not in place
        assert b"Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5"[4:20] not in place


# --- taint ---


def test_files_outside_the_workspace_taint_and_kernel_files_do_not(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    clean = Bench(work, [step("file_read", path="/proc/uptime"), READ, bash("cat /proc/uptime"), DONE])
    clean.loop.run("x")
    assert clean.loop.parts.taint.source == ""
    heard = Bench(work, [step("file_read", path="/etc/hostname"), DONE])
    heard.loop.run("x")
    assert heard.loop.parts.taint.source == "/etc/hostname"
    shell = Bench(work, [bash("cat /etc/hostname"), DONE])
    shell.loop.run("x")
    assert shell.loop.parts.taint.source == "/etc/hostname"


def test_after_untrusted_words_an_output_asks_even_in_full(tmp_path: Path) -> None:
    replies = [FAN, step("file_read", path="/etc/hostname"), FAN, bash("touch new"), READ, bash("uptime"), DONE]
    bench = Bench(tmp_path, replies, policy=Policy("full"), approver=Nobody())
    bench.loop.run("x")
    told = [(record["status"], record.get("rule", "")) for record in outcomes(bench)]
    assert told == [
        ("done", ""),
        ("done", ""),
        ("refused", "taint.output"),
        ("refused", "taint.shell"),
        ("done", ""),
        ("done", ""),
    ]


def test_what_was_written_from_untrusted_words_taints_whoever_reads_it_later(tmp_path: Path) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    state.mkdir()
    replies = [
        step("file_read", path="/etc/hostname"),
        step("file_write", path="copy.txt", content="x"),
        bash("cat copy.txt > by-shell.txt"),
        bash("python3 -c \"open('unseen.txt','w').write('x')\""),
        DONE,
    ]
    first = Bench(work, replies, taint=Taint(str(state)))
    assert first.loop.run("x").code == 0
    for name in ("copy.txt", "by-shell.txt", "unseen.txt"):
        later = Bench(work, [step("file_read", path=name), DONE], taint=Taint(str(state)))
        later.loop.run("x")
        assert later.loop.parts.taint.source == "/etc/hostname", name
    by_shell = Bench(work, [bash("grep x *.txt"), DONE], taint=Taint(str(state)))
    by_shell.loop.run("x")
    assert by_shell.loop.parts.taint.source == "/etc/hostname"
    moved = Bench(work, [bash("mv by-shell.txt moved.txt"), DONE], taint=Taint(str(state)))
    moved.loop.run("x")
    assert moved.loop.parts.taint.source == "/etc/hostname", "a new name washes nothing"
    assert Taint(str(state)).of([(f"{work}/moved.txt", False)]) == "/etc/hostname"
    (work / "own.txt").write_text("mine")
    clean = Bench(work, [step("file_read", path="own.txt"), DONE], taint=Taint(str(state)))
    clean.loop.run("x")
    assert clean.loop.parts.taint.source == ""


# --- a record that fails, and the budget ---


def test_a_record_that_failed_while_a_person_was_asked_lets_nothing_run(tmp_path: Path) -> None:
    class Slow:
        def at_once(self, question: Question) -> Answer | None:
            return None

        def poll(self, seconds: float) -> Answer | None:
            bench.tape.append = lost
            assert bench.loop.note("board", {"event": "note"})
            return Answer(True, "operator")

        def over(self, said: str) -> None: ...

        def close(self) -> None: ...

    def lost(kind: str, fields: Any, sync: bool = False) -> int:
        raise TapeFault("the card is gone")

    bench = Bench(tmp_path, [FAN, DONE], approver=Slow())
    ending = bench.loop.run("x")
    assert ending.code == 9 and "not run" in str(ending.fault)
    assert bench.board.states()["fan"]["state"] is False


def test_the_last_call_of_the_budget_may_be_led_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_text("inside")
    (tmp_path / "b").symlink_to("a")
    bench = Bench(tmp_path, [step("file_read", path="b/x"), READ, DONE], policy=Policy("guarded", 1))
    bench.loop.run("x")
    first, second = outcomes(bench)
    assert first["status"] == "done" and "inside" in first["text"]
    assert second["rule"] == "budget.calls"


def test_an_answer_and_a_stop_that_meet_a_busy_card_are_not_lost(tmp_path: Path) -> None:
    stop: list[stops.Stop] = []

    class Once:
        """Answers once, while something holds the tape for longer than a tick."""

        def __init__(self, answer: Answer | None) -> None:
            self.answer = answer
            self.asked = 0

        def at_once(self, question: Question) -> Answer | None:
            return None

        def poll(self, seconds: float) -> Answer | None:
            self.asked += 1
            if self.asked == 1:
                bench.loop._lock.acquire()
                threading.Timer(0.5, bench.loop._lock.release).start()
                if self.answer is None:
                    stop.append(stops.Stop((stops.One("tool:output_set"),)))
                return self.answer
            return None

        def over(self, said: str) -> None: ...

        def close(self) -> None: ...

    for name, answer, status in (("a", Answer(True, "operator"), "done"), ("b", None, "refused")):
        (tmp_path / name).mkdir()
        once = Once(answer)
        bench = Bench(tmp_path / name, [FAN, DONE], approver=once, stopped=lambda: stop[0] if stop else None)
        done: list[Any] = []
        thread = threading.Thread(target=lambda to=done, of=bench: to.append(of.loop.run("x")), daemon=True)
        thread.start()
        thread.join(60.0)
        assert done and [found for found, _ in bench.watcher.told] == [status], name


# --- the operator's stop, and cuts ---


def stopped_by(state: Path) -> Any:
    return lambda: stops.read(str(state))


def test_a_stop_ends_a_turn_whatever_runs_and_says_so(tmp_path: Path) -> None:
    stops.set_(str(tmp_path), stops.One("all", "smoke in the hall"))
    bench = Bench(tmp_path, [READ, DONE], stopped=stopped_by(tmp_path))
    ending = bench.loop.run("x")
    assert ending.code == 6
    assert "smoke in the hall" in str(ending.fault)


def test_a_stop_in_mid_act_ends_what_the_act_started(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [bash("sleep 60; touch late"), DONE], stopped=stopped_by(tmp_path))
    bench.world.stopping = lambda: stops.read(str(tmp_path)) is not None
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(bench.loop.run("x")), daemon=True)
    thread.start()
    assert soon(lambda: "intent" in bench.kinds())
    begun = time.monotonic()
    stops.set_(str(tmp_path), stops.One("all"))
    thread.join(60.0)
    assert done and done[0].code == 6
    assert time.monotonic() - begun < 40.0
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize(
    "kind, tool", [("tool:output_set", FAN), ("network", step("http_request", url="https://example.com/"))]
)
def test_a_stop_of_a_part_denies_that_part_alone(tmp_path: Path, kind: str, tool: str) -> None:
    stops.set_(str(tmp_path), stops.One(kind))
    bench = Bench(tmp_path, [tool, READ, DONE], stopped=stopped_by(tmp_path), policy=Policy("full"))
    bench.loop.run("x")
    first, second = outcomes(bench)
    assert (first["status"], first["rule"].startswith("stop.")) == ("refused", True)
    assert second["status"] == "done"


class Late:
    """A person whose yes comes after the operator stopped the tool; `seen` holds what the person is told then."""

    def __init__(self, state: Path, answers: bool) -> None:
        self.state, self.answers = state, answers
        self.seen: list[str] = []

    def at_once(self, question: Question) -> Answer | None:
        return None

    def poll(self, seconds: float) -> Answer | None:
        stops.set_(str(self.state), stops.One("tool:output_set"))
        return Answer(True, "operator") if self.answers else None

    def over(self, said: str) -> None:
        self.seen.append(said)

    def close(self) -> None:
        return


@pytest.mark.parametrize("answers", [True, False])
def test_a_stop_of_a_tool_answers_the_question_that_is_open_about_it(tmp_path: Path, answers: bool) -> None:
    person = Late(tmp_path, answers)
    bench = Bench(tmp_path, [FAN, DONE], stopped=stopped_by(tmp_path), approver=person)
    assert bench.loop.run("cool").code == 6
    told = outcomes(bench)[0]
    assert (told["status"], told["rule"]) == ("refused", "stop.tool")
    assert bench.board.states()["fan"]["state"] is False
    assert answers or "stopped the tool output_set" in person.seen[0]


def test_what_was_allowed_before_a_stop_of_its_tool_does_not_begin_after_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [FAN, READ, DONE], stopped=stopped_by(tmp_path), policy=Policy("full"))
    told = bench.loop.parts.watcher.granted

    def granted(*what: Any) -> None:
        stops.set_(str(tmp_path), stops.One("tool:output_set"))
        told(*what)

    bench.loop.parts.watcher.granted = granted  # type: ignore[method-assign]
    bench.loop.run("cool")
    first, second = outcomes(bench)
    assert (first["status"], first["rule"], second["status"]) == ("refused", "stop.tool", "done")
    assert bench.board.states()["fan"]["state"] is False


def test_a_stop_of_a_part_ends_what_runs_of_it_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        get = step("http_request", url=f"http://{host}/")
        for kind, call in (("tool:bash", bash("sleep 60; touch late")), ("network", get), ("tool:http_request", get)):
            state = tmp_path / kind
            state.mkdir()
            policy = Policy("full", internal_hosts=(host,))
            bench = Bench(tmp_path / "work", [call, READ, DONE], stopped=stopped_by(state), policy=policy)
            done: list[Any] = []
            thread = threading.Thread(target=lambda: done.append(bench.loop.run("x")), daemon=True)  # noqa: B023
            thread.start()
            assert soon(lambda: bool(bench.loop._calls._granted)), kind  # noqa: B023
            time.sleep(0.5)
            begun = time.monotonic()
            stops.set_(str(state), stops.One("tool:file_read"))
            time.sleep(0.3)
            assert not done
            stops.set_(str(state), stops.One(kind))
            thread.join(60.0)
            assert done and time.monotonic() - begun < 40.0, kind
            first, second = outcomes(bench)
            assert not first["ok"] and second["status"] == "done", (first, second)
    assert not (tmp_path / "work" / "late").exists()


def running(mark: str) -> bool:
    """Is there a process with this in its command line?"""
    lines = [Path("/proc", name, "cmdline") for name in os.listdir("/proc") if name.isdigit()]
    return any(mark.encode() in _bytes(line) for line in lines)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_an_interrupt_ends_the_children_of_a_call(tmp_path: Path) -> None:
    mark = f"66.{os.getpid()}"
    bench = Bench(tmp_path, [bash(f"setsid sh -c 'sleep {mark}; touch late' & sleep {mark}"), DONE])
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(bench.loop.run("x")), daemon=True)
    thread.start()
    assert soon(lambda: running(mark))
    bench.loop.interrupted = 1
    thread.join(60.0)
    assert done[0].code == 130
    assert soon(lambda: not running(mark)) and not (tmp_path / "late").exists()


def test_hands_ask_the_gate_of_this_loop(tmp_path: Path) -> None:
    found: list[str] = []

    def run(args: Any, hands: Any) -> Observation:
        hands.also(Effect("read", "file:inside.txt"))
        found.append("read")
        hands.also(Effect("write", "file:inside.txt"))
        return Observation(True, "never")

    tool = Tool("looker", "", {"type": "object", "properties": {}, "additionalProperties": False},
                lambda args, scene: (Effect("list", "sensor:all"),), run, lambda args, scene: "look")  # fmt: skip
    bench = Bench(tmp_path, [step("looker"), DONE], tools=(tool,))
    bench.loop.run("x")
    assert found == ["read"]
    assert (outcomes(bench)[0]["status"], "by its own name" in outcomes(bench)[0]["text"]) == ("refused", True)


def test_an_answer_to_another_question_counts_for_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, [DONE])
    assert bench.loop._calls.take(Answer(True, "late"), None) is None
    assert Call("x", {}).id == ""
