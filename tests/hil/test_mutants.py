"""Mutants fit the sources they break, and a run of theirs is judged by what failed and why. No board is started."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from edge.faults import CardFault, UsageFault
from edge.record import replace
from hil.mutants import MUTANTS, Mutant
from hil.mutants import __main__ as runner
from hil.mutants import product as products
from tests.support.sources import ROOT

ONE = Mutant("one", "it is broken", "edge/x.py", (("on\n", "off\n"),), ("tests/x.py::test_a",), r"is off")
REPORT = """<testsuites><testsuite>
<testcase name="test_a"><failure message="assert on">it is off</failure><system-out>and more</system-out></testcase>
<testcase name="test_b[raspi3b]" />
<testcase name="test_c"><error message="no board" /></testcase>
<testcase name="test_d"><skipped message="not here" /></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_its_source_and_names_tests_that_are_there(mutant: Mutant) -> None:
    source = (ROOT / mutant.file).read_text("utf-8")
    text = products.broken(mutant, source)
    assert text != source and ast.dump(ast.parse(text)) != ast.dump(ast.parse(source))
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text("utf-8")


@pytest.mark.parametrize("text", ["off\n", "on\non\n"])
def test_a_source_that_was_rewritten_is_a_fault(text: str) -> None:
    with pytest.raises(UsageFault, match=r"the mutant one fits edge/x\.py no more: 'on' is there [02] times"):
        products.broken(ONE, text)


def test_byte_code_is_known_by_the_source_it_was_made_of(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("state = 1\n")
    for mode, same in (("unchecked-hash", True), ("timestamp", False)):
        command = [sys.executable, "-m", "compileall", "-q", "-b", "-f", f"--invalidation-mode={mode}", str(source)]
        subprocess.run(command, check=True)
        assert products.made_of(tmp_path / "x.pyc", source.read_bytes()) is same
        assert not products.made_of(tmp_path / "x.pyc", b"state = 2\n")


def test_without_an_image_there_is_no_mutant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path))
    with pytest.raises(CardFault, match="there is no image of pi-arm64"):
        products.image(ONE, tmp_path / "made")


def test_a_report_says_what_became_of_each_test() -> None:
    found = runner.outcomes(REPORT)
    assert {name: state for name, (state, _) in found.items()} == {
        **{"test_a": "failed", "test_b[raspi3b]": "passed"},
        **{"test_c": "error", "test_d": "skipped"},
    }
    assert found["test_a"][1].split() == ["assert", "on", "it", "is", "off", "and", "more"]


@pytest.mark.parametrize(
    ("state", "said", "why"),
    [
        ("failed", "the fan is off", ""),
        ("failed", "no board", "failed, but did not say 'is off': no board"),
        ("passed", "", "passed: the broken product was not caught"),
        ("error", "the fan is off", "error: the broken product was not caught"),
        ("absent", "", "absent: the broken product was not caught"),
    ],
)
def test_only_a_failure_that_says_why_catches_a_mutant(state: str, said: str, why: str) -> None:
    assert runner.judged(ONE, {"test_a": (state, said)}).endswith(why)
    assert bool(runner.judged(ONE, {"test_a": (state, said)})) is bool(why)


def test_one_that_is_not_caught_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {"one": ("failed", "it is off"), "two": ("passed", ""), "whole": ("passed", "")}
    monkeypatch.setattr(runner, "MUTANTS", (ONE, replace(ONE, name="two")))
    monkeypatch.setattr(runner, "image", lambda mutant, place: Path(mutant.name))
    monkeypatch.setattr(runner, "tested", lambda images, tests, report: dict.fromkeys(tests, ends[images.name]))
    assert (runner.main(["one"]), runner.main([]), runner.main(["three"])) == (0, 1, 2)
    said = capsys.readouterr().out
    assert "1 mutants, all caught" in said and "2 mutants, 1 runs not as they should be" in said
    assert "there is no mutant three (known: one, two)" in said


def test_tests_that_fail_with_nothing_broken_say_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(runner, "image", lambda mutant, place: Path(mutant.name))
    monkeypatch.setattr(
        runner, "tested", lambda images, tests, report: dict.fromkeys(tests, ("failed", f"{images} is off"))
    )
    assert runner.sound([ONE], tmp_path) == "tests/x.py::test_a failed with nothing broken: whole is off"
