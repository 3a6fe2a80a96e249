"""`fieldhand audit`: exit codes, words, and what leaves the board."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from edge.cli import audit as cli
from edge.cli import verbs
from edge.cli.args import Options, parse
from edge.faults import ConfigFault, UsageFault
from edge.tape.audit import Audit
from edge.tape.audit_key import FIRST_KEY, peek
from tests.support.tape_disks import QuickDisk


@pytest.fixture
def state(tmp_path) -> str:
    audit = Audit.open(str(tmp_path), disk=QuickDisk())
    call = {"tape": "t1", "call": "c1", "tool": "output_set", "args": {"name": "fan"}, "verdict": "allow", "by": "gate"}
    audit.intent(call)
    audit.outcome({**call, "status": "done", "ok": True}, True, True)
    audit.outcome({**call, "call": "c2", "status": "denied", "ok": False, "text": "not\x1b[2J\nallowed"}, True, False)
    audit.note("stop", {"why": "the operator"}, True)
    audit.close()
    return str(tmp_path)


def run(state: str, *argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    options: Options = parse(["audit", *argv])
    code = cli.main(options, state, out, err)
    return code, out.getvalue(), err.getvalue()


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def log(state: str) -> str:
    return state + "/audit/audit-000001.jsonl"


def test_a_sound_log_is_0_and_says_what_was_checked(state: str) -> None:
    code, out, err = run(state, "verify")
    assert (code, out) == (0, "sound: records 1 to 5, 0 of 5 checked by their key\n")
    assert "the first key still lies on this board" in err
    code, out, _ = run(state, "verify", "--key", f"{state}/{FIRST_KEY}")
    assert (code, out) == (0, "sound: records 1 to 5, 5 of 5 checked by their key\n")
    code, out, _ = run(state, "verify", "--from", "4", "--json")
    report = json.loads(out)
    assert (code, report["code"], report["records"], report["problems"]) == (0, 0, 2, [])


def test_a_changed_log_is_1_with_file_line_and_reason(state: str) -> None:
    data = read(log(state))
    with open(log(state), "wb") as file:
        file.write(data.replace(b'"fan"', b'"aux"', 1))
    code, out, _ = run(state, "verify")
    assert code == 1
    assert "audit-000001.jsonl:3: record 3 does not follow the record 2 that stands before it" in out
    assert out.endswith("changed: records 1 to 5, 0 of 5 checked by their key\n")
    code, out, _ = run(state, "verify", "--key", f"{state}/{FIRST_KEY}")
    assert code == 1 and "audit-000001.jsonl:2: record 2 does not bear the mac of its key" in out


def test_a_torn_tail_is_8_and_is_not_touched(state: str) -> None:
    with open(log(state), "ab") as file:
        file.write(b'{"seq":6,"boot')
    size = os.path.getsize(log(state))
    code, out, _ = run(state, "verify")
    assert (code, out[:45]) == (8, "torn: 14 bytes at the end are no record; reco")
    assert os.path.getsize(log(state)) == size


def test_a_missing_key_file_is_1(state: str) -> None:
    os.unlink(state + "/audit.key")
    code, out, _ = run(state, "verify")
    assert code == 1 and "the key file is missing or unreadable" in out


def test_what_is_kept_is_read_though_the_settings_are_damaged(state: str) -> None:
    settings = f"{state}/config.toml"
    with open(settings, "wb") as file:
        file.write(b"\xff\xfe")
    for verb in (verbs.audit, verbs.tape):
        with pytest.raises(ConfigFault):
            verb(parse(["--config", settings]))
        assert verb(parse(["--config", settings, "--state", state])) == 0


def test_where_nothing_was_audited_it_says_so(tmp_path) -> None:
    for words in (("verify",), ("show",), ("key",)):
        code, out, err = run(str(tmp_path), *words)
        assert (code, out) == (0, "") and "nothing was audited yet" in err
    assert os.listdir(tmp_path) == []
    with pytest.raises(UsageFault, match="nothing was audited yet"):
        run(str(tmp_path), "export", str(tmp_path / "x"))


def test_show_prints_the_newest_for_people(state: str) -> None:
    code, out, err = run(state, "show", "3")
    rows = out.splitlines()
    assert (code, len(rows), err) == (0, 3, "")
    assert 'outcome   t1 c1 output_set {"name": "fan"} allow, gate -> done r-' in rows[0]
    assert rows[1].endswith("allow, gate -> denied not | allowed") and "\x1b" not in out
    assert rows[2].endswith('stop      {"why": "the operator"}')
    assert len(run(state, "show", "all")[1].splitlines()) == 5


def test_a_bad_line_is_told_and_passed_over(state: str) -> None:
    lines = read(log(state)).splitlines(True)
    lines[1] = b"\x00\xff torn\n"
    with open(log(state), "wb") as file:
        file.write(b"".join([*lines, b'{"seq":6']))
    code, out, err = run(state, "show", "all", "--json")
    assert code == 0 and [json.loads(row)["seq"] for row in out.splitlines()] == [1, 3, 4, 5]
    assert "audit-000001.jsonl:2 is no record" in err and "audit-000001.jsonl:6 is no record" in err


def test_export_and_the_verifier_stand_alone_and_hold_no_key(state: str, tmp_path) -> None:
    os.mkdir(tmp_path / "out")
    target = str(tmp_path / "out" / "log.jsonl")
    code, _, err = run(state, "export", target)
    assert code == 0 and "python3 verify_audit.py" in err
    secrets = [peek(state).key.hex(), read(f"{state}/{FIRST_KEY}").decode().strip().partition(":")[2]]
    for name in os.listdir(tmp_path / "out"):
        text = read(str(tmp_path / "out" / name)).decode()
        assert not any(secret in text for secret in secrets)
    command = [sys.executable, "-I", "verify_audit.py", "log.jsonl", "--head", "log.jsonl.head"]
    keyed = [*command, "--key", f"{state}/{FIRST_KEY}"]
    for words in (command, keyed):
        ran = subprocess.run(words, cwd=tmp_path / "out", capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "sound: 5\n", "")
    with pytest.raises(UsageFault, match="is there already"):
        run(state, "export", target)
    for words in (command[:3], [*command, "--what", "x"], command[:5]):
        ran = subprocess.run(words, cwd=tmp_path / "out", capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stdout) == (2, "") and "Exit code: 0 sound" in ran.stderr


def test_the_first_key_is_given_once(state: str, tmp_path) -> None:
    code, out, err = run(state, "key")
    assert code == 0 and out.startswith("1:") and len(out) == 67 and "it is erased here" in err
    assert not os.path.exists(f"{state}/{FIRST_KEY}")
    assert run(state, "key")[:2] == (0, "")
    keyfile = tmp_path / "key.txt"
    keyfile.write_text(out)
    for told in (str(keyfile), out.strip(), out.strip()[2:]):
        assert run(state, "verify", "--key", told)[1].endswith("5 of 5 checked by their key\n")


def test_a_noted_head_is_asked_for(state: str) -> None:
    head = peek(state)
    assert run(state, "verify", "--head", f"{head.seq}:{head.hash}")[0] == 0
    assert run(state, "verify", "--head", f"{head.seq}:{'0' * 64}")[0] == 1
    assert run(state, "verify", "--head", f"900:{'0' * 64}")[0] == 1


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["what"], "audit knows no 'what'"),
        (["export"], "audit export needs the name of a new file .for example: fieldhand audit export log.jsonl"),
        (["export", "a", "b"], "audit knows no 'export a b'"),
        (["show", "some"], "wants a number of records or all"),
        (["show", "0"], "wants a number of records or all"),
        (["verify", "--from", "x"], "--from wants the number of a record"),
        (["verify", "--from", "900"], "the log ends with record 5, before --from 900"),
        (["verify", "--key", "/nonexistent"], "--key /nonexistent does not exist"),
        (["verify", "--key", "/dev/null/x"], "--key /dev/null/x does not exist"),
        (["verify", "--key", "12:ab"], "^--key does not exist, and is no key itself"),
        (["verify", "--key", __file__], "test_audit.py holds no key"),
        (["verify", "--head", "5"], "--head wants SEQ:DIGEST"),
        (["show", "--from", "3"], "--from is for audit verify"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(state: str, argv: list[str], why: str) -> None:
    with pytest.raises(UsageFault, match=why):
        run(state, *argv)


def test_its_options_are_for_audit_only() -> None:
    for option in ("--key", "--from", "--head"):
        with pytest.raises(UsageFault, match=f"{option} is for audit"):
            parse(["tools", option, "x"])


def test_a_record_is_cut_only_where_much_would_be_cut(tmp_path) -> None:
    audit = Audit.open(str(tmp_path), disk=QuickDisk())
    audit.note("note", {"text": "a" * 400 + "Z"}, True)
    audit.note("note", {"text": "b" * 600}, True)
    audit.close()
    whole, cut = run(str(tmp_path), "show", "2")[1].splitlines()
    assert whole.endswith("a" * 400 + "Z") and "bytes cut" in cut


def test_on_a_terminal_a_record_is_folded_at_its_width(tmp_path) -> None:
    audit = Audit.open(str(tmp_path), disk=QuickDisk())
    audit.note("note", {"text": "fan and pump " * 30}, True)
    audit.close()

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    cli.show(str(tmp_path), "1", False, out, io.StringIO())
    lines = out.getvalue().splitlines()
    width = os.get_terminal_size(1).columns if os.isatty(1) else 80
    assert len(lines) > 3 and max(map(len, lines)) < width and all(line.startswith("     ") for line in lines[1:])
    assert len(run(str(tmp_path), "show", "1")[1].splitlines()) == 1
