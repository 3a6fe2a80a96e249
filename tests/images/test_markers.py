from __future__ import annotations

import pytest

from images import markers

CASES = [
    ("", True),
    ('python_version < "3.11"', False),
    ("python_version >= '3.9'", True),
    ('"3.12" > python_version', True),
    ('python_version == "3.11.*"', True),
    ('python_full_version <= "3.11.0"', True),
    ('python_version ~= "3.9"', True),
    ('python_version in "3.10, 3.11"', True),
    ('python_version not in "3.10, 3.11"', False),
    ('sys_platform == "win32"', False),
    ('platform_system != "Windows"', True),
    ('os_name == "nt" or sys_platform == "linux"', True),
    ('extra == "http2"', False),
    ('(python_version < "3.13") and (extra == "socks" or implementation_name == "cpython")', True),
    ('(python_version < "3.10" or extra == "x") and sys_platform == "linux"', False),
    ('"win" in sys_platform', False),
    ('"win" not in sys_platform', True),
]


@pytest.mark.parametrize(("marker", "wanted"), CASES)
def test_a_marker_is_asked_for_the_board(marker: str, wanted: bool) -> None:
    assert markers.holds(marker, "3.11") is wanted


def test_two_boards_have_two_answers() -> None:
    marker = 'python_version < "3.13" and extra != "x"'
    assert markers.holds(marker, "3.11") and not markers.holds(marker, "3.13")
    assert markers.holds('python_version < "3.9"', "3.8") and not markers.holds('python_version < "3.9"', "3.13")


@pytest.mark.parametrize(
    "marker",
    ["moon == 'full'", "python_version <", "(python_version < '3'", "'a' == 'b'", "%%", "python_version < 'x'"],
)
def test_what_is_not_understood_keeps_the_library(marker: str) -> None:
    assert markers.holds(marker, "3.11")
