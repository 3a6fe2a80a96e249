from __future__ import annotations

import codecs
import random

import pytest

from edge.card.written import TAKEN, Wrong, read, without_secrets
from edge.faults import ConfigFault

TEXT = '[login]\r\npassword = "correct horse"  # mine\r\n[model]\r\n# key = "old-secret-1"\r\n'
TEXT += 'name = "chat:x"\r\nkey="sk-123456789"\r\n'
WAYS = {
    "plain": TEXT.encode(),
    "marked": codecs.BOM_UTF8 + TEXT.encode(),
    "notepad": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "other end": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "no mark": TEXT.encode("utf-16-le"),
    "no mark, other end": TEXT.encode("utf-16-be"),
}


@pytest.mark.parametrize("raw", WAYS.values(), ids=list(WAYS))
def test_every_way_in_which_editors_save_is_read(raw: bytes) -> None:
    assert read(raw, "x").text == TEXT.replace("\r\n", "\n")
    assert read(raw, "x").encoded(read(raw, "x").raw) == raw


@pytest.mark.parametrize("raw", WAYS.values(), ids=list(WAYS))
def test_secrets_are_taken_out_and_all_else_stays_where_it_is(raw: bytes) -> None:
    clean = without_secrets(read(raw, "x"))
    text = read(clean, "x").text
    assert len(clean) == len(raw) and without_secrets(read(clean, "x")) == clean
    for secret in ("correct horse", "sk-123456789", "old-secret-1", "mine"):
        assert secret not in text
    assert [len(line) for line in text.split("\n")] == [len(line) for line in read(raw, "x").text.split("\n")]
    assert text.count(TAKEN) == 3 and 'name = "chat:x"' in text


def test_a_torn_overwrite_still_has_its_lines_and_is_finished_by_doing_it_again() -> None:
    raw = WAYS["plain"]
    clean = without_secrets(read(raw, "x"))
    for cut in range(len(raw)):
        torn = clean[:cut] + raw[cut:]
        again = without_secrets(read(torn, "x"))
        assert b"horse" not in again and b"sk-1" not in again and b"secret" not in again
        assert len(again) == len(raw)


@pytest.mark.parametrize("name", ["passphrase", "wifi_password", "WPA-PSK", "access_token", "client_secret", "map_key"])
def test_what_sounds_like_a_secret_is_taken_out(name: str) -> None:
    for word in ('"hunter2hunter2"', "'hunter2hunter2'"):
        clean = without_secrets(read(f"[wifi]\n{name} = {word} # hunter2\n".encode(), "x"))
        assert b"hunter2" not in clean and TAKEN.encode() in clean


def test_what_sounds_like_one_and_is_no_text_stays() -> None:
    raw = b'max_tokens = 4_096\nkey_file = "/data/k"\nkeys = ["a"]\npassage = {line = "GPIO4"}\npublic_key = "ab"\n'
    assert without_secrets(read(raw, "x")) == raw


def test_what_is_no_text_is_no_secret() -> None:
    raw = b"key = 5  # of a list\ntoken = true\npassword =\n"
    assert without_secrets(read(raw, "x")) == raw


def test_old_line_ends_count_as_lines() -> None:
    assert read(b"a\rb\r\nc\n", "x").text == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("raw", "where", "sentence"),
    [
        (b"a\nb\xff\n", "x:2", "not UTF-8"),
        (b"a\n\nb\0c", "x:3", "NUL"),
        (codecs.BOM_UTF16_LE + b"a\0b", "x:1", "not UTF-16"),
        (b"#" * (1 << 19), "x", "more than"),
        ("gr\u00fc\u00dfe = 1".encode("latin-1"), "x:1", "save the file as UTF-8"),
    ],
)
def test_what_is_no_text_is_told_with_its_line(raw: bytes, where: str, sentence: str) -> None:
    with pytest.raises(ConfigFault, match=sentence) as told:
        read(raw, "x")
    assert told.value.where == where


def test_any_bytes_are_text_or_a_fault() -> None:
    chance = random.Random(20)
    for _ in range(2000):
        raw = bytes(chance.choices(b'\0\xff\xfe\xef\xbb\xbf\r\n="#ab key password\xc3', k=chance.randrange(60)))
        try:
            found = read(raw, "x")
        except ConfigFault as fault:
            assert fault.where.startswith("x")
            continue
        clean = without_secrets(found)
        assert len(clean) == len(raw) and without_secrets(read(clean, "x")) == clean


def test_a_fault_is_one_line_with_its_place() -> None:
    assert str(Wrong("p.toml", 3, "is wrong", "do this")) == "p.toml:3: is wrong (do this)"
    assert str(Wrong("p.toml", 0, "is wrong")) == "p.toml: is wrong"
