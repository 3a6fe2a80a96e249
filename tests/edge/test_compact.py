"""One encoder made once writes what the standard library's encoder writes."""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable
from types import MappingProxyType

import pytest

from edge.compact import decoder, encoders, fast, plain

ROUNDS = 5000 if os.environ.get("FIELDHAND_SOAK") == "1" else 500
ATOMS = (
    *(None, True, False, 0, -7, 2**70, 0.1, 1e300, -1.5e-7),
    *("", "a\nb", 'q"\\', "é温😀", "\x00\x1b", "\udc80", "\u2028"),
)


def random_value(dice: random.Random, depth: int = 0) -> object:
    roll = dice.random()
    if depth > 3 or roll < 0.4:
        return dice.choice(ATOMS)
    if roll < 0.6:
        return [random_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    if roll < 0.7:
        return tuple(random_value(dice, depth + 1) for _ in range(dice.randrange(3)))
    made = {dice.choice(ATOMS): random_value(dice, depth + 1) for _ in range(dice.randrange(4))}
    return MappingProxyType(made) if roll < 0.75 else made


def as_text(value: object) -> object:
    return dict(value) if isinstance(value, MappingProxyType) else value


def test_the_private_and_the_public_encoder_write_the_same() -> None:
    made = fast()
    assert made is not None
    (parts, quoted), (slow_parts, slow_quoted) = made, plain()
    dice = random.Random(3)
    for _ in range(ROUNDS):
        value = random_value(dice)
        written = "".join(parts(value, 0))
        assert written == "".join(slow_parts(value, 0))
        assert written == json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=as_text)
        text = "".join(dice.choice('aé温😀"\\\n\x00\x7f\udc80\u2028/<') for _ in range(dice.randrange(12)))
        assert quoted(text) == slow_quoted(text) == json.dumps(text, ensure_ascii=False)
    print(f"compact: {ROUNDS} random values")


@pytest.mark.parametrize("made", [fast, plain, encoders])
def test_what_json_cannot_hold_is_refused(made) -> None:
    parts, _ = made()
    for wrong in (math.nan, math.inf, {"x": -math.inf}):
        with pytest.raises(ValueError):
            parts(wrong, 0)
    for wrong in (object(), {"x": b"bytes"}, {(1, 2): 3}, {1, 2}):
        with pytest.raises(TypeError):
            parts(wrong, 0)
    around: list[object] = []
    around.append(around)
    with pytest.raises(RecursionError):
        parts(around, 0)


def told(reads: Callable[[str], object], text: str) -> str:
    try:
        return repr(reads(text))
    except (ValueError, RecursionError) as error:
        return type(error).__name__


def test_the_decoder_reads_what_the_standard_library_reads() -> None:
    dice = random.Random(12)
    texts = [
        '{"a":1,"b":[1.5,null,true,"x\\u00e9"],"c":{"d":-Infinity}}',
        "[NaN]",
        '""',
        ' {"a":1}',
        '{"a":1} ',
        "1e400",
    ]
    broken = ["", '{"a":1}x', "[1,]", "[" * 100_000, "\ufeff{}", '"\\ud800"', '{"a":"\t"}', "{", '"']
    for number in range(ROUNDS):
        letters = list(dice.choice(texts))
        for _ in range(dice.randrange(4)):
            at = dice.randrange(len(letters) + 1)
            letters[at : at + dice.randrange(2)] = dice.choice('{}[]",:0-1e.\\u \tntf')
        broken.append("".join(letters))
        if number == 0:
            broken += texts
    read = decoder()
    for text in broken:
        assert told(read, text) == told(json.loads, text), text
