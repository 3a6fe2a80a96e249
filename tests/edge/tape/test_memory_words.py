"""Which words find which text."""

from __future__ import annotations

import random

import pytest

from edge.tape.memory_words import Entry, fold, needles, pieces, ranked, searchable


def finds(query: str, content: str, key: str = "k0") -> bool:
    wanted = needles(query)
    return bool(wanted) and all(word in searchable(key, content) for word in wanted)


SAME = [
    ("cafe", "Café"),
    ("café", "CAFE"),
    ("strasse", "Straße"),
    ("lodz", "Łódź"),
    ("istanbul", "İstanbul"),
    ("ελλαδα", "Ελλάδα"),
    ("ежик", "Ёжик"),
    ("fi", "fi"),
    ("office", "o\ufb03ce"),
    ("wifi", "\uff37\uff29\uff26\uff29"),
    ("naïve", "nai\u0308ve"),
    ("שלום", "שָׁלוֹם"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_case_accents_and_widths_do_not_count_on_either_side(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert finds(one, f"so {other} is it") and finds(other, f"so {one} is it")


def test_marks_that_make_another_letter_count() -> None:
    assert fold("か") != fold("が") and fold("は") != fold("ぱ")
    assert fold("कि") != fold("की")
    assert fold("서울") == "서울"


def test_parts_of_words_from_three_letters_on_and_shorter_ones_as_words() -> None:
    assert finds("mper", "the temperature") and finds("192.168.1.7", "host 192.168.1.7 is up")
    assert not finds("em", "the temperature") and finds("IP", "its ip: 10.0.0.1") and not finds("ip", "the ipad")
    assert finds("7", "bed 7 is dry") and not finds("7", "bed 17 is dry")
    assert finds("dry bed", "bed 7 is dry") and not finds("dry wet", "bed 7 is dry")


@pytest.mark.parametrize("query", ["温", "温度", "温度计", "锅炉", "坏了", "25", "wifi 密码", "密码"])
def test_scripts_without_blanks_are_found_by_any_part(query: str) -> None:
    assert finds(query, "锅炉的温度计坏了, 25度; wifi的密码是长的")


def test_a_question_without_blanks_is_found_by_pairs() -> None:
    held = [piece in searchable("k0", "锅炉的温度是七十度") for piece in pieces("锅炉温度是多少")]
    assert not finds("锅炉温度是多少", "锅炉的温度是七十度") and sum(held) >= 2
    assert any(piece in searchable("k0", "東京タワーのポンプ") for piece in pieces("ポンプはどこですか"))
    assert pieces("pump 12") == needles("pump 12")


def test_symbols_are_words_and_punctuation_is_none() -> None:
    assert finds("🚿", "the 🚿 leaks") and not finds("🚿", "the 🛁 leaks")
    assert needles("?! ... --- '\"") == () and needles("") == () and needles("\x1f\x00") == ()


def test_no_needle_is_shorter_than_three_characters_and_none_holds_a_quote() -> None:
    dice = random.Random(7)
    letters = "ab1\"' \n\x00\x1f\t.*-éÉß温度計がの한글ไทย🚿\u0301\u3099\u200d\ufeff\uffff\U0010ffff"
    for _ in range(3000):
        query = "".join(dice.choice(letters) for _ in range(dice.randint(0, 12)))
        for word in (*needles(query), *pieces(query)):
            assert len(word) >= 3 and '"' not in word and "\0" not in word
        for word in needles(query):
            assert word in searchable(query.replace("\n", " "), "x"), query


def test_what_has_the_word_oftener_or_in_its_key_stands_first_and_of_equals_the_newest() -> None:
    plain = Entry(1, "a1", "the pump and other things of the garden that are long to tell", "core", 1.0)
    often = Entry(2, "b2", "pump pump pump", "core", 1.0)
    named = Entry(3, "pump", "it runs at 12 V now", "core", 1.0)
    same = Entry(4, "c4", "the pump and other things of the garden that are long to tell", "core", 1.0)
    order = [entry.n for entry in ranked([plain, named, same, often], ("pump",))]
    assert order.index(4) < order.index(1) and set(order[:2]) == {2, 3}
    assert order == [entry.n for entry in ranked([often, same, named, plain], ("pump",))]


def test_a_rare_word_counts_more_than_one_that_all_have() -> None:
    common = [Entry(n, f"k{n}", "water in the bed", "core", 1.0) for n in range(2, 20)]
    rare = Entry(1, "k1", "vacuum in the bed", "core", 1.0)
    assert ranked([*common, rare], ("water", "vacuum"))[0].n == 1
