"""Sentences, words, numbers, durations and units of a goal."""

from __future__ import annotations

import random

import pytest

from edge.model.tokens import canonical, converted, duration, number, sentences, unit


def words(text: str) -> list[list[str]]:
    return [[token.word for token in sentence.tokens] for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Turn ON the fan.", [["turn", "on", "fan"]]),
        ("read it. stop", [["read", "it"], ["stop"]]),
        ("a; b! c\nd", [["a"], ["b"], ["c"], ["d"]]),
        ("read notes.txt now", [["read", "notes", ".", "txt"]]),
        ("2.5 s. 3", [["2.5", "s"], ["3"]]),
        ("soil_moisture soil-moisture", [["soil", "moisture", "soil", "moisture"]]),
        ("1h30m", [["1", "h", "30", "m"]]),
        ("30°C 50% >=3", [["30", "°", "c", "50", "%", ">=", "3"]]),
        ("don't can't it's what's isn\u2019t", [["do", "not", "can", "not", "it", "is", "what", "is", "is", "not"]]),
        ("a & b", [["a", "and", "b"]]),
        ("...", []),
        ("", []),
        ("please, now", [[","]]),
        ("now.txt the/x", [["now", ".", "txt", "the", "/", "x"]]),
    ],
)
def test_text_becomes_sentences_of_words(text, found):
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("on? off.", [True, False]),
        ("on!?", [True]),
        ("on ...?", [True]),
        ("on\n?", [True]),
        ("on\uff1f off", [True, False]),
        ("on. off?", [False, True]),
    ],
)
def test_a_question_mark_makes_a_question_of_its_sentence_only(text, questions):
    assert [sentence.question for sentence in sentences(text)] == questions


@pytest.mark.parametrize(
    "text", ['"stop it"', "'stop it'", "`stop it`", "“stop it”", "«stop it»", "„stop it“", '"stop it']
)
def test_a_quotation_is_one_token(text):
    tokens = sentences(f"say {text}")[0].tokens
    assert [(token.kind, token.word) for token in tokens] == [("word", "say"), ("quote", "stop it")]


def test_a_quotation_hides_its_marks_and_apostrophes():
    tokens = sentences("say 'it isn't. done?' stop")[0].tokens
    assert [token.word for token in tokens] == ["say", "it isn't. done?", "stop"]


@pytest.mark.parametrize("text", ["1,000", "2,5", "1/2", "6:30", "1.2.3", "1234567890123"])
def test_a_number_that_may_mean_two_things_is_no_number(text):
    assert all(token.kind != "number" or token.start > 0 for token in sentences(text)[0].tokens)


@pytest.mark.parametrize(
    ("text", "value"),
    [("30", 30), ("-2.5", -2.5), ("minus five", -5), ("twenty five", 25), ("twenty-five", 25), ("a hundred", 100),
     ("two hundred and six", 206), ("one thousand two hundred", 1200), ("zero", 0), ("\u22123", -3)],
)  # fmt: skip
def test_numbers_are_read_in_digits_and_words(text, value):
    tokens = sentences(text)[0].tokens
    assert number(tokens, 0) == (value, len(tokens))


@pytest.mark.parametrize("text", ["a", "many", "minus", "and", "hundred", "-"])
def test_what_is_no_number_is_not_read(text):
    assert number(sentences(text)[0].tokens, 0) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2 minutes", 120), ("90s", 90), ("1h30m", 5400), ("half an hour", 1800), ("an hour and a half", 5400),
     ("two and a half hours", 9000), ("1 hour, 5 minutes and 3 seconds", 3903), ("a quarter of an hour", 900),
     ("half a minute", 30), ("1.5 h", 5400), ("a minute", 60), ("0 s", 0), ("one day", 86400)],
)  # fmt: skip
def test_durations_are_read_to_their_end(text, seconds):
    tokens = sentences(text)[0].tokens
    assert duration(tokens, 0) == (seconds, len(tokens))


def test_a_duration_ends_where_units_do_not_go_on_falling():
    tokens = sentences("2 minutes and 1 hour")[0].tokens
    assert duration(tokens, 0) == (120, 2)
    assert duration(sentences("5 apples")[0].tokens, 0) is None
    assert duration(sentences("minutes")[0].tokens, 0) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [("C", "C"), ("°F", "F"), ("degrees", "degrees"), ("degrees Celsius", "C"), ("per cent", "%"), ("lx", "lux"),
     ("℃", "C"), ("l/min", "l/min")],
)  # fmt: skip
def test_units_are_read_in_their_spellings(text, name):
    tokens = sentences(text)[0].tokens
    assert unit(tokens, 0, [(("l", "/", "min"), "l/min")]) == (name, len(tokens))


def test_values_are_converted_only_between_units_of_one_kind():
    assert converted(86.0, "F", "C") == pytest.approx(30.0)
    assert converted(30.0, "C", "F") == pytest.approx(86.0)
    assert converted(30.0, "degrees", "C") == 30.0
    assert converted(30.0, "degrees", "F") == 30.0
    assert converted(30.0, "", "lux") == 30.0
    assert converted(30.0, "C", "°C") == 30.0
    assert converted(30.0, "C", "%") is None
    assert converted(30.0, "degrees", "lux") is None
    assert converted(1.0, "bar", "hPa") is None
    assert canonical("Celsius") == "C"
    assert canonical("l/min") == "l/min"


def test_any_text_becomes_tokens_that_lie_in_it_in_order():
    chance = random.Random(3)
    marks = "aZ09 .,;!?'\"`°%-_/\\\n\t&<>=\u2019\u201c\u201dé½٣\ud800\U0001f600"
    for _ in range(3000):
        text = "".join(chance.choice(marks) for _ in range(chance.randrange(30)))
        last = 0
        for sentence in sentences(text):
            assert sentence.tokens
            for token in sentence.tokens:
                assert last <= token.start < token.end <= len(text)
                last = token.start
