"""What raises or lowers a verdict after the table: auto_approve, taint, always_ask, nobody there."""

from __future__ import annotations

import pytest

from edge.call import Call, Decision, Effect, Output, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State

SCENE = Scene(
    "/home/pi/w",
    "/home/pi",
    (Root("work", "/home/pi/w"),),
    outputs=(Output("fan", "fan", "relay 1"), Output("heater", "heater", "relay 2", risk="high")),
)
READ = Effect("read", "file:a")
WRITE = Effect("write", "file:a")
SECRET = Effect("read", "file:.env")
FAN = Effect("actuate", "output:fan")
HEATER = Effect("actuate", "output:heater")
GET = Effect("fetch", "url:https://example.org/", detail="GET")
POST = Effect("send", "url:https://example.org/", detail="POST")


def say(effects: tuple[Effect, ...], policy: Policy, state: State | None = None, tool: str = "file_write") -> Decision:
    return decide(Call(tool, {}, "c1"), effects, policy, state or State(), SCENE)


def test_auto_approve_answers_an_ask_of_medium_risk_and_says_so() -> None:
    found = say((WRITE,), Policy("supervised", auto_approve=("file_write",)))
    assert (found.verdict, found.rule, found.by) == ("allow", "write.workspace", "auto_approve")
    assert "auto_approve names file_write" in found.sentence and found.permit is not None


@pytest.mark.parametrize(
    ("effects", "preset", "verdict"),
    [
        ((SECRET,), "guarded", "ask"),
        ((HEATER,), "guarded", "ask"),
        ((POST,), "guarded", "ask"),
        ((WRITE, SECRET), "guarded", "ask"),
        ((HEATER,), "supervised", "deny"),
        ((WRITE,), "readonly", "deny"),
        ((Effect("write", "file:/srv/x"),), "full", "deny"),
    ],
)
def test_auto_approve_answers_nothing_high_and_no_denial(
    effects: tuple[Effect, ...], preset: str, verdict: str
) -> None:
    found = say(effects, Policy(preset, auto_approve=("file_write",)))
    assert (found.verdict, found.by) == (verdict, "")


def test_auto_approve_is_for_its_tools_alone_and_an_empty_list_for_none() -> None:
    assert say((WRITE,), Policy(auto_approve=("file_edit",))).verdict == "ask"
    assert say((WRITE,), Policy(auto_approve=())).verdict == "ask"


def test_auto_approve_ends_where_untrusted_words_were_heard() -> None:
    policy = Policy(auto_approve=("file_write",))
    assert say((WRITE,), policy, State(tainted="https://example.org/")).verdict == "ask"


@pytest.mark.parametrize(
    ("effect", "rule"), [(POST, "taint.send"), (FAN, "taint.output"), (Effect("write", "file:a"), "")]
)
def test_after_untrusted_words_sends_and_outputs_ask_where_they_would_not_have(effect: Effect, rule: str) -> None:
    tainted = State(tainted="https://example.org/page")
    assert say((effect,), Policy("full")).verdict == "allow"
    found = say((effect,), Policy("full"), tainted)
    if not rule:
        assert found.verdict == "allow"
        return
    assert (found.verdict, found.rule) == ("ask", rule)
    assert "from https://example.org/page" in found.sentence and found.permit is not None


def test_taint_names_its_source_where_it_asks_anyway_and_never_softens_a_denial() -> None:
    tainted = State(tainted="/srv/mail")
    found = say((FAN,), Policy("guarded"), tainted)
    assert (found.verdict, found.rule) == ("ask", "output.medium") and "from /srv/mail" in found.sentence
    assert say((HEATER,), Policy("supervised"), tainted).rule == "output.high"
    assert say((FAN,), Policy("readonly"), tainted).verdict == "deny"


def test_reading_stays_free_after_untrusted_words() -> None:
    assert say((READ,), Policy(), State(tainted="x")).verdict == "allow"
    assert say((GET,), Policy(hosts=("example.org",)), State(tainted="x")).verdict == "allow"


@pytest.mark.parametrize("preset", ["supervised", "guarded", "full"])
def test_always_ask_asks_even_in_full(preset: str) -> None:
    found = say((READ,), Policy(preset, always_ask=("file_read",)), tool="fs.read")
    assert (found.verdict, found.rule) == ("ask", "profile.always-ask") and found.permit is not None


def test_always_ask_turns_no_denial_into_a_question_and_beats_auto_approve() -> None:
    assert say((WRITE,), Policy("readonly", always_ask=("file_write",))).verdict == "deny"
    both = Policy(always_ask=("file_write",), auto_approve=("file_write",))
    found = say((WRITE,), both)
    assert (found.verdict, found.by) == ("ask", "")


def test_with_nobody_there_an_ask_is_a_denial_that_says_so() -> None:
    alone = State(unattended=True)
    found = say((WRITE,), Policy(), alone)
    assert (found.verdict, found.rule, found.permit) == ("deny", "unattended.nobody", None)
    assert "nobody is there" in found.sentence
    assert say((READ,), Policy(), alone).verdict == "allow"
    assert say((READ,), Policy(always_ask=("file_write",)), alone).verdict == "deny"  # fails closed


def test_a_grant_of_the_operator_keeps_an_ask_open_with_nobody_there_and_softens_no_denial() -> None:
    granted = State(unattended=True, granted="grant 1: file_write a")
    assert say((WRITE,), Policy(), granted).verdict == "ask"
    assert say((WRITE,), Policy("readonly"), granted).verdict == "deny"
    assert say((HEATER,), Policy("supervised"), granted).verdict == "deny"


def test_the_level_for_nobody_only_lowers() -> None:
    alone = State(unattended=True)
    assert say((FAN,), Policy("full"), alone).verdict == "allow"
    assert say((FAN,), Policy("full", unattended="supervised"), alone).rule == "unattended.nobody"
    assert say((FAN,), Policy("full", unattended="readonly"), alone).rule == "output.medium"
    assert say((FAN,), Policy("readonly", unattended="full"), alone).verdict == "deny"
    assert say((FAN,), Policy("full", unattended="readonly"), State()).verdict == "allow"


def test_the_wall_is_required_where_full_runs_with_nobody_there() -> None:
    assert Policy("full").wall(False) == "prefer" and Policy("full").wall(True) == "require"
    assert Policy("full", sandbox="off").wall(True) == "require" and Policy("full", sandbox="off").wall(False) == "off"
    assert Policy("full", unattended="guarded", sandbox="off").wall(True) == "off"
    assert Policy("guarded", sandbox="require").wall(False) == "require"


def test_ask_for_names_what_a_level_would_block() -> None:
    policy = Policy("supervised", ask_for=("high",))
    assert say((HEATER,), policy).verdict == "ask" and say((SECRET,), policy).verdict == "ask"
    assert say((Effect("write", "file:/srv/x"),), policy).verdict == "deny"
    one = Policy("supervised", ask_for=("output.high",))
    assert say((HEATER,), one).verdict == "ask" and say((SECRET,), one).verdict == "deny"
    assert "`ask_for` of the risk profile names high" in say((SECRET,), Policy("supervised")).sentence
    assert say((HEATER,), Policy("readonly", ask_for=("high", "ruin", "disk"))).verdict == "deny"


def test_forbidden_paths_beat_roots_readable_places_and_full() -> None:
    policy = Policy("full", forbidden_paths=("/home/pi/w/secret", "/etc/pump"))
    for path in ("secret", "secret/a", "./x/../secret", "/etc/pump/a", "/etc/PUMP/a"):
        for verb in ("read", "list", "write"):
            assert say((Effect(verb, f"file:{path}"),), policy).rule == f"{verb}.forbidden"
    assert say((Effect("read", "file:secrets"),), policy).verdict == "allow"
    assert say((Effect("write", "file:/home/pi/w", True),), policy).rule == "write.forbidden"


def test_a_change_of_a_folder_is_a_change_of_what_lies_in_it() -> None:
    scene = Scene(
        "/home/pi/w", "/home/pi", SCENE.roots, state="/home/pi/w/s/t", own=("/home/pi/w/k",), settings=("/home/pi/w/c",)
    )
    for path, rule in (("s", "write.own"), (".", "write.own"), ("k", "write.own"), ("c", "write.settings")):
        found = decide(Call("x", {}, "c"), (Effect("write", f"file:{path}", True),), Policy("full"), State(), scene)
        assert found.rule == rule
    assert (
        decide(Call("x", {}, "c"), (Effect("read", "file:s", True),), Policy("full"), State(), scene).verdict == "allow"
    )


def test_hosts_that_are_listed_are_low_and_internal_ones_only_by_name() -> None:
    policy = Policy("readonly", hosts=("*.example.org",), internal_hosts=("192.168.8.30:8080", "llm.example.net"))

    def get(url: str, level: str = "readonly") -> tuple[str, str]:
        found = say((Effect("fetch", f"url:{url}", detail="GET"),), Policy(**{**fields(policy), "preset": level}))
        root = found.permit.grants[0].root if found.permit else ""
        return found.rule, root

    assert get("https://www.example.org/x") == ("fetch.listed", "host")
    assert get("https://example.org/x", "guarded") == ("fetch.unlisted", "host")
    assert get("http://192.168.8.30:8080/x") == ("fetch.listed", "internal")
    assert get("http://192.168.8.30/x", "full") == ("fetch.internal", "")
    assert get("https://llm.example.net/v1") == ("fetch.listed", "internal")


def fields(policy: Policy) -> dict[str, object]:
    return {name: getattr(policy, name) for name in Policy.__fields__}


def test_without_block_internal_a_tool_asks_for_internal_hosts_and_never_just_goes() -> None:
    effects = (Effect("fetch", "url:http://169.254.169.254/latest", detail="GET"),)
    said = [say(effects, Policy(preset, block_internal=False)).verdict for preset in ("readonly", "guarded", "full")]
    assert said == ["deny", "ask", "ask"]


def test_a_fetch_that_is_no_get_is_a_send() -> None:
    found = say((Effect("fetch", "url:https://example.org/", detail="delete"),), Policy())
    assert found.rule == "send.unlisted" and found.permit is not None and found.permit.grants[0].verb == "send"


def test_the_digest_changes_with_everything_that_decides() -> None:
    base = Policy()
    assert len(base.digest) == 64 and base.digest == Policy().digest
    others = {
        "preset": "full", "calls_per_hour": 1, "seconds": 1.0, "bytes": 1, "profile": "x", "deny_all_tools": True,
        "block_internal": False, "sandbox": "off", "unattended": "readonly", "only": (),
    }  # fmt: skip
    seen = {base.digest}
    for name in Policy.__fields__:
        other = others.get(name, ("x",))
        seen.add(Policy(**{**fields(base), name: other}).digest)
    assert len(seen) == len(Policy.__fields__) + 1
