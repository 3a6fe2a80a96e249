"""What doctor says to do: on each system its own, and on a card of ours only what one can do there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from edge.cli import doctor_boot, doctor_card, doctor_nodes
from edge.cli.args import parse
from edge.cli.doctor import doctor
from edge.cli.doctor_nodes import Place
from edge.cli.finding import Finding, on_card, remedy
from edge.peripherals.boards.survey import survey
from edge.peripherals.gpiochip.model import Model
from edge.record import replace
from tests.edge.cli.test_doctor_lines import PI3, look

# What a card has not: packages, sudo, users to be added, and an /etc that is kept.
ELSEWHERE = re.compile(
    r"Raspberry Pi OS|Debian|minimal image|sudo|\bapt\b|raspi-config|usermod|addgroup|udev|/etc/|systemd"
)


def test_what_is_the_same_on_all_systems_needs_no_names() -> None:
    assert remedy("a", "a", "a", "c") == "a"


def test_a_card_has_its_own_and_what_holds_everywhere_stays() -> None:
    assert on_card(Finding("x", "absent", "y", remedy("a", "b", "c", "d"))).fix == "d"
    assert on_card(Finding("x", "absent", "y", "reboot")).fix == "reboot"
    assert on_card(Finding("x", "ok", "y")).fix == ""


def worst(root: Path) -> list[Finding]:
    """A board on which nearly everything is missing or shut, looked at as a user who may do nothing."""
    bare, full = root / "bare", root / "full"
    for name in ("dev", "sys/class/watchdog/watchdog0", "sys/class/pwm/pwmchip0", "etc", "boot", "proc/sys/kernel"):
        (full / name).mkdir(parents=True)
    for name in ("gpiochip0", "i2c-1", "ttyS0"):
        (full / "dev" / name).write_text("")
        (full / "dev" / name).chmod(0)
    (full / "sys/class/pwm/pwmchip0/export").write_text("")
    (full / "sys/class/watchdog/watchdog0/state").write_text("inactive\n")
    (full / "proc/sys/kernel/osrelease").write_text("4.19.0\n")
    (full / "proc/cmdline").write_text("console=ttyAMA0\n")
    (full / "etc/group").write_text("gpio:x:60:\ni2c:x:61:\n")
    (full / "boot/config.txt").write_text("dtparam=spi=on\n")
    places = [Place(str(bare), 1000, (), True), Place(str(full), 1000, (), True)]
    other = look(survey(Model("pi3")), replace(PI3, labels=("pinctrl-rp1",)))
    return [one for one in other if one.fix] + [
        one
        for place in places
        for one in (*doctor_nodes.findings(place), *doctor_boot.findings(place, "Raspberry Pi Zero"))
    ]


def test_no_hint_on_a_card_is_for_another_system(tmp_path: Path) -> None:
    found = [one for one in worst(tmp_path) if one.fix]
    assert len(found) >= 12 and sum(bool(ELSEWHERE.search(one.fix)) for one in found) >= 12
    for one in map(on_card, found):
        assert one.fix and not ELSEWHERE.search(one.fix), one


def test_doctor_knows_a_card_by_its_release_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_nodes, "here", lambda needed: Place(str(tmp_path), 0, (), needed))
    said = []
    for release in ("", "PRODUCT=pi-armv6\n"):
        (tmp_path / "etc/fieldhand").mkdir(parents=True, exist_ok=True)
        (tmp_path / "etc/fieldhand/release").write_text(release)
        assert doctor_card.made(doctor_nodes.here(False)) == bool(release)
        doctor(parse(["doctor", "--json", "--state", str(tmp_path / "s")]))
        said.append({row["what"]: row["fix"] for row in json.loads(capfd.readouterr().out)})
    assert "Raspberry Pi OS" in said[0]["watchdog"]
    assert said[1]["watchdog"] == doctor_nodes.THIS_MODEL
