from __future__ import annotations

import codecs
import random
import textwrap
from pathlib import Path

import pytest

from edge.card.asked import OWN, Network
from edge.card.provision_toml import asked
from edge.card.written import TAKEN, Wrong

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "provision.md"
EXAMPLE = ROOT / "images" / "board" / "provision.toml"
WHOLE = """mode = "supervised"
[board]
hostname = "North-3"
id = "N3"
timezone = "Europe/Berlin"
[login]
password = "correct horse"
ssh = "none"
[network]
wired = {address = "192.168.1.20/24", gateway = "192.168.1.1", dns = ["9.9.9.9"]}
proxy = "http://10.0.0.1:3128"
[time]
servers = ["ntp.example.org"]
[model]
name = "chat:llama"
base_url = "http://10.0.0.5:8080/v1"
key = "sk-1234567890"
[outputs.pump]
line = "GPIO17"
max_on = 60
[inputs.door]
line = "GPIO22"
[risk_profiles.field]
level = "supervised"
"""


def faults(text: str) -> list[Wrong]:
    return [one for one in asked(text.encode(), False)[1] if not one.only_said]


def said(text: str) -> list[Wrong]:
    return [one for one in asked(text.encode(), False)[1] if one.only_said]


def test_a_whole_file_is_taken_apart_into_what_is_its_own_and_the_settings() -> None:
    found, wrong = asked(WHOLE.encode(), False)
    assert wrong == []
    assert (found.hostname, found.id, found.zone[:3]) == ("north-3", "N3", "CET")
    assert found.password == "correct horse" and found.key == "sk-1234567890" and found.servers == ("ntp.example.org",)
    assert found.network == Network("static", "192.168.1.20/24", "192.168.1.1", ("9.9.9.9",))
    assert found.settings is not None and set(found.settings) == {
        *("mode", "network", "model", "outputs", "inputs", "risk_profiles")
    }
    assert found.settings["network"] == {"proxy": "http://10.0.0.1:3128"} and "key" not in found.settings["model"]
    assert set(found.secrets) == {"correct horse", "sk-1234567890"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_from_notepad_is_taken(encoding: str) -> None:
    raw = WHOLE.replace("\n", "\r\n").encode(encoding)
    assert raw[:2] in (codecs.BOM_UTF8[:2], codecs.BOM_UTF16_LE)
    assert asked(raw, False) == asked(WHOLE.encode(), False)


def test_the_example_asks_for_nothing_and_is_right_once_its_lines_are_used() -> None:
    text = EXAMPLE.read_text("utf-8")
    found, wrong = asked(text.encode(), False)
    assert found.named == () and wrong == []
    used = "\n".join(line[1:] if line[:1] == "#" and line[1:2] not in (" ", "") else line for line in text.split("\n"))
    found, wrong = asked(used.encode(), False)
    assert wrong == []
    assert {"board", "login", "wired", "time", "model", "outputs", "inputs", "mode"} <= set(found.named)


def test_the_page_has_an_example_that_is_right_and_every_key_of_the_own_tables() -> None:
    page = PAGE.read_text("utf-8")
    example = textwrap.dedent(page.partition("## An example\n")[2].partition("## ")[0])
    found, wrong = asked(example.encode(), False)
    assert wrong == [] and {"board", "login", "wired", "model", "outputs"} <= set(found.named)
    for table, keys in OWN.items():
        assert f"`[{table}]`" in page and all(f"`{key}`" in page for key in keys)


MANY = """[board]
hostnam = "x"
hostname = "-bad"
keys = ["zz"]
[login]
password = "kurz"
[network]
wired = {address = "192.168.1.20", gateway = "192.168.2.1"}
proxi = "x"
[model]
name = "chatt:x"
base_url = "ftp://x"
[outputs.pump]
line = "PIN11"
max_on = -3
[outputs.fan]
line = "GPIO18"
interlock = ["not door == open"]
[inputs.door]
lin = "GPIO22"
[budget]
steps = 3
x = \u201cround\u201d
[risk_profiles.field]
level = "superb"
"""


def test_every_wrong_line_is_told_with_its_number_all_at_once() -> None:
    found = faults(MANY)
    assert [one.line for one in found] == [2, 3, 4, 6, 8, 9, 11, 12, 14, 15, 20, 21, 23, 25]
    text = "\n".join(map(str, found))
    for words in (
        "did you mean hostname",
        "RFC 1123",
        "did you mean proxy",
        "did you mean budgets",
        "straight quotation",
    ):
        assert words in text
    assert "PIN11 is a pin" in text and "must be from 0.1" in text and "kurz" not in text


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('hostname = "x"', 1, "stands below [board]"),
        ('[bord]\nhostname = "x"', 1, "did you mean board?"),
        ('board = "moon"\n[board]\nid = "x"', 2, "not TOML"),
        ("[board]\nhostname = 5", 2, "quotes"),
        ("board = 5", 1, "is a table"),
        ('[login]\npassword = "correct horse"\npassword_hash = "$6$ab$' + "x" * 86 + '"', 3, "keep one"),
        ('[model]\nkey = "sk-12345678"\napi_key = "sk-12345678"', 3, "says again"),
        ('[model]\ntoken = "sk-12345678"', 2, "does not belong"),
        ("[network]\nwired = true", 2, "dhcp"),
        ('[network.wired]\ngateway = "10.0.0.1"', 1, "needs an address"),
        ('[network.wired]\naddress = "10.0.0.2/24"\ngateway = "10.0.1.1"', 3, "not another host"),
        ('[network]\nwried = "dhcp"', 2, "did you mean wired"),
        ('[settings]\nmode = "fool"', 2, "there is no mode"),
        ('mode = "full"\n[settings]\nmode = "full"', 3, "says again"),
        ("settings = 1", 1, "is a table"),
        ("login = 1", 1, "is a table"),
        ("a = [1,\nb = 2", 1, "not TOML"),
        ("[outputs.pump]\nmax_on = 3", 1, "needs a line"),
        ("[outputs.pump]\nline = 'GPIO4'\n[inputs.pump]\nline = 'GPIO5'", 3, "two things"),
        ("[outputs.pump]\nmax_on = 3\nline = 'GPIO99'", 3, "no Raspberry Pi has a line GPIO99"),
        ("[inputs.door]\nline = 'GPIO58'", 2, "GPIO2 to GPIO27"),
    ],
)
def test_a_wrong_line_is_told_with_what_would_be_right(text: str, line: int, words: str) -> None:
    found = faults(text)
    assert found and found[0].line == line, found
    assert words in str(found[0])


def test_what_is_wrong_only_because_another_line_is_wrong_is_not_told() -> None:
    text = "[outputs.pump]\nlin = 'GPIO4'\n[outputs.fan]\nline = 'GPIO5'\nfeedback = 'runs'\n"
    text += "[inputs.runs]\nlinne = 'GPIO6'\n"
    assert [one.line for one in faults(text)] == [2, 7]


def test_what_this_image_does_not_do_is_said_and_the_rest_is_taken() -> None:
    text = '[board]\nid = "x"\n[wifi]\nssid = "a"\npsk = "12345678"\n[[schedule]]\nat = "10:00"\n'
    text += '[sensors.t0]\nhwmon = "lm75"\n'
    text += '[login]\npassword = "correct horse"\nssh = true\n'
    found, wrong = asked(text.encode(), False)
    assert [(one.line, one.only_said) for one in wrong] == [(3, True), (6, True), (12, True)]
    assert found.later == {"schedule": [{"at": "10:00"}]} and found.id == "x"
    assert found.settings == {"sensors": {"t0": {"hwmon": "lm75"}}}


def test_which_board_is_worked_with_can_be_said_beside_who_it_is() -> None:
    found, wrong = asked(b'[settings]\nboard = "sim"\n[board]\nid = "x"\n', False)
    assert wrong == [] and found.settings == {"board": "sim"} and found.id == "x"


def test_folders_are_looked_for_only_on_the_board_itself(tmp_path: Path) -> None:
    text = f'roots = ["{tmp_path}/none"]'
    assert faults(text) == [] and [one.line for one in said(text)] == [1]
    on_board = asked(text.encode(), True)[1]
    assert [(one.line, one.only_said) for one in on_board] == [(1, False)]


def test_a_secret_that_was_taken_may_stay() -> None:
    found, wrong = asked(f'[login]\npassword = "{TAKEN}"\n[model]\nkey = "{TAKEN}"\n'.encode(), False)
    assert wrong == [] and found.password == TAKEN and found.key == TAKEN and found.secrets == ()


@pytest.mark.parametrize(
    "text",
    [
        'login = {password = "correct horse"}',
        '[login]\npassword = "correct-horse"\n[board]\nid = "correct-horse"',
        '[login]\npassword = """\\\n  correct horse"""',
        '[login]\npassword = """corr\\\n  ect-horse"""',
        '[board]\nid = "x"\n[login] # correct horse\npassword = "correct horse"',
        '[wifi]\nssid = "a"\n[model]\nname = "chat:x"\nbase_url = "http://h/v1"\n"k\\u0065y" = "correct-horse"',
        '[board]\nid = "x"\n[wifi]\nnets = [{ssid = "a", psk = "correct horse"}]',
        'wifi = {ssid = "a", password = "correct horse"}\n[board]\nid = "x"',
        '[schedule.air]\ntokens = ["correct horse"]',
    ],
)
def test_a_secret_that_could_not_be_erased_is_a_fault(text: str) -> None:
    found = faults(text)
    assert found and "cannot be erased" in found[0].sentence
    assert "correct" not in " ".join(map(str, found))


def test_any_text_is_taken_or_told_with_lines_that_are_there() -> None:
    chance = random.Random(24)
    lines = [
        *WHOLE.split("\n"),
        *MANY.split("\n"),
        "[",
        "]",
        "x",
        "= 1",
        '"""',
        "'''",
        "a = [",
        "a = {b = 1",
        "[[a]]",
        "a.b = 1",
    ]
    for _ in range(40):
        text = "\n".join(chance.choices(lines, k=chance.randrange(12)))
        _, wrong = asked(text.encode(), False)
        assert all(0 <= one.line <= text.count("\n") + 1 for one in wrong)
        assert "correct horse" not in " ".join(map(str, wrong)) and "sk-123" not in " ".join(map(str, wrong))
