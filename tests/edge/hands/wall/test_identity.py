"""A user of its own: what a child of root sees as its own, what stays others', what is on the disk afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.hands.wall import identity, kernel
from edge.hands.wall.confine import Confinement
from tests.support import mounts

WHY = identity.possible(tempfile.gettempdir()) if os.geteuid() == 0 else "only root can give a child another user"
root_only = pytest.mark.skipif(bool(WHY), reason=WHY)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose way is open to all, unlike that of pytest's own."""
    made = Path(tempfile.mkdtemp(prefix="identity-")).resolve()
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(autouse=True)
def no_mount_is_seen_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.getbasetemp()
    before = mounts.of_this_run(base)
    yield
    assert mounts.of_this_run(base) == before
    assert os.geteuid() == os.getuid()


def in_a_thread(act: Callable[[], Any]) -> Any:
    """What a thread that lives for this alone comes to."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(act()))
    thread.start()
    thread.join(60)
    assert found, "the thread failed"
    return found[0]


def shell(plan: Confinement, text: str) -> tuple[str, str]:
    """What `enter` said, and what a shell of that thread wrote."""
    identity.ready(plan)

    def act() -> tuple[str, str]:
        why = identity.enter(plan)
        done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, text=True, timeout=60, check=False)
        return why, done.stdout + done.stderr

    return in_a_thread(act)


def plan(folder: Path, **fields: Any) -> Confinement:
    return Confinement(**{"cwd": str(folder), "reads": ("/usr", "/etc"), "writes": (str(folder),), **fields})


def test_a_number_is_the_state_folders_own_and_nobody_elses() -> None:
    found = {identity.number(f"/state/{turn}") for turn in range(200)}
    assert len(found) > 100 and min(found) >= 60706 and max(found) <= 61183
    assert identity.number("/state/1") == identity.number("/state/1")
    assert not found & {one.pw_uid for one in pwd.getpwall()}


def test_maps_name_everybody_once() -> None:
    for owner, user in ((0, 60800), (1000, 60800), (60800, 60800), (65534, 60801), (60900, 60800)):
        rows = [[int(word) for word in line.split()] for line in identity._map(owner, user).splitlines()]
        assert [owner, user, 1] in rows and len(rows) <= 5
        for side in (0, 1):
            spans = sorted((row[side], row[side] + row[2]) for row in rows)
            assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:])), rows
            assert spans[-1][1] <= 0xFFFFFFFF


@root_only
def test_what_the_child_makes_belongs_to_the_owner_of_the_folder(place: Path) -> None:
    (place / "mine").write_text("closed to others\n")
    (place / "mine").chmod(0o600)
    user = identity.number("")
    why, text = shell(plan(place), "id -u; id -G; cat mine; echo x > new; mkdir d; echo y > d/z; stat -c %u mine new")
    assert why == "" and text.splitlines() == [str(user), str(user), "closed to others", str(user), str(user)]
    assert {path.stat().st_uid for path in place.rglob("*")} == {0} and (place / "d/z").read_text() == "y\n"


@root_only
def test_the_owner_may_be_anybody_and_what_others_have_there_stays_theirs(place: Path) -> None:
    os.chown(place, 1234, 2345)
    for name, owner in (("owners", 1234), ("roots", 0), ("thirds", 777)):
        (place / name).write_text(name + "\n")
        (place / name).chmod(0o600)
        os.chown(place / name, owner, owner)
    why, text = shell(
        plan(place), "cat owners; cat roots; cat thirds; echo x > new; stat -c '%n %u' owners roots thirds"
    )
    assert why == "" and "owners\n" in text and text.count("ermission denied") == 2
    assert f"owners {identity.number('')}" in text and "roots 0" in text and "thirds 777" in text
    assert ((place / "new").stat().st_uid, (place / "new").stat().st_gid) == (1234, 2345)


@root_only
def test_outside_nothing_of_root_can_be_read_or_changed(place: Path) -> None:
    inside, outside = place / "in", place / "out"
    for folder in (inside, outside):
        folder.mkdir()
    (outside / "victim").write_text("kept\n")
    (outside / "victim").chmod(0o600)
    text = "cat $O/victim; echo x > $O/victim; chmod 777 $O/victim; touch $O/new; ln $O/victim h"
    why, said = shell(plan(inside), f"O={outside}; {text}")
    assert why == "" and "kept" not in said
    assert (outside / "victim").read_text() == "kept\n" and (outside / "victim").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(outside)) == ["victim"] and os.listdir(inside) == []


@root_only
def test_a_closed_way_is_open_for_what_was_granted_and_shows_nothing_else(place: Path) -> None:
    closed = place / "home"
    inside = closed / "deep/work"
    inside.mkdir(parents=True)
    (closed / "secret").write_text("secret\n")
    closed.chmod(0o700)
    why, text = shell(plan(inside), f"pwd; echo x > made; ls -a {closed}; cat {closed}/secret; echo y > {closed}/lost")
    assert why == "" and text.splitlines()[0] == str(inside)
    assert "secret\n" not in text and (inside / "made").read_text() == "x\n" and not (closed / "lost").exists()
    assert closed.stat().st_mode & 0o777 == 0o700 and sorted(os.listdir(closed)) == ["deep", "secret"]


@root_only
def test_what_is_read_and_closed_to_others_is_shown_but_not_what_the_system_closes(place: Path) -> None:
    inside, shown = place / "in", place / "shown"
    for folder in (inside, shown):
        folder.mkdir()
    (shown / "log").write_text("a line\n")
    (shown / "log").chmod(0o600)
    made = plan(inside, reads=("/usr", "/etc", str(shown)))
    why, text = shell(made, f"cat {shown}/log; cat /etc/shadow")
    assert why == "" and "a line" in text and "ermission denied" in text
    bare = plan(inside, reads=("/usr", "/etc", str(shown)), level="seccomp")
    assert "a line" not in shell(bare, f"cat {shown}/log")[1], "without a wall for files its rights are all there is"


@root_only
def test_what_is_read_may_be_a_link_also_one_that_leads_nowhere_or_into_the_system(place: Path) -> None:
    inside, shown = place / "in", place / "shown"
    for folder in (inside, shown):
        folder.mkdir()
    (shown / "log").write_text("a line\n")
    (shown / "log").chmod(0o600)
    links = {"here": str(shown), "nowhere": f"{place}/absent", "system": "/etc"}
    for name, target in links.items():
        (place / name).symlink_to(target)
    made = plan(inside, reads=("/usr", "/etc", *(f"{place}/{name}" for name in links)))
    why, text = shell(made, f"id -u; cat {place}/here/log; cat {place}/system/shadow")
    assert why == "" and text.split()[0] == str(identity.number("")) and "a line" in text
    assert "ermission denied" in text


@root_only
def test_where_a_mount_cannot_be_none_is_left_over_the_working_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, other = place / "in", place / "other"
    inside.mkdir(mode=0o700)
    other.mkdir()
    made = plan(inside, reads=("/usr", "/etc", str(other)))
    move = kernel.move_mount

    def refusing(tree: int, path: str) -> None:
        if path == str(other):
            raise OSError(22, "Invalid argument", path)
        move(tree, path)

    monkeypatch.setattr(kernel, "move_mount", refusing)
    why, text = shell(made, f"cd {inside} && pwd")
    assert str(other) in why and text == f"{inside}\n"


@root_only
def test_no_capability_is_left_but_those_the_plan_names(place: Path) -> None:
    words = dict(line.split(":\t") for line in shell(plan(place), "grep Cap /proc/self/status")[1].splitlines())
    assert set(words.values()) == {"0" * 16}
    words = dict(
        line.split(":\t")
        for line in shell(plan(place, capabilities=("syslog",)), "grep Cap /proc/self/status")[1].splitlines()
    )
    assert set(words.values()) == {f"{1 << 34:016x}"}


@root_only
def test_where_it_cannot_be_the_child_stays_root_without_rights_and_it_is_said(place: Path) -> None:
    assert "cannot be shown as another user's" in identity.possible("/proc")
    assert identity.possible(str(place)) == ""
    made = plan(place, writes=(str(place), "/proc"))
    why, text = shell(made, "id -u; grep CapEff /proc/self/status; mount -t tmpfs none . 2>&1")
    assert "/proc cannot be shown as another user's on its file system" in why
    assert text.splitlines()[0] == "0" and "0" * 16 in text and os.listdir(place) == []


@root_only
def test_an_overlay_is_said_to_be_unable(place: Path) -> None:
    for name in ("low", "up", "aside", "over"):
        (place / name).mkdir()

    def act() -> str:
        kernel.unshare(kernel.NEWNS)
        kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
        options = f"lowerdir={place}/low,upperdir={place}/up,workdir={place}/aside"
        try:
            kernel.mount("overlay", f"{place}/over", "overlay", 0, options)
        except OSError as error:
            return f"no overlay here: {error.strerror}"
        return identity.possible(f"{place}/over")

    said = in_a_thread(act)
    if said.startswith("no overlay here"):
        pytest.skip(said)
    assert "cannot be shown as another user's" in said


@root_only
def test_what_everybody_may_write_needs_no_showing(place: Path) -> None:
    assert identity.open_to_all("/dev/null") and not identity.open_to_all(str(place))
    why, text = shell(plan(place, writes=(str(place), "/dev/null")), "echo x > /dev/null && echo written")
    assert (why, text) == ("", "written\n") and stat.S_ISCHR(os.stat("/dev/null").st_mode)


@root_only
def test_descriptors_are_kept_for_each_owner_and_no_others_stay(place: Path) -> None:
    shell(plan(place), "true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        shell(plan(place), "true")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_root_of_few_users_is_told() -> None:
    mapped = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    highest = max(first + count - 1 for first, _, count in mapped)
    assert identity.unknown(highest) == "" or highest == 0
    if highest < 0xFFFFFFFE:
        assert "container" in identity.unknown(highest + 1)
