"""git_operations as the model meets it: what is declared, what the gate says, what comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Fault, UsageFault
from edge.gate.policy import PRESETS
from edge.hands.needs import missing
from edge.registry import find
from tests.support.one_call import judge, world
from tests.support.repos import Bench

TOOL = find("git_operations")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "r").begun()


def test_looking_is_low_and_changing_is_medium(tmp_path: Path) -> None:
    here = world(tmp_path)

    def verdicts(**args: Any) -> list[str]:
        return [judge("git_operations", args, here, preset)[1].verdict for preset in PRESETS]

    for operation in ("status", "diff", "staged", "log", "show", "branch", "stash_list"):
        assert verdicts(operation=operation) == ["allow"] * 4
    for args in (
        {"operation": "add", "paths": "."},
        {"operation": "commit", "message": "m"},
        {"operation": "branch", "ref": "x"},
        {"operation": "checkout", "ref": "x"},
        {"operation": "checkout", "paths": "a b"},
        {"operation": "stash"},
        {"operation": "stash_pop"},
    ):
        assert verdicts(**args) == ["deny", "ask", "ask", "allow"]
        assert judge("git_operations", args, here)[1].risk == "medium"


def test_no_repository_elsewhere_and_no_key_is_changed_or_shown_without_a_question(tmp_path: Path) -> None:
    here = world(tmp_path)

    def verdict(preset: str, **args: Any) -> str:
        return judge("git_operations", args, here, preset)[1].verdict

    for path in ("/etc", "/opt/x", "..", ".git", ".git/hooks", ".git/modules/x", ".ssh", "/"):
        assert verdict("full", operation="commit", message="m", path=path) == "deny"
    assert verdict("guarded", operation="status", path="/opt/x") == "ask"
    for operation in ("diff", "staged", "show", "add"):
        assert verdict("guarded", operation=operation, paths="a .env") == "ask"
        assert verdict("readonly", operation=operation, paths=".env") == "deny"
    assert verdict("full", operation="checkout", paths=".git/config") == "deny"
    assert verdict("full", operation="checkout", paths=".ssh/id_rsa") == "deny"


def test_what_cannot_be_is_said_with_the_right_form(tmp_path: Path) -> None:
    here = world(tmp_path)
    for args, words in (
        ({"operation": "push"}, "operation"),
        ({"operation": "commit"}, "needs message"),
        ({"operation": "commit", "message": " "}, "needs message"),
        ({"operation": "commit", "message": "m", "author": "me"}, "Name <mail>"),
        ({"operation": "commit", "message": "m", "author": "a\nb <c>"}, "Name <mail>"),
        ({"operation": "commit", "message": "m", "paths": "a"}, "takes no paths"),
        ({"operation": "add"}, "needs paths"),
        ({"operation": "add", "paths": "../x"}, "no path"),
        ({"operation": "add", "paths": "/etc/hosts"}, "no path"),
        ({"operation": "add", "paths": "'a"}, "quote"),
        ({"operation": "add", "paths": "a " * 101}, "at most 100"),
        ({"operation": "checkout"}, "ref"),
        ({"operation": "staged", "ref": "a..b"}, "one commit"),
        ({"operation": "log", "limit": 0}, "limit"),
        ({"operation": "commit", "message": "m", "no_verify": True}, "no_verify"),
    ):
        with pytest.raises(UsageFault) as caught:
            judge("git_operations", args, here)
        assert words in str(caught.value), args


def test_no_option_of_git_can_be_said(bench: Bench) -> None:
    for ref in ("--exec=x", "-c", "--no-verify", "@{u}", "HEAD@{1}", "a:b", "a^{tree}", "$(id)", "no"):
        for operation in ("log", "diff", "show", "checkout"):
            assert "revision" in bench.refused(operation, ref=ref)
        if ref not in ("no", "$(id)"):
            assert "cannot be the name" in bench.refused("branch", ref=ref)
    with pytest.raises(Fault):
        bench.ask("checkout", paths="--force")


def test_the_forms_are_those_of_git_in_short(bench: Bench) -> None:
    bench.write("a.txt", "one\n2\nthree\n")
    bench.write("new file", "x\n")
    bench.write("later/x", "x\n")
    assert bench.ask("add", paths="'new file'") == "added 1, removed 0 in the index\nA new file"
    assert bench.ask("status") == "## main\n M a.txt\nA  new file\n?? later/"
    assert bench.ask("status", paths="later") == "## main\n?? later/"
    assert bench.text("git_operations") == bench.ask("status")
    assert bench.ask("diff") == (
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    )
    assert bench.ask("staged").startswith("diff --git a/new file b/new file\nnew file mode 100644\n--- /dev/null\n")
    said = bench.ask("commit", message="second: say more  \n\nand why\n", author="Ann Ode <ann@example.org>")
    assert said.startswith("[main ") and said.endswith("] second: say more\nA new file")
    assert (
        bench.git("log", "-1", "--format=%an <%ae>|%B") == "Ann Ode <ann@example.org>|second: say more\n\nand why\n\n"
    )
    lines = bench.ask("log").split("\n")
    assert lines[0].endswith(" Ann Ode: second: say more") and lines[1][8:] == "2023-11-15 Field Bench: first"
    assert bench.ask("log", limit=1).split("\n")[1].startswith("[more: limit=2, or ref=")
    assert bench.ask("show", ref="HEAD~1").split("\n")[1:3] == [
        "Author: Field Bench <bench@example.org>",
        "Date:   2023-11-15 00:18:20 +0200",
    ]
    assert "nothing is staged" in bench.refused("commit", message="third")
    assert bench.ask("branch", ref="dev/pump").startswith("made the branch dev/pump at ")
    assert "already" in bench.refused("branch", ref="dev") and "beside" in bench.refused("branch", ref="main/x")
    assert [line[:10] for line in bench.ask("branch").split("\n")] == ["  dev/pump", "* main " + lines[0][:3]]
    assert bench.ask("checkout", ref="dev/pump").startswith("now on dev/pump, at ")
    assert "on no branch; 1 file changed" in bench.ask("checkout", ref="HEAD~1")
    bench.alike()


def test_only_what_is_gone_is_brought_back(bench: Bench) -> None:
    (bench.home / "d/c.txt").unlink()
    bench.write("b.txt", "mine\n")
    assert bench.ask("checkout", paths="d") == "brought back 1 file"
    assert (bench.home / "d/c.txt").read_text() == "c\n"
    assert "would be lost: b.txt" in bench.refused("checkout", paths="d b.txt")
    assert (bench.home / "b.txt").read_text() == "mine\n"
    bench.git("commit", "-qam", "second")
    assert bench.ask("checkout", paths="b.txt", ref="HEAD~1") == "brought back 1 file"
    assert bench.git("status", "--porcelain") == "M  b.txt\n"
    assert "staged changes would be lost" in bench.refused("checkout", paths="b.txt", ref="HEAD")


def test_a_long_difference_is_clipped_and_kept_whole(bench: Bench) -> None:
    bench.write("a.txt", "".join(f"line {number}\n" for number in range(3000)))
    found = bench.call("git_operations", operation="diff")
    assert len(found.text.encode()) <= 8192 and "lines shown; name paths]" in found.text
    assert "+line 2999" in found.whole and found.untrusted and "+line 2999" not in found.text
    bench.write("b.txt", b"\0\1")
    bench.write("d/c.txt", "x" * (2 << 20))
    assert "[b.txt: it is binary]" in bench.ask("diff", paths="b.txt d")
    assert "[d/c.txt: it is too large]" in bench.ask("diff", paths="b.txt d")


def test_a_new_repository_and_the_first_commit(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "r")
    assert bench.ask("status").startswith("## No commits yet on main\n")
    assert "no commit yet" in bench.refused("log") and "no commit yet" in bench.refused("stash")
    bench.write("a", "a\n")
    bench.git("config", "--unset", "user.name")
    bench.ask("add", paths=".")
    assert "author='Name <mail>'" in bench.refused("commit", message="first")
    assert "(first commit)" in bench.ask("commit", message="first", author="A <a@b>")
    bench.alike()


def test_without_its_library_the_tool_says_what_is_missing() -> None:
    assert TOOL.needs == ("library:dulwich",)
    assert "pip install 'dulwich" in missing(("library:dulwich",)) or not missing(TOOL.needs)


def test_what_goes_to_the_model_is_small() -> None:
    def bare(value: Any) -> Any:
        left_out = ("minimum", "maximum", "minLength", "maxLength", "additionalProperties")
        return {k: bare(v) for k, v in value.items() if k not in left_out} if isinstance(value, dict) else value

    told = {"name": TOOL.name, "description": TOOL.about, "parameters": bare(TOOL.schema)}
    assert len(json.dumps({"type": "function", "function": told}, separators=(",", ":"))) <= 450
    assert len(TOOL.about.split()) >= 6
