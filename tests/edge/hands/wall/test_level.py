"""The level of the wall is found by acts, keeps its reasons, and closes the agent itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from edge.hands.wall import claims, landlock, level, namespaces, trial

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module", autouse=True)
def _no_keeper_stays():
    yield
    namespaces.end()


def python(code: str, *words: str) -> str:
    """What a new agent prints."""
    text = f"import os, sys; sys.path.insert(0, {str(ROOT)!r})\n" + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", text, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_off_is_off_and_says_who_said_so() -> None:
    found = level.find("off")
    assert found.name == "off" and not found.alone and "sandbox = off" in found.reasons[0]


@pytest.mark.parametrize("most", level.ORDER)
def test_nothing_better_than_was_asked_for_is_found_and_less_has_its_reasons(most: str) -> None:
    found = level.find(at_most=most)
    assert found.name in (*level.ORDER[level.ORDER.index(most) :], "off")
    if found.name != most:
        assert found.reasons and all("(" in reason for reason in found.reasons), "a reason comes with what to do"
    assert found.alone == (os.geteuid() == 0) or found.reasons
    assert level.find(at_most=most) is found, "found once"


def test_what_was_found_is_the_best_that_holds() -> None:
    found = level.find()
    if landlock.version():
        assert found.name == "landlock", found.reasons
    else:
        assert "no Landlock" in found.reasons[0]


def test_a_wall_that_lets_something_through_is_not_that_wall() -> None:
    # Behind no wall every act of QUICK works, so nothing of what a level must stop is stopped.
    came = trial.attempt("off", level.QUICK)
    # The agent's environment was closed by itself (rule 4), which binds everybody but root.
    assert {came[act] for act in level.QUICK if act != "environment"} == {"managed"}
    for name, must in level.MUST.items():
        assert any(came[act] != "stopped" for act in must), name


def test_a_trial_that_is_not_done_in_time_is_told_as_that() -> None:
    with pytest.raises(OSError, match="was not done within 0 s"):
        trial.attempt("off", level.QUICK, seconds=0.0)


def test_acts_that_are_nearly_harmless_are_not_tried_without_a_filter() -> None:
    came = trial.attempt("off", ("mount", "reboot", "clock", "module", "processes", "write"))
    assert came.pop("write") == "managed" and came.pop("user") and set(came.values()) == {"untried"}


def test_nothing_is_left_of_a_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # Landlock's rules are kept for the next call, as many as its own tests allow.
    names = [name for name in ("namespaces", "seccomp") if level.find(at_most=name).name == name]
    before = []
    for _ in range(3):
        for name in names:
            assert trial.attempt(name, level.QUICK)["unix"] == "stopped"
        before.append(len(os.listdir("/proc/self/fd")))
    assert os.listdir(tmp_path) == [] and len(set(before)) == 1


def test_the_agent_is_closed_to_others_of_its_user_from_the_first_use_on() -> None:
    code = """
        import subprocess
        from edge.hands.wall import level
        from edge.tape.leftovers import started
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            import ctypes
            ctypes.CDLL(None).prctl(4, 1)  # a change of user had closed it already
        def look():
            words = ["/bin/sh", "-c", f"cat /proc/{os.getpid()}/environ | wc -c; cat /proc/{os.getpid()}/stat | wc -l"]
            return subprocess.run(words, capture_output=True, text=True).stdout.split()
        before = look()
        level.shield()
        print(int(before[0]) > 0, look()[0], look()[1], started(os.getpid()) > 0, len(os.listdir("/proc/self/fd")) > 2)
    """
    assert python(code).split() == ["True", "0", "1", "True", "True"]


def test_claims_without_a_wall_hold_nothing_that_was_tried() -> None:
    found = level.find("off")
    made = {one.act: one for one in claims.claims(found)}
    assert set(made) == {*claims.WORDS, claims.ENDS}
    held = {act for act, one in made.items() if one.enforced}
    # Limits, and that all ends with a call, need no wall.
    assert held <= {claims.ENDS, "memory", "size", "devices", "ports", "memory_of_agent", "environment"}
    assert {"write", "key", "unix", "network", "users", "signal"}.isdisjoint(held)
    assert all(one.fix for one in made.values() if not one.enforced and not one.absent)
    assert "not even tried" in made["reboot"].sentence and "same uid: key readable" in made["key"].sentence


def test_claims_on_the_best_level_say_what_is_held_and_name_a_real_key(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "audit.key").write_text("a real key\n")
    (state / "audit.key").chmod(0o600)
    found = level.find(state=str(state), roots=(str(tmp_path),))
    made = {one.act: one for one in claims.claims(found, str(state), str(state / "audit.key"))}
    for act in level.MUST.get(found.name, ()):
        assert made[act].enforced, made[act]
    assert [one.enforced for one in made.values() if one.what == "network"] == [True]
