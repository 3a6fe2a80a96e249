"""The second build: a process of its own that differs in all it can, and what is said of its results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import twice
from images.report import Row

FIRST = [Row("manifest.json", 10, "ab" * 32), Row("x.img.zst", 100, "cd" * 32)]
SAME = {row.name: row.remark for row in FIRST}
# Stands for `python -m images`: tells how it was started, and answers what the test wants.
BUILDER = """
import json, os, sys
mask = os.umask(0)
told = {"words": sys.argv[1:], "umask": mask, "env": dict(os.environ)}
open(os.path.join(os.path.dirname(__file__), "told"), "w").write(json.dumps(told))
open(sys.argv[sys.argv.index("--out") + 1], "w").write("a result")
sys.stdout.write(open(os.path.join(os.path.dirname(__file__), "answer")).read())
sys.exit(int(open(os.path.join(os.path.dirname(__file__), "code")).read()))
"""


@pytest.fixture
def builder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a builder of our own, which answers with the results of the first build and code 0."""
    folder = tmp_path / "checkout/images"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "__main__.py").write_text(BUILDER)
    monkeypatch.setattr(twice, "ROOT", tmp_path / "checkout")
    answer(folder, SAME)
    return folder


def answer(builder: Path, files: dict[str, str], code: int = 0) -> None:
    rows = [{"name": name, "bytes": 1, "sha256": digest} for name, digest in files.items()]
    (builder / "answer").write_text(json.dumps({"results": rows}))
    (builder / "code").write_text(str(code))


def unequal(folder: Path) -> str:
    """What is said of a second build that is not like the first one."""
    with pytest.raises(CardFault) as caught:
        twice.again(["pi-x"], folder / "out", FIRST)
    return caught.value.sentence


def test_the_second_builder_differs_and_leaves_nothing(builder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert twice.again(["pi-x", "--version", "1"], out, FIRST) == "built twice, 2 files equal"
    told = json.loads((builder / "told").read_text())
    assert told["words"][:4] == ["build", "pi-x", "--version", "1"] and {"--json", "--fresh"} < set(told["words"])
    assert told["words"][told["words"].index("--out") + 1].startswith(f"{out}/")
    assert told["umask"] == twice.UMASK and told["env"].items() >= twice.OTHER.items()
    assert list(out.iterdir()) == []


def test_every_file_that_is_not_the_same_is_named_with_how(builder: Path, tmp_path: Path) -> None:
    answer(builder, {"manifest.json": "ab" * 32, "x.img.zst": "ce" * 32})
    assert unequal(tmp_path) == "two builds are not the same; files that differ: x.img.zst"
    answer(builder, {"x.img.zst": "cd" * 32, "more.txt": "", "and.txt": ""})
    assert unequal(tmp_path) == (
        "two builds are not the same; files of the first build alone: manifest.json; "
        "files of the second build alone: and.txt, more.txt"
    )
    assert list((tmp_path / "out").iterdir()) == []


def test_a_second_build_that_fails_is_told(builder: Path, tmp_path: Path) -> None:
    answer(builder, SAME, code=1)
    with pytest.raises(CardFault, match="the second build failed"):
        twice.again(["pi-x"], tmp_path / "out", FIRST)
    assert list((tmp_path / "out").iterdir()) == []
