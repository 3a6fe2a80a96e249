from __future__ import annotations

import random

from edge import toml
from edge.card import toml_text

DATA = {
    "mode": "guarded",
    "roots": ["/data/work", "/srv/x y"],
    "model": {"name": "chat:x", "seconds": 1.5, "stream": True, "retries": 3, "temperature": 0.0},
    "outputs": {"pump": {"line": "GPIO17", "label": 'the "big" one \\ 2', "pwm": {"chip": "pwmchip0", "channel": 0}}},
    "odd": {"a key": {"b.c": 1}},
    "schedule": [{"at": "10:00", "x": {"y": 1}}, {"at": "11:00"}],
    "empty": {},
}


def test_what_is_written_is_read_again() -> None:
    text, keys = toml_text.write(DATA)
    assert toml.load(text, "x")[0] == DATA
    assert len(keys) == len(text.splitlines())


def test_each_line_has_the_key_that_stands_in_it() -> None:
    text, keys = toml_text.write(DATA)
    rows = dict(zip(keys, text.splitlines()))
    assert rows["model.seconds"] == "seconds = 1.5" and rows["outputs.pump.line"] == 'line = "GPIO17"'
    assert rows["outputs.pump"] == "[outputs.pump]" and rows["mode"] == 'mode = "guarded"'
    assert "outputs" not in keys and rows["empty"] == "[empty]"


def test_any_text_comes_back_as_it_was() -> None:
    chance = random.Random(21)
    letters = "ab \"'\\\t\n\r\x00\x1f\x7f\u00fc\u20ac\U0001f600=[]#{}"
    for _ in range(300):
        data = {"".join(chance.choices(letters, k=3)): ["".join(chance.choices(letters, k=8)), chance.random(), -5]}
        assert toml.load(toml_text.write(data)[0], "x")[0] == data
