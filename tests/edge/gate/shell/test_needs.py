"""What a text that only reads needs beyond the readable places."""

from __future__ import annotations

import pytest

from edge.call import Grant
from edge.gate.decide import decide
from edge.gate.shell.forms import FORMS, TABLE
from edge.gate.shell.table_system import SUBS
from tests.support.shell_verdict import decision, found

NETLINK = Grant("call", "socket", "netlink")
UNIX = Grant("call", "socket", "unix")

NEEDS = [
    ("ls -l notes.txt", ()),
    ("df -h; free; ps aux", (Grant("read", "system", "run/mount"),)),
    ("ip -br addr", (NETLINK, Grant("read", "system", "run/netns", True))),
    ("vcgencmd measure_temp", (Grant("write", "system", "dev/vcio"), Grant("write", "system", "dev/vchiq"))),
    ("dmesg | tail", (Grant("read", "system", "dev/kmsg"), Grant("call", "capability", "syslog"))),
    ("ls /dev/ttyUSB0", (Grant("list", "system", "dev", True),)),
    ("[ -e /dev/ttyUSB0 ]", ()),
]


@pytest.mark.parametrize(("text", "needs"), NEEDS)
def test_a_program_needs_what_its_row_says(text: str, needs: tuple[Grant, ...]) -> None:
    assert set(found(text).needs) == set(needs)


@pytest.mark.parametrize("text", ["systemctl status ssh", "timedatectl", "loginctl list-sessions", "hostnamectl"])
def test_what_asks_the_service_manager_gets_its_sockets(text: str) -> None:
    needs = found(text).needs
    assert UNIX in needs
    assert {grant.path for grant in needs if grant.root == "system"} >= {"run/dbus", "run/systemd"}


def test_needs_are_granted_only_to_a_text_that_only_reads() -> None:
    permit = decision("ip addr").permit
    assert permit is not None and NETLINK in permit.grants
    asked = decision("ip addr; make")
    assert asked.verdict == "ask" and asked.permit is not None and NETLINK not in asked.permit.grants


def test_needs_stand_without_a_leading_slash_and_name_only_what_the_wall_knows() -> None:
    texts = [f"{name} status" for name in SUBS] + list(TABLE) + ["ip addr", "crontab -l", "i2cdetect -l", "mount"]
    for text in texts:
        for grant in found(text).needs:
            assert not grant.path.startswith("/") and ".." not in grant.path
            assert (grant.verb, grant.root) in {
                ("read", "system"),
                ("write", "system"),
                ("list", "system"),
                ("call", "socket"),
                ("call", "capability"),
            }
            assert grant.root != "socket" or grant.path in ("netlink", "unix", "inet")
            assert grant.verb != "write" or grant.path.startswith("dev/")


def test_every_row_is_used_by_a_form() -> None:
    assert set(TABLE) | set(SUBS) <= set(FORMS)
    assert callable(decide)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("systemctl restart pump-logger", "socket that is closed"),
        ("sudo apt-get install -y minicom", "folders of the system"),
        ("dpkg -i x.deb", "folders of the system"),
        ("systemctl status pump-logger", ""),
        ("dpkg -l", ""),
    ],
)
def test_what_will_fail_behind_the_wall_is_remarked_before_anybody_is_asked(text: str, words: str) -> None:
    remarks = " ".join(found(text).remarks)
    assert (words in remarks) if words else remarks == ""
