"""Whole texts, given to the real gate in guarded mode: the case files, and more of every kind in both directions."""

from __future__ import annotations

import pytest

from edge.call import Effect
from edge.record import replace
from tests.support.rows import rows
from tests.support.shell_verdict import SCENE, decision, found, told, verdict

FIXED = rows("shell.tsv")
FIELD = rows("field.tsv")
KINDS = rows("shell_kinds.tsv")


@pytest.mark.parametrize(("text", "expected"), [row[1:3] for row in FIXED], ids=[row[0] for row in FIXED])
def test_every_fixed_case_gets_its_verdict(text: str, expected: str) -> None:
    assert verdict(text) == expected, told(text)


@pytest.mark.parametrize(("text", "expected"), [row[1:3] for row in FIELD], ids=[row[0] for row in FIELD])
def test_every_field_command_gets_its_verdict(text: str, expected: str) -> None:
    assert verdict(text) == expected, told(text)


@pytest.mark.parametrize(("text", "expected"), [row[1:3] for row in KINDS], ids=[row[0] for row in KINDS])
def test_every_kind_gets_its_verdict(text: str, expected: str) -> None:
    assert verdict(text) == expected, told(text)


@pytest.mark.parametrize("text", [row[1] for row in (*FIXED, *FIELD, *KINDS) if row[2] == "deny"])
def test_what_is_denied_stays_denied_behind_more_commands_than_anybody_looks_at(text: str) -> None:
    assert verdict("true\n" * 60 + text) == "deny", told(text)


@pytest.mark.parametrize(
    "text", [row[1] for row in (*FIXED, *FIELD, *KINDS) if row[2] == "allow" and "\n" not in row[1]]
)
def test_what_is_allowed_is_not_when_something_stands_behind_it(text: str) -> None:
    if text.startswith("#") or " # " in text:
        return  # behind a comment nothing stands
    assert verdict(f"{text}; touch M") != "allow", told(f"{text}; touch M")
    assert verdict(f"{text}\nreboot") == "deny", told(f"{text}\nreboot")
    assert verdict(f"echo $({text}\n) $(reboot)") == "deny"


def test_the_modes_read_the_same_findings_differently() -> None:
    assert decision("ls", "readonly").verdict == "deny"
    assert decision("ls", "supervised").verdict == "allow"
    assert decision("make", "supervised").verdict == "deny"
    assert decision("make", "full").verdict == "allow"
    assert decision("reboot", "full").verdict == "ask"
    assert decision("mkfs.ext4 /dev/sda1", "full").verdict == "deny"


def test_findings_name_what_was_found() -> None:
    effects = found("cat notes.txt | sort -o out.txt; cd logs && rm -rf old").effects
    assert Effect("run", "program:cat") in effects
    assert Effect("read", "file:/home/pi/project/notes.txt") in effects
    assert Effect("write", "file:/home/pi/project/out.txt") in effects
    assert Effect("write", "file:/home/pi/project/logs/old", True) in effects


def test_rights_that_cannot_be_gained_are_said_before_anybody_is_asked() -> None:
    made = decision("sudo systemctl restart pump-logger")
    assert made.verdict == "ask" and "sudo gains no rights behind the wall" in made.sentence


def test_text_is_judged_in_the_folder_of_the_scene() -> None:
    assert SCENE.cwd == "/home/pi/project"
    assert verdict("rm -rf project") == "ask"
    assert verdict("rm -rf ../project") == "deny"


def test_what_is_the_agents_own_is_closed_however_it_is_spelled() -> None:
    inner = replace(SCENE, settings=(f"{SCENE.cwd}/fieldhand.toml",), own=(f"{SCENE.cwd}/.key",))
    for text in ("cat .key", "cat .k*", "cp .key x", "cat < .key", "rm fieldhand.toml", "rm *.toml", "rm -rf *"):
        assert decision(text, scene=inner).verdict == "deny", text
    assert decision("cat fieldhand.toml", scene=inner).verdict == "allow"
    assert decision("rm *.o", scene=inner).verdict == "ask"


def test_what_is_told_is_short_and_shows_what_it_holds() -> None:
    for effect in found("x\x1b[2J" + "y" * 5000 + " 'a\x1bb'; ./" + "z" * 3000).effects:
        assert effect.on.isprintable() and effect.detail.isprintable()
        assert len(effect.on) < 5000 and len(effect.detail) < 300
