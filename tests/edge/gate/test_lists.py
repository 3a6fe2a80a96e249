"""Which tools there are: the lists of a risk profile, the list of a caller, the operator's stop."""

from __future__ import annotations

import pytest

from edge.call import Call, Effect, Root, Scene
from edge.gate.decide import decide
from edge.gate.lists import offered
from edge.gate.names import ALIASES, KNOWN, canonical, known
from edge.gate.policy import Policy, State
from edge.registry import TOOLS

SCENE = Scene("/home/pi/w", "/home/pi", (Root("work", "/home/pi/w"),))
READ = (Effect("read", "file:a"),)


def rule(
    policy: Policy, tool: str = "file_read", state: State | None = None, effects: tuple[Effect, ...] = READ
) -> str:
    found = decide(Call(tool, {}, "c1"), effects, policy, state or State(), SCENE)
    return found.rule if found.verdict == "deny" else found.verdict


def test_deny_all_tools_beats_every_list_and_level() -> None:
    policy = Policy("full", deny_all_tools=True, allowed_tools=("file_read",), auto_approve=("file_read",))
    for tool in ("file_read", "srv__tool", "skill"):
        assert rule(policy, tool) == "profile.deny-all"
        assert not offered(tool, policy)


def test_an_allow_list_is_closed_for_all_but_mcp_tools_and_an_empty_one_is_none() -> None:
    policy = Policy(allowed_tools=("file_read",))
    assert rule(policy) == "allow"
    assert rule(policy, "grep") == "profile.not-allowed"
    assert rule(policy, "srv__tool") == "allow"  # Z-82: what is found at run time
    assert rule(Policy(allowed_tools=()), "grep") == "allow"


def test_excluded_tools_hold_for_every_channel_but_the_command_line() -> None:
    policy = Policy(excluded_tools=("file_read", "srv__tool"))
    for channel in ("telegram", "schedule", "delegate", "serve", ""):
        assert rule(policy, "file_read", State(channel=channel)) == "profile.excluded"
        assert rule(policy, "srv__tool", State(channel=channel)) == "profile.excluded"
        assert rule(policy, "srv__other", State(channel=channel)) == "allow"
        assert not offered("fs.read", policy, channel)
    assert rule(policy) == "allow" and offered("file_read", policy)


def test_the_list_of_a_caller_is_a_strict_intersection() -> None:
    policy = Policy(allowed_tools=("file_read", "grep"))
    given = policy.narrowed(("fs.read", "http_request"))
    assert rule(given) == "allow"
    assert rule(given, "grep") == "run.not-given"
    assert rule(given, "http_request") == "profile.not-allowed"  # the caller gives nothing that the profile does not
    assert rule(given, "srv__tool") == "run.not-given"  # Z-83: the exception for MCP does not hold here
    assert rule(Policy().narrowed(("srv__tool",)), "srv__tool") == "allow"


def test_an_empty_list_of_a_caller_allows_nothing_and_lists_only_get_shorter() -> None:
    assert rule(Policy().narrowed(())) == "run.not-given"
    twice = Policy().narrowed(("file_read", "grep")).narrowed(("grep", "bash"))
    assert twice.only == ("grep",)


def test_a_task_with_a_list_of_its_own_is_shown_no_mcp_tool_that_it_did_not_name() -> None:
    """Z-83: the profile would admit every MCP tool."""
    profile = Policy("full", allowed_tools=("schedule_add", "file_read"))
    assert rule(profile, "srv__tool") == "allow" and offered("srv__tool", profile)
    for name in ("cron_add", "schedule_add"):
        task = profile.narrowed((name,))
        assert offered("cron_add", task) and offered("schedule_add", task, "schedule")
        for other in ("srv__tool", "SRV__TOOL", "file_read", "mcp_call", "bash"):
            assert rule(task, other) == "run.not-given"
            assert not offered(other, task) and not offered(other, task, "schedule")
        delegate = task.narrowed(("srv__tool", "file_read", "schedule_add"))
        assert delegate.only == ("schedule_add",)
    named = profile.narrowed(("srv__tool", "bash"))
    assert offered("srv__tool", named) and not offered("srv__other", named)
    assert rule(named, "bash") == "profile.not-allowed"  # an intersection: the profile does not have it


def test_lists_know_the_mcp_tool_behind_a_wrapper() -> None:
    effects = (Effect("call", "mcp:Srv/tool"),)
    policy = Policy(excluded_tools=("srv__tool",))
    assert rule(policy, "mcp_call", State(channel="x"), effects) == "profile.excluded"
    assert rule(Policy().narrowed(("cron_add",)), "mcp_call", None, effects) == "run.not-given"


@pytest.mark.parametrize(
    ("stopped", "tool", "effects", "wanted"),
    [
        ("all", "file_read", READ, "stop.all"),
        ("tool:file_read", "file_read", READ, "stop.tool"),
        ("tool:FS.Read", "file_read", READ, "stop.tool"),
        ("tool:grep", "file_read", READ, "allow"),
        ("network", "file_read", READ, "allow"),
        ("network", "http_request", (Effect("fetch", "url:https://example.org/"),), "stop.network"),
        ("network", "mcp_call", (Effect("call", "mcp:srv/tool"),), "stop.network"),
        ("network tool:file_read", "file_read", READ, "stop.tool"),
        ("tool:grep,tool:file_read", "file_read", READ, "stop.tool"),
        ("what is this", "file_read", READ, "stop.all"),
    ],
)
def test_a_stop_denies_what_it_names_and_an_unknown_one_everything(
    stopped: str, tool: str, effects: tuple[Effect, ...], wanted: str
) -> None:
    assert rule(Policy("full"), tool, State(stopped=stopped), effects) == wanted


def test_every_registered_tool_is_a_name_that_settings_know() -> None:
    assert set(TOOLS) <= set(KNOWN)


def test_aliases_lead_to_known_names_and_are_none_themselves() -> None:
    assert set(ALIASES.values()) <= set(KNOWN) and not set(ALIASES) & set(KNOWN)
    assert canonical(" Shell ") == "bash" and canonical("WEB.FETCH") == "web_fetch"
    assert known("Content_Search") and known("any__thing") and not known("file_lists")
