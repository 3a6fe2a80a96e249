"""Secrets on command lines."""

from __future__ import annotations

import pytest

from edge.hands.facts_words import MARK, hidden

HIDDEN = [
    "app --password hunter2secret",
    "app --password=hunter2secret",
    "app -password hunter2secret",
    "app --db-password hunter2secret --verbose",
    "app --api-key hunter2secret",
    "app --apikey=hunter2secret",
    "app --access_token hunter2secret",
    "app --client.secret=hunter2secret",
    "env DB_PASSWORD=hunter2secret run",
    "env API_KEY=hunter2secret run",
    "env PGPASSWORD=hunter2secret run",
    "sshpass -p hunter2secret ssh host",
    "sshpass -phunter2secret ssh host",
    "/usr/bin/mysql -u root -phunter2secret",
    "mosquitto_pub -h h -u me -P hunter2secret -t a",
    "curl -u me:hunter2secret http://h/",
    "curl -H Authorization:\x00Bearer\x00hunter2secret",
    "git clone https://me:hunter2secret@host/x.git",
    "app mqtt://me:hunter2secret@host:1883",
    "app postgres://me:hunter2secret@h/db?sslmode=on",
    "app https://h/x?token=hunter2secret&y=1",
    "app --psk hunter2secret",
    "app --private-key=hunter2secret",
    "openssl enc -k hunter2secret",
    "sudo mysql -u root -phunter2secret",
    "timeout 9 /usr/bin/sshpass -p hunter2secret ssh h",
    "sh -c curl\x00-u\x00me:hunter2secret\x00http://h/",
    "sh -c A=b\x00app\x00--token\x00hunter2secret\x00;\x00x",
    "sh -c curl\x00https://me:hunter2secret@h/",
    "sh -c TOKEN=hunter2secret\x00curl\x00-H\x00'Authorization:\x00Bearer\x00hunter2secret'",
]


@pytest.mark.parametrize("command", HIDDEN)
def test_a_secret_is_hidden_and_the_option_stays(command: str) -> None:
    words = [word.replace("\0", " ") for word in command.split(" ")]
    found = hidden(words)
    assert "hunter2secret" not in " ".join(found) and MARK in " ".join(found)
    assert found[0] == words[0] and len(found) == len(words)


@pytest.mark.parametrize(
    "command",
    [
        "sshd -D",
        "app --password-file /etc/x",
        "app --key-file=/etc/x",
        "app --keyboard us",
        "app --monkey=banana",
        "app --token-path x --verbose",
        "python3 tokenizer.py input=3",
        "mysql -u root",
        "ssh -p 2222 host",
        "app https://host/path?x=1",
        "app user@host",
        "grep pass /etc/passwd",
        "",
    ],
)
def test_what_is_no_secret_stays_as_it_is(command: str) -> None:
    assert hidden(command.split(" ")) == command.split(" ")


def test_an_option_that_follows_another_is_no_value() -> None:
    assert hidden(["app", "--password", "--token", "abc"]) == ["app", "--password", "--token", MARK]
    assert hidden([]) == []
