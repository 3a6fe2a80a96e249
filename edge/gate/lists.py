"""Which tools there are at all: what decides before any effect is looked at. Pure.

Rules, the first that fits denies:
1. The operator's stop: of everything, of this tool, of the network for a call that would use it.
2. `deny_all_tools` beats every list.
3. The list of who started this run: what it does not name is not there, MCP tools included.
4. `excluded_tools`, for every channel but the command line.
5. `allowed_tools`, when it is not empty; a tool of an MCP server (`SERVER__TOOL`) needs no place in it.
"""

from __future__ import annotations

from edge.gate import rules
from edge.gate.names import called, canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Effect
    from edge.gate.policy import Policy, State
    from edge.gate.row import Row

_NETWORK = ("url", "host", "mcp")


def offered(tool: str, policy: Policy, channel: str = "cli") -> bool:
    """True when a tool is there for this policy and channel: nothing of others needs to be shown to a model."""
    return _by_lists((canonical(tool),), policy, channel) is None


def missing(call: Call, effects: tuple[Effect, ...], policy: Policy, state: State) -> tuple[Row, str] | None:
    """The row that denies this call before its effects are judged, and what it is about; None when none does."""
    names = called(call, effects)
    return (_stopped(names, effects, state.stopped) if state.stopped else None) or _by_lists(
        names, policy, state.channel
    )


def _stopped(names: tuple[str, ...], effects: tuple[Effect, ...], stopped: str) -> tuple[Row, str] | None:
    """By the words of a stop; a word that is not known stops everything."""
    words = stopped.replace(",", " ").split()
    tools = [canonical(word[5:]) for word in words if word.startswith("tool:")]
    if any(word != "network" and not word.startswith("tool:") for word in words):
        return rules.STOPPED, ""
    for name in names:
        if name in tools:
            return rules.STOPPED_TOOL, name
    if "network" in words:
        for effect in effects:
            if effect.on.partition(":")[0] in _NETWORK:
                return rules.STOPPED_NETWORK, effect.on.partition(":")[2]
    return None


def _by_lists(names: tuple[str, ...], policy: Policy, channel: str) -> tuple[Row, str] | None:
    if policy.deny_all_tools:
        return rules.DENIES_ALL, names[0]
    if policy.only is not None and not any(name in policy.only for name in names):
        return rules.NOT_GIVEN, names[-1]
    if channel != "cli":
        for name in names:
            if name in policy.excluded_tools:
                return rules.EXCLUDED, name
    if policy.allowed_tools and not any(name in policy.allowed_tools or "__" in name for name in names):
        return rules.NOT_ALLOWED, names[0]
    return None
