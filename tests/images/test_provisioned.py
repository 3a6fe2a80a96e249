"""What the flasher says of a provision file that a board would not take."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import ConfigFault
from images import provisioned


def test_a_key_in_the_wrong_place_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[model]\nkey_file = "hunter2hunter2"\n[login]\npasword = "hunter3"\n')
    with pytest.raises(ConfigFault, match=r"mine\.toml:2: model\.key_file must be") as caught:
        provisioned.taken(file)
    assert "hunter" not in str(caught.value)
