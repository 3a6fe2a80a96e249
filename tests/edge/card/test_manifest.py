"""Manifests: one text for one manifest, and nothing of it before its signature holds."""

from __future__ import annotations

import json
import os
import random

import pytest

from edge.card import manifest
from edge.card.manifest import Key
from edge.faults import CardFault
from tests.support.signed import KEY, OTHER, SEED, content, described

ROUNDS = 3000 if os.environ.get("FIELDHAND_SOAK") == "1" else 300
TEXT = manifest.pack(described(content(), files={"a.img.zst": manifest.File(5, "cd" * 32)}))


def test_the_text_is_canonical_and_reads_as_it_was() -> None:
    made = manifest.read(TEXT)
    assert made == described(content(), files={"a.img.zst": manifest.File(5, "cd" * 32)})
    assert TEXT.startswith(b'{"arch":"armel","data_schema":1,"epoch":1700000000,"files":{"a.img.zst":{"sha256":"cdcd')
    assert TEXT.endswith(b'"version":"2.0"}\n')
    assert manifest.pack(made) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]\n",
        b"null\n",
        b'{"format":1}\n',
        TEXT[:-1],
        TEXT + b"\n",
        TEXT.replace(b",", b", ", 1),
        TEXT.replace(b'"arch":"armel"', b'"arch":"armel","arch":"armel"'),
        TEXT.replace(b'"arch"', b'"aaaa":1,"arch"'),
        TEXT.replace(b'"size":5', b'"size":5.0'),
        TEXT.replace(b'"size":5', b'"size":-5'),
        TEXT.replace(b'"size":5', b'"size":true'),
        TEXT.replace(b'"size":5', b'"size":1e999'),
        TEXT.replace(b'"size":5', b'"size":' + b"9" * 5000),
        TEXT.replace(b'"armel"', b'"arm el"'),
        TEXT.replace(b'"armel"', b'"../etc"'),
        TEXT.replace(b'"armel"', b'"\\ud800"'),
        TEXT.replace(b'"armel"', b"7"),
        TEXT.replace(b'["raspi0"]', b'"r"'),
        TEXT.replace(b"abab", b"ABAB"),
        TEXT.replace(b"abab", b"ab"),
        b"[" * 50000,
        b"\xff\xfe",
        b" " * 70000,
    ],
)
def test_any_other_text_is_refused_in_words(text: bytes) -> None:
    with pytest.raises(CardFault, match="manifest"):
        manifest.read(text)


def test_a_manifest_of_a_later_format_says_so() -> None:
    later = json.loads(TEXT)
    later["format"] = 2
    with pytest.raises(CardFault, match="format 2, this Fieldhand reads 1"):
        manifest.read(json.dumps(later).encode())


def test_the_signature_of_a_trusted_key_holds_and_is_always_the_same() -> None:
    line = manifest.sign(TEXT, SEED)
    assert manifest.signed(TEXT, line, [OTHER, KEY]) == (manifest.read(TEXT), KEY)
    assert line == manifest.sign(TEXT, SEED)
    assert len(line) == manifest.SIGNATURE_TEXT and line.startswith(KEY.id.encode() + b" ")


def test_a_signature_of_a_key_that_is_not_trusted_is_refused_by_its_id() -> None:
    line = manifest.sign(TEXT, SEED)
    for keys in ([], [OTHER]):
        with pytest.raises(CardFault, match=f"{KEY.id}, which is not trusted"):
            manifest.signed(TEXT, line, keys)


def test_a_signature_without_its_own_domain_does_not_hold() -> None:
    from base64 import b64encode

    from edge.card import ed25519

    line = KEY.id.encode() + b" " + b64encode(ed25519.sign(SEED, TEXT)) + b"\n"
    with pytest.raises(CardFault, match="does not hold"):
        manifest.signer(TEXT, line, [KEY])


@pytest.mark.parametrize("line", [b"", b"\n", b" ", b"x" * 106, manifest.sign(TEXT, SEED)[:-1], b"\xff" * 106])
def test_what_is_no_line_of_a_signature_is_refused(line: bytes) -> None:
    with pytest.raises(CardFault, match="no signature"):
        manifest.signer(TEXT, line, [KEY])


def test_a_signature_in_a_second_spelling_of_base64_is_refused() -> None:
    line = manifest.sign(TEXT, SEED)
    last = line[-4:-3]
    others = [bytes([letter]) for letter in range(33, 127) if bytes([letter]) != last]
    for other in others:
        with pytest.raises(CardFault):
            manifest.signer(TEXT, line[:-4] + other + line[-3:], [KEY])


def test_one_flipped_bit_of_text_or_signature_is_a_fault_and_never_another_exception() -> None:
    chance = random.Random(11)
    line = manifest.sign(TEXT, SEED)
    for _ in range(ROUNDS // 10):
        texts = [bytearray(TEXT), bytearray(line)]
        text = chance.choice(texts)
        text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
        with pytest.raises(CardFault):
            manifest.signed(bytes(texts[0]), bytes(texts[1]), [KEY])
    for _ in range(ROUNDS):
        text = bytearray(TEXT)
        for _ in range(chance.randrange(1, 5)):
            text[chance.randrange(len(text))] = chance.choice(b'{}[]",:0 19ae\\\n\xff')
        try:
            found = manifest.read(bytes(text))
        except CardFault:
            continue
        assert manifest.pack(found) == text
    print(f"{ROUNDS} texts, {ROUNDS // 10} signatures")


def test_a_public_key_is_read_with_its_name() -> None:
    text = f"{KEY.public.hex()} tests\n"
    assert manifest.read_key(text, "file") == KEY
    assert manifest.read_key(KEY.public.hex(), "file") == Key("file", KEY.public)
    for wrong in ("", "abc", KEY.public.hex()[:-1], f"{text} {text}", "g" * 64):
        with pytest.raises(CardFault, match="no public key"):
            manifest.read_key(wrong, "file")


def test_versions_stand_in_the_order_people_mean() -> None:
    wanted = [
        "0.9",
        "1.0~dev1",
        "1.0a1",
        "1.0b2",
        "1.0rc1",
        "1.0rc2",
        "1.0",
        "1.0+deb1",
        "1.0.1",
        "1.2",
        "1.10",
        "2026.11",
    ]
    for chance in range(20):
        mixed = list(wanted)
        random.Random(chance).shuffle(mixed)
        assert sorted(mixed, key=manifest.order) == wanted
    assert manifest.order("1.0") == manifest.order("1-0")
