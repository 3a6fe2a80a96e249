from __future__ import annotations

import pytest

from images import lock_command


def test_what_is_locked_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert lock_command.main(["show", "pi-armv6"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("pi-armv6: bookworm armel, Python 3.11, kernel 6.1.")
    assert "packages" in shown and "libssl3" in shown and "behind: arm64 has" in shown


def test_an_unknown_act_is_a_usage_error() -> None:
    with pytest.raises(SystemExit) as caught:
        lock_command.main(["refresh"])
    assert caught.value.code == 2
