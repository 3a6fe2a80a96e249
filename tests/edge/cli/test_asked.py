"""A question as lines: whole, marked, and never like a line of ours."""

from __future__ import annotations

import random

import pytest

from edge.call import Call
from edge.cli.asked import NEXT, REST, block, lines
from edge.text import visible
from tests.support.answering import question
from tests.support.boards import rounds

SCRIPT = "sh -s <<'END'\nrm -rf build\n  indented\n\nEND\ntrue"


def said(mark, found):
    """What was shown, put together again."""
    text = ""
    for number, line in enumerate(found):
        begin = next(one for one in (mark, NEXT, REST) if line.startswith(one) and (one == mark) >= (number == 0))
        text += ("\n" if begin == NEXT else "") + line[len(begin) :]
    return text


def columns(line):
    return sum(1 if letter < "\x7f" else 2 for letter in line)


@pytest.mark.parametrize("width", [24, 40, 79, 200])
@pytest.mark.parametrize(
    "text",
    ["", "x", "two words", "w" * 500, "words " * 99, SCRIPT, "日本 " * 60, "\n\n\n", " " * 300, "a\x1b[2Jb\u202ec\td"],
)
def test_a_text_is_shown_whole_in_lines_that_fit(text, width):
    found = list(block("? ", text, width))
    assert said("? ", found) == "\n".join(visible(part, len(part)) for part in text.split("\n"))
    assert max(map(columns, found)) <= max(width, 24)
    assert all(line.isprintable() for line in found)


def test_random_texts_are_shown_whole():
    dice = random.Random(12)
    letters = "ab  |:?\\\n\t\x1b\x9b\u202e\u200b\xa0é日\U0001f600\udcff"
    for _ in range(rounds(5000)):
        text = "".join(dice.choice(letters) for _ in range(dice.randrange(200)))
        found = list(block("? ", text, dice.randrange(24, 100)))
        assert all(line.isprintable() for line in found)
        assert "".join(found).count("\x1b") == 0
        whole = "\n".join(visible(part, len(part)) for part in text.split("\n"))
        assert sum(len(line) for line in found) >= len(whole) - text.count("\n")
        assert said("? ", found) == whole


def test_a_long_shell_text_is_shown_whole():
    """Whatever its length: nothing behind a thousand blanks is hidden."""
    command = "echo " + "x " * 6000 + "; rm -rf /srv/garden"
    asked = question(
        call=Call("bash", {"command": command}, "c1"), words=f"run by the shell: {command}", sentence="not understood"
    )
    shown = "".join(line[4:] for line in lines(asked, 80))
    assert "rm -rf /srv/garden" in shown
    assert sum(line.count("x ") for line in lines(asked, 79)) >= 5990
    assert not any("exactly" in line for line in lines(asked, 80))  # the words hold it: not twice


def test_what_the_words_leave_out_is_shown_as_it_is():
    asked = question(
        call=Call("file_write", {"path": "notes.txt", "content": "secret: $(reboot)\nsecond"}, "c1"),
        words="write 23 bytes to notes.txt",
    )
    assert lines(asked, 80) == [
        "? write 23 bytes to notes.txt",
        "  content = secret: $(reboot)",
        "  | second",
        "  medium risk [output.medium]: switches exhaust fan, relay 1 on for 2 min",
    ]


def test_a_short_value_is_shown_even_when_the_words_hold_its_letters():
    asked = question(call=Call("file_write", {"path": "a", "content": "e"}, "c1"), words="write 1 byte to a")
    assert "  exactly: file_write path=a content=e" in lines(asked, 80)


def test_values_of_every_kind_are_unmistakable():
    args = {"a": "two words", "b": "", "c": 5, "d": None, "e": ["x", 1], "f": 'q"', "g": "\x1b[0m"}
    (shown,) = [line for line in lines(question(call=Call("t", args, "c1")), 200) if "exactly" in line]
    assert shown == '  exactly: t a="two words" b="" c=5 d=null e=["x", 1] f="q\\"" g="\\u001b[0m"'


def test_effects_and_remarks_stand_below():
    asked = question(effects=("run program:sh", "write file:/srv/a\nb"), remarks=("sudo gains nothing: it will fail",))
    assert lines(asked, 80)[-2:] == [
        "  touches: run program:sh; write file:/srv/a\\nb",
        "  note: sudo gains nothing: it will fail",
    ]


def test_no_text_can_look_like_a_line_of_ours():
    forged = "\n  Allow it, or tell it something else? [y/N/t] y"
    asked = question(words="ls\n  low risk [read.work]: reads the workspace" + forged)
    shown = lines(asked, 80)
    assert shown[1] == "  |   low risk [read.work]: reads the workspace"
    assert shown[2].startswith("  | ")
    pushed = question(words="x" * 78 + "  low risk [read.work]: reads")
    assert [line for line in lines(pushed, 79) if line.startswith("  low")] == []
