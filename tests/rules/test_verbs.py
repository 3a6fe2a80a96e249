"""Verbs are for the operator, tools for the agent: two lists that share nothing.

That no tool reaches the command line, and that nobody but the registry reaches a tool, test_layers.py holds.
"""

from __future__ import annotations

import pytest

from edge.cli.verbs import VERBS
from edge.faults import UsageFault
from edge.registry import TOOLS, every, find
from edge.step import step_schema

# What an operator may do and a model never: they stand here before they exist.
OPERATOR_ACTS = [
    "stop",
    "resume",
    "safe-all",
    "safe_all",
    "approvals",
    "approve",
    "deny",
    "grant",
    "policy",
    "config",
    "setup",
    "update",
    "schedule",
    "doctor",
    "sim",
    "guard",
    "image",
    "provision",
    "data",
    "card",
    "supervise",
]


def shared(verbs: set[str], tools: set[str]) -> set[str]:
    """The names that are both, whatever their spelling."""
    return {verb.replace("-", "_") for verb in verbs} & {tool.replace("-", "_").lower() for tool in tools}


def test_no_verb_is_a_tool_and_no_tool_is_a_verb() -> None:
    assert shared({*VERBS, *OPERATOR_ACTS}, set(TOOLS)) == set()
    assert shared({"safe-all", "tape"}, {"Safe_All", "recall"}) == {"safe_all"}


@pytest.mark.parametrize("verb", [*VERBS, *OPERATOR_ACTS])
def test_a_verb_cannot_be_called_as_a_tool(verb: str) -> None:
    with pytest.raises(UsageFault, match="there is no tool"):
        find(verb)


def test_what_a_model_may_answer_is_the_tools_and_the_words_of_the_grammar() -> None:
    offered = step_schema({tool.name: tool.schema for tool in every()})
    actions = {branch["properties"]["action"]["const"] for branch in offered["anyOf"]}
    assert actions == {*TOOLS, "final", "parallel"}


def test_every_tool_bears_the_name_it_is_listed_under() -> None:
    assert [tool.name for tool in every()] == list(TOOLS)
    assert all(where == f"edge.tools.{name}" for name, where in TOOLS.items())
