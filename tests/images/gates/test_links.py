"""A link of a root that would lead nowhere on the board is told."""

from __future__ import annotations

from pathlib import Path

from images.gates import links


def test_good_links_and_those_into_what_the_board_makes_pass(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/busybox").write_text("x")
    for name, target in (("bin", "usr/bin"), ("usr/bin/sh", "busybox"), ("var", "run"), ("etc", "/run/etc")):
        (tmp_path / name).symlink_to(target)
    assert links.check(tmp_path, None) == []  # type: ignore[arg-type]


def test_links_out_of_the_root_into_nothing_and_into_themselves_are_told(tmp_path: Path) -> None:
    (tmp_path / "usr").mkdir()
    for name, target in (("up", "../up"), ("usr/gone", "absent"), ("a", "b"), ("b", "a"), ("host", "/etc/passwd-x")):
        (tmp_path / name).symlink_to(target)
    (tmp_path / "machine").symlink_to("/usr/bin/env")
    said = links.check(tmp_path, None)  # type: ignore[arg-type]
    assert [line.split()[2] for line in said] == ["a", "b", "machine", "up", "usr/gone"]
    assert "loop" in said[0] and "nowhere" in said[2] and "above the root" in said[3] and "nowhere" in said[4]
