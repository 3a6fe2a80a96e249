"""A walk below a granted folder: what it sees, what it leaves out, what it cannot be led to."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.hands import Hands
from edge.hands import tree as walking
from edge.hands.tree import Tree
from edge.hands.world import World
from tests.support import descriptors
from tests.support.opening import rounds, swapping, world

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
WALKS = 3_000 if SOAK else 300


def grown(here: World, path: str = ".", verb: str = "read", deep: bool = True, **more: Any) -> Tree:
    """The tree of a call whose permit holds exactly that."""
    spot = place(path, here.scene)
    permit = Permit("c1", (Grant(verb, spot.root, spot.path, deep),), **more)
    return Hands(permit, Call("grep", {}, "c1"), here).files.tree(path, verb)


def seen(tree: Tree) -> tuple[list[str], dict[str, bytes]]:
    """The paths of all names, and what could be read of them."""
    paths: list[str] = []
    content: dict[str, bytes] = {}
    with tree:
        for where, names, folders in tree:
            paths += [where + name for name in names] + [f"{where}{name}/" for name in folders]
            for name, data in tree.contents(names):
                content[where + name] = data + b"".join(tree.rest())
    return paths, content


def fill(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"words of {path}\n")


def test_all_below_comes_sorted_folder_after_folder_and_can_be_read(tmp_path: Path) -> None:
    fill(tmp_path, "b", "a", "d/z", "d/y", "d/e/f", "c/x")
    paths, content = seen(grown(world(tmp_path)))
    assert paths == ["a", "b", "c/", "d/", "c/x", "d/y", "d/z", "d/e/", "d/e/f"]
    assert content == {path: f"words of {path}\n".encode() for path in paths if not path.endswith("/")}


def test_one_file_is_a_tree_of_its_own(tmp_path: Path) -> None:
    fill(tmp_path, "d/a")
    tree = grown(world(tmp_path), "d/a")
    assert tree.single and seen(tree) == ([""], {"": b"words of d/a\n"})


def test_links_are_names_and_fifos_are_not_opened(tmp_path: Path) -> None:
    fill(tmp_path, "work/a", "out/secret")
    work = tmp_path / "work"
    (work / "file").symlink_to("../out/secret")
    (work / "folder").symlink_to(tmp_path / "out")
    (work / "inner").symlink_to("a")
    (work / "round").symlink_to(".")
    os.mkfifo(work / "fifo")
    paths, content = seen(grown(world(work)))
    assert paths == ["a", "fifo", "file", "folder", "inner", "round"] and list(content) == ["a"]
    tree = grown(world(work))
    tree.files = True
    assert seen(tree) == (["a", "file", "inner"], {"a": b"words of work/a\n"})


def test_keys_and_private_things_are_left_out_and_counted(tmp_path: Path) -> None:
    fill(tmp_path, "a", ".env", "id_rsa", "secrets.json", ".ssh/config", "src/token.txt", "repo.git/config", "x.pem")
    tree = grown(world(tmp_path))
    tree.hidden = True
    paths, content = seen(tree)
    assert paths == ["a", "repo.git/", "src/"] and list(content) == ["a"]
    assert tree.skipped["private"] == 7


def test_the_agents_own_is_left_out_by_name_by_second_name_and_where_it_is_forbidden(tmp_path: Path) -> None:
    fill(tmp_path, "state/tape/one", "state/key", "own.key2", "closed/x", "a", "sub/Closed.txt")
    os.link(tmp_path / "state/tape/one", tmp_path / "sub/innocent")
    os.link(tmp_path / "own.key2", tmp_path / "sub/also")
    os.link(tmp_path / "a", tmp_path / "sub/twin")
    here = world(tmp_path, state=str(tmp_path / "state"), own=(str(tmp_path / "own.key2"),))
    barred = (str(tmp_path / "state"), str(tmp_path / "closed"), str(tmp_path / "SUB/closed.txt"))
    _, content = seen(grown(here, barred=barred))
    assert sorted(content) == ["a", "sub/twin"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount")
def test_the_state_behind_a_mount_is_left_out(tmp_path: Path) -> None:
    fill(tmp_path, "state/tape/deep/one", "work/a", "work/mounted/b", "work/file")
    (tmp_path / "work/mounted").mkdir(exist_ok=True)
    script = (
        'mount --make-rprivate / && mount --bind "$1/state/tape" "$1/work/mounted" && '
        'mount --bind "$1/state/tape/deep/one" "$1/work/file" && exec "$2" -c "$3" "$1"'
    )
    look = (
        "import sys; from pathlib import Path; from tests.edge.hands.test_tree import *; folder = Path(sys.argv[1]); "
        "print(sorted(seen(grown(world(folder / 'work', state=str(folder / 'state'))))[1]))"
    )
    command = ["unshare", "-m", "sh", "-c", script, "sh", str(tmp_path), sys.executable, look]
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare here")
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root)}
    )
    if "permission denied" in done.stderr.lower() or "not permitted" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()[-200:]}")
    assert done.stdout == "['a']\n", done.stderr


def test_hidden_names_and_heavy_folders_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    fill(tmp_path, "a", ".b", ".c/d", "node_modules/m/x", ".git/y", "__pycache__/z", ".fieldhand-trash/t")
    tree = grown(world(tmp_path))
    assert [path for path in seen(tree)[0] if not path.endswith("/")] == ["a"]
    assert tree.skipped == {"hidden": 4, "heavy": 2}
    tree = grown(world(tmp_path))
    tree.hidden = True
    assert [path for path in seen(tree)[0] if not path.endswith("/")] == [".b", "a", ".c/d"]
    assert sorted(seen(grown(world(tmp_path), "node_modules/m"))[1]) == ["x"]


def test_in_readable_places_what_others_may_not_read_is_private() -> None:
    paths, content = seen(grown(world(Path("/tmp")), "/etc"))
    assert "hostname" in content or "passwd" in content
    assert not {"shadow", "gshadow", "sudoers"} & {path.strip("/") for path in paths}
    for path in content:
        assert (Path("/etc") / path).stat().st_mode & 0o004, path


def test_files_of_the_kernel_are_read_to_their_end_whatever_size_they_claim() -> None:
    here = world(Path("/tmp"))
    assert seen(grown(here, "/proc/cpuinfo"))[1][""] and seen(grown(here, "/proc/self/mounts"))[1][""]
    tree = grown(here, "/proc/sys/kernel")
    assert seen(tree)[1]["ostype"] == b"Linux\n"


def test_no_process_gives_its_memory_or_environment() -> None:
    own = f"/proc/{os.getpid()}"
    tree = grown(world(Path("/tmp")), own)
    tree.depth = 2
    paths = {path.strip("/") for path in seen(tree)[0]}
    assert "status" in paths
    assert not paths & {"environ", "mem", "fd", "root", "cwd", "maps", "task/environ"}


def test_a_folder_may_be_larger_than_what_is_looked_at_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "CHUNK", 7)
    fill(tmp_path, *[f"f{number}" for number in range(29)], "d/x", "e/y")
    paths, content = seen(grown(world(tmp_path)))
    assert len(content) == 31 and len(set(paths)) == 33


@pytest.mark.parametrize("extra", [-1, 0, 1, 500])
def test_files_at_the_edges_of_a_read_come_whole(extra: int, tmp_path: Path) -> None:
    data = bytes(range(256)) * (walking.WHOLE // 256) + b"x" * 500
    (tmp_path / "f").write_bytes(data[: walking.WHOLE + extra])
    (tmp_path / "empty").write_bytes(b"")
    assert seen(grown(world(tmp_path)))[1] == {"f": data[: walking.WHOLE + extra]}


def test_a_file_that_grows_or_shrinks_meanwhile_is_read_to_where_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(b"x" * 1000)
    real = os.fstat

    def later(size: int) -> Callable[[int], os.stat_result]:
        def told(descriptor: int) -> os.stat_result:
            status = real(descriptor)
            if status.st_size == 1000:
                os.truncate(tmp_path / "f", size)
            return status

        return told

    for size in (5000, 10):
        os.truncate(tmp_path / "f", 1000)
        monkeypatch.setattr(os, "fstat", later(size))
        assert len(seen(grown(world(tmp_path)))[1]["f"]) == size
        monkeypatch.setattr(os, "fstat", real)


def test_depth_entries_time_and_a_cut_end_the_walk_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, "a/b/c/d", "a/x")
    tree = grown(world(tmp_path))
    tree.depth = 2
    assert seen(tree)[0] == ["a/", "a/x", "a/b/"]
    monkeypatch.setattr(walking, "DEPTH", 3)
    tree = grown(world(tmp_path))
    assert len(seen(tree)[0]) == 4 and tree.skipped == {"deep": 1}
    monkeypatch.setattr(walking, "ENTRIES", 2)
    tree = grown(world(tmp_path))
    seen(tree)
    assert tree.stopped == "after 2 names"
    tree = grown(world(tmp_path), seconds=0.0)
    assert seen(tree)[1] == {} and tree.stopped == "after 0 s"
    monkeypatch.setattr(walking, "ENTRIES", 10**6)
    here = world(tmp_path)
    tree = grown(here)
    here.cut()
    seen(tree)
    assert tree.stopped == "because the call was ended"


def test_what_was_not_granted_is_refused(tmp_path: Path) -> None:
    fill(tmp_path, "d/a")
    with pytest.raises(Refused, match="below d"):
        grown(world(tmp_path), "d", deep=False)
    names = grown(world(tmp_path), "d", "list")
    with pytest.raises(Refused, match="names be listed"), names:
        for _, found, _ in names:
            list(names.contents(found))
    shallow = grown(world(tmp_path), ".", "list", deep=False)
    with shallow:
        assert [(where, names) for where, names, _ in shallow] == [("", [])]
    with pytest.raises(ToolFault, match="no such file"):
        grown(world(tmp_path), "nothing")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ToolFault, match="no folder and no regular file"):
        grown(world(tmp_path), "fifo")


def test_a_root_that_links_to_a_secret_asks_the_gate(tmp_path: Path) -> None:
    fill(tmp_path, ".ssh/key", "a/x")
    (tmp_path / "link").symlink_to(".ssh")
    (tmp_path / "fine").symlink_to("a")
    with pytest.raises((Refused, ToolFault)):
        grown(world(tmp_path), "link")
    assert set(seen(grown(world(tmp_path), "fine"))[1]) <= {"x"}


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    fill(tmp_path, "a/b/c", "a/d", "e")
    before = descriptors.count()
    seen(grown(world(tmp_path)))
    with grown(world(tmp_path)) as tree:
        for _, names, _ in tree:
            for _ in tree.contents(names):
                break
            break
    del tree
    here = world(tmp_path)
    del here
    gc.collect()
    assert descriptors.count() <= before


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_walk_is_not_led_out_by_a_name_that_is_swapped_for_a_link(kind: str, tmp_path: Path) -> None:
    fill(tmp_path, "out/f")
    work = tmp_path / "work"
    fill(work, "d/f", "file")
    (tmp_path / "out/f").write_text("ESCAPED")
    (work / "link").symlink_to(tmp_path / "out")
    (work / "filelink").symlink_to(tmp_path / "out/f")
    pair = ("d", "link") if kind == "folder" else ("file", "filelink")
    here = world(work)
    found: Counter[str] = Counter()
    with swapping(work / pair[0], work / pair[1]):
        for _ in rounds(WALKS, found, "whole", "part"):
            content = seen(grown(here))[1]
            found["ESCAPED"] += b"ESCAPED" in b"".join(content.values())
            found["whole" if len(content) == 2 else "part"] += 1
    print(dict(found))
    assert not found["ESCAPED"] and found["whole"]
