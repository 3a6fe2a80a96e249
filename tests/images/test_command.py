"""The command line of images: help, faults as one sentence with their code, interruption, and what needs no network."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from images.__main__ import VERBS, main
from tests.support.sources import ROOT

FIELDHAND = ROOT / "bin" / "fieldhand"


def ran(*words: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "images", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_help_names_every_verb_and_every_verb_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(len(line) <= 80 for line in told.splitlines()), "a serial console has 80 columns"
    for verb in VERBS:
        assert f"  {verb} " in told
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0 and "usage: fieldhand image" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["bild"], 2, "did you mean build?"),
        (["build", "pi-armv5"], 2, "there is no product 'pi-armv5' (did you mean pi-armv"),
        (["build", "absent.toml"], 3, "absent.toml"),
        (["build", "pi-armv6", "--version", "a b"], 2, "'a b' is no version"),
        (["build", "pi-armv6", "--key", "absent.key"], 1, "absent.key could not be read: no such file"),
        (["build", "pi-armv6", "--pool", "/absent", "--quiet", "--out", "{}"], 1, "/absent"),
        (["key", "new", "absent/b"], 2, "there is no folder absent"),
        (["key", "new", "a b"], 2, "no name of a key"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_its_code(
    words: list[str], code: int, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(tmp_path) for word in words]) == code
    told = capsys.readouterr()
    assert sentence in told.err and told.err.count("\n") == 1 and told.out == ""
    assert list(tmp_path.iterdir()) == []


def test_no_verb_is_a_usage_fault_and_a_word_too_many_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    none = ran()
    assert none.returncode == 2 and "usage:" in none.stderr
    with pytest.raises(SystemExit) as ended:
        main(["build", "pi-armv6", "--keyy", "x"])
    assert ended.value.code == 2 and "--keyy" in capsys.readouterr().err


def test_the_agents_command_hands_on_words_and_code(tmp_path: Path) -> None:
    done = subprocess.run(
        [FIELDHAND, "image", "key", "show", tmp_path / "absent.pub"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and "absent.pub could not be read" in done.stderr and done.stdout == ""
    helped = subprocess.run([FIELDHAND, "image", "build", "--help"], capture_output=True, text=True, timeout=60)
    assert helped.returncode == 0 and "usage: fieldhand image build" in helped.stdout


SLOW = """
import sys, time
from images import __main__, command
from images.workplace import place
from pathlib import Path

def slow(words):
    with place(Path(words[0]), keep=False) as work:
        print(work, flush=True)
        time.sleep(300)

command.main = slow
sys.exit(__main__.main(["build", sys.argv[1]]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_leaves_no_folder(number: signal.Signals, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, tmp_path], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert Path(child.stdout.readline().strip()).is_dir()
        child.send_signal(number)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130 and errors == "fieldhand image: interrupted\n"
    deadline = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_the_locale_cannot_write_and_a_reader_that_leaves_are_no_traceback(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\x1b[2J.img")
    (tmp_path / odd).write_bytes(b"x" * 5000)
    for language in ("C", "C.UTF-8", "de_DE.ISO-8859-1"):
        done = subprocess.run(
            [sys.executable, "-m", "images", "verify", tmp_path / odd, "--unsigned"],
            cwd=ROOT,
            env={**os.environ, "LC_ALL": language, "PYTHONIOENCODING": "latin-1"},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 1 and b"checks failed" in done.stdout and b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
    for words in (["--help"], ["verify", str(tmp_path / odd), "--unsigned"]):
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run(
            [sys.executable, "-m", "images", *words], cwd=ROOT, stdout=writes, stderr=subprocess.PIPE, timeout=60
        )
        os.close(writes)
        assert b"Traceback" not in done.stderr and b"roken pipe" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is not on this machine")
def test_a_full_output_is_told() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "images", "--help"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 1 and b"no space left on device" in done.stderr and done.stderr.count(b"\n") == 1
