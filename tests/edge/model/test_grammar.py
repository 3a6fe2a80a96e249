"""How clauses make sentences: joining, conditions, denials, and where a sentence is lost."""

from __future__ import annotations

import pytest

from edge.model.grammar import Choice, Lost, Match, Tables, split, understood
from edge.model.names import Vocabulary
from edge.model.tokens import sentences
from tests.support.planner_talk import SCENE

TABLES = Tables()
WORDS = Vocabulary(SCENE)


def shape(found) -> list[object]:
    """Kinds of matches; a choice as [kind of condition, body, otherwise]."""
    said = []
    for one in found:
        if isinstance(one, Choice):
            said.append([one.condition.kind, shape(one.body), shape(one.otherwise)])
        else:
            said.append(one.kind)
    return said


def read(text: str) -> list[object]:
    said = understood(TABLES, WORDS, text)
    assert isinstance(said, list), said
    return [shape(sentence.found) for sentence in said]


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("read the light and stop the fan", [["read", "off"]]),
        ("read the light, then, stop the fan but list files", [["read", "off", "folder"]]),
        ("then read the light,", [["read"]]),
        ("read the light; stop the fan", [["read"], ["off"]]),
        ("if light > 5 stop the fan and run the pump", [[["test", ["off", "on"], []]]]),
        ("if light > 5 then stop the fan, otherwise run the pump", [[["test", ["off"], ["on"]]]]),
        ("if light > 5 stop the fan. Otherwise run the pump.", [[["test", ["off"], ["on"]]]]),
        ("if light > 5 stop the fan; else run the pump", [[["test", ["off"], ["on"]]]]),
        ("if light > 5 stop the fan, if not, run the pump", [[["test", ["off"], ["on"]]]]),
        ("stop the fan if light > 5 or else run the pump", [[["test", ["off"], ["on"]]]]),
        ("read light and stop the fan and list files if light > 5", [["read", ["test", ["off", "folder"], []]]]),
        ("read the humidity if light > 5", [[["test", ["read"], []]]]),
        ("if light > 5, for 2 s run the fan", [[["test", ["on"], []]]]),
        ("stop the fan and if light > 5 run the pump", [["off", ["test", ["on"], []]]]),
        ("if the fan is on stop it", [[["state", ["off"], []]]]),
        (
            "if light > 5 stop the fan otherwise if light < 2 run the fan otherwise list files",
            [[["test", ["off"], [["test", ["on"], ["folder"]]]]]],
        ),
        ("turn the fan on and the pump off", [["switch", "switch"]]),
        ("fan on?", [["state"]]),
        ("do not stop the fan and run the pump", [["denied"]]),
        ("", []),
    ],
)
def test_sentences_have_these_shapes(text, shapes):
    assert read(text) == shapes


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("read the light and sing", "sing"),
        ("read the light. sing and dance.", "sing"),
        ("sing if light > 5", "sing if light > 5"),
        ("stop the fan if sing", "if sing"),
        ("if light > 5 sing", "sing"),
        ("if light > 5 and stop the fan", "if light > 5"),
        ("if light > 5", "if light > 5"),
        ("if light > 5 for 2 s stop the fan", "if light > 5 for 2 s stop the fan"),
        ("if the fan is on for 2 s run the pump", "if the fan is on for 2 s run the pump"),
        ("otherwise stop the fan", "otherwise stop the fan"),
        ("stop the fan. otherwise run the fan", "run the fan"),
        ("if light > 5 stop the fan otherwise", "otherwise"),
        ("if light > 5 stop the fan otherwise run it otherwise run it", "run it"),
        ("sing and if light > 5 stop the fan", "sing"),
        ("stop the fan if light > 5 if light < 2", "stop the fan if light > 5 if light < 2"),
        ("do not", "do not"),
        ("do not read the light", "do not read the light"),
        ("stop the fan,, and", "and"),
        ("the fan off", "fan off"),
        ("stop the fan and pump on", "pump on"),
        ("run the pump and the fan off", "fan off"),
        ("turn the fan off and the pump for 2 s", "pump for 2 s"),
        ("? stop the fan", "?"),
    ],
)
def test_a_sentence_is_lost_at_its_first_clause_without_meaning(text, clause):
    lost = understood(TABLES, WORDS, text)
    assert isinstance(lost, Lost)
    assert lost.clause == clause


def test_then_is_remembered_with_the_clause_behind_it():
    (said,) = understood(TABLES, WORDS, "read the light and stop the fan, then list files")
    assert [found.then for found in said.found] == [False, False, True]
    (said,) = understood(TABLES, WORDS, "then read the light")
    assert said.found[0].then


def test_a_denial_holds_the_orders_it_denies():
    (said,) = understood(TABLES, WORDS, "never stop the fan and run the pump")
    (denied,) = said.found
    assert isinstance(denied, Match)
    assert [order.kind for order in denied.denied] == ["off", "on"]


def test_a_sentence_of_too_many_words_is_lost():
    assert isinstance(understood(TABLES, WORDS, "stop the fan and " * 60), Lost)


def test_words_for_otherwise_split_a_sentence():
    tokens = sentences("a or else b otherwise c if not d")[0].tokens
    assert [[token.word for token in part] for part in split(tokens)] == [["a"], ["b"], ["c"], ["d"]]
