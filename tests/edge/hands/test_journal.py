"""The journal as a whole: merging, filters, what is told of damage; and files that systemd itself wrote."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.hands import journal as tested
from edge.hands.facts_log import Query
from tests.support.fact_boards import nobody_waits
from tests.support.journals import Writer, journal, start

OTHER = "f" * 32
REMOTE = "/lib/systemd/systemd-journal-remote"


def search(files: list[Path], query: Query) -> dict[str, object]:
    opened = [(os.open(file, os.O_RDONLY), file.name) for file in files]
    try:
        return tested.search(opened, query, nobody_waits)
    finally:
        tested.close(opened)


def written(folder: Path, name: str, made: Writer) -> Path:
    file = folder / name
    file.write_bytes(made.bytes())
    return file


def texts(found: dict[str, object]) -> list[str]:
    return [line.text for line in found["lines"]]  # type: ignore[attr-defined]


def test_the_newest_lines_newest_last(tmp_path: Path) -> None:
    file = written(tmp_path, "a.journal", journal(100))
    found = search([file], Query(2))
    assert texts(found) == ["cron[102]: line 98 of cron", "pump[100]: line 99 of pump"]
    last = found["lines"][-1]  # type: ignore[index]
    assert (last.at, last.priority, last.unit) == (start(99) / 1e6, 6, "pump.service")
    assert found["looked_at"] == 2 and found["damaged"] == [] and found["cut"] == ""


@pytest.mark.parametrize("compact", [False, True])
def test_filters(compact: bool, tmp_path: Path) -> None:
    file = written(tmp_path, "a.journal", journal(100, compact=compact))

    def lines(**asked: object) -> list[int]:
        query = Query(1000, **asked)  # type: ignore[arg-type]
        return [int(text.split()[2]) for text in texts(search([file], query))]

    assert lines(unit="ssh") == lines(unit="ssh.service") == [n for n in range(100) if n % 3 == 1]
    assert lines(priority=3) == [n for n in range(100) if n % 10 == 0] and lines(priority=2) == []
    assert lines(unit="pump", priority=3) == [0, 30, 60, 90] and len(lines(priority=6)) == 100
    assert lines(since=start(97) / 1e6) == [97, 98, 99] and lines(until=start(2) / 1e6) == [0, 1, 2]
    assert lines(text="LINE 4 OF") == [4] and lines(unit="nothing") == [] and lines(boot=OTHER) == []
    assert lines(unit="ssh.socket") == []


def test_files_are_merged_by_time(tmp_path: Path) -> None:
    made = [Writer() for _ in range(3)]
    for place in range(90):
        made[place * 7 % 3].add(start(place), {"MESSAGE": f"m{place}"})
    files = [written(tmp_path, f"{n}.journal", one) for n, one in enumerate(made)]
    assert texts(search(files, Query(40))) == [f"m{n}" for n in range(50, 90)]


def test_old_files_are_not_looked_through_for_new_lines(tmp_path: Path) -> None:
    old, new = Writer(), Writer()
    for place in range(500):
        (old if place < 400 else new).add(start(place), {"MESSAGE": f"m{place}"})
    files = [written(tmp_path, "old.journal", old), written(tmp_path, "new.journal", new)]
    assert search(files, Query(10))["looked_at"] == 10


def test_a_boot_with_a_wrong_clock_hides_nothing(tmp_path: Path) -> None:
    made = Writer()
    for place in range(50):
        made.add(start(place), {"MESSAGE": f"before {place}"})
    for place in range(20):
        made.add(1_000_000 * place, {"MESSAGE": f"no clock {place}"}, OTHER)
    made.add(start(60), {"MESSAGE": "after"})
    file = written(tmp_path, "a.journal", made)
    assert len(texts(search([file], Query(99, since=start(0) / 1e6)))) == 51
    assert len(texts(search([file], Query(99, boot=OTHER)))) == 20


def test_what_is_damaged_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = written(tmp_path, "good.journal", journal(30))
    torn = tmp_path / "torn.journal"
    data = bytearray(journal(30).bytes())
    data[300:2600] = bytes(2300)
    torn.write_bytes(bytes(data))
    bad = tmp_path / "bad.journal"
    bad.write_bytes(b"nothing of a journal" * 100)
    found = search([good, torn, bad], Query(100))
    assert "bad.journal" in found["damaged"] and "torn.journal" in found["damaged"]  # type: ignore[operator]
    assert len(texts(found)) >= 30


def test_a_message_that_cannot_be_unpacked_is_told(tmp_path: Path) -> None:
    made = Writer(pack="zstd")
    made.add(start(0), {"MESSAGE": "long " * 200, "SYSLOG_IDENTIFIER": "app"})
    made.add(start(1), {"SYSLOG_IDENTIFIER": "app"})
    assert texts(search([written(tmp_path, "a.journal", made)], Query(9))) == [
        "app: [message compressed by zstd, which is not readable here]",
        "app: [no message]",
    ]


def test_a_late_call_stops_and_says_so(tmp_path: Path) -> None:
    file = written(tmp_path, "a.journal", journal(1000))
    descriptor = os.open(file, os.O_RDONLY)
    found = tested.search([(descriptor, "a")], Query(2000), lambda: "because it was late")
    os.close(descriptor)
    assert found["cut"] and found["looked_at"] == tested.LOOK


EXPORT = "".join(
    f"__REALTIME_TIMESTAMP={start(n)}\n__MONOTONIC_TIMESTAMP={n * 1000000}\n_BOOT_ID={'ab' * 16}\n"
    f"MESSAGE=line {n}{' filled' * 200 if n == 7 else ''}\nPRIORITY={n % 8}\nSYSLOG_IDENTIFIER=app\n"
    f"_SYSTEMD_UNIT={'odd' if n % 2 else 'even'}.service\n\n"
    for n in range(60)
)


@pytest.mark.skipif(not Path(REMOTE).exists(), reason="systemd's own writer of journals is not installed")
@pytest.mark.parametrize("compact", ["0", "1"])
@pytest.mark.parametrize("keyed", ["0", "1"])
def test_files_of_systemd_itself(compact: str, keyed: str, tmp_path: Path) -> None:
    setting = {"SYSTEMD_JOURNAL_COMPACT": compact, "SYSTEMD_JOURNAL_KEYED_HASH": keyed}
    file = tmp_path / "remote.journal"
    subprocess.run(
        [REMOTE, "-o", str(file), "-"], input=EXPORT.encode(), env=setting, check=True, capture_output=True, timeout=60
    )
    found = search([file], Query(100))
    filled = {7: " filled" * 200}  # long enough to be packed, in whatever way this systemd does
    assert texts(found) == [f"app: line {n}{filled.get(n, '')}" for n in range(60)]
    assert texts(search([file], Query(3, unit="odd"))) == [f"app: line {n}" for n in (55, 57, 59)]
    assert len(texts(search([file], Query(99, priority=1)))) == 16
    if shutil.which("journalctl"):
        command = [
            "journalctl",
            f"--file={file}",
            "-o",
            "cat",
            "--no-pager",
            "-p",
            "3",
            "-u",
            "even.service",
            "-n",
            "9",
        ]
        native = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout.decode().splitlines()
        own = [text[5:] for text in texts(search([file], Query(9, unit="even", priority=3)))]
        assert own == native
