"""What somebody may do to the log, and what is seen of it: by the device, with the first key, and by the verifier
that stands alone.

Columns: what the device sees (chain and head), what whoever holds the first key sees, and, for who has the log alone,
what the chain shows. 0 sound, 1 changed, 8 torn. Where the table says 0 the deed is not seen, by design: audit_check.py
says why. The stand-alone verifier must agree, but for what the key on the device alone shows.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable

import pytest

from edge.cli.verifier import TEXT
from edge.tape.audit import Audit
from edge.tape.audit_check import check
from edge.tape.audit_form import digest_of, encode, ratchet, split
from edge.tape.audit_key import FIRST_KEY, NAME, Head, KeyFile, peek
from edge.tape.disk import Disk
from tests.support.audit_logs import alone, kept, keys, verdict
from tests.support.tape_disks import QuickDisk

ROUNDS = 2000 if os.environ.get("FIELDHAND_SOAK") == "1" else 200
LIMITS = (7000, 100, 64)
RECORDS = 60


def written(state: str) -> None:
    """Some sixty records in three files."""
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    for number in range((RECORDS - 5) // 2):
        audit.intent({"call": f"c{number}", "tool": "output_set", "args": {"name": "fan", "state": True}})
        audit.outcome({"call": f"c{number}", "status": "done", "ok": True}, True, True)
    audit.close()


def file(state: str, which: int = -1) -> str:
    folder = os.path.join(state, "audit")
    return os.path.join(folder, sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))[which])


def lines(state: str, which: int = -1) -> list[bytes]:
    with open(file(state, which), "rb") as stream:
        return stream.read().splitlines(True)


def put(state: str, found: list[bytes], which: int = -1) -> None:
    with open(file(state, which), "wb") as stream:
        stream.write(b"".join(found))


def change(act: Callable[[list[bytes]], object], which: int = -1) -> Callable[[str], None]:
    def done(state: str) -> None:
        found = lines(state, which)
        act(found)
        put(state, found, which)

    return done


def edit(found: list[bytes]) -> None:
    assert b'"fan"' in found[3] or b'"fan"' in found[4]
    at = 3 if b'"fan"' in found[3] else 4
    found[at] = found[at].replace(b'"fan"', b'"aux"')


def edit_last(found: list[bytes]) -> None:
    found[-1] = found[-1].replace(b'"done"', b'"dune"')


def swap(found: list[bytes]) -> None:
    found[3], found[4] = found[4], found[3]


def forged(found: list[bytes]) -> None:
    parts = split(found[-1][:-1])
    assert parts is not None
    seq = int(re.match(rb'{"seq":(\d+)', parts[0]).group(1))
    line = encode(seq + 1, "0" * 8, 1.0, 1.0, "note", "", digest_of(found[-1][:-1]), os.urandom(32))[0]
    found.append(line)


def tear(found: list[bytes]) -> None:
    found[-1] = found[-1][:-40]


def rewrite(state: str, since: int, with_head: bool) -> None:
    """All from `since` on written anew with the key of today; with a head to fit, or not.

    Where a file begins depends on how long this machine is up (digits of its time): `since` is well behind that.
    """
    head = peek(state)
    assert head is not None
    found = lines(state)
    key, prev, place = head.key, "", 0
    out = []
    for line in found:
        body = split(line[:-1])[0]
        seq = int(re.match(rb'{"seq":(\d+)', body).group(1))
        if seq >= since:
            text = body[body.index(b',"kind"') :].replace(b'"done"', b'"none"').decode()
            kind = re.match(r',"kind":"(\w+)"', text)
            line, _ = encode(seq, "0" * 8, 1.0, 1.0, kind.group(1), text[kind.end() :], prev, key)
            key = ratchet(key)
        prev, place = digest_of(line[:-1]), seq
        out.append(line)
    put(state, out)
    if with_head:
        keyfile = KeyFile.open(Disk(), state)
        size = sum(map(len, out))
        keyfile.make(Head(place, head.file, size, prev, key, head.boot))
        keyfile.close()


def roll_back(state: str) -> None:
    """Log and key file as they were some records ago."""
    shutil.rmtree(state + "/audit")
    shutil.copytree(state + "/before/audit", state + "/audit")
    shutil.copy(state + "/before/" + NAME, state + "/" + NAME)


def set_clock_back(state: str) -> None:
    class Back(QuickDisk):
        @staticmethod
        def wall() -> float:
            return 1000.0

    audit = Audit.open(state, disk=Back(), limits=LIMITS)
    audit.intent({"call": "later"})
    audit.close()


def two_writers(state: str) -> None:
    audits = [Audit.open(state, disk=QuickDisk(), limits=LIMITS) for _ in range(2)]
    for number in range(30):
        audits[number % 2].intent({"call": f"w{number}"}, number % 5 == 0)
    for audit in audits:
        audit.close()


def lose_key(state: str) -> None:
    """The key file goes, and the agent starts again."""
    os.unlink(f"{state}/{NAME}")
    with open(f"{state}/{FIRST_KEY}") as stream:
        with_first = stream.read()
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    assert "the key file was missing or unreadable" in audit.notice
    audit.close()
    with open(f"{state}/{FIRST_KEY}", "w") as stream:
        stream.write(with_first)  # the operator has only the first


def garbage_key(state: str) -> None:
    with open(f"{state}/{NAME}", "r+b") as stream:
        stream.write(os.urandom(8192))


# name: (what is done, device, with the first key, chain alone, a word of the reason)
TABLE = {
    "nothing": (lambda state: None, 0, 0, 0, ""),
    "edit": (change(edit), 1, 1, 1, "one was changed"),
    "edit of the first file": (change(edit, 0), 1, 1, 1, "one was changed"),
    "edit of the last record": (change(edit_last), 1, 1, 0, "is not the one"),
    "delete": (change(lambda found: found.pop(4)), 1, 1, 1, "something is missing"),
    "swap": (change(swap), 1, 1, 1, "missing|moved"),
    "duplicate": (change(lambda found: found.insert(4, found[4])), 1, 1, 1, "moved, repeated or forged"),
    "replay at the end": (change(lambda found: found.append(found[4])), 1, 1, 1, "moved, repeated or forged"),
    "forged line at the end": (change(forged), 1, 1, 0, "mac of its key"),
    "a line that is none in the middle": (change(lambda found: found.insert(4, b"x\n")), 1, 1, 1, "no record"),
    "torn last line, which the head knows": (change(tear), 1, 1, 8, "no record|cut off"),
    "torn line behind the last": (change(lambda found: found.append(b'{"seq":61,"bo')), 8, 8, 8, ""),
    "zeros behind the last": (change(lambda found: found.append(bytes(500))), 8, 8, 8, ""),
    "tail cut off": (change(lambda found: found.__delitem__(slice(-3, None))), 1, 1, 0, "its end was cut off"),
    "cut to nothing": (change(list.clear), 1, 1, 0, "its end was cut off"),
    "newest file removed": (lambda state: os.unlink(file(state)), 1, 1, 0, "its end was cut off"),
    "oldest file removed": (lambda state: os.unlink(file(state, 0)), 1, 1, 1, "begins with record"),
    "middle file removed": (lambda state: os.unlink(file(state, 1)), 1, 1, 1, "something is missing"),
    "rewritten with the key of today": (lambda state: rewrite(state, RECORDS - 4, False), 1, 1, 0, "is not the one"),
    "rewritten, and the head too": (lambda state: rewrite(state, RECORDS - 4, True), 0, 1, 0, "mac of its key"),
    "log and head rolled back": (roll_back, 0, 0, 0, ""),
    "two writers": (two_writers, 0, 0, 0, ""),
    "clock set back": (set_clock_back, 0, 0, 0, ""),
    "key lost, and a new chain": (lose_key, 0, 1, 0, "which was not given"),
}


@pytest.fixture
def state(tmp_path) -> str:
    made = str(tmp_path / "state")
    os.mkdir(made, 0o700)
    written(made)
    shutil.copytree(made, made + ".before")
    audit = Audit.open(made, disk=QuickDisk(), limits=LIMITS)
    audit.outcome({"call": "c99", "status": "done", "ok": True}, True, True)
    audit.close()
    shutil.move(made + ".before", made + "/before")
    assert len(os.listdir(made + "/audit")) == 4  # three files and the ballast
    return made


@pytest.mark.parametrize("name", TABLE)
def test_every_deed_is_seen_as_designed(state: str, tmp_path, name: str) -> None:
    deed, device, keyed, chain, why = TABLE[name]
    deed(state)
    by_device, by_key = verdict(state), verdict(state, True)
    by_chain = check(os.path.join(state, "audit"))
    assert (by_device.code, by_key.code, by_chain.code) == (device, keyed, chain), (by_device, by_key, by_chain)
    told = "; ".join(by_key.problems)
    assert re.search(why, told) if why else not by_device.problems
    if device == 1 and "removed" not in name and "cut" not in name:
        assert re.search(r"audit-00000\d\.jsonl:\d+: ", told)
    target = str(tmp_path / "out")
    # Whether a record behind the head was added is seen by its key alone, which no export holds.
    assert alone(state, target)[0] == (0 if name == "forged line at the end" else device)
    assert alone(state, target, with_key=True)[0] == keyed
    assert alone(state, target, with_head=False)[0] == chain


def test_a_head_that_was_noted_elsewhere_shows_a_roll_back(state: str) -> None:
    head = peek(state)
    assert head is not None
    noted = ((head.seq, head.hash),)
    assert check(state + "/audit", head, keys(state), 1, noted).code == 0
    roll_back(state)
    report = check(state + "/audit", peek(state), keys(state), 1, noted)
    assert report.code == 1 and "there was a record" in report.problems[0]


def test_a_key_proves_what_came_after_it_and_only_that(state: str) -> None:
    head = peek(state)
    assert head is not None
    report = check(state + "/audit", head, ((30, ratchet(keys(state)[0][1], 29)),))
    assert (report.code, report.records - report.keyed) == (0, 29)
    assert check(state + "/audit", head, ((1, os.urandom(32)),)).code == 1


def test_from_a_number_on_only_the_rest_is_judged(state: str) -> None:
    change(edit, 0)(state)
    assert verdict(state).code == 1
    report = check(state + "/audit", peek(state), keys(state), 30)
    assert (report.code, report.records, report.keyed) == (0, report.last - 29, report.last - 29)


def test_after_a_cut_the_agent_goes_on_and_the_gap_stays_provable(state: str) -> None:
    change(lambda found: found.__delitem__(slice(-3, None)))(state)
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    assert "it should hold" in audit.notice
    audit.intent({"call": "after"})
    audit.close()
    for _ in range(2):
        report = verdict(state, True)
        assert report.code == 1 and "something is missing" in report.problems[0]
        assert any("is an alarm" in remark for remark in report.remarks)
        again = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
        assert again.notice == ""
        again.close()


@pytest.mark.parametrize("lose", [garbage_key, lambda state: os.unlink(f"{state}/{NAME}")], ids=["garbage", "missing"])
def test_without_its_key_a_new_chain_begins_loudly_and_both_keys_prove_both_parts(state: str, lose) -> None:
    lose(state)
    before = len(kept(state))
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    assert f"nothing proves the records up to {before}" in audit.notice
    audit.intent({"call": "after"})
    audit.close()
    assert [record["kind"] for record in kept(state)[before:]] == ["key", "alarm", "intent"]
    report = verdict(state, True)
    assert (report.code, report.keyed) == (0, report.records)
    assert len(keys(state)) == 2


def test_a_cut_while_it_is_in_use_is_an_alarm_at_the_next_record(state: str) -> None:
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    audit.intent({"call": "before"})
    change(lambda found: found.__delitem__(slice(-2, None)))(state)
    audit.intent({"call": "after"})
    assert "it was cut while it was in use" in audit.notice
    audit.close()
    assert verdict(state, True).code == 1


def test_records_that_are_not_on_the_card_yet_are_checked_too(state: str) -> None:
    audit = Audit.open(state, disk=QuickDisk(), limits=LIMITS)
    for number in range(5):
        audit.intent({"call": f"n{number}"}, False)
    assert verdict(state).keyed == 5 and verdict(state).code == 0
    change(edit_last)(state)
    change(lambda found: found.__setitem__(-2, found[-2].replace(b'"n3"', b'"n9"')))(state)
    assert verdict(state).code == 1
    audit.close()


def mutated(found: list[bytes], dice: random.Random) -> list[bytes]:
    """The lines after one to three deeds of somebody who knows the format."""
    found = list(found)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(found))
        line = found[at]
        cut = dice.randrange(len(line))
        other = dice.choice(found)
        deeds = [
            [line[:cut] + bytes([line[cut] ^ 1 << dice.randrange(8)]) + line[cut + 1 :]],
            [line[:cut], line[cut:]],
            [line, line],
            [],
            [other],
            [line, other],
            [line[:-1]],
            [line.replace(b'"mac":"', b'"mac":"0')],
            [re.sub(rb'"seq":\d+', b'"seq":%d' % dice.choice((0, 1, 10**17, 10**30)), line)],
            [re.sub(rb'"kind":"\w+"', b'"kind":"%s"' % dice.choice((b"key", b"begin", b"rotate")), line)],
            [line[:cut] + dice.choice((b"\n", b"\x00" * 50, b'"', b"}", b"[" * 3000)) + line[cut:]],
            [line.replace(b'"call"', b'"until":%s,"hash"' % dice.choice((b"3", b'"x"', b"[]", b"1e999")))],
        ]
        found[at : at + 1] = dice.choice(deeds)
        if not found:
            break
    return b"".join(found).splitlines(True)


def test_no_change_passes_both_verifiers_and_neither_falls_over(tmp_path) -> None:
    apart: dict = {}
    exec(compile(TEXT, "verify_audit.py", "exec"), apart)
    state = str(tmp_path)
    audit = Audit.open(state, disk=QuickDisk())
    for number in range(8):
        audit.intent({"call": f"c{number}", "tool": "output_set"})
        audit.outcome({"call": f"c{number}", "status": "done"}, True, True)
    audit.close()
    dice = random.Random(61)
    whole, head, first = lines(state), peek(state), keys(state)
    assert head is not None
    codes = []
    for _ in range(ROUNDS):
        found = mutated(whole, dice)
        put(state, found)
        report = check(state + "/audit", head, first)
        bad, torn, _ = apart["check"](found, {head.seq: head.hash}, {seq: key.hex() for seq, key in first})
        code = 1 if bad else 8 if torn else 0
        assert (report.code, bool(report.code)) == (code, found != whole), (report, bad, torn)
        assert check(state + "/audit").code in (0, 1, 8)
        codes.append(code)
    print(f"verifiers: {ROUNDS} mutations, {codes.count(1)} changed, {codes.count(8)} torn, {codes.count(0)} as before")
    assert codes.count(1) > ROUNDS // 2
