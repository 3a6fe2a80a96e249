from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge import toml
from edge.card.provision_plan import hash_of
from edge.card.provisioning import Result, apply, board_of, count, look, look_at, remember, remembered
from edge.config import load, read_key
from edge.faults import CardFault, ConfigFault
from tests.support.power import Cut, Cutting, tree

WHOLE = """[board]
hostname = "n3"
[login]
password = "correct horse"
[model]
name = "chat:x"
base_url = "http://10.0.0.5/v1"
key = "sk-1234567890"
[inputs.door]
line = "GPIO4"
"""
HASH = "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"


class Bench:
    """A board's folders: the first partition, the data partition, that of a start."""

    def __init__(self, folder: Path) -> None:
        self.first, self.data, self.run = (folder / name for name in ("first", "data", "run"))
        for made in (self.first, self.data, self.run):
            made.mkdir(parents=True)
        self.default = folder / "default.toml"
        self.default.write_text('[tools]\nlocale = "de"\n')

    def start(self, steps: int = -1) -> Result:
        places = (str(self.first), str(self.data), str(self.run), str(self.default))
        return apply(Cutting(steps), *places)

    def write(self, text: str, name: str = "provision.toml") -> None:
        (self.first / name).write_bytes(text.encode())

    @property
    def config(self) -> Path:
        return self.data / "config" / "config.toml"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_what_is_asked_holds_and_its_secrets_leave_the_first_partition(bench: Bench) -> None:
    bench.write(WHOLE)
    result = bench.start()
    assert result.word == "applied"
    settings = load(str(bench.config))
    assert read_key(settings.model, {}) == "sk-1234567890" and settings.board == "auto"
    assert settings.tools.locale == "de"  # the image's own settings are the base of the first ones
    assert os.listdir(bench.first) == ["provision.done.toml"]
    text = (bench.first / "provision.done.toml").read_text() + " ".join(result.lines)
    assert "horse" not in text and "sk-1" not in text
    assert bench.start().word == "nothing"


def test_one_wrong_line_and_nothing_is_taken(bench: Bench) -> None:
    bench.write(WHOLE + "max = 1\n[login2]\n")
    result = bench.start()
    assert result.word == "wrong" and not tree(bench.data) and os.listdir(bench.first) == ["provision.toml"]
    assert result.lines[0].startswith("NOTHING WAS TAKEN")
    assert {line.partition(" ")[0] for line in result.lines[1:]} == {"provision.toml:11:", "provision.toml:12:"}
    bench.write(WHOLE)
    assert bench.start().word == "applied"


def test_a_second_file_changes_the_tables_it_names_and_keeps_secrets_that_stay(bench: Bench) -> None:
    bench.write(WHOLE)
    bench.start()
    shadow = (bench.data / "etc/shadow").read_text()
    bench.write(
        '[board]\nhostname = "n4"\n[model]\nname = "chat:y"\nbase_url = "http://10.0.0.5/v1"\nkey = "(taken)"\n'
    )
    assert bench.start().word == "applied"
    settings = load(str(bench.config))
    assert settings.model.spec == "chat:y" and read_key(settings.model, {}) == "sk-1234567890"
    assert settings.declared is not None and [one.name for one in settings.declared.owned.sensors] == ["door"]
    assert (bench.data / "etc/shadow").read_text() == shadow and (bench.data / "etc/hostname").read_text() == "n4\n"


def test_the_power_may_go_at_any_step(tmp_path: Path) -> None:
    steps, words = 0, []
    while True:
        bench = Bench(tmp_path / str(steps))
        bench.write(WHOLE.replace('password = "correct horse"', f'password_hash = "{HASH}"'))
        try:
            bench.start(steps)
            break
        except Cut:
            words.append(bench.start().word)
        settings = load(str(bench.config))
        assert read_key(settings.model, {}) == "sk-1234567890"
        assert hash_of((bench.data / "etc/shadow").read_text()) == HASH
        left = b"".join((bench.first / name).read_bytes() for name in os.listdir(bench.first))
        assert os.listdir(bench.first) == ["provision.done.toml"] and HASH.encode() not in left and b"sk-1" not in left
        assert sorted(os.listdir(bench.data)) == ["config", "etc"]
        steps += 1
    print(f"{steps} cuts: taken again after {words.count('applied')}, found taken after {words.count('nothing')}")
    assert words.count("applied") > 10 and words.count("nothing") > 1


def test_the_power_may_go_at_any_step_of_several_files_that_are_one(tmp_path: Path) -> None:
    def lay(name: str) -> Bench:
        bench = Bench(tmp_path / name)
        bench.write(f'[login]\npassword_hash = "{HASH[:-1]}0"\n')
        bench.write(f"#cloud-config\nhostname: mine\ntimezone: UTC\npassword: {HASH}\n", "user-data")
        bench.write("instance-id: i-1\nlocal-hostname: nobodys\n", "meta-data")
        return bench

    whole = lay("whole")
    whole.start()
    wanted, steps = tree(whole.data), 0
    assert hash_of(wanted["etc/shadow"]) == f"{HASH[:-1]}0" and wanted["etc/id"] == "i-1\n"
    while True:
        bench = lay(str(steps))
        try:
            bench.start(steps)
            break
        except Cut:
            bench.start()
        assert tree(bench.data) == wanted, f"another result after a cut at step {steps}"
        assert sorted(os.listdir(bench.first)) == sorted(os.listdir(whole.first))
        steps += 1
    assert steps > 20


def test_a_file_that_was_edited_after_a_cut_is_taken(bench: Bench) -> None:
    steps = 0
    while not (bench.data / "provision.taken").exists():
        bench.write("#cloud-config\nhostname: first\n", "user-data")
        bench.write("instance-id: i-1\n", "meta-data")
        with pytest.raises(Cut):
            bench.start(steps)
        steps += 1
    bench.write("#cloud-config\nhostname: second\n", "user-data")
    assert bench.start().word == "applied" and (bench.data / "etc/hostname").read_text() == "second\n"
    assert sorted(os.listdir(bench.first)) == ["meta-data.done", "user-data.done"]


def test_a_data_partition_in_memory_holds_for_this_start_and_nothing_is_consumed(bench: Bench) -> None:
    (bench.run / "boot.txt").write_text("SLOT=a\nVOLATILE=1\n")
    bench.write(WHOLE)
    result = bench.start()
    assert result.word == "kept" and "for this start only" in result.lines[0]
    assert load(str(bench.config)).board == "auto" and (bench.first / "provision.toml").read_text() == WHOLE


def test_the_example_that_asks_for_nothing_stays(bench: Bench) -> None:
    bench.write("# [board]\n#hostname = 'x'\n")
    assert bench.start().word == "nothing" and os.listdir(bench.first) == ["provision.toml"]


def test_the_first_partition_may_be_empty(bench: Bench) -> None:
    assert bench.start() == Result("nothing", ("nothing new was asked for",))


def test_provision_toml_wins_over_cloud_init_table_by_table(bench: Bench) -> None:
    bench.write('[board]\nhostname = "mine"\n')
    bench.write("#cloud-config\nhostname: theirs\ntimezone: UTC\npassword: correct horse\n", "user-data")
    bench.write("version: 2\nethernets:\n  eth0: {dhcp4: true}\n", "network-config")
    result = bench.start()
    assert result.word == "applied" and (bench.data / "etc/hostname").read_text() == "mine\n"
    assert not (bench.data / "etc/TZ").exists() and (bench.data / "etc/network").read_text() == "WIRED=dhcp\n"
    assert "operator:$6$" in (bench.data / "etc/shadow").read_text()
    assert sorted(os.listdir(bench.first)) == ["network-config.done", "provision.done.toml", "user-data.done"]
    assert b"horse" not in (bench.first / "user-data.done").read_bytes()


def test_a_wrong_line_of_cloud_init_stops_all(bench: Bench) -> None:
    bench.write(WHOLE)
    bench.write("#cloud-config\nhostname: -x-\n", "user-data")
    result = bench.start()
    assert result.word == "wrong" and any(line.startswith("user-data:2:") for line in result.lines)


def test_a_file_that_a_laptop_named_otherwise_is_pointed_out(bench: Bench) -> None:
    bench.write(WHOLE, "provision.toml.txt")
    bench.write("#cloud-config\n", "user-data.txt")
    bench.write("x", "provision.done.toml")
    said = " ".join(bench.start().lines)
    assert "provision.toml.txt: is not read" in said and "user-data.txt" in said and "done" not in said


def test_what_is_wrong_only_beside_what_the_board_has_is_told(bench: Bench) -> None:
    bench.write('[outputs.pump]\nline = "GPIO4"\nfeedback = "runs"\n[inputs.runs]\nline = "GPIO5"\n')
    assert bench.start().word == "applied"
    before = tree(bench.data)
    bench.write('[inputs.door]\nline = "GPIO6"\n')
    result = bench.start()
    assert result.word == "wrong" and any("with what the board has in" in line for line in result.lines)
    assert tree(bench.data) == before


def test_settings_that_somebody_broke_do_not_lock_the_board(bench: Bench) -> None:
    bench.config.parent.mkdir()
    bench.config.write_text("[model\n")
    bench.write(WHOLE)
    result = bench.start()
    assert result.word == "applied" and any("could not be read" in line for line in result.lines)
    assert load(str(bench.config)).tools.locale == "de"


def test_no_secret_is_told_even_where_a_line_quotes_it(bench: Bench) -> None:
    bench.write('[login]\npassword = "horse-correct"\n[board]\nhostname = "horse-correct-"\n')
    result = bench.start()
    assert result.word == "wrong" and "horse" not in " ".join(result.lines)


def test_a_key_or_password_under_a_wrong_name_is_told_neither(bench: Bench) -> None:
    long = "hunter2" * 12
    bench.write(f'[model]\nkey_file = "{long}"\n[settings.model]\nname = "x"\n[login]\npasword = "horse-4"\n')
    bench.write('#cloud-config\nhostname: "-horse-4"\n', "user-data")
    result = bench.start()
    told = " ".join(result.lines)
    assert result.word == "wrong" and "model.key_file must be" in told and "host" in told
    assert "hunter2" not in told and "horse-4" not in told


def test_what_cannot_be_read_is_a_fault(bench: Bench, tmp_path: Path) -> None:
    (bench.first / "provision.toml").mkdir()
    with pytest.raises(CardFault, match="cannot be read"):
        look(str(bench.first), True)
    with pytest.raises(CardFault, match="cannot be read"):
        look(f"{tmp_path}/none", True)
    with pytest.raises(ConfigFault, match="there is no"):
        look_at(f"{tmp_path}/none.toml")


def test_one_file_is_looked_at_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "user-data").write_text("#cloud-config\nhostname: n3\n")
    (tmp_path / "mine.toml").write_text(WHOLE)
    assert look_at(f"{tmp_path}/user-data").asked.hostname == "n3"
    assert look_at(f"{tmp_path}/mine.toml").asked.hostname == "n3"
    assert look_at(str(tmp_path)).files == ("user-data",)


def test_starts_are_counted_and_what_was_said_is_remembered(bench: Bench) -> None:
    assert [count(Cutting(), str(bench.data)) for _ in range(3)] == [1, 2, 3]
    (bench.data / "etc/starts").write_text("rubbish")
    assert count(Cutting(), str(bench.data)) == 1
    assert count(Cutting(), f"{bench.data}/none") == 0
    assert remembered(str(bench.run)) == []
    remember(str(bench.run), Result("applied", ("a", "b")))
    assert remembered(str(bench.run)) == ["a", "b"]


def test_what_the_board_has_is_read(bench: Bench) -> None:
    board, said = board_of(str(bench.data), str(bench.default))
    assert board.settings == {"tools": {"locale": "de"}} and said == [] and board.key == ""
    bench.config.parent.mkdir()
    bench.config.write_text('mode = "full"\n')
    (bench.config.parent / "model.key").write_text("sk-x\n")
    board, _ = board_of(str(bench.data), str(bench.default))
    assert board.settings == toml.load('mode = "full"\n', "x")[0] and board.key == "sk-x\n"
