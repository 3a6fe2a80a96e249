from __future__ import annotations

from pathlib import Path

import pytest

from edge.cli.args import Options
from edge.cli.provision import provision
from edge.faults import CardFault, UsageFault

RIGHT = '[board]\nhostname = "n3"\n[login]\npassword = "correct horse"\n'


def run(*words: str) -> int:
    return provision(Options(words=words))


def test_a_right_file_is_all_right_and_stays_as_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "provision.toml"
    file.write_text(RIGHT)
    assert run("check", str(file)) == 0
    assert capfd.readouterr().out == "all right; it sets: board, login\n" and file.read_text() == RIGHT
    assert run("check", str(tmp_path)) == 0
    file.write_text("# nothing\n")
    assert run("check", str(file)) == 0
    assert "asks for nothing" in capfd.readouterr().out


def test_every_fault_is_a_line_with_its_number(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[board]\nhostname = "-x-"\n[wifi]\nssid = "x"\n[login]\npasword = "correct horse"\n')
    assert run("check", str(file)) == 3
    rows = capfd.readouterr().out.splitlines()
    assert rows[0].startswith("mine.toml:2: ") and rows[1].startswith("mine.toml:6: ") and "password" in rows[1]
    assert rows[2].startswith("note: mine.toml:3: ") and rows[3].startswith("2 lines are wrong")


def test_a_key_behind_key_file_is_not_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "provision.toml").write_text('[model]\nkey_file = "hunter2hunter2"\n')
    assert run("check", str(tmp_path)) == 3
    told = capfd.readouterr().out
    assert told.startswith("provision.toml:2: model.key_file must be") and "hunter2" not in told


def test_it_is_taken_and_told_in_status_txt(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first, data = tmp_path / "first", tmp_path / "data"
    first.mkdir()
    data.mkdir()
    (first / "provision.toml").write_text(RIGHT)
    assert run("apply", str(first), str(data)) == 0
    page = (first / "status.txt").read_bytes()
    assert b"taken: provision.toml" in page and b"host name: n3" in page and b"start 1 of this board" in page
    assert b"password: set by provisioning" in page and b"horse" not in page and b"\r\n" in page
    assert "taken: provision.toml" in capfd.readouterr().err
    assert run("apply", str(first), str(data)) == 0
    assert b"start 2 of this board" in (first / "status.txt").read_bytes()
    (data / "boot.txt").write_text("HEALTH=failed\nHEALTH=ok\n")
    assert run("status", str(first), str(data)) == 0
    assert "HEALTH=failed" not in (first / "status.txt").read_text()
    assert "hostname: n3" in capfd.readouterr().out


def test_a_wrong_file_is_told_and_the_default_password_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "provision.toml").write_text("[bord]\n")
    assert run("apply", str(tmp_path), str(tmp_path)) == 3
    page = (tmp_path / "status.txt").read_text()
    assert "provision.toml:1: there is no table [bord] (did you mean board?)" in page and "THE DEFAULT" in page
    assert "NOTHING WAS TAKEN" in capfd.readouterr().err


def test_a_first_partition_that_cannot_be_written_stops_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "status.txt").mkdir()
    assert run("apply", str(tmp_path), str(tmp_path)) == 0
    assert "status.txt cannot be written" in capfd.readouterr().err


@pytest.mark.parametrize(
    "words", [(), ("aply",), ("check",), ("check", "a", "b"), ("apply", "/none"), ("status", "/none")]
)
def test_what_is_not_understood_is_a_usage_fault(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageFault):
        run(*words)


def test_what_a_cut_left_half_done_is_finished_even_without_a_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "fieldhand.slot=" in Path("/proc/cmdline").read_text():
        pytest.skip("this board runs from such a card")
    (tmp_path / "provision.ready" / "etc").mkdir(parents=True)
    (tmp_path / "provision.ready" / "etc" / "hostname").write_text("n3\n")
    monkeypatch.setattr("edge.cli.provision.DATA", str(tmp_path))
    with pytest.raises(CardFault):
        run("apply")
    assert (tmp_path / "etc" / "hostname").read_text() == "n3\n" and not (tmp_path / "provision.ready").exists()


def test_without_a_card_it_says_what_it_is_for() -> None:
    if "fieldhand.slot=" in Path("/proc/cmdline").read_text():
        pytest.skip("this board runs from such a card")
    with pytest.raises(CardFault, match=r"no card of ours \(.*provision apply FOLDER DATA"):
        run("apply")
