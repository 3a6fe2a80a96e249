"""JSON clipped by its structure: still JSON, in the room that there is, and honest about what is missing."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest

from edge.tools.web_json import shaped

TREES = 2_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 200


def test_a_long_list_keeps_its_ends_and_says_how_many_it_has() -> None:
    value = {"unit": "l/min", "samples": [{"t": number, "v": "x" * 40} for number in range(3000)]}
    short = json.loads(shaped(json.dumps(value), 4000))
    samples = short["samples"]
    assert short["unit"] == "l/min" and samples[0] == value["samples"][0] and samples[-1] == value["samples"][-1]
    gap = next(one for one in samples if isinstance(one, str))
    assert gap.endswith("more of 3,000]")
    assert int(gap.split()[1].replace(",", "")) == 3000 - (len(samples) - 1)


def test_a_long_text_and_many_keys_are_shortened_with_counts() -> None:
    value = {"log": "line\n" * 10_000, "pins": {f"gpio{number}": number for number in range(2000)}, "ok": True}
    short = json.loads(shaped(json.dumps(value), 6000))
    assert short["log"].startswith("line\nline\n") and short["log"].endswith("more characters]") and short["ok"] is True
    assert short["pins"]["gpio0"] == 0 and short["pins"]["..."].endswith("more of 2,000 keys]")


def test_numbers_stay_as_they_are_spelled() -> None:
    text = '[1.50, 12345678901234567890123, 1e400, -0.0, 1E-7, true, null, false, ""]'
    assert shaped(text, 4000) == text
    assert len(shaped("[" + "9" * 100_000 + "]", 4000)) < 300


@pytest.mark.parametrize("text", ["", "{", "[1,]", "x", "{'a': 1}", "[" * 100_000 + "]" * 100_000, '{"a": ' * 50_000])
def test_what_is_no_json_is_none(text: str) -> None:
    assert shaped(text, 4000) == ""


def test_deep_nesting_is_told_by_kind_and_size() -> None:
    text = '{"a": ' * 100 + "[1, 2, 3]" + "}" * 100
    assert '"[object of 1 keys]"' in shaped(text, 4000)


def test_half_of_a_surrogate_pair_stays_as_it_is_spelled() -> None:
    text = '{"\\udc80": ["' + "\\ud83d" * 3000 + '", "\\ud83d\\ude00 \u20ac"], "pad": [' + "1," * 4000 + "1]}"
    short = shaped(text, 4000)
    assert len(short.encode()) <= 4000 and "\\udc80" in short and "\\ud83d\\ud83d" in short
    assert "\U0001f600 \u20ac" in short and json.loads(short)["\udc80"][1] == "\U0001f600 \u20ac"


SIZES = ((0,), (0, 3, 12), (0, 2, 9), (1, 3, 9), (1, 4, 60))


def tree(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(8 if depth else 4)
    if kind == 0:
        return chance.choice([None, True, False, 0, -1.5, 10**30])
    if kind < 4:
        return chance.choice(["", "\u20ac", '"\\', "word "]) * chance.choice([1, 9, 400])
    if kind < 6:
        return [tree(chance, depth - 1) for _ in range(chance.choice(SIZES[depth]))]
    return {f"{number}k\u00e4": tree(chance, depth - 1) for number in range(chance.choice(SIZES[depth]))}


def test_any_value_in_any_room_is_json_that_fits() -> None:
    chance = random.Random(8)
    for _ in range(TREES):
        value, limit = tree(chance, 4), chance.choice([600, 1000, 4000, 8000])
        for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
            short = shaped(text, limit)
            assert len(short.encode()) <= limit
            read = json.loads(short)
            assert type(read) is type(value) or not isinstance(value, (list, dict))
    print(f"{TREES} values shortened")
