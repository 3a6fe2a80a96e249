from __future__ import annotations

import os
import random
from typing import Any

import pytest

from edge.card.yaml import Node, read
from edge.faults import ConfigFault

ROUNDS = 10000 if os.environ.get("FIELDHAND_SOAK") == "1" else 1000


def plain(node: Node) -> Any:
    if isinstance(node.value, list):
        return [plain(one) for one in node.value]
    return {key: plain(one) for key, one in node.value.items()} if isinstance(node.value, dict) else node.value


READ = {
    "a: b": {"a": "b"},
    "---\na: b\n...\n": {"a": "b"},
    "a: b   # said\n# more\nc: 'd # e'": {"a": "b", "c": "d # e"},
    "a: http://x:80/y": {"a": "http://x:80/y"},
    'a: "x\\n\\"\\u00fc\\x41"': {"a": 'x\n"\u00fcA'},
    "a: 'it''s'": {"a": "it's"},
    "'q k': 1\n\"r: s\": 2": {"q k": "1", "r: s": "2"},
    "a:\n- 1\n- 2\nb:\n  - 3": {"a": ["1", "2"], "b": ["3"]},
    "a:\n- x: 1\n  y: 2\n- x: 3": {"a": [{"x": "1", "y": "2"}, {"x": "3"}]},
    "- - 1\n  - 2\n-\n  - 3": [["1", "2"], ["3"]],
    "a:\nb: ~\nc: ''": {"a": "", "b": "~", "c": ""},
    "a: [1, 'b, c', {d: e}, []]": {"a": ["1", "b, c", {"d": "e"}, []]},
    "a: {b: c, 'd': [1], e: }": {"a": {"b": "c", "d": ["1"], "e": ""}},
    "a: |\n  one\n    two\n\n  three\nb: 1": {"a": "one\n  two\n\nthree\n", "b": "1"},
    "a: |-\n  one\n  two\n": {"a": "one\ntwo"},
    "a: >\n  one\n  two\nb: >-\n  x\n": {"a": "one two\n", "b": "x"},
    "a: >-\n": {"a": ""},
    "a:\n  b:\n    c: d\n  e: f\ng: h": {"a": {"b": {"c": "d"}, "e": "f"}, "g": "h"},
    "list:\n  - pi:secret\n  - a b": {"list": ["pi:secret", "a b"]},
    "a: b\r\nc:\r\n  - d\r\n": {"a": "b", "c": ["d"]},
    "": "",
    "# only words\n": "",
    "word": "word",
}
WRONG = {
    "a: b\n  c: d": (2, "indented"),
    "a:\n\t- b": (2, "tab"),
    "a: [1, 2": (1, "not closed"),
    "a:\n  b: {c: d": (2, "not closed"),
    "a: &x 1": (1, "no value begins with"),
    "a: *x": (1, "no value begins with"),
    "a: !!str 5": (1, "no value begins with"),
    "a: 'x": (1, "quotation"),
    'a: "x\\q"': (1, "no escape"),
    'a: "\\ud800"': (1, "no escape"),
    "a: 'x' y": (1, "stands behind"),
    "a: [1] y": (1, "stands behind"),
    "- a\nb: c": (2, "belongs to nothing"),
    "a: 1\nb: 2\na: 3": (3, "stands twice"),
    "a: {b: 1, b: 2}": (1, "stands twice"),
    "a: b: c": (1, "two colons"),
    "a: {b:1}": (1, "a mapping in one line"),
    "a:\n    b: 1\n  c: 2": (3, "nothing above it"),
    "a: |2\n  b": (1, "marks"),
    "a: >\n  b\n\n  c": (1, "folded"),
    "a: 1\nb c": (2, 'no "key: value"'),
    "a: [" * 1 + "[" * 40 + "]" * 41: (1, "nested too deeply"),
    "".join(" " * at + "a:\n" for at in range(40)): (21, "nested too deeply"),
}


@pytest.mark.parametrize("text", READ, ids=[repr(text)[:40] for text in READ])
def test_what_people_write_is_read(text: str) -> None:
    assert plain(read(text, "x")) == READ[text]


@pytest.mark.parametrize("text", WRONG, ids=[repr(text)[:40] for text in WRONG])
def test_what_is_not_read_is_told_with_its_line(text: str) -> None:
    line, sentence = WRONG[text]
    with pytest.raises(ConfigFault) as told:
        read(text, "x")
    assert told.value.where == f"x:{line}" and sentence in told.value.sentence


def test_every_value_has_the_line_it_begins_in() -> None:
    found = read("# words\na: 1\nb:\n  - x\n  - c: 2\n\n    d: |\n      e\n", "x").value
    assert isinstance(found, dict) and isinstance(found["b"].value, list)
    inner = found["b"].value[1].value
    assert isinstance(inner, dict)
    assert [found["a"].line, found["b"].value[0].line, inner["c"].line, inner["d"].line] == [2, 4, 5, 7]


def test_nothing_is_told_from_an_empty_text() -> None:
    top = read("a:\nb: ''\nc: null\nd: 'null'\n", "x").value
    assert isinstance(top, dict)
    assert [top[key].none for key in "abcd"] == [True, False, True, False]


def test_any_text_is_read_or_a_fault_with_a_line_that_is_there() -> None:
    chance = random.Random(22)
    pieces = [
        "a",
        "b: ",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        '"',
        "#",
        " #",
        "|",
        ">",
        "\t",
    ]
    pieces += ["\\", "&", "~", "---", "\r", "c:", "\u00fc", "x: y\n", "- z\n"]
    counted = [0, 0]
    for _ in range(ROUNDS):
        text = "".join(chance.choices(pieces, k=chance.randrange(40)))
        try:
            plain(read(text, "x"))
            counted[0] += 1
        except ConfigFault as fault:
            counted[1] += 1
            assert 1 <= int(fault.where.partition(":")[2]) <= text.count("\n") + 1
    print(f"{ROUNDS} texts: {counted[0]} read, {counted[1]} told as wrong")
    assert min(counted) > ROUNDS // 20


@pytest.mark.parametrize(
    "row", ['"horse"battery', '"horse" battery', "'it's horsebattery'", "[horse] battery", "horse: battery"]
)
def test_a_secret_that_is_written_wrong_is_not_quoted(row: str) -> None:
    with pytest.raises(ConfigFault) as told:
        read(f"password: {row}", "x")
    assert "battery" not in str(told.value)
