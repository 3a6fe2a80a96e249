from __future__ import annotations

from edge.card.asked import Asked, Network, Reader

LINES = {"board": 1, "board.hostname": 2, "outputs.pump.line": 5, "outputs.fan.line": 9}


def test_a_key_has_its_line_or_that_of_the_nearest_table_around_it() -> None:
    reader = Reader("x", LINES)
    assert [reader.line(key) for key in ("board.hostname", "board.id", "outputs", "outputs.fan")] == [2, 1, 5, 9]
    assert [reader.line(key) for key in ("outputs.pump.pwm.chip", "nothing", "")] == [5, 0, 0]


def test_own_tables_are_taken_out_and_the_settings_stay() -> None:
    data = {"board": {"hostname": "n3"}, "network": {"wired": "dhcp", "proxy": "x"}, "model": {"key": "sk-12345678"}}
    reader = Reader("x", LINES)
    found = reader.own(data)
    assert found == Asked(("board", "wired"), "n3", network=Network("dhcp"), key="sk-12345678")
    assert data == {"network": {"proxy": "x"}, "model": {}} and reader.wrong == []


def test_a_board_that_is_a_word_is_a_setting() -> None:
    data = {"board": "auto"}
    assert Reader("x", {}).own(data) == Asked() and data == {"board": "auto"}


def test_what_is_wrong_is_noted_and_not_kept() -> None:
    reader = Reader("x", LINES)
    found = reader.own({"board": {"hostname": "-x-", "nam": 1}, "login": 5, "network": {"wired": {"adress": "1"}}})
    assert (found.hostname, found.network) == ("", None)
    assert [one.line for one in reader.wrong] == [1, 2, 0, 0, 0]
