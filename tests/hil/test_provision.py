"""A card is told on a laptop what it shall be: the board takes it at its first start, and says so on the card."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.card.layout import CONFIG
from edge.faults import CardFault
from hil import card
from tests.support.emulated import inserted

pytestmark = pytest.mark.emulated
WORD, KEY = "correct horse", "sk-0123456789abcdef"
WISHES = f"""[board]
hostname = "north-3"
[login]
password = "{WORD}"
[network]
wired = {{address = "192.168.7.20/24"}}
[model]
name = "chat:x"
base_url = "http://192.168.7.1/v1"
key = "{KEY}"
"""


def test_a_board_takes_what_lies_on_its_card_and_erases_the_secrets_there(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.put(board.card, CONFIG, "provision.toml", WISHES.replace("\n", "\r\n").encode("utf-16"))
        board.boot()
        board.console.line("rescue")
        board.console.expect("Password: ")
        board.console.line(WORD)
        board.console.expect("# ")
        assert board.console.run("hostname")[1].strip() == "north-3"
        assert board.console.run("cat /data/config/model.key")[1].strip() == KEY
        assert board.console.run("test $(stat -c %a /data/config/model.key /data/etc/shadow | sort -u) = 600")[0] == 0
        assert 'key_file = "/data/config/model.key"' in board.console.run("cat /data/config/config.toml")[1]
        assert "WIRED=static" in board.console.run("cat /data/etc/network")[1]
        assert board.console.run("fieldhand config show >/dev/null")[0] == 0
        board.console.run("sync")
        board.cut()
        done = card.get(board.card, CONFIG, "provision.done.toml")
        status = card.get(board.card, CONFIG, "status.txt").decode()
        assert KEY.encode("utf-16-le") not in done and WORD.encode("utf-16-le") not in done
        assert "taken: provision.toml" in status and "north-3" in status and "set by provisioning" in status
        # On the whole card the word and the key are on the data partition alone: the key there, of the word a hash.
        raw = board.card.read_bytes()[: 172 << 20]
        assert KEY.encode("utf-16-le") not in raw and KEY.encode() not in raw and WORD.encode("utf-16-le") not in raw
        with pytest.raises(CardFault):
            card.get(board.card, CONFIG, "provision.toml")


@pytest.mark.long
def test_a_wrong_line_is_told_on_the_card_and_the_board_comes_up_as_it_was(tmp_path: Path) -> None:
    with inserted("raspi0", tmp_path) as board:
        card.put(board.card, CONFIG, "provision.toml", b'[board]\nhostname = "-north"\n[login]\npasword = "x"\n')
        board.boot()
        board.cut()
        status = card.get(board.card, CONFIG, "status.txt").decode()
        assert "provision.toml:2:" in status and "provision.toml:4:" in status and "THE DEFAULT" in status
        assert card.get(board.card, CONFIG, "provision.toml").startswith(b"[board]")
