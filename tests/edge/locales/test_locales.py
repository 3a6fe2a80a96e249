"""The lines of the tools in each language."""

from __future__ import annotations

import json

import pytest

from edge.catalogue import definition
from edge.locales import LOCALES, speaking
from edge.registry import TOOLS, every

OTHERS = [locale for locale in LOCALES if locale != "en"]


def lines(locale: str) -> dict[str, str]:
    return dict(__import__(f"edge.locales.{locale}", fromlist=["TOOLS"]).TOOLS)


@pytest.mark.parametrize("locale", OTHERS)
def test_a_language_has_a_line_for_each_tool_and_for_no_other(locale: str) -> None:
    assert set(lines(locale)) == set(TOOLS)


@pytest.mark.parametrize("locale", OTHERS)
def test_a_line_is_one_sentence_of_four_words_or_more_and_no_english_one(locale: str) -> None:
    english = {tool.about for tool in every()}
    for name, line in lines(locale).items():
        assert len(line.split()) >= 4 and line.isprintable() and line.endswith(".") and line[0].isupper(), name
        assert line not in english, name
    assert len(set(lines(locale).values())) == len(TOOLS)


@pytest.mark.parametrize("locale", OTHERS)
def test_tools_that_speak_it_are_the_same_tools_and_as_small(locale: str) -> None:
    for english, tool in zip(every(), speaking(every(), locale)):
        assert (tool.name, tool.schema, tool.run, tool.examples) == (
            *(english.name, english.schema, english.run, english.examples),
        )
        assert tool.about == lines(locale)[tool.name]
        sent = json.dumps({"type": "function", "function": definition(tool)}, separators=(",", ":"), ensure_ascii=False)
        assert len(sent.encode()) <= 450, tool.name


def test_english_is_that_of_the_tools_and_one_without_a_line_speaks_it() -> None:
    assert speaking(every(), "en") == every()
    stranger = every(("grep",))[0]
    from edge.record import replace

    (other,) = speaking((replace(stranger, name="of_a_plug_in"),), "de")
    assert other.about == stranger.about
