"""The form of a line: what goes in comes back, what is changed is found, what cannot be kept is refused."""

from __future__ import annotations

import json
import os
import random

import pytest

from edge.faults import TapeFault
from edge.tape.form import DEPTH, GIVE_UP, LINE, backward, decode, encode, kind_of, last, valid

ROUNDS = 5000 if os.environ.get("FIELDHAND_SOAK") == "1" else 500
SMALL = {"text": "fan on", "ok": True, "left": 119.5, "data": {"a": [1, None, "é😀"]}}


def line(seq: int, kind: str = "note", **fields: object) -> bytes:
    return encode(seq, "1f0c33d2", 12.5, 1.7e9, kind, fields)


def reader(data: bytes, step: int = 1 << 20):
    return lambda count, offset: data[offset : offset + min(count, step)]


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def random_value(dice: random.Random, depth: int = 0) -> object:
    atoms = [None, True, False, 0, -7, 2**70, 0.1, 1e300, -1.5e-7]
    atoms += ["", "a\nb", 'q"\\', "é温😀", "\x00\x1b", "\udc80", "\u2028"]
    roll = dice.random()
    if depth > 3 or roll < 0.6:
        return dice.choice(atoms)
    if roll < 0.8:
        return [random_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    return {str(dice.choice(atoms)): random_value(dice, depth + 1) for _ in range(dice.randrange(4))}


def test_a_line_is_as_the_head_of_the_file_says() -> None:
    written = line(7, "line", text="how warm?")
    assert written == (
        b'{"seq":7,"boot":"1f0c33d2","mono":12.500000,"wall":1700000000.000,"kind":"line","text":"how warm?",'
        + written[-len(b'"crc":"00000000"}\n') :]
    )
    assert written.count(b"\n") == 1 and json.loads(written)["seq"] == 7
    assert kind_of(written) == "line"


def test_what_goes_in_comes_back() -> None:
    record = decode(line(3, "outcome", **SMALL)[:-1])
    assert record == {"seq": 3, "boot": "1f0c33d2", "mono": 12.5, "wall": 1.7e9, "kind": "outcome", **SMALL}


def test_random_values_come_back() -> None:
    dice = random.Random(3)
    for _ in range(ROUNDS):
        fields = {"data": random_value(dice)}
        written = encode(1, "00000000", 0.0, 0.0, "note", fields)
        assert written.count(b"\n") == 1
        record = decode(written[:-1])
        assert record is not None and record["data"] == fields["data"]
    print(f"form: {ROUNDS} random records")


def test_a_lone_surrogate_does_not_break_the_line_and_comes_back() -> None:
    written = line(1, text="bad \udc80 byte, \ud83d half")
    written.decode("utf-8")
    record = decode(written[:-1])
    assert record is not None and record["text"] == "bad \udc80 byte, \ud83d half"


def test_every_changed_byte_is_found() -> None:
    good = line(1, "outcome", **SMALL)[:-1]
    for place in range(len(good)):
        for other in {good[place] ^ 1, good[place] ^ 0x20, 0, 0xFF} - {good[place]}:
            assert decode(good[:place] + bytes([other]) + good[place + 1 :]) is None
        assert decode(good[:place]) is None
        assert decode(good[:place] + good[place + 1 :]) is None


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), b"bytes", {1, 2}, object(), {("a", "b"): 1}, nested(DEPTH + 1), nested(100_000)],
    ids=["nan", "inf", "bytes", "set", "object", "tuple key", "too deep", "far too deep"],
)
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TapeFault, match="a note record holds"):
        line(1, data=value)


def test_a_value_that_holds_itself_and_a_record_too_long_are_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(TapeFault, match="cannot be kept"):
        line(1, data=loop)
    with pytest.raises(TapeFault, match=f"longer than the {LINE} bytes"):
        line(1, text="x" * LINE)
    with pytest.raises(TapeFault, match="'gossip' is not a kind"):
        line(1, "gossip")
    with pytest.raises(TapeFault, match="wants fields with names"):
        encode(1, "00000000", 0.0, 0.0, "note", ["text"])  # type: ignore[arg-type]


def test_nesting_up_to_the_limit_and_brackets_in_text_are_kept() -> None:
    record = decode(line(1, data=nested(DEPTH - 1), text="[{" * 3000)[:-1])
    assert record is not None and record["text"] == "[{" * 3000


def test_a_field_called_like_a_member_of_the_line_is_kept_apart() -> None:
    written = encode(5, "00000000", 1.0, 2.0, "fault", {"kind": "budget", "seq": 9, "seq_": 8, "sentence": "no"})
    record = decode(written[:-1])
    assert record is not None
    assert (record["kind"], record["seq"]) == ("fault", 5)
    assert (record["kind_"], record["seq_"], record["seq__"], record["sentence"]) == ("budget", 9, 8, "no")


def test_a_mapping_that_is_no_dict_is_an_object() -> None:
    from types import MappingProxyType

    record = decode(line(1, args=MappingProxyType({"name": "fan"}))[:-1])
    assert record is not None and record["args"] == {"name": "fan"}


@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_what_stands_behind_the_last_record_that_counts_is_none(step: int) -> None:
    lines = [line(n, text=f"{n} " + "x" * n) for n in range(1, 40)]
    whole = b"".join(lines)
    assert [record["seq"] for *_, record in valid(reader(whole, step))] == list(range(1, 40))
    assert b"".join(whole[start:end] for start, end, _ in valid(reader(whole, step))) == whole
    for rest in (b"", lines[39 - 1][:-1], b"\0" * 500, b"\n\n", lines[0], lines[38][:-2] + b"\n", b"\xff\xfe\n"):
        found = list(valid(reader(b"".join(lines[:5]) + rest, step)))
        assert [record["seq"] for *_, record in found] == [1, 2, 3, 4, 5]
        assert found[-1][1] == len(b"".join(lines[:5]))


@pytest.mark.parametrize("step", [7, 1 << 20])
@pytest.mark.parametrize("at", [0, 3, 4])
def test_damage_costs_only_the_records_that_it_hit(step: int, at: int) -> None:
    lines = [line(n, text=f"record {n}") for n in range(1, 8)]
    hit = lines[at][:20] + b"#" + lines[at][21:]
    cut = lines[at - 1 if at else 6][:-9] + b"\n"
    for damage in (hit, cut, b"", b"\0" * 5000 + b"\n", hit[:30] + b"\n", b"\n\xff\n"):
        data = b"".join([*lines[:at], damage, *lines[at + 1 :]])
        found = list(valid(reader(data, step)))
        assert [record["seq"] for *_, record in found] == [n for n in range(1, 8) if n != at + 1]
        assert [data[start:end] for start, end, _ in found] == lines[:at] + lines[at + 1 :]


def test_a_number_that_does_not_grow_is_no_record() -> None:
    lines = [line(n, text=str(n)) for n in (1, 2, 2, 1, 3)]
    assert [(record["seq"], end) for _, end, record in valid(reader(b"".join(lines)))] == [
        (1, len(lines[0])),
        (2, len(lines[0] + lines[1])),
        (3, len(b"".join(lines))),
    ]


def test_a_stretch_too_long_to_be_a_record_costs_nothing_behind_it() -> None:
    data = line(1, text="one") + bytes(LINE + 100_000) + b"\n" + line(3, text="three")
    assert [record["seq"] for *_, record in valid(reader(data))] == [1, 3]


def test_garbage_without_an_end_of_line_is_not_read_to_its_end() -> None:
    asked: list[int] = []

    def endless(count: int, offset: int) -> bytes:
        asked.append(offset)
        return b"\0" * count

    assert list(valid(endless)) == []
    assert asked[-1] < GIVE_UP + LINE + (1 << 18)
    asked.clear()
    assert last(endless, 1 << 40) == (0, None)
    assert len(asked) < 100


@pytest.mark.parametrize("step", [1000, 1 << 20])
def test_backward_gives_whole_lines_from_the_end(step: int) -> None:
    lines = [line(n, text="y" * (n % 7 * 30_000 if n % 50 == 0 else n)) for n in range(1, 400)]
    whole = b"".join(lines)
    back = []
    for offset, block in backward(reader(whole, step), len(whole)):
        assert whole[offset : offset + len(block)] == block
        back += block.splitlines(keepends=True)[::-1]
    assert back[::-1] == lines
    assert list(backward(reader(b""), 0)) == []


def test_the_last_record_is_found_behind_garbage() -> None:
    lines = b"".join(line(n, text=str(n)) for n in range(1, 30))
    for rest in (b"", b"torn", b"\0" * 200_000, b"not\na\nrecord\n", line(30, text="z")[:-5]):
        end, record = last(reader(lines + rest), len(lines + rest))
        assert record is not None and record["seq"] == 29 and end == len(lines)
    assert last(reader(b"nothing\nhere"), 12) == (0, None)
