"""What is told with the output of a child, and when."""

from __future__ import annotations

from edge.hands.wall.notes import NOBODY, OTHERS, READ_ONLY, copies, notes


def test_behind_landlock_all_is_as_it_is() -> None:
    assert notes("landlock", True, False, "mount", "/ ext4 (ro)") == ()


def test_without_a_wall_for_files_every_result_says_so() -> None:
    for level in ("seccomp", "off"):
        (sentence,) = notes(level, True, True, "true", "")
        assert level in sentence and "no wall" in sentence


def test_name_spaces_are_told_where_they_matter() -> None:
    assert notes("namespaces", True, False, "echo", "all is well\n") == ()
    assert notes("namespaces", True, True, "mount", "/dev/mmcblk0p2 on / type ext4 (ro,noatime)") == (READ_ONLY,)
    assert notes("namespaces", True, True, "touch a", "touch: a: Read-only file system") == (READ_ONLY,)
    assert notes("namespaces", True, False, "ls -l", "-rw-r--r-- 1 nobody nogroup 5 a") == (NOBODY,)
    assert notes("namespaces", True, True, "ls -l", "-rw-r--r-- 1 nobody nogroup 5 a") == ()
    for text in ("ps -e > a", "pgrep x || touch a", "cat /proc/1/stat > a", "df > a"):
        assert notes("namespaces", False, True, text, "") == (OTHERS,)
    assert notes("namespaces", False, True, "make heroes", "rows from the stop") == ()


def test_what_copies_a_folder_is_told_what_stayed_closed_and_others_are_not() -> None:
    said = ("kept closed: /w/.env", "closed because not everything could be looked at for keys: /w/x")
    assert copies(said, "tar czf b.tgz .") == ("kept closed: /w/.env; a copy has only a stand-in for it",)
    assert copies(said, "cp -r . /w/bk") == copies(said, "tar czf b.tgz .")
    assert copies(said, "touch a") == ()
    assert copies((), "tar czf b.tgz .") == ()
