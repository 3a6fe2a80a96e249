"""The calculator: what people type, with units, exact where it can be; everything else is a sentence."""

from __future__ import annotations

import math
import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Fault, ToolFault
from edge.gate.policy import PRESETS
from edge.registry import find
from edge.tools.calc import units
from edge.tools.calc.functions import TABLE
from edge.tools.calc.parse import compute
from edge.tools.calc.quantity import DIGITS
from edge.tools.calc.show import show
from tests.support.one_call import carry, judge, world

ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000

SAYS = [
    ("1 + 2 * 3", "7"),
    ("(1 + 2) * 3", "9"),
    ("0.1 + 0.2", "0.3"),
    ("1/3 + 1/3 + 1/3", "1"),
    ("1/3", "0.333333333333333 (rounded)"),
    ("-2**2", "-4"),
    ("2^3^2", "512"),
    ("2 ^ -2", "0.25"),
    ("7 // 2", "3"),
    ("-7 // 2", "-4"),
    ("-7 % 3", "2"),
    ("10 %", "0.1"),
    ("200 * 10 %", "20"),
    ("60 % of 50", "30"),
    ("5!", "120"),
    ("1_000 * 3", "3000"),
    ("1e-3", "0.001"),
    ("3 \u00d7 4 \u2212 2 \u00f7 1", "10"),
    ("255 in hex", "0xff"),
    ("0xff & 0b1010 | 1 << 4", "26"),
    ("0b1100 xor 0b1010 in bin", "0b110"),
    ("~5", "-6"),
    ("1 << 10 >> 3", "128"),
    ("sqrt(9)", "3"),
    ("sqrt(2)", "1.41421356237"),
    ("sqrt(16 m^2)", "4 m"),
    ("12 V * 0.35 A in W", "4.2 W"),
    ("12 V * 0.35 A", "4.2 W"),
    ("12 W / 12 V", "1 A"),
    ("10 V / 2 kohm in mA", "5 mA"),
    ("10 uF * 1 kohm in ms", "10 ms"),
    ("5 mA * 24 h in mAh", "120 mAh"),
    ("100 W * 2 h in Wh", "200 Wh"),
    ("25 degC in degF", "77 degF"),
    ("98.6 degF in degC", "37 degC"),
    ("25 degC + 5 K in degC", "30 degC"),
    ("-40 degC in degF", "-40 degF"),
    ("3/4 in in mm", "19.05 mm"),
    ("5 in in cm", "12.7 cm"),
    ("3 ft 2 inch in cm", "96.52 cm"),
    ("3 m / 2 s", "1.5 m/s"),
    ("5 km + 200 m", "5.2 km"),
    ("2 h 30 min in s", "9000 s"),
    ("100 km/h in m/s", "27.7777777777778 m/s (rounded)"),
    ("64 KiB in B", "65536 B"),
    ("4 Mbps in kB/s", "500 kB/s"),
    ("1013 hPa in bar", "1.013 bar"),
    ("2 m * 3 m", "6 m^2"),
    ("9.81 m/s^2", "9.81 m/s^2"),
    ("max(3 m, 200 cm)", "3 m"),
    ("mean([1, 2, 3, 4])", "2.5"),
    ("median(3, 1, 2)", "2"),
    ("mode([1, 2, 2, 3])", "2"),
    ("stdev([2, 4, 4, 4, 5, 5, 7, 9])", "2.1380899353"),
    ("pvariance([2, 4, 4, 4, 5, 5, 7, 9])", "4"),
    ("percentile([1, 2, 3, 4], 50)", "2.5"),
    ("percentage_change(50, 75)", "50"),
    ("clamp(12, 0, 10)", "10"),
    ("log(1000)", "3"),
    ("log(8, 2)", "3"),
    ("round(2.5)", "3"),
    ("round(-2.567, 2)", "-2.57"),
    ("gcd(12, 18) + lcm(4, 6)", "18"),
    ("sin(30 deg)", "0.5"),
    ("tau in deg", "360 deg"),
]
REFUSES = [
    ("", "ends too early"),
    ("1 +", "ends too early"),
    ("(1", ") was expected"),
    ("1)", "fits nothing"),
    ("1 2", "fits nothing"),
    ("1.2.3", "fits nothing"),
    ("0x", "no number of base 16"),
    ("1/0", "division by zero"),
    ("0**-1", "division by zero"),
    ("5 % 0", "division by zero"),
    ("3 m + 2 s", "s cannot be added to m"),
    ("3 m in kg", "m cannot be given in kg"),
    ("3 metre", "no unit 'metre'"),
    ("3 ohmm", "did you mean ohm?"),
    ("foo(2)", "no function foo"),
    ("sqrt()", "sqrt takes 1 values"),
    ("stdev([1])", "at least 2"),
    ("sqrt(-1)", "negative number"),
    ("ln(0)", "not defined"),
    ("asin(2)", "not defined"),
    ("sin(3 m)", "without a unit"),
    ("2 ** (3 m)", "no unit"),
    ("9**9**9", "exponent is from"),
    ("9999**9999", "digits"),
    ("factorial(1001)", "0 to 1000"),
    ("2.0**1e300", "exponent is from"),
    ("exp(1000)", "too large"),
    ("1 << 100000", "a shift is by"),
    ("1.5 & 1", "whole numbers"),
    ("[1, 2]", "fits nothing"),
    ("x", "no unit 'x'"),
    ("__import__('os')", "belongs to no expression"),
    ("1; 2", "belongs to no expression"),
    ("(" * 60 + "1" + ")" * 60, "nested"),
    ("-" * 3000 + "(" * 60, "nested"),
    ("2" + "^2" * 60, "nested"),
    ("5 in", "a unit was expected"),
    ("5 in furlong", "no unit 'furlong'"),
    ("1e99999", "beyond 4000"),
    ("degC", "needs a number"),
    ("clamp(1, 3, 2)", "the least and the most"),
    ("percentile([1, 2], 101)", "0 to 100"),
]


def said(text: str) -> str:
    return show(*compute(text))[0]


@pytest.mark.parametrize(("text", "wanted"), SAYS)
def test_what_people_type_is_computed(text: str, wanted: str) -> None:
    assert said(text) == wanted


@pytest.mark.parametrize(("text", "why"), REFUSES)
def test_what_cannot_be_is_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ToolFault) as caught:
        said(text)
    assert why in str(caught.value)


def test_a_list_of_values_is_x_and_a_bare_function_is_of_it(tmp_path: Path) -> None:
    here = world(tmp_path)
    found = carry("calculator", {"expression": "stdev", "values": [20.1, 20.4, 19.8]}, here)
    assert (found.text, found.data) == ("0.3", {"value": 0.3, "unit": "", "exact": True})
    assert carry("calculator", {"expression": "percentile(x, 90)", "values": [1, 2, 3, 4, 5]}, here).text == "4.6"
    assert carry("calculator", {"expression": "sum", "values": [1] * 10_000}, here).text == "10000"
    for args, why in (
        ({"expression": "sum", "values": [1] * 10_001}, "at most 10000"),
        ({"expression": "x + 1", "values": [1]}, "x is a list"),
        ({"expression": "mean", "values": []}, "at least 1"),
        ({"expression": "1" * 4000 + "+1", "values": []}, "4000"),
    ):
        with pytest.raises(Fault, match=why):
            carry("calculator", args, here)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_touches_nothing_and_every_preset_lets_it(preset: str, tmp_path: Path) -> None:
    decision = judge("calculator", {"expression": "1"}, world(tmp_path), preset)[1]
    assert (decision.verdict, decision.risk, decision.rule) == ("allow", "low", "read.nothing")
    assert decision.permit is not None and [grant.root for grant in decision.permit.grants] == ["nothing"]


def test_every_function_of_the_page_is_there() -> None:
    page = "add subtract divide multiply pow sqrt abs modulo round log ln exp factorial sum average median mode count "
    page += "min max range variance stdev percentile percentage_change clamp"
    missing = [name for name in page.split() if name not in TABLE and name != "modulo"]  # modulo is %
    assert missing == [] and len(page.split()) == 26


def test_every_unit_goes_into_its_base_units_and_back() -> None:
    for name in [*units._ALL, *units._SPELLINGS]:
        base = units.base(units.must(name).dimension) or "rad"
        there = show(*compute(f"7 {name} in {base}"))[1]["value"]
        back = compute(f"{there} * {base} in {name}")
        assert math.isclose(float(show(*back)[1]["value"]), 7, rel_tol=1e-9), name


def test_it_agrees_with_python_on_random_arithmetic() -> None:
    chance = random.Random(20_261)
    agreed = 0
    for _ in range(ROUNDS):
        text = _expression(chance, 4)
        try:
            wanted = eval(text.replace("/", "/ONE/").replace("/ONE//ONE/", "//"), {"ONE": Fraction(1)})
        except ZeroDivisionError:
            with pytest.raises(ToolFault, match="zero"):
                compute(text)
            continue
        assert compute(text)[0].value == wanted, text
        agreed += 1
    print(f"calculator: {agreed} of {ROUNDS} expressions had a value, all equal to Python's")
    assert agreed > ROUNDS // 2


def _expression(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return str(chance.randrange(1, 50))
    left, right = _expression(chance, depth - 1), _expression(chance, depth - 1)
    kind = chance.choice(["+", "-", "*", "/", "//", "%", "()", "-x"])
    if kind == "()":
        return f"({left})"
    if kind == "-x":
        return f"-({left})"
    return f"({left}) {kind} ({right})"


def test_any_text_at_all_is_a_value_or_a_fault() -> None:
    chance = random.Random(7)
    pieces = ["1", "2.5", "0x1f", "m", "s", "degC", "in", "to", "hex", "(", ")", "[", "]", ",", "+", "-", "*", "/", "%"]
    pieces += [
        "**",
        "^",
        "!",
        "~",
        "&",
        "<<",
        "sqrt",
        "mean",
        "log",
        "pi",
        "e",
        " ",
        "\u00b0C",
        "\u6c34",
        "\0",
        "9" * 50,
    ]
    values = 0
    for _ in range(ROUNDS * 2):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 12)))
        try:
            told, facts = show(*compute(text))
        except ToolFault as fault:
            assert fault.sentence
        else:
            values += 1
            assert told and len(told) <= DIGITS + 50 and not _broken(facts["value"])
    print(f"calculator: {values} of {ROUNDS * 2} random texts had a value")
    assert values


def _broken(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def test_the_examples_are_what_it_does() -> None:
    assert find("calculator").examples
