"""grep as the model meets it: a file, a tree, context, counts, caps, and what is not searched."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.faults import Fault, ToolFault, UsageFault
from edge.gate.policy import PRESETS
from edge.tools import grep_scan, grep_show
from edge.tools.grep import MOST, MOST_EVER, wanted
from tests.support.one_call import carry, judge, world

ROUNDS = 10_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 1_000


def grep(folder: Path, pattern: str, **args: Any) -> Observation:
    return carry("grep", {"pattern": pattern, **args}, world(folder))


def lines(folder: Path, pattern: str, **args: Any) -> list[str]:
    return grep(folder, pattern, **args).text.split("\n")


def fact(seen: Observation, name: str) -> Any:
    assert seen.data is not None
    return seen.data[name]


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    """Ten lines a file: `line N of PATH`."""
    for path in ("a.py", "b.txt", "src/x.py", "src/deep/y.c", ".hidden.py", ".env", "src/token.json"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("".join(f"line {number} of {path}\n" for number in range(1, 11)))
    return tmp_path


def test_one_file_gives_numbers_and_text(tree: Path) -> None:
    seen = grep(tree, "line [37]", path="a.py")
    assert seen.ok and seen.untrusted and seen.text == "3:line 3 of a.py\n7:line 7 of a.py"
    assert fact(seen, "hits") == 2 and fact(seen, "found")[0] == ["a.py", 3, "line 3 of a.py"]


def test_context_is_marked_merged_parted_and_held_to_twenty(tree: Path) -> None:
    assert lines(tree, "line 2|line 4 ", path="a.py", context=1) == [
        *("1-line 1 of a.py", "2:line 2 of a.py", "3-line 3 of a.py", "4:line 4 of a.py", "5-line 5 of a.py"),
    ]
    assert lines(tree, "line [29]", path="a.py", context=1)[3:5] == ["--", "8-line 8 of a.py"]
    assert lines(tree, "line 5", path="a.py", flags="A1") == ["5:line 5 of a.py", "6-line 6 of a.py"]
    assert lines(tree, "line 5", path="a.py", flags="-B 2")[:2] == ["3-line 3 of a.py", "4-line 4 of a.py"]
    (tree / "long").write_text("".join(f"{number}\n" for number in range(100)))
    for context, shown in ((-3, 1), (0, 1), (19, 39), (20, 41), (21, 41), (10**9, 41)):
        assert len(lines(tree, "^50$", path="long", context=context)) == shown


def test_a_tree_is_told_file_by_file_below_its_path(tree: Path) -> None:
    seen = grep(tree, "line 3")
    assert seen.text.split("\n") == [
        *("a.py", "3:line 3 of a.py", "b.txt", "3:line 3 of b.txt", "src/x.py", "3:line 3 of src/x.py"),
        *("src/deep/y.c", "3:line 3 of src/deep/y.c", "[left out: 1 with keys or private]"),
    ]
    assert fact(seen, "left_out") == {"hidden": 2, "private": 1}
    assert lines(tree, "line 3", path="src/")[0] == "src/x.py"
    assert lines(tree, "line 3", path=str(tree / "src"))[0] == f"{tree}/src/x.py"


def test_include_takes_and_drops_names(tree: Path) -> None:
    def files(include: str, **args: Any) -> list[str]:
        return [path for path, _ in fact(grep(tree, "line 1 ", include=include, output="files", **args), "found")]

    assert files("*.py") == ["a.py", "src/x.py"]
    assert files("*.{py,c} !x*") == ["a.py", "src/deep/y.c"]
    assert files("!*.py") == ["b.txt", "src/deep/y.c"]
    assert files("src/**") == ["src/x.py", "src/deep/y.c"]
    assert files("*.py", flags=".") == [".hidden.py", "a.py", "src/x.py"]


def test_files_and_counts(tree: Path) -> None:
    assert lines(tree, "line 1", output="files", path="src")[:2] == ["src/x.py", "src/deep/y.c"]
    assert lines(tree, "line 1", output="count", path="src")[:2] == ["src/x.py:2", "src/deep/y.c:2"]
    assert lines(tree, "line 1", output="count", path="a.py") == ["2"]
    assert lines(tree, "line 1", flags="c", path="a.py") == ["2"] and lines(tree, "line", flags="-l", path="a.py") == [
        "a.py"
    ]


def test_case_words_letters_invert_and_several_patterns(tree: Path) -> None:
    assert lines(tree, "LINE 3", path="a.py", ignore_case=True) == ["3:line 3 of a.py"]
    assert lines(tree, "LINE 3", path="a.py", flags="-i") == ["3:line 3 of a.py"]
    assert lines(tree, "line 1", path="a.py", flags="w") == ["1:line 1 of a.py"]
    assert "no match" in grep(tree, "line .", path="a.py", flags="F").text
    assert lines(tree, "a.py", path="a.py", flags="F m1")[0] == "1:line 1 of a.py"
    assert lines(tree, "line [1-8]", path="a.py", flags="v") == ["9:line 9 of a.py"]
    assert lines(tree, "line 2\nline 4", path="a.py") == ["2:line 2 of a.py", "4:line 4 of a.py"]


def test_flags_are_read_as_grep_has_them_and_others_are_a_sentence() -> None:
    for flags, before, after, most in (
        ("-A 3 -B1", 1, 3, MOST),
        ("C2", 2, 2, MOST),
        ("C2A5", 2, 5, MOST),
        ("A99", 0, 20, MOST),
        ("m0", 0, 0, 1),
        ("-nrE, m5000", 0, 0, MOST_EVER),
    ):
        want = wanted({"pattern": "x", "flags": flags})
        assert (want.before, want.after, want.most) == (before, after, most), flags
    for flags in ("o", "-P", "A", "A-1", "é", "mm", "m"):
        with pytest.raises(UsageFault):
            wanted({"pattern": "x", "flags": flags})


def test_no_hit_says_what_was_searched(tree: Path) -> None:
    (tree / "bin").write_bytes(b"\0line")
    seen = grep(tree, "nothing")
    assert seen.ok and seen.text.split("\n") == [
        f"no match in 5 files below . ({fact(seen, 'bytes'):,} bytes)",
        "[1 binary file not searched; flags=a does]",
        "[left out: 2 hidden (flags=.), 1 with keys or private]",
    ]
    assert lines(tree, "nothing", path="a.py") == ["no match in a.py (151 bytes)"]
    assert lines(tree, "line", path="bin") == [
        "no match in bin (5 bytes)",
        "[1 binary file not searched; flags=a does]",
    ]
    assert lines(tree, "line", path="bin", output="count", flags="a") == ["1"]


@pytest.mark.parametrize(
    ("hits", "most", "shown"), [(9, 10, 9), (10, 10, 10), (11, 10, 10), (201, 0, 200), (200, 0, 200)]
)
def test_a_cap_of_hits_says_how_many_more_there_are(hits: int, most: int, shown: int, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x\n" * hits)
    seen = lines(tmp_path, "x", path="f", **({"flags": f"m{most}"} if most else {}))
    assert sum(line.endswith(":x") for line in seen) == shown
    assert seen[shown:] == ([f"[{hits - shown} more hit; narrow it]"] if hits > shown else [])


def test_a_cap_in_a_tree_says_in_how_many_more_files(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"f{number}").write_text("x\n" * 3)
    assert lines(tmp_path, "x", flags="m7")[-1] == "[20 more hits in 6 more files; narrow it]"
    assert lines(tmp_path, "x", flags="l m7")[-1] == "[2 more files with hits; narrow it]"
    assert len(fact(grep(tmp_path, "x", flags="c m7"), "found")) == 7


def test_the_text_stays_below_8_kb(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(("x" * 99 + "\n") * 1000)
    seen = grep(tmp_path, "x", path="f", flags="m1000", context=3)
    assert 7000 < len(seen.text.encode()) < 8192 and fact(seen, "hits") == 1000
    assert seen.text.endswith(f"[{1000 - fact(seen, 'shown')} more hits; narrow it]")


@pytest.mark.parametrize("length", [grep_show.WIDE - 1, grep_show.WIDE, grep_show.WIDE + 1, 60_000])
def test_a_long_line_is_cut_around_what_matched(length: int, tmp_path: Path) -> None:
    at = length * 3 // 4
    (tmp_path / "f").write_text("." * at + "PUMP" + "." * (length - at - 4) + "\n")
    (line,) = lines(tmp_path, "PUMP", path="f")
    assert "PUMP" in line and len(line) < grep_show.WIDE + 60
    assert (f"[line cut, {length:,} bytes]" in line) is (length > grep_show.WIDE)


@pytest.mark.parametrize("block", [64, 100, 4096])
def test_a_large_file_in_blocks_gives_what_a_small_one_gives(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(block)
    (tmp_path / "f").write_text("".join(f"{chance.choice(('pump', 'valve', ''))} {number}\n" for number in range(900)))
    asked = [{"context": 3}, {"flags": "v A2"}, {"flags": "B20 m40"}, {"output": "count"}, {"output": "files"}]
    whole = [lines(tmp_path, "pump .*[1-3]7$", path="f", **args) for args in asked]
    monkeypatch.setattr("edge.hands.tree.WHOLE", 1)
    monkeypatch.setattr("edge.hands.tree.BLOCK", block)
    assert [lines(tmp_path, "pump .*[1-3]7$", path="f", **args) for args in asked] == whole


def test_one_line_longer_than_memory_should_hold_is_searched_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep_scan, "LONG", 20_000)
    monkeypatch.setattr("edge.hands.tree.WHOLE", 1)
    monkeypatch.setattr("edge.hands.tree.BLOCK", 9_000)
    (tmp_path / "f").write_text("first\n" + "." * 100_000 + "PUMP" + "." * 100_000 + "\nlast PUMP\n")
    seen = lines(tmp_path, "PUMP", path="f", context=1)
    assert seen[0] == "1-first" and seen[1].startswith("2:...") and "PUMP" in seen[1] and seen[2] == "3:last PUMP"
    assert "searched in pieces" in seen[3]
    assert lines(tmp_path, "PUMP", path="f", output="count")[0] == "2"
    assert lines(tmp_path, "PUMP", path="f", flags="v")[0] == "1:first"
    (tmp_path / "f").write_text("." * 100_000 + "PUMP")
    assert lines(tmp_path, "PUMP$", path="f", output="count")[0] == "1"


def test_packed_logs_are_searched_and_broken_ones_are_told(tmp_path: Path) -> None:
    log = "".join(f"boot {number}\n" for number in range(40_000)).encode()
    (tmp_path / "syslog.1.gz").write_bytes(gzip.compress(log))
    (tmp_path / "bad.gz").write_bytes(gzip.compress(log)[:-9])
    (tmp_path / "tar.gz").write_bytes(gzip.compress(b"name\0\0\0 boot 39999"))
    seen = lines(tmp_path, "boot 39999$", output="count")
    assert seen[:2] == ["bad.gz:1", "syslog.1.gz:1"] and "1 binary file" in seen[2] and "bad.gz: what gzip" in seen[3]


def test_files_of_the_kernel_and_fifos(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    here = world(tmp_path)
    assert ":processor" in carry("grep", {"pattern": "^processor", "path": "/proc/cpuinfo"}, here).text.lower() or (
        "no match" not in carry("grep", {"pattern": ".", "path": "/proc/cpuinfo"}, here).text
    )
    assert "no match in 0 files" in carry("grep", {"pattern": "x"}, here).text
    with pytest.raises(ToolFault, match="no regular file"):
        carry("grep", {"pattern": "x", "path": "fifo"}, here)


def test_bytes_that_are_no_text_and_carriage_returns(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"gr\xfc\xdfe pump\r\n\xe6\xb8\xa9 pump\r\n\xff\xfe\n")
    assert lines(tmp_path, "pump", path="f") == ["1:gr\ufffd\ufffde pump", "2:\u6e29 pump"]
    assert lines(tmp_path, "温", path="f") == ["2:\u6e29 pump"]


@pytest.mark.parametrize("preset", PRESETS)
def test_it_only_reads_and_every_preset_lets_it(preset: str, tree: Path) -> None:
    decision = judge("grep", {"pattern": "x"}, world(tree), preset)[1]
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert carry("grep", {"pattern": "line 3", "path": "a.py"}, world(tree), preset).ok


def test_a_search_that_is_cut_or_late_gives_what_it_has(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.hands.tree._SHARE", 0.0)
    seen = grep(tree, "line 3")
    assert seen.ok and fact(seen, "hits") == 0 and "[not all was looked at: stopped after 0 s; narrow it]" in seen.text


def test_what_cannot_be_searched_for_is_a_sentence(tree: Path) -> None:
    for pattern in ("(a", r"(a)\1", "(?=a)", "[b-a]", "*"):
        try:
            seen = grep(tree, pattern)
        except ToolFault as fault:
            assert fault.sentence
        else:
            assert seen.ok
    with pytest.raises(ToolFault, match="no such file"):
        grep(tree, "x", path="gone")


def test_random_arguments_raise_nothing_but_faults(tree: Path) -> None:
    chance = random.Random(7)
    values = (
        "",
        "a",
        "*",
        "[",
        "(",
        "..",
        "a.py",
        "src",
        "-",
        "A3",
        "m",
        None,
        0,
        -1,
        5,
        10**9,
        True,
        1.5,
        [],
        {},
        "\n",
    )
    names = (
        "pattern",
        "path",
        "include",
        "context",
        "ignore_case",
        "output",
        "flags",
        "root",
        "type",
        "hidden",
        "limit",
    )
    here = world(tree)
    ran = 0
    for _ in range(ROUNDS):
        tool = chance.choice(("grep", "glob"))
        args = {name: chance.choice(values) for name in chance.sample(names, chance.randrange(4))}
        if chance.random() < 0.8:
            args["pattern"] = chance.choice(("a", "*", "line 3", "**/*", "[", "("))
        try:
            if judge(tool, args, here)[1].permit is not None:
                ran += carry(tool, args, here).ok
        except Fault as fault:
            assert str(fault)
    print(f"{ROUNDS} rounds, {ran} ran")
    assert ran > ROUNDS // 50


def test_a_pattern_is_all_it_needs_and_the_operators_work_on_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("pump 12\nvalve\nPUMP\n\ncolour 7\ncolor x\n")
    with pytest.raises(UsageFault, match="pattern is missing"):
        judge("grep", {"path": "f"}, world(tmp_path))
    for pattern, numbers in (
        ("p.mp", [1]), ("^pump", [1]), ("e$", [2]), ("^$", [4]), ("lo*u", [5]), ("colou+r", [5]), ("colou?r", [5, 6]),
        ("[pv]", [1, 2]), ("[^a-z]$", [1, 3, 5]), ("(pump|valve)", [1, 2]), ("(l)+ve", [2]), (r"\d", [1, 5]),
        (r"^\w+$", [2, 3]), (r"\w\s\w", [1, 5, 6]),
    ):  # fmt: skip
        assert [found[1] for found in fact(grep(tmp_path, pattern, path="f"), "found")] == numbers, pattern


def test_what_a_pattern_cannot_say_is_named_and_a_lazy_repeat_finds_the_lines_of_a_greedy_one(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("aab\nab\nb\nac\naxbxb\n\n")
    for pattern, named in ((r"(a)\1", "a back-reference"), ("a(?=b)", "look-ahead"), ("(?<!a)b", "look-behind")):
        with pytest.raises(ToolFault, match=named):
            grep(tmp_path, pattern, path="f")
    for lazy, greedy in (
        ("a*?b", "a*b"),
        ("^a+?b$", "^a+b$"),
        ("a.*?b$", "a.*b$"),
        ("ax??b", "ax?b"),
        ("a{1,2}?b", "a{1,2}b"),
    ):
        found = fact(grep(tmp_path, lazy, path="f"), "found")
        assert found == fact(grep(tmp_path, greedy, path="f"), "found") != []


@pytest.mark.parametrize("path", ["f", "."])
@pytest.mark.parametrize("fill", ["y", "\xfc"])
def test_a_hit_is_never_left_out_for_its_own_context_and_what_is_left_out_is_said(
    tmp_path: Path, path: str, fill: str
) -> None:
    (tmp_path / "f").write_bytes("".join(f"{n} {fill * 480}\n" for n in range(1, 61)).encode("latin-1"))
    for number in (3, 30, 58):
        shown = [line for line in lines(tmp_path, f"^{number} ", path=path, context=20) if line[0] != "["]
        told = [line for line in lines(tmp_path, f"^{number} ", path=path, context=20) if line[0] == "["]
        shown = [line.partition(" ")[0] for line in shown if line != "f"]
        first = int(shown[0].split("-")[0].split(":")[0])
        assert f"{number}:{number}" in shown and len(shown) < 41
        assert shown == [f"{n}{':' if n == number else '-'}{n}" for n in range(first, first + len(shown))]
        assert told == ["[some of the context left out; ask for less of it, or read it by file_read offset=NUMBER]"]
    assert not any(line[0] == "[" for line in lines(tmp_path, "^30 ", path=path, context=2))


@pytest.mark.parametrize("before", range(6))
def test_a_line_is_cut_between_letters(tmp_path: Path, before: int) -> None:
    (tmp_path / "f").write_text("a" * before + "☀" * 900 + "HIT" + "é" * 900 + "\nx\n", encoding="utf-8")
    for pattern in ("HIT", "^x"):
        assert "\ufffd" not in grep(tmp_path, pattern, path="f", context=1).text


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("lines_before", [0, 70_000])
def test_utf_16_with_its_mark_is_searched_as_file_read_shows_it(tmp_path: Path, code: str, lines_before: int) -> None:
    text = "\ufeff" + "first é 😀 line\r\n" * lines_before + "zwei Grad Kälte 😀😀\r\nlast"
    (tmp_path / "f").write_bytes(text.encode(code))
    number = lines_before + 1
    for flags in ("", "a"):
        assert lines(tmp_path, "^zwei.*K[ä]lte 😀+", path="f", flags=flags) == [f"{number}:zwei Grad Kälte 😀😀"]
    assert lines(tmp_path, "last$", path="f", context=1) == [f"{number}-zwei Grad Kälte 😀😀", f"{number + 1}:last"]
    assert lines(tmp_path, "\\ufffd", path="f")[0].startswith("no match")
    assert lines(tmp_path, "é", output="count") == ([f"f:{lines_before}"] if lines_before else lines(tmp_path, "é"))
    (tmp_path / "f").write_bytes("\ufefftorn x".encode(code) + b"\x00")
    assert lines(tmp_path, "x", path="f") == ["1:torn x\ufffd"]
