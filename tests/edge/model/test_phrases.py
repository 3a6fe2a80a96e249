"""The sentence patterns as data: each is well formed, and each is reached by a goal made from it."""

from __future__ import annotations

import pytest

from edge.model import intents as i
from edge.model import phrases
from edge.model.planner import Planner
from edge.model.tokens import duration, number, sentences, unit
from tests.support.planner_talk import SCENE

SLOTS = {
    "SENSOR": "humid",
    "SENSORS": "temperature and the soil moisture",
    "SUBJECT": "the humidity",
    "SAME": "the air",
    "PLACE": "here",
    "OUTPUTS": "the fan and the pump",
    "STATE": "on",
    "FOR": "for 2 minutes",
    "USE": "water the plants",
    "TEST": "above 50 %",
    "WARMER": "warmer than 20 C",
    "PATH": "logs",
    "DOTTED": "notes.txt",
    "THING": "heater",
    "OUTPUT": "the fan",
}
MADE = {
    "sensors": i.Listing,
    "outputs": i.Listing,
    "folder": i.Files,
    "file": i.Files,
    "help": i.Help,
    "status": i.Status,
    "lit": i.States,
    "state": i.States,
    "was": i.Was,
    "been": i.Been,
    "ask": i.Ask,
    "read": i.Read,
    "switch": i.Switch,
    "on": i.Switch,
    "off": i.Switch,
    "alloff": i.Switch,
}
EVERY = (
    *(*phrases.CLAUSES, *phrases.ORDERS, *phrases.QUESTIONS, *phrases.CONDITIONS, *phrases.VAGUE, *phrases.UNKNOWN),
    *(pattern for table in phrases.FOLLOWING.values() for pattern in table),
)
PLANNER = Planner(SCENE)


def goals(pattern: str) -> list[str]:
    """The pattern said with every word it allows, with and without what may be absent."""
    said = [""]
    for part in pattern.split():
        bare = part.rstrip("?")
        ways = [SLOTS[bare]] if bare.isupper() else bare.split("|")
        ways += [""] if part != bare else []
        said = [f"{before} {way}" for before in said for way in ways]
    return [" ".join(goal.split()) for goal in said][:200]


def one(goal: str) -> i.Clause:
    plan = PLANNER.plan(goal)
    assert len(plan) == 1, goal
    return plan[0]


@pytest.mark.parametrize(("kind", "pattern"), EVERY)
def test_a_pattern_is_made_of_words_and_known_slots(kind, pattern):
    for part in pattern.split():
        bare = part.rstrip("?")
        assert bare in SLOTS or all(word.isalpha() and word.islower() for word in bare.split("|"))
        # A word that is left out of every goal could never stand in a pattern.
        assert not phrases.FILLERS.intersection(bare.split("|"))


@pytest.mark.parametrize(("kind", "pattern"), [*phrases.CLAUSES, *phrases.ORDERS])
def test_a_clause_is_understood_in_every_way_of_saying_it(kind, pattern):
    for goal in goals(pattern):
        intent = one(goal).intent
        assert isinstance(intent, MADE[kind]), (goal, intent)


@pytest.mark.parametrize(("kind", "pattern"), phrases.QUESTIONS)
def test_a_question_is_understood_only_with_its_mark(kind, pattern):
    for goal in goals(pattern):
        assert isinstance(one(goal + "?").intent, MADE[kind])
        with pytest.raises(ValueError, match="I did not understand"):
            PLANNER.plan(goal)


@pytest.mark.parametrize(("before", "kind", "pattern"), [(b, *row) for b, t in phrases.FOLLOWING.items() for row in t])
def test_a_short_order_is_understood_behind_another_one(before, kind, pattern):
    for goal in goals(pattern):
        first = f"{before} the pump" + ("" if before == "switch off" else " for 1 s")
        plan = PLANNER.plan(f"{first} and {goal}")
        assert [type(clause.intent) for clause in plan] == [i.Switch, MADE[kind]]


@pytest.mark.parametrize(("kind", "pattern"), phrases.CONDITIONS)
def test_a_condition_is_understood_with_what_hangs_on_it(kind, pattern):
    for goal in goals(pattern.replace("OUTPUTS", "OUTPUT")):
        intent = one(f"if {goal}, stop the fan").intent
        assert isinstance(intent, i.If)
        assert intent.condition.name in ("humidity", "temperature", "fan")


def test_every_comparison_and_comparative_is_understood():
    for words, op in phrases.COMPARISONS:
        intent = one(f"is the humidity {' '.join(words)} 5 %").intent
        assert isinstance(intent, i.Ask)
        assert intent.condition.limit is not None
        assert intent.condition.limit.op == op
    for word in phrases.COMPARATIVES:
        assert isinstance(one(f"is it {word} than 5").intent, i.Ask)
    for last, op in phrases.TAIL_COMPARISONS.items():
        intent = one(f"is the humidity 5 % or {last}").intent
        assert isinstance(intent, i.Ask)
        assert intent.condition.limit is not None
        assert intent.condition.limit.op == op


def test_every_unit_and_duration_is_read():
    for word, seconds in phrases.DURATIONS.items():
        assert duration(sentences(f"3 {word}")[0].tokens, 0) == (3 * seconds, 2)
    for word, name in phrases.UNITS.items():
        assert unit(sentences(word)[0].tokens, 0) == (name, 1)
    for word, value in phrases.NUMBERS.items():
        assert number(sentences(word)[0].tokens, 0) == (value, 1)


def test_longer_comparisons_stand_before_their_beginnings():
    for place, (words, _) in enumerate(phrases.COMPARISONS):
        assert all(later[: len(words)] != words for later, _ in phrases.COMPARISONS[place + 1 :])


def test_no_word_that_denies_asks_or_puts_off_is_left_out():
    kept = {word for words in phrases.NEGATIONS for word in words} | phrases.ASKING | phrases.WAITING | phrases.LINKS
    kept |= {"no", "without", "cannot", *phrases.JOINERS, *phrases.IFS}
    assert not phrases.FILLERS & kept
    assert all("not" in said for word, said in phrases.CONTRACTIONS.items() if "n't" in word or word.endswith("nt"))


def test_words_that_put_off_are_said_to_be_why():
    for word in sorted(phrases.WAITING - {"when"}):
        with pytest.raises(ValueError, match="does not wait, repeat or keep schedules"):
            PLANNER.plan(f"turn on the fan {word}")


def test_no_device_of_a_board_is_named_in_the_patterns():
    named = {word for thing in (*SCENE.sensors, *SCENE.outputs) for word in thing.name.split("_")}
    used = {word for _, pattern in EVERY for part in pattern.split() for word in part.rstrip("?").split("|")}
    assert not named & used
