from __future__ import annotations

from typing import Any

from edge import toml
from edge.card.asked import Asked
from edge.card.manifest import read_key
from edge.card.provision_plan import FILES, KEYS, USERS, Board, Plan, hash_of, plan
from edge.card.provision_toml import asked
from edge.card.sha_crypt import fits
from edge.card.written import Wrong

EMPTY = Board({}, {})


def planned(text: str, board: Board = EMPTY) -> dict[str, str]:
    made, wrong = the_plan(text, board)
    assert wrong == []
    return {file.path: file.text for file in made.files}


def the_plan(text: str, board: Board = EMPTY) -> tuple[Plan, list[Wrong]]:
    found, wrong = asked(text.encode(), False)
    assert [one for one in wrong if not one.only_said] == []
    return plan(found, board, "/data", "provision.toml")


def settings(files: dict[str, str]) -> dict[str, Any]:
    return toml.load(files["config/config.toml"], "x")[0]


def test_each_wish_becomes_its_file() -> None:
    files = planned(
        '[board]\nhostname = "n3"\nid = "N3"\ntimezone = "UTC"\nkeys = ["' + "ab" * 32 + ' ops"]\n'
        '[network.wired]\naddress = "10.0.0.2/8"\ndns = ["9.9.9.9", "1.1.1.1"]\n[time]\nservers = ["a.b", "c.d"]\n'
    )
    assert files == {
        "etc/hostname": "n3\n",
        "etc/id": "N3\n",
        "etc/TZ": "UTC0\n",
        "etc/keys/provisioned-1.pub": "ab" * 32 + " ops\n",
        "etc/network": 'WIRED=static\nADDRESS=10.0.0.2/8\nGATEWAY=\nDNS="9.9.9.9 1.1.1.1"\n',
        "etc/time": 'SERVERS="a.b c.d"\n',
    }
    assert planned('[network]\nwired = "off"\n') == {"etc/network": "WIRED=off\n"}


def test_each_key_is_a_file_that_the_reader_of_keys_takes() -> None:
    files = planned('[board]\nkeys = ["' + "AB" * 32 + ' ops", "' + "cd" * 32 + '"]\n')
    read = [read_key(text, path) for path, text in sorted(files.items())]
    assert [one.public for one in read] == [bytes.fromhex("ab" * 32), bytes.fromhex("cd" * 32)]
    assert read[0].name == "ops"


def test_the_password_is_a_hash_for_both_who_may_log_in_and_nobody_else() -> None:
    shadow = planned('[login]\npassword = "correct horse"\n')["etc/shadow"]
    rows = dict(row.split(":", 2)[:2] for row in shadow.splitlines())
    assert {user for user, word in rows.items() if word != "*"} == set(USERS)
    assert fits(b"correct horse", rows["operator"]) and rows["rescue"] == rows["operator"]
    assert "correct" not in shadow and all(row.count(":") == 8 for row in shadow.splitlines())


def test_the_same_password_again_gives_the_same_file() -> None:
    text = '[login]\npassword = "correct horse"\n'
    first = planned(text)["etc/shadow"]
    assert planned(text, Board({}, {}, first))["etc/shadow"] == first
    other = planned('[login]\npassword = "another horse"\n', Board({}, {}, first))["etc/shadow"]
    assert hash_of(other) != hash_of(first) and not fits(b"correct horse", hash_of(other))


def test_secrets_are_only_in_files_that_nobody_else_reads() -> None:
    text = (
        '[login]\npassword = "correct horse"\n[model]\nname = "chat:x"\nbase_url = "http://h/v1"\nkey = "sk-12345678"\n'
    )
    made, _ = the_plan(text)
    holding = {file.path: file.mode for file in made.files if "sk-12345678" in file.text or "$6$" in file.text}
    assert holding == {"config/model.key": 0o600, "etc/shadow": 0o600}
    assert "sk-1234" not in " ".join(made.said) and "horse" not in " ".join(made.said)
    model = settings({file.path: file.text for file in made.files})["model"]
    assert model == {"name": "chat:x", "base_url": "http://h/v1", "key_file": "/data/config/model.key"}


def test_a_named_table_is_replaced_as_a_whole_and_others_stay() -> None:
    before = {"mode": "full", "outputs": {"old": {"line": "GPIO4"}}, "tools": {"locale": "de"}}
    after = settings(planned('[outputs.pump]\nline = "GPIO17"\n', Board(before, {})))
    assert after["outputs"] == {"pump": {"line": "GPIO17"}} and after["tools"] == {"locale": "de"}
    assert after["mode"] == "full" and after["board"] == "auto"


def test_files_of_a_named_table_that_are_not_asked_for_go() -> None:
    made, _ = the_plan('[board]\nhostname = "n3"\n[model]\nname = "offline"\n', Board({}, {}, "", "sk-12345678\n"))
    assert set(made.gone) == {"etc/id", "etc/TZ", *KEYS, "config/model.key"}
    assert any("taken away" in line for line in made.said)
    assert set(FILES["board"]) >= set(made.gone) - {"config/model.key"}


def test_a_secret_that_was_taken_stays() -> None:
    board = Board({}, {}, "operator:$6$a$b:1::::::\n", "sk-12345678\n")
    files = planned('[login]\npassword = "(taken)"\n[model]\nname = "chat:x"\nkey = "(taken)"\n', board)
    assert files["etc/shadow"] == board.shadow and files["config/model.key"] == board.key
    assert settings(files)["model"]["key_file"] == "/data/config/model.key"
    _, wrong = the_plan('[login]\npassword = "(taken)"\n')
    assert len(wrong) == 1 and "has taken none" in wrong[0].sentence


def test_the_board_is_this_one_when_something_is_wired_unless_it_is_said_otherwise() -> None:
    wired = '[inputs.door]\nline = "GPIO4"\n'
    assert settings(planned(wired))["board"] == "auto"
    assert settings(planned('[sensors.t0]\nhwmon = "lm75"\n'))["board"] == "auto"
    assert settings(planned('[settings]\nboard = "sim"\n' + wired))["board"] == "sim"
    assert "board" not in settings(planned('[tools]\nlocale = "de"\n'))


def test_tables_for_later_are_kept_beside_the_settings() -> None:
    files = planned('[[schedule]]\nat = "10:00"\n', Board({}, {"alarms": {"air": {"over": 30}}}))
    kept = toml.load(files["config/later.toml"], "x")[0]
    assert kept == {"alarms": {"air": {"over": 30}}, "schedule": [{"at": "10:00"}]}
    assert "config/config.toml" not in files


def test_who_asks_for_nothing_changes_nothing() -> None:
    made, wrong = plan(Asked(), Board({"mode": "full"}, {}), "/data", "x")
    assert (made.files, made.gone, made.said, wrong) == ((), (), (), [])
